"""The firmware's own protocol code (C), under gcc's address and undefined-behaviour sanitizers.

A small program of it (`firmware.c`) takes batches of inputs on its standard input and checks after
each that the board still greets. The inputs are those of `tests.fuzz.line`.
"""

import os
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import firmware_bridge
from tests.fuzz.line import from_the_host, on_the_wire
from tests.fuzz.mutate import Mutator
from tests.fuzz.running import Finding, Outcome

NAME, WHAT = "firmware", "bytes of the serial line, in the firmware (C, ASan and UBSan)"
FIRMWARE = Path(firmware_bridge.__file__).parent / "firmware"
SOURCES = (
    Path(__file__).with_name("firmware.c"),
    FIRMWARE / "src" / "frame.c",
    FIRMWARE / "src" / "conversation.c",
    FIRMWARE / "host" / "board.c",
)
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")
BATCH = 5000
PATIENCE_S = 300.0


class Crashed(Exception):  # noqa: N818
    """The program ended with an input; its own words say why."""


def build(folder: Path, sources: Sequence[Path] = SOURCES) -> Path:
    made = folder / "fuzz-firmware"
    command = ["gcc", "-std=gnu11", "-O1", "-g", *WARNINGS, *SANITIZE, "-o", str(made)]
    subprocess.run([*command, *sources], check=True, capture_output=True)
    return made


def give(program: Path, inputs: Sequence[bytes]) -> None:
    """Let the program take these inputs.

    Raises:
        Crashed: it did not like one of them.
    """
    batch = b"".join(struct.pack("<I", len(each)) + each for each in inputs)
    # Leak checks need rights that a container may not give; nothing here allocates.
    settings = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}
    ended = subprocess.run(
        [program], input=batch, capture_output=True, check=False, timeout=PATIENCE_S, env=settings
    )
    if ended.returncode != 0:
        raise Crashed((ended.stdout + ended.stderr).decode("utf-8", "replace")[:2000])


def run(count: int, seed: int = 1, sources: Sequence[Path] = SOURCES) -> Outcome:
    """Give the firmware so many inputs; it ends with the first that it cannot take."""
    began_s = time.monotonic()
    mutator, done = Mutator(from_the_host(), seed), 0
    with tempfile.TemporaryDirectory(prefix="topple-fuzz-") as folder:
        program = build(Path(folder), sources)
        while done < count:
            batch = [mutator.next() for _ in range(min(BATCH, count - done))]
            try:
                give(program, [on_the_wire(each) for each in batch])
            except Crashed as error:
                number, found = _culprit(program, batch, error)
                return _outcome(done + number + 1, began_s, (found,))
            done += len(batch)
    return _outcome(done, began_s)


def _culprit(program: Path, batch: Sequence[bytes], error: Crashed) -> tuple[int, Finding]:
    """The first of a batch that the program cannot take alone; else all of it together."""
    for number, each in enumerate(batch):
        try:
            give(program, [on_the_wire(each)])
        except Crashed as alone:
            return number, Finding(NAME, number, each, alone)
    return len(batch) - 1, Finding(NAME, 0, b"".join(batch), error)


def _outcome(inputs: int, began_s: float, findings: tuple[Finding, ...] = ()) -> Outcome:
    return Outcome(NAME, inputs, 0, time.monotonic() - began_s, 0.0, findings)

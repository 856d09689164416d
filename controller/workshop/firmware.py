"""`topple-table firmware build|flash`: the microcontroller's program, from source onto the board.

Building copies the sources first, since an installed package may lie where nobody can write.
Flashing is avrdude's work; afterwards the board is asked who it is, and only its own answer
counts as success.
"""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import firmware_bridge
from controller.common.errors import BadInput, ControllerError
from controller.common.outputs import ready_for_folder
from hw.drivers.libraries import not_installed

if TYPE_CHECKING:
    from firmware_bridge.messages import Hello
    from firmware_bridge.troubles import LinkTrouble

DONE, FAILED = 0, 1

SOURCES = Path(firmware_bridge.__file__).parent / "firmware"
NAME = "topple-table-nano"
"""Of the files that are made: NAME.hex for the board, NAME.elf for the lab and for debuggers."""

FLASH_BYTES, RAM_BYTES = 32768, 2048
"""ATmega328P."""

LOADER_BAUD, OLD_LOADER_BAUD = 115_200, 57_600
"""Of Optiboot, and of the bootloader that Nanos had until 2018."""

HELLO_DEADLINE_S = 10.0
"""Reset by the port, bootloader (2 s), Hello; and as much again for a slow USB hub."""

PACKAGES = {
    "avr-gcc": "gcc-avr avr-libc",
    "avr-size": "binutils-avr",
    "make": "make",
    "avrdude": "avrdude",
}
"""Debian packages that have a program."""


class BuildFailed(ControllerError):  # noqa: N818
    """The compiler failed; its output is in the message."""


@dataclass(frozen=True, slots=True)
class Built:
    """A firmware, `hex` for the board, `elf` for lab and debuggers; its stack is not counted."""

    hex: Path
    elf: Path
    flash_bytes: int
    ram_bytes: int


def build(out: Path) -> Built:
    """Compile the firmware into a folder, which is made if need be.

    Raises:
        BadInput: a tool is missing, or the folder cannot be written.
        BuildFailed: the compiler refused.
    """
    _need("avr-gcc", "avr-size", "make")
    ready_for_folder("--out", out)
    built = Built(out / f"{NAME}.hex", out / f"{NAME}.elf", 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        _compile(Path(folder))
        made = Path(folder) / "build" / "topple-table"
        try:
            shutil.copy(made.with_suffix(".hex"), built.hex)
            shutil.copy(made.with_suffix(".elf"), built.elf)
        except OSError as error:
            raise BadInput(f"{out}: {error.strerror}; name a folder that can be written") from None
    return _measured(built)


def _need(*tools: str) -> None:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        packages = " ".join(PACKAGES[tool] for tool in missing)
        raise BadInput(f"{', '.join(missing)} not found; sudo apt-get install {packages}")


def _compile(folder: Path) -> None:
    shutil.copytree(SOURCES / "src", folder / "src")
    shutil.copy(SOURCES / "Makefile", folder)
    made = _run(["make", "-s", "-C", str(folder)])
    if made.returncode != 0:
        raise BuildFailed(f"the firmware does not compile: {made.stderr.strip()[-500:]}")


def _measured(built: Built) -> Built:
    sizes = dict.fromkeys((".text", ".data", ".bss", ".noinit"), 0)
    for line in _run(["avr-size", "-A", str(built.elf)]).stdout.splitlines():
        text = line.split()
        if text and text[0] in sizes:
            sizes[text[0]] = int(text[1])
    flash = sizes[".text"] + sizes[".data"]
    ram = sizes[".data"] + sizes[".bss"] + sizes[".noinit"]
    return Built(built.hex, built.elf, flash, ram)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own words, and paths as arguments of their own
        command, capture_output=True, text=True, check=False
    )


def print_build(out: Path) -> int:
    """`topple-table firmware build`; returns the exit code."""
    try:
        built = build(out)
    except BuildFailed as error:
        print(f"firmware build: {error}")
        return FAILED
    print(f"{built.hex}")
    print(
        f"flash {built.flash_bytes} of {FLASH_BYTES} bytes, "
        f"static RAM {built.ram_bytes} of {RAM_BYTES} bytes"
    )
    return DONE


def flash(
    port: str | None, image: Path | None, *, old_bootloader: bool = False, dry_run: bool = False
) -> int:
    """`topple-table firmware flash`: write the firmware and check the answer.

    Returns:
        Exit code: 0 when the board answered as ours, 1 when writing or the answer failed.

    Raises:
        BadInput: a tool, the file or the port is missing.
    """
    if not dry_run:
        _need("avrdude")
    where = port or _only_port()
    with _image(image, build_it=not dry_run) as file:
        command = avrdude(where, file, old_bootloader=old_bootloader)
        print(" ".join(command), flush=True)
        if dry_run:
            return DONE
        if subprocess.run(command, check=False).returncode != 0:  # noqa: S603 - as above
            print(_words_for_failure(where, old_bootloader=old_bootloader))
            return FAILED
    return _ask(where)


def avrdude(port: str, image: Path, *, old_bootloader: bool = False) -> list[str]:
    """The command that writes `image` to the Nano on `port`."""
    baud = OLD_LOADER_BAUD if old_bootloader else LOADER_BAUD
    target = ["avrdude", "-p", "atmega328p", "-c", "arduino", "-P", port, "-b", str(baud)]
    # -D: the bootloader erases page by page.
    return [*target, "-D", "-U", f"flash:w:{image}:i"]


def _only_port() -> str:
    _need_pyserial()
    from firmware_bridge.errors import PortUnavailable  # noqa: PLC0415
    from firmware_bridge.ports import find_port  # noqa: PLC0415

    try:
        return find_port()
    except PortUnavailable as error:
        raise BadInput(f"{str(error).removesuffix('.')}; --port names one") from None


def _need_pyserial() -> None:
    try:
        import serial  # noqa: F401, PLC0415
    except ImportError as error:
        raise BadInput(not_installed(error, "bridge")) from None


@contextmanager
def _image(image: Path | None, *, build_it: bool) -> Iterator[Path]:
    if image is not None:
        if not image.is_file():
            raise BadInput(f"{image}: there is no such file; name a .hex, or leave --hex out")
        yield image
        return
    with tempfile.TemporaryDirectory() as folder:
        yield build(Path(folder)).hex if build_it else Path(f"{NAME}.hex")


def _words_for_failure(port: str, *, old_bootloader: bool) -> str:
    other = "without --old-bootloader" if old_bootloader else "with --old-bootloader"
    return (
        f"firmware flash: avrdude failed; see its output above. Check that no other program uses "
        f"{port} (topple-table run, Arduino IDE); many Nano clones want it {other}"
    )


def _ask(port: str) -> int:
    _need_pyserial()
    try:
        hello = ask(port)
    except ControllerError as error:
        print(f"firmware flash: {error}")
        return FAILED
    print(
        f"The board answers: firmware {hello.firmware_version}, protocol "
        f"{hello.protocol_major}.{hello.protocol_minor}, messages {hello.schema_hash:08x}, "
        f"{hello.cells} load cells."
    )
    return DONE


def ask(port: str, *, deadline_s: float = HELLO_DEADLINE_S) -> "Hello":
    """The firmware that answers on a port; without one, on the port where ours greets.

    Raises:
        BadInput: nobody, or nobody we can work with; in words.
    """
    from firmware_bridge.events import Connected, Refused  # noqa: PLC0415
    from firmware_bridge.link import SerialLink  # noqa: PLC0415
    from firmware_bridge.ports import GREETING_S, PortSearch, candidates  # noqa: PLC0415

    link = SerialLink(port, time.monotonic, search=None if port else PortSearch())
    others = 0 if port else len(candidates()) - 1
    end_s = time.monotonic() + deadline_s + max(0, others) * GREETING_S
    trouble: LinkTrouble | None = None
    try:
        while time.monotonic() < end_s:
            for event in link.poll():
                if isinstance(event, Connected):
                    return event.hello
                if isinstance(event, Refused):
                    raise BadInput(event.trouble.sentence)
                trouble = getattr(event, "trouble", trouble)
            if link.outage:
                time.sleep(0.05)
        said = trouble or link.outage
        raise BadInput(said.sentence if said else f"nobody answered in {deadline_s:.0f} s")
    finally:
        link.close()

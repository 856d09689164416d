"""Which tests and scenarios run which lines, and how long each takes; measured once for a tree."""

import hashlib
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from tests.mutants import scenarios
from tests.mutants.chosen import Measured
from tests.mutants.copies import ROOT, SOURCES, Copy, files_of_tree
from tests.mutants.lines import LinesOf
from tests.mutants.sites import Mutation

UNIT_TESTS = (
    "tests/engine", "tests/hw", "tests/controller/table", "tests/controller/journal",
    "tests/controller/mqtt", "tests/controller/durability", "tests/controller/replay",
    "tests/lab/people", "tests/controller/contract", "tests/firmware_bridge",
    "tests/playthroughs", "tests/test_rules.py", "tests/test_project.py",
)  # fmt: skip
"""The tests of what is changed and of what stands on it, without those of the bench, which is
asked by itself, and of the whole program and its pages, which take long to begin. The examples in
docstrings are run by the last."""

OF_OTHERS = (
    "tests/controller/mqtt/test_promises.py",
    "tests/controller/mqtt/test_own_mosquitto.py",
)
"""These ask programs of others."""

FIRMWARE_TESTS = ("tests/firmware_bridge/test_firmware_*.py", "tests/lab/avr/test_*.py")
"""Whatever runs the microcontroller's sources, into which coverage does not see."""

ON_THE_LINE = ("hw/serial/", "hw/resampling.py", "firmware_bridge/")
"""Only the table behind a microcontroller comes here, so the scenarios are those of the lab."""

Judge = Literal["tests", "bench"]

MEASURING_LIMIT_S = 3600.0
"""For all tests, watched; they take some minutes."""


class Covering(msgspec.Struct, frozen=True):
    """Which tests, or which scenarios, run which line.

    Attributes:
        seconds: of the processors, of each test or scenario (`sim place_one`).
        lines: path -> line -> who runs it.
        messages: of each scenario, a number for every message, see `scenarios.marks`.
    """

    seconds: dict[str, float]
    lines: LinesOf
    messages: dict[str, list[int]] = {}

    def tests_of(self, mutation: Mutation) -> tuple[list[str], list[str]]:
        """Tests that run the place: those of the module itself, then all others, nearest first."""
        found = self._who(mutation)
        module = Path(mutation.path)
        room = f"tests/{module.parent.as_posix()}/"
        own = [name for name in found if name.startswith(f"{room}test_{module.stem}")]
        others = sorted(found - set(own), key=lambda n: (not n.startswith(room), self.seconds[n]))
        return sorted(own, key=lambda name: self.seconds[name]), others

    def scenarios_of(self, mutation: Mutation, catchers: Iterable[str] = ()) -> list[str]:
        """Scenarios that run the place, the likeliest to notice first.

        First those that have caught something else in this file; then one case of each scenario;
        the quicker ones before the others.

        Args:
            mutation: the place.
            catchers: scenarios that have caught other mutants of the file.
        """
        if mutation.path.startswith(ON_THE_LINE):
            found = {name for name in self.messages if name.startswith("lab ")}
        else:
            found = self._who(mutation)
        order = sorted(found, key=lambda name: self.seconds[name])
        firsts = {name.partition("[")[0]: name for name in reversed(order)}
        likely = set(catchers)
        return sorted(order, key=lambda name: (name not in likely, name not in firsts.values()))

    def _who(self, mutation: Mutation) -> set[str]:
        """Who runs a place; what runs with an import concerns all who come to the file.

        Nobody comes to a file of constants after its import, so all are asked of it.
        """
        lines = self.lines.get(mutation.path, {})
        if not mutation.in_function and not any(any(who) for who in lines.values()):
            return set(self.seconds)
        found = {who for line in mutation.lines for who in lines.get(line, ())}
        if "" in found or not mutation.in_function:
            found = {who for several in lines.values() for who in several}
        return found - {""}


def firmware_tests() -> list[str]:
    """Files of tests for the firmware; those of the list of mutants test the tests."""
    found = [path for pattern in FIRMWARE_TESTS for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in found if "mutants" not in path.name]


def covering(judge: Judge, folder: Path, jobs: int) -> Covering:
    """Measure, or read what was measured of the same tree.

    Args:
        judge: whose lines.
        folder: where it is kept.
        jobs: processes at work.
    """
    kept = folder / f"{judge}-{state_of_tree()}.json"
    if kept.is_file():
        return msgspec.json.decode(kept.read_bytes(), type=Covering)
    began_s = time.monotonic()
    what = {"tests": "unit tests", "bench": "scenarios"}[judge]
    print(f"Which lines do the {what} run? Measured once for a tree, in minutes.", flush=True)
    if judge == "tests":
        known = _merged(_measured_tests(jobs))
    else:
        measured, messages = scenarios.measured(jobs)
        known = Covering(measured.seconds, measured.lines, messages)
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(msgspec.json.encode(known))
    print(f"Measured in {time.monotonic() - began_s:.0f} s.", flush=True)
    return known


def state_of_tree() -> str:
    """A number of all sources of the tree."""
    digest = hashlib.sha256()
    for name in files_of_tree():
        if name.endswith(SOURCES):
            digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _measured_tests(jobs: int) -> Iterator[Measured]:
    """In a copy, as later the mutants: what fails there is no test of them."""
    with tempfile.TemporaryDirectory(prefix="topple-mutants-") as folder:
        words = [
            "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "tests.mutants.chosen",
            "-n", str(jobs), "--dist", "worksteal", *UNIT_TESTS,
            *(f"--ignore={path}" for path in OF_OTHERS),
        ]  # fmt: skip
        out = Path(folder) / "lines"
        out.mkdir()
        copy = Copy(Path(folder) / "tree")
        copy.run(words, MEASURING_LIMIT_S, show=True, TOPPLE_LINES=str(out))
        files = list(out.glob("*.json"))
        if not files:
            raise SystemExit("mutants: the tests do not even begin; see above, and make test")
        for file in files:
            yield msgspec.json.decode(file.read_bytes(), type=Measured)


def _merged(several: Iterable[Measured]) -> Covering:
    """What all processes have measured, without tests that did not pass."""
    parts = list(several)
    seconds = {name: s for part in parts for name, s in part.seconds.items()}
    lines: LinesOf = {}
    for part in parts:
        for path, of_path in part.lines.items():
            for line, who in of_path.items():
                known = [name for name in who if name in seconds or not name]
                lines.setdefault(path, {}).setdefault(line, []).extend(known)
    return Covering(seconds, lines)

"""Plays shipped scenarios one after the other until one fails; says what was different.

`python -m tests.mutants.scenarios FILE` reads an `Order`, and prints a `Played`.
"""

import multiprocessing
import sys
import time
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec

from lab.bench.running import Result, play_and_judge
from lab.bench.scenario import Case, Target
from lab.bench.scenario_files import find, load
from tests.mutants.chosen import Measured
from tests.mutants.copies import Copy
from tests.mutants.lines import LinesOf, Watch

BOTH: tuple[Target, ...] = ("sim", "lab")

IN_THE_LAB = (
    "place_one", "line_", "chip_", "mcu_", "fault_imu", "fault_switch", "fault_wrong_rate",
    "undo_button", "taps_bumps", "rule_stack", "hand_touch", "power_cut", "health_pivot_good",
)  # fmt: skip
"""Begins of the scenarios of the lab that are played: whatever is about line, chips and
microcontroller, and a few of each other kind. All of the lab would take a quarter of an hour for
a single mutant."""


def shipped() -> dict[str, tuple[Case, Target]]:
    """Every shipped case on every simulated target that can play it: `sim place_one`."""
    return {
        f"{target} {case.id}": (case, target)
        for target in BOTH
        for path in find(["all"])
        for case in load(path)
        if not case.scenario.left_out(target)
    }


BY_THE_CLOCK = ("trace", "state", "summary")
"""How often these are sent depends on the clock of this machine; their last ones do not."""


def marks(result: Result) -> list[int]:
    """A number for each message, the same for the same one, whatever else the machine does."""
    run = result.run
    sent = [(s.suffix, s.document()) for s in run.sent if s.suffix not in BY_THE_CLOCK]
    last = [(suffix, run.newest(suffix)) for suffix in BY_THE_CLOCK[1:]]
    return [zlib.crc32(msgspec.json.encode([s, _steady(doc)])) for s, doc in (*sent, *last)]


def _steady(document: Any) -> Any:
    if isinstance(document, dict):
        return {key: value for key, value in document.items() if key != "step_ms"}
    return document


class Order(msgspec.Struct, frozen=True):
    """What to play.

    Attributes:
        names: of cases, in order.
        before: the messages of each on the unchanged tree, as `marks` numbers them.
        ceiling_s: begin no further case after so long; None: play them all.
    """

    names: tuple[str, ...]
    before: dict[str, list[int]] = {}
    ceiling_s: float | None = None  # JSON knows no infinity


class Played(msgspec.Struct, frozen=True):
    """What came of it.

    Attributes:
        failed, why: the case that failed, if any, and what it said.
        differing: case -> messages that were different.
        left: cases that were not played, because the time was used up.
    """

    failed: str = ""
    why: str = ""
    differing: dict[str, int] = {}
    left: int = 0


def play(order: Order) -> Played:
    """Play until one fails or the time is used up."""
    cases = shipped()
    differing: dict[str, int] = {}
    began_s = time.monotonic()
    for number, name in enumerate(order.names):
        if order.ceiling_s is not None and time.monotonic() - began_s > order.ceiling_s:
            return Played(differing=differing, left=len(order.names) - number)
        result = play_and_judge(*cases[name])
        then = order.before.get(name)
        if then is not None and (number_of := _different(marks(result), then)):
            differing[name] = number_of
        if not result.verdict.passed:
            return Played(name, "; ".join(result.verdict.failures[:2]), differing)
    return Played(differing=differing)


def _different(now: list[int], then: list[int]) -> int:
    pairs = zip(now, then, strict=False)
    return sum(a != b for a, b in pairs) + abs(len(now) - len(then))


def play_in(copy: Copy, order: Order, limit_s: float) -> Played | str:
    """Play in a copy of the tree; in words what went wrong when there is no result."""
    file = copy.folder.with_suffix(".order")
    file.write_bytes(msgspec.json.encode(order))
    code, said = copy.run(["tests.mutants.scenarios", str(file)], limit_s)
    try:
        return msgspec.json.decode(said.rstrip().rpartition("\n")[2], type=Played)
    except msgspec.MsgspecError:
        return "took too long" if code is None else said[-500:] or f"ended with {code}"


def measured(jobs: int) -> tuple[Measured, dict[str, list[int]]]:
    """Play what is there: seconds, lines (of `sim` only: the lab would take long) and messages.

    Scenarios that fail on the unchanged tree are left out, and named.
    """
    names = [n for n in shipped() if n.startswith(("sim ", *(f"lab {b}" for b in IN_THE_LAB)))]
    seconds: dict[str, float] = {}
    messages: dict[str, list[int]] = {}
    lines: LinesOf = {}
    # A fork would have lines of its parent.
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    with pool:
        playing = [pool.submit(_measured, name) for name in names]
        for number, done in enumerate(as_completed(playing), 1):
            name, seconds_of, lines_of, messages_of = done.result()
            print(f"  {number} of {len(names)}: {seconds_of:5.1f} s, {name}", flush=True)
            if messages_of is None:
                print(f"  ** {name} fails on the tree as it is, and is left out", flush=True)
                continue
            seconds[name], messages[name] = seconds_of, messages_of
            for path, run in lines_of.items():
                for line in run:
                    lines.setdefault(path, {}).setdefault(line, []).append(name)
    return Measured(seconds, lines), messages


def _measured(name: str) -> tuple[str, float, LinesOf, list[int] | None]:
    """Name, seconds, lines and messages; no messages when it fails."""
    case, target = shipped()[name]
    watch = Watch() if target == "sim" else None
    began_s = time.process_time()
    result = play_and_judge(case, target)
    took_s = time.process_time() - began_s
    lines = watch.end() if watch else {}
    return name, took_s, lines, marks(result) if result.verdict.passed else None


if __name__ == "__main__":
    wanted = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Order)
    sys.stdout.write("\n" + msgspec.json.encode(play(wanted)).decode() + "\n")

"""Plays shipped scenarios one after the other until one fails; says what was different.

`python -m tests.mutants.scenarios FILE` reads an `Order`, and prints a `Played`.
"""

import sys
import time
import zlib
from pathlib import Path

import msgspec

from controller.bench.running import Result, play_and_judge
from controller.bench.scenario import Case, Target
from controller.bench.scenario_files import find, load
from tests.mutants.copies import Copy

BOTH: tuple[Target, ...] = ("sim", "lab")


def shipped() -> dict[str, tuple[Case, Target]]:
    """Every shipped case on every simulated target that can play it: `sim place_one`."""
    return {
        f"{target} {case.id}": (case, target)
        for target in BOTH
        for path in find(["all"])
        for case in load(path)
        if not case.scenario.left_out(target)
    }


def marks(result: Result) -> list[int]:
    """A number for each message, the same for the same one."""
    return [
        zlib.crc32(f"{sent.t_s:.3f} {sent.suffix} {sent.retain} ".encode() + sent.payload)
        for sent in result.run.sent
    ]


class Order(msgspec.Struct, frozen=True):
    """What to play.

    Attributes:
        names: of cases, in order.
        before: the messages of each on the unchanged tree, as `marks` numbers them.
        ceiling_s: begin no further case after so long.
    """

    names: tuple[str, ...]
    before: dict[str, list[int]] = {}
    ceiling_s: float = float("inf")


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
        if time.monotonic() - began_s > order.ceiling_s:
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


if __name__ == "__main__":
    wanted = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Order)
    sys.stdout.write("\n" + msgspec.json.encode(play(wanted)).decode() + "\n")

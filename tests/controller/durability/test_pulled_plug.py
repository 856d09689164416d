"""The plug is pulled: nothing confirmed is lost, whatever of the rest the disk has kept.

A killed process leaves everything it wrote; a machine without power only what was flushed. Every
call of a game is recorded (`plug.c`), the plug pulled after any of them, and a disk made of what
a file system promises (`disk.py`).
"""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controller.durability import checking, disk
from tests.controller.durability.playing import SHOWN
from tests.controller.durability.yard import DONE, Order, Yard

KEEPS = (0.0, 0.5, 0.95, 1.0)
"""How much of what was not flushed is there: nothing, some, almost all, all."""


def recorded(a_yard: Yard, tmp_path: Path, seed: int, moves: int) -> list[disk.Call]:
    folder, log = tmp_path / "t", tmp_path / "calls.log"
    folder.mkdir()
    ending = a_yard.run(Order("play", str(folder), seed=seed, moves=moves, log=str(log)))
    assert ending.code == DONE, ending.words
    return disk.calls(log)


def pulled_after(
    made: list[disk.Call], folder: Path, rng: random.Random, share: float
) -> Iterator[tuple[str, Path, checking.Shown]]:
    """The disk after some of the calls, and what had been shown until then."""
    found, shown = disk.Disk(folder), b""
    for number, call in enumerate(made):
        found.take(call)
        if call.path.name == SHOWN:
            # This line went out to the broker: it does not depend on our disk.
            shown += call.data
        if rng.random() >= share:
            continue
        keeps = rng.choice(KEEPS)
        left = folder.with_name("left")
        shutil.rmtree(left, ignore_errors=True)
        left.mkdir()
        for path, content in found.pulled(rng, keeps).items():
            target = left / path.relative_to(folder)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        yield f"call {number} ({call.what} {call.path.name}), {keeps} kept", left, (
            checking.shown_in(shown)
        )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_whenever_the_plug_is_pulled_nothing_confirmed_is_lost(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config, seed: int
) -> None:
    share = 1.0 if pytestconfig.getoption("--soak") else 0.05
    made = recorded(a_yard, tmp_path, seed, moves=120)
    pulls = 0
    for words, left, shown in pulled_after(made, tmp_path / "t", random.Random(seed), share):
        pulls += 1
        assert checking.broken(left, shown, plug_pulled=True) == [], f"{words}, seed {seed}"
    print(f"pulled {pulls} times in {len(made)} calls, nothing confirmed lost")
    assert pulls > 15


@pytest.mark.slow
def test_this_disk_does_find_a_journal_that_does_not_flush(a_yard: Yard, tmp_path: Path) -> None:
    """The judge can fail: the same calls without their flushes lose what was confirmed."""
    made = [call for call in recorded(a_yard, tmp_path, 1, moves=60) if call.what != "sync"]
    lost = [
        words
        for words, left, shown in pulled_after(made, tmp_path / "t", random.Random(1), 0.2)
        if checking.broken(left, shown, plug_pulled=True)
    ]

    assert lost

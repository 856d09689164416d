"""The plug is pulled: nothing confirmed is lost, whatever of the rest the disk has kept.

A killed process leaves everything it wrote; a machine without power only what was flushed. Every
call of a game is recorded (`plug.c`), the plug pulled after any of them, and a disk made of what
a file system promises (`disk.py`).
"""

import dataclasses
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.controller.durability import beginnings, checking, disk
from tests.controller.durability.playing import JOURNAL, SHOWN
from tests.controller.durability.test_damage import found, taken
from tests.controller.durability.yard import DONE, Order, Yard

KEEPS = (0.0, 0.5, 0.95, 1.0)
"""How much of what was not flushed is there: nothing, some, almost all, all."""


def recorded(a_yard: Yard, order: Order, begin: Path) -> list[disk.Call]:
    """The calls of a scene that begins with a folder."""
    log = begin.with_name("calls.log")
    shutil.copytree(begin, order.folder)
    ending = a_yard.run(dataclasses.replace(order, log=str(log)))
    assert ending.code == DONE, ending.words
    return disk.calls(log)


def pulled_after(
    made: list[disk.Call], order: Order, begin: Path, share: float
) -> Iterator[tuple[str, Path, checking.Shown]]:
    """The disk after some of the calls, and what had been shown until then."""
    folder, rng = Path(order.folder), random.Random(order.seed)
    found = disk.Disk(begin, folder)
    # What was shown went out to the broker: it does not depend on our disk.
    shown = (begin / SHOWN).read_bytes() if (begin / SHOWN).exists() else b""
    for number, call in enumerate(made):
        found.take(call)
        if call.path.name == SHOWN:
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
        yield (
            f"call {number} ({call.what} {call.path.name}), {keeps} kept, seed {order.seed}",
            left,
            (checking.shown_in(shown)),
        )


def nothing(folder: Path) -> Path:
    """An empty folder."""
    folder.mkdir()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_whenever_the_plug_is_pulled_nothing_confirmed_is_lost(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config, seed: int
) -> None:
    begin, share = nothing(tmp_path / "begin"), 1.0 if pytestconfig.getoption("--soak") else 0.05
    order = Order("play", str(tmp_path / "t"), seed=seed, moves=120)
    made = recorded(a_yard, order, begin)
    found = list(checked(made, order, begin, share))
    print(f"pulled {len(found)} times in {len(made)} calls of a game")

    assert [words for words in found if words] == []
    assert len(found) > 15


@pytest.mark.slow
@pytest.mark.parametrize("beginning", beginnings.ALL)
def test_pulled_while_it_starts_it_starts_the_next_time(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config, beginning: Callable[[Path], Path]
) -> None:
    """After a kill, from an older version, and while it mends itself from the copy."""
    begin, share = beginning(tmp_path / "begin"), 1.0 if pytestconfig.getoption("--soak") else 0.1
    order = Order("play", str(tmp_path / "t"), seed=9, moves=2)
    made = recorded(a_yard, order, begin)
    found = list(checked(made, order, begin, share))
    print(f"pulled {len(found)} times in {len(made)} calls of a start")
    assert [words for words in found if words] == []


def checked(made: list[disk.Call], order: Order, begin: Path, share: float) -> Iterator[str]:
    """For each pull what is wrong afterwards; empty when nothing is."""
    for words, left, shown in pulled_after(made, order, begin, share):
        wrong = checking.broken(left, shown, plug_pulled=True)
        yield f"{words}: {wrong}" if wrong else ""


@pytest.mark.slow
def test_with_copy_log_or_mark_gone_after_a_pulled_plug_another_score_never_comes_without_words(
    a_yard: Yard, tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.journal.recovery.this_boot", lambda: "the next")
    begin, share = beginnings.an_evening(tmp_path / "begin"), 0.02
    if pytestconfig.getoption("--soak"):
        share = 0.5
    order, counts = Order("play", str(tmp_path / "t"), seed=4, moves=60), Counter[str]()
    made = recorded(a_yard, order, begin)
    rng = random.Random(1)
    for case, left, shown in pulled_after(made, order, begin, share):
        there = taken(left, rng) if (left / JOURNAL).exists() else {"nothing was made yet"}
        wrong = checking.broken(left, shown, plug_pulled=True)
        _, words = found(left)
        counts["lost" if wrong else "kept"] += 1

        assert not wrong or words or not there, f"{case}: left {sorted(there)}: {wrong}"
    print(dict(counts))
    assert counts["lost"] > 0


@pytest.mark.slow
def test_this_disk_does_find_a_journal_that_does_not_flush(a_yard: Yard, tmp_path: Path) -> None:
    """The judge can fail: the same calls without their flushes lose what was confirmed."""
    begin = nothing(tmp_path / "begin")
    order = Order("play", str(tmp_path / "t"), seed=1, moves=60)
    made = [call for call in recorded(a_yard, order, begin) if call.what != "sync"]

    assert any(checked(made, order, begin, 0.2))

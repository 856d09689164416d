"""Bytes of the journal are cut off, changed or lost: the score comes back, or it is said.

The same score without a word, the same score with words, a refusal in words; never a traceback
and never another score without a word. Only where nothing at all is left can nothing be said.
"""

import logging
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from controller.common.errors import JournalError
from controller.journal.journal import Journal
from engine.referee import RefereeState
from tests.controller.durability.playing import JOURNAL, KEPT_GAMES, Table

CASES, CASES_SOAKED = 60, 3000
Evening = tuple[Path, RefereeState]
FILES = (JOURNAL, f"{JOURNAL}-wal")


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """A folder with `hot`, as a kill leaves it, and `cold`, closed in order; and the last state."""
    folder = tmp_path_factory.mktemp("evening")
    (folder / "cold").mkdir()
    table = Table(folder / "cold", 5)
    table.play(150)
    shutil.copytree(folder / "cold", folder / "hot")
    table.close()
    return folder, table.pipeline.state


def spoilt(content: bytes, rng: random.Random) -> bytes:
    """What is left of a file: a bit flipped, the end cut off, a page of zeros, a block of junk."""
    at, left = rng.randrange(max(1, len(content))), bytearray(content)
    match rng.choice(("flip", "cut", "zeros", "junk")):
        case "flip" if left:
            left[at] ^= 1 << rng.randrange(8)
        case "cut":
            del left[at:]
        case "zeros":
            left[at : at + 4096] = bytes(len(left[at : at + 4096]))
        case "junk":
            left[at : at + 512] = rng.randbytes(len(left[at : at + 512]))
    return bytes(left)


def found(folder: Path) -> tuple[RefereeState | None, str]:
    """What a start makes of it: the state (None: refused), and the words."""
    try:
        with Journal(folder / JOURNAL, kept_games=KEPT_GAMES) as journal:
            resumed = journal.resume()
            return resumed.state, " ".join(resumed.notices)
    except JournalError as refused:
        return None, str(refused)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Thousands of damaged journals need not say so in the log."""
    caplog.set_level(logging.CRITICAL, "controller")


def starts(
    evening: Evening, tmp_path: Path, config: pytest.Config, first: int
) -> Iterator[tuple[int, random.Random, Path]]:
    """Cases from a number on: each with its chance and a fresh copy of the evening to spoil."""
    left = tmp_path / "left"
    # Each takes several starts to judge; more would be longer than a test may run.
    for case in range(first, first + (CASES_SOAKED if config.getoption("--soak") else CASES)):
        rng = random.Random(case)
        shutil.rmtree(left, ignore_errors=True)
        shutil.copytree(evening[0] / rng.choice(("hot", "cold")), left)
        yield case, rng, left


def test_whatever_one_file_loses_comes_back_to_the_last_entry(
    evening: Evening, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    state, counts = evening[1], Counter[str]()
    for case, rng, left in starts(evening, tmp_path, pytestconfig, 0):
        file = left / rng.choice([name for name in FILES if (left / name).exists()])
        file.write_bytes(spoilt(file.read_bytes(), rng))
        resumed, words = found(left)
        counts["refused" if resumed is None else "in words" if words else "as if nothing"] += 1

        assert resumed in (state, None), f"case {case}: {words}"
        assert resumed is not None or len(words.splitlines()) == 1, f"case {case}"
    print(dict(counts))
    assert counts["in words"] > 0.3 * counts.total()
    assert counts["refused"] < 0.1 * counts.total()


@pytest.mark.slow
def test_with_the_copy_spoilt_too_another_score_never_comes_without_words(
    evening: Evening, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    state, counts = evening[1], Counter[str]()
    for case, rng, left in starts(evening, tmp_path, pytestconfig, 2 * 10**6):
        files = [left / name for name in FILES if (left / name).exists()]
        for file in (rng.choice(files), rng.choice(sorted((left / f"{JOURNAL}.d").iterdir()))):
            file.write_bytes(spoilt(file.read_bytes(), rng))
        resumed, words = found(left)
        counts["refused" if resumed is None else "same" if resumed == state else "in words"] += 1

        assert resumed == state or words, f"case {case}"
        assert len(words.splitlines()) <= 1, f"case {case}"
        if resumed is None:
            assert (left / JOURNAL).exists(), f"case {case}"
    print(dict(counts))


def taken(folder: Path, rng: random.Random) -> set[str]:
    """Remove or spoil some of what belongs to a journal; what is left of it."""
    copies = sorted((folder / f"{JOURNAL}.d").iterdir())
    belongings = [folder / JOURNAL, folder / f"{JOURNAL}-wal", folder / f"{JOURNAL}-shm"]
    belongings += [folder / f"{JOURNAL}.d", copies[-1], folder / f"{JOURNAL}.mark"]
    there = [each for each in belongings if each.exists()]
    for each in rng.sample(there, rng.randint(1, len(there))):
        if each.is_dir():
            shutil.rmtree(each)
        elif each.exists() and rng.random() < 0.3:
            each.write_bytes(spoilt(each.read_bytes(), rng))
        else:
            each.unlink(missing_ok=True)
    return {each.name for each in there if each.exists()}


@pytest.mark.parametrize("plug_pulled", [False, True])
def test_whatever_is_taken_away_another_score_never_comes_without_words(
    evening: Evening, tmp_path: Path, pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch, plug_pulled: bool,
) -> None:  # fmt: skip
    """File, log, copy, the newest game of the copy and the mark, each gone, spoilt or whole."""
    if plug_pulled:
        monkeypatch.setattr("controller.journal.recovery.this_boot", lambda: "the next")
    state, counts = evening[1], Counter[str]()
    # Each takes several starts to judge; more would be longer than a test may run.
    for case, rng, left in islice(starts(evening, tmp_path, pytestconfig, 10**6), 1500):
        there = taken(left, rng)
        resumed, words = found(left)
        alike = "same" if resumed == state else "refused" if resumed is None else "another"
        counts[f"{alike} {'in words' if words else 'silently'}"] += 1

        assert resumed == state or words or not there, f"case {case}: left {sorted(there)}"
    print(dict(counts))
    assert counts["another in words"] > 0.1 * counts.total()


def test_a_newer_journal_is_left_as_it_is_to_the_last_byte(
    evening: Evening, tmp_path: Path
) -> None:
    """Also when the newer program was killed, and its version stands in the log alone."""
    hot = tmp_path / "hot"
    shutil.copytree(evening[0] / "hot", hot)
    with Journal(hot / JOURNAL) as journal:
        journal._database.execute("PRAGMA user_version = 3")
        shutil.copytree(hot, tmp_path / "newer")
    newer = tmp_path / "newer"
    before = {file: file.read_bytes() for file in newer.rglob("*") if file.is_file()}
    assert (newer / JOURNAL).read_bytes()[60:64] != b"\0\0\0\3"
    resumed, words = found(newer)

    assert resumed is None
    assert "format 3, written by a newer version" in words
    assert {file: file.read_bytes() for file in newer.rglob("*") if file.is_file()} == before

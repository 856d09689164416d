"""Opening a journal: what is damaged comes back from the copy in words, or is refused and left."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.common.errors import JournalError
from controller.common.troubles import (
    JOURNAL_FROM_COPY,
    JOURNAL_PART_MISSING,
    JOURNAL_STRANGER,
    JOURNAL_WENT_BACK,
)
from controller.journal.journal import Journal
from controller.journal.recovery import KEPT_DAMAGED, PULLED, numbered
from engine.events import HumanInput
from engine.referee import RefereeState
from engine.trouble import Trouble
from tests.controller.journal.test_journal import START, evening, play, roll
from tests.controller.old_journals import made_version_1


@pytest.fixture
def played(tmp_path: Path) -> tuple[Path, RefereeState]:
    """A journal with an evening in it, closed, and the state at its end."""
    pipeline, items = evening()
    with Journal(tmp_path / "table.journal") as journal:
        play(journal, pipeline, *items)
    return tmp_path / "table.journal", pipeline.state


Played = tuple[Path, RefereeState]


def changed(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement, values)
        database.commit()


def doubt(path: Path) -> Trouble | None:
    with Journal(path) as journal:
        return journal.resume().doubt


def found(path: Path) -> tuple[RefereeState, tuple[str, ...]]:
    with Journal(path) as journal:
        resumed = journal.resume()
        return resumed.state, resumed.notices


LATER = "A game began of which nothing is left but 00000099.jsonl: check the score."


def copy_of(path: Path, number: int = 1) -> Path:
    return path.parent / "table.journal.d" / f"{number:08}.jsonl"


def with_holes(path: Path) -> None:
    whole = copy_of(path).read_bytes()
    copy_of(path).write_bytes(whole[:300] + bytes(200) + whole[500:])


def with_half_an_entry(path: Path) -> None:
    with copy_of(path).open("ab") as file:
        file.write(b'{"entry":12,"ki')


def behind(count: int) -> Callable[[Path], None]:
    def shorten(path: Path) -> None:
        lines = copy_of(path).read_bytes().splitlines(keepends=True)
        copy_of(path).write_bytes(b"".join(lines[: len(lines) - count]))

    return shorten


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (lambda _path: None, ()),
        (lambda path: copy_of(path).with_name("notes.jsonl").write_text("mine"), ()),
        (lambda path: copy_of(path, 99).write_bytes(b""), (LATER,)),
        (with_holes, (PULLED,)),
        (with_half_an_entry, (PULLED,)),
        # Further behind than a kill leaves it.
        (behind(1), ()),
        (behind(2), (PULLED,)),
        (behind(6), (PULLED,)),
    ],
    ids=[
        "a whole journal is opened without a word",
        "what else lies among the copies is left alone",
        "a later game of which nothing is left is said",
        "a copy with holes tells of a pulled plug",
        "so does half an entry in the copy",
        "a copy one entry behind does not",
        "two do",
        "six do",
    ],
)
def test_a_whole_journal_with_another_copy_is_opened_and_the_copy_made_anew(
    played: Played, left: Callable[[Path], None], words: tuple[str, ...]
) -> None:
    path, state = played
    whole = copy_of(path).read_bytes()
    left(path)

    assert found(path) == (state, words)
    assert found(path) == (state, ())
    assert copy_of(path).read_bytes() == whole
    others = {each.name for each in path.parent.iterdir()} - {"table.journal.d"}
    assert others == {"table.journal", "table.journal.mark"}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE entries SET cause = replace(cause, '4', '6')", "was damaged"),
        ("DELETE FROM entries WHERE entry = 3", "was damaged"),
        ("UPDATE games SET rev = rev + 1", "was damaged"),
        ("DELETE FROM games", "was damaged"),
        ("DROP TABLE entries", "was damaged"),
        ("PRAGMA user_version = 0", "was damaged"),
        ("PRAGMA user_version = 16777216", "was damaged"),
        # Damaged text is not repeated to people.
        (
            "UPDATE entries SET cause = CAST(x'0a1b5b324aff' AS TEXT) WHERE entry = 4",
            "was damaged (Could not decode to UTF-8 column) and is kept",
        ),
    ],
)
def test_what_was_changed_inside_comes_back_from_the_copy(
    played: Played, statement: str, words: str
) -> None:
    path, state = played
    changed(path, statement)
    damaged = path.read_bytes()
    resumed, notices = found(path)

    assert resumed == state
    assert notices[0].isprintable()
    for said in (words, "kept as table.journal.damaged-1", "check the score"):
        assert said in notices[0]
    assert path.with_name("table.journal.damaged-1").read_bytes() == damaged
    assert found(path) == (state, ()), "mended is mended"


@pytest.mark.parametrize("lost", [1, 4, 11])
def test_an_end_that_is_missing_comes_back_from_the_copy(played: Played, lost: int) -> None:
    path, state = played
    changed(path, "DELETE FROM entries WHERE entry > (SELECT max(entry) FROM entries) - ?", lost)
    resumed, notices = found(path)

    assert resumed == state
    assert notices == (
        f"table.journal had lost its last {lost} entries; they came back from its copy.",
    )


def test_who_may_have_lost_something_is_told_to_check_the_score(played: Played) -> None:
    path, _ = played
    assert doubt(path) is None
    changed(path, "DELETE FROM entries WHERE entry > 5")
    assert doubt(path) is None, "the copy had them all"
    changed(path, "DELETE FROM games")
    assert doubt(path) == JOURNAL_FROM_COPY()
    assert doubt(path) is None, "once"


@pytest.mark.parametrize("left", [b"", None])
def test_a_file_that_is_gone_or_empty_comes_back_from_the_copy(
    played: Played, left: bytes | None
) -> None:
    path, state = played
    path.unlink()
    if left is not None:
        path.write_bytes(left)
    resumed, notices = found(path)

    assert resumed == state
    assert "came back from its copy" in notices[0]


def test_with_its_copy_damaged_too_it_is_refused_and_both_are_left(played: Played) -> None:
    path, _ = played
    copy = copy_of(path)
    copy.write_bytes(copy.read_bytes().replace(b"roll", b"rolX"))
    changed(path, "UPDATE entries SET cause = replace(cause, '4', '6')")
    before = {each: each.read_bytes() for each in (path, copy)}
    for _ in range(3):
        with pytest.raises(JournalError, match=r"damaged.*kept as table.journal.damaged-1.*Keep"):
            Journal(path)

    assert {each: each.read_bytes() for each in (path, copy)} == before
    assert not path.with_name("table.journal.damaged-2").exists(), "a service tries for ever"


def test_a_game_of_which_both_have_lost_the_end_is_not_resumed_without_a_word(
    played: Played,
) -> None:
    path, _ = played
    copy = copy_of(path)
    copy.write_bytes(copy.read_bytes().replace(b"roll", b"rolX", 1))
    changed(path, "DELETE FROM entries WHERE entry > 5")
    _, notices = found(path)

    assert "has lost its last" in notices[0]
    assert "check the score" in notices[0]
    assert copy.with_name("00000001.jsonl.damaged").exists()


def test_a_later_game_of_which_nothing_can_be_read_is_refused(played: Played) -> None:
    path, _ = played
    later = copy_of(path, 99)
    later.write_bytes(b"junk\nmore junk\n")

    with pytest.raises(JournalError, match=r"lacks the game in .*00000099"):
        Journal(path)


def test_the_copy_of_another_evening_is_put_aside(played: Played) -> None:
    path, state = played
    other = path.with_name("other.journal")
    pipeline, _ = evening()
    with Journal(other) as journal:
        play(journal, pipeline, START, roll(2.0, 3))
        (left,) = [journal.resume().state]
    path.with_name("table.journal.d").rename(path.with_name("other.journal.d.new"))
    shutil.rmtree(other.with_name("other.journal.d"))
    path.with_name("other.journal.d.new").rename(other.with_name("other.journal.d"))
    resumed, notices = found(other)

    assert resumed == left != state
    assert "is no copy of other.journal; kept as" in notices[0]
    assert other.with_name("other.journal.d.aside-1").is_dir()
    assert found(other) == (left, ())


def gone(*paths: Path) -> None:
    for path in paths:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_a_missing_copy_is_told_as_a_doubt_and_made_anew(played: Played) -> None:
    path, state = played
    gone(path.with_name("table.journal.d"))
    with Journal(path) as journal:
        resumed = journal.resume()

    assert resumed.state == state
    assert resumed.doubt == JOURNAL_PART_MISSING()
    assert "table.journal.d, the copy of table.journal, is missing" in resumed.notices[0]
    assert found(path) == (state, ())
    assert doubt(path) is None


def test_a_journal_that_went_back_without_a_copy_is_told(played: Played) -> None:
    path, state = played
    changed(path, "DELETE FROM entries WHERE entry > 5")
    gone(path.with_name("table.journal.d"))
    resumed, notices = found(path)

    assert resumed != state
    assert "ends at entry 5, and had come to entry 13" in notices[-1]


def test_with_only_its_mark_left_a_fresh_game_is_told(played: Played) -> None:
    path, _ = played
    gone(path, path.with_name("table.journal.d"))
    with Journal(path) as journal:
        resumed = journal.resume()

    assert resumed.state == RefereeState()
    assert resumed.doubt == JOURNAL_WENT_BACK()
    assert "is empty, and had come to entry 13" in resumed.notices[0]


def test_a_journal_and_copy_of_another_evening_are_told_by_the_mark(played: Played) -> None:
    path, _ = played
    mark = path.with_name("table.journal.mark").read_bytes()
    gone(path, path.with_name("table.journal.d"), path.with_name("table.journal.mark"))
    pipeline, items = evening()
    with Journal(path) as journal:
        play(journal, pipeline, HumanInput(0.5, "start", {**START.data, "id": "g0"}), *items[1:])
    path.with_name("table.journal.mark").write_bytes(mark)

    assert doubt(path) == JOURNAL_STRANGER()


@pytest.mark.parametrize("left", [None, b"", b"junk", b"{}" + b" " * 253 + b"\n"])
def test_a_mark_that_is_missing_or_damaged_is_told(played: Played, left: bytes | None) -> None:
    path, state = played
    mark = path.with_name("table.journal.mark")
    gone(mark)
    if left is not None:
        mark.write_bytes(left)
    with Journal(path) as journal:
        resumed, notices = journal.resume(), journal.notices

    assert resumed.state == state
    assert resumed.doubt == (None if left is None else JOURNAL_PART_MISSING()), (
        "an update brings the first mark"
    )
    assert "table.journal.mark, which says how far the game had come, is missing" in notices[0]
    assert found(path) == (state, ())


def test_a_journal_without_a_game_mark_and_copy_is_a_doubt(played: Played) -> None:
    path, _ = played
    gone(path.with_name("table.journal.d"), path.with_name("table.journal.mark"))
    path.write_bytes(b"")

    assert doubt(path) == JOURNAL_PART_MISSING()


def test_a_plug_that_was_pulled_is_told_although_all_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can know whether the card had all it said it had."""
    pipeline, items = evening()
    with Journal(tmp_path / "table.journal") as journal:
        play(journal, pipeline, *items)
        shutil.copytree(tmp_path, tmp_path / "left")
    left = tmp_path / "left" / "table.journal"
    shutil.copytree(tmp_path / "left", tmp_path / "killed")

    assert found(tmp_path / "killed" / "table.journal") == (pipeline.state, ())
    monkeypatch.setattr("controller.journal.recovery.this_boot", lambda: "the next one")
    assert found(left) == (pipeline.state, (PULLED,))
    assert found(left) == (pipeline.state, ())


def test_a_journal_of_the_version_before_is_migrated_and_kept(played: Played) -> None:
    path, state = played
    shutil.rmtree(path.with_name("table.journal.d"))
    made_version_1(path)
    resumed, notices = found(path)

    assert resumed == state
    assert notices == ("table.journal is of this version now; table.journal.v1 is what it was.",)
    with closing(sqlite3.connect(path.with_name("table.journal.v1"))) as kept:
        assert kept.execute("PRAGMA user_version").fetchone() == (1,)
        assert "seal" not in kept.execute("SELECT sql FROM sqlite_master").fetchone()[0]
    assert found(path) == (state, ())


def test_only_the_newest_damaged_files_are_kept(played: Played) -> None:
    path, state = played
    for rev in range(KEPT_DAMAGED + 2):
        changed(path, "UPDATE games SET rev = ?", 90 + rev)
        assert found(path)[0] == state

    kept = sorted(each.name for each in path.parent.glob("*.damaged-*"))
    assert [name for name in kept if not name.endswith("-wal")] == [
        f"table.journal.damaged-{n}" for n in (3, 4, 5)
    ]
    assert len(kept) <= 2 * KEPT_DAMAGED
    assert numbered(path, ".damaged-")[1].name == "table.journal.damaged-6"

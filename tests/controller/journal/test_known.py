"""What other folders know of a journal: an empty folder where games were is no new table."""

from pathlib import Path

import pytest

from controller.common.errors import JournalError
from controller.journal.journal import Journal
from controller.journal.known import KnownJournals
from engine.events import HumanInput
from tests.controller.journal.test_journal import START, START_AGAIN, evening, play, roll


def known(folder: Path, point: str = "/media/stick") -> KnownJournals:
    """Of a journal in `stick`, as the folder of the configuration knows it."""
    return KnownJournals(folder / "stick" / "table.journal", [folder / "config"], point)


def opened(folder: Path, point: str = "/media/stick") -> Journal:
    return Journal(folder / "stick" / "table.journal", known=known(folder, point))


@pytest.fixture(name="played")
def _played(tmp_path: Path) -> Path:
    """A table that has played, with its configuration elsewhere."""
    (tmp_path / "config").mkdir()
    with opened(tmp_path) as journal:
        pipeline, items = evening()
        play(journal, pipeline, *items)
    return tmp_path


def removed(folder: Path) -> None:
    (folder / "stick").rename(folder / "elsewhere")


def test_a_new_table_is_one(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    with opened(tmp_path) as journal:
        resumed = journal.resume()
    with opened(tmp_path, "/") as journal:
        again = journal.resume()

    assert (resumed.doubt, resumed.notices) == (None, ())
    assert (again.doubt, again.notices) == (None, ())


def test_a_table_that_goes_on_is_in_no_doubt_at_the_same_place_or_another(played: Path) -> None:
    for point in ("/media/stick", "/media/other", "/media/other"):
        with opened(played, point) as journal:
            resumed = journal.resume()
        assert (resumed.doubt, resumed.notices) == (None, ())


def test_without_its_stick_a_table_is_refused_and_nothing_is_made_in_its_place(
    played: Path,
) -> None:
    removed(played)
    with pytest.raises(JournalError, match="mounted on /media/stick, and nothing is") as refused:
        opened(played, "/")

    (file,) = known(played).paths
    assert str(file) in str(refused.value)
    assert not (played / "stick").exists()
    (played / "elsewhere").rename(played / "stick")
    with opened(played) as journal:
        assert journal.resume().doubt is None


def test_an_older_journal_below_the_place_of_the_stick_is_refused_too(played: Path) -> None:
    removed(played)
    with Journal(played / "stick" / "table.journal") as older:
        pipeline, _ = evening()
        play(older, pipeline, START)
    with pytest.raises(JournalError, match="mounted on /media/stick"):
        opened(played, "/")


def test_who_wants_a_new_table_there_deletes_what_the_words_name(played: Path) -> None:
    removed(played)
    known(played).paths[0].unlink()
    with opened(played, "/") as journal:
        assert journal.resume().doubt is None


def test_an_emptied_folder_is_said_to_be_one(played: Path) -> None:
    removed(played)
    with opened(played) as journal:
        resumed = journal.resume()

    assert resumed.doubt is not None
    assert resumed.doubt.code == "journal_gone"
    assert "table.journal is gone, in which games were kept" in resumed.doubt.sentence
    assert "entry" in resumed.notices[-1]


def test_a_journal_from_before_is_behind_what_is_known(played: Path) -> None:
    removed(played)
    with Journal(played / "stick" / "table.journal") as older:
        pipeline, _ = evening()
        play(older, pipeline, START)
    with opened(played) as journal:
        doubt = journal.resume().doubt

    assert doubt is not None
    assert doubt.code == "journal_went_back"


def test_another_tables_journal_is_not_the_one_that_is_known(played: Path) -> None:
    removed(played)
    with Journal(played / "stick" / "table.journal") as other:
        pipeline, _ = evening()
        back_and_forth = (HumanInput(30.0 + n, ("undo", "redo")[n % 2]) for n in range(40))
        play(other, pipeline, START_AGAIN, roll(25.0, 4), *back_and_forth)
    with opened(played) as journal:
        doubt = journal.resume().doubt

    assert doubt is not None
    assert doubt.code == "journal_stranger"


def test_it_is_known_from_the_start_of_the_first_game_on(tmp_path: Path) -> None:
    """A plug pulled in the first evening leaves no orderly end."""
    (tmp_path / "config").mkdir()
    journal = opened(tmp_path)
    pipeline, items = evening()
    play(journal, pipeline, *items[:3])
    line = known(tmp_path).read()
    journal.close()

    assert line is not None
    assert (line.entry, line.point) == (1, "/media/stick")


def test_a_game_killed_and_resumed_is_known_by_what_the_disk_surely_has(played: Path) -> None:
    with opened(played):
        line = known(played).read()
    assert line is not None
    assert line.entry == 1


@pytest.mark.parametrize("text", ["", "{", '{"journal":"/another"}', "\0" * 40, "x" * 20_000])
def test_a_damaged_line_is_none(played: Path, text: str) -> None:
    (file,) = known(played).paths
    file.write_text(text)
    assert known(played).read() is None
    removed(played)
    with opened(played, "/") as journal:
        assert journal.resume().doubt is None


def test_nothing_is_written_beside_the_journal_nor_where_it_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    here = KnownJournals(path, [tmp_path, tmp_path / "missing"], "/")
    with Journal(path, known=here) as journal:
        pipeline, items = evening()
        play(journal, pipeline, *items)

    assert not list(tmp_path.rglob("*.known"))


def test_two_journals_of_one_name_are_two(tmp_path: Path) -> None:
    one = KnownJournals(tmp_path / "a" / "table.journal", [tmp_path], "/")
    other = KnownJournals(tmp_path / "b" / "table.journal", [tmp_path], "/")
    one.write(7, 1)

    assert other.read() is None
    assert one.read() is not None

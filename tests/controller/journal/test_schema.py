"""Versions and game_logs of the journal's file, over SQLite itself."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import schema
from controller.journal.entries import GameLog, flaw
from controller.journal.schema import Damaged
from tests.controller.journal.test_backup import game_log
from tests.controller.old_journals import made_version_1


def database(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def test_a_version_is_found_in_the_file_and_in_the_log_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    assert schema.written_version(path) == 0
    with closing(database(path)) as opened:
        opened.execute("PRAGMA journal_mode=WAL")
        opened.execute("PRAGMA user_version=7")
        # The log has it, and nobody has put it into the file yet.
        assert path.read_bytes()[60:64] != b"\0\0\0\7"
        assert schema.written_version(path) == 7
    assert schema.written_version(path) == 7


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0"])
def test_what_is_no_database_has_no_version(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j"
    path.write_bytes(content)
    path.with_name("j-wal").write_bytes(content)

    assert schema.written_version(path) == 0


def test_only_what_is_new_is_added(tmp_path: Path) -> None:
    schema.write_new(tmp_path / "j", [GameLog(game_log(1, 3).game, game_log(1, 2).entries)])
    with closing(database(tmp_path / "j")) as opened:
        for each in (game_log(1, 3), game_log(4, 2)):
            schema.insert(opened, each, after=2)

        assert schema.newest(opened) == game_log(4, 2)
        assert len(schema.entries(opened, 1)) == 5


def test_old_games_are_forgotten_with_their_entries(tmp_path: Path) -> None:
    schema.write_new(tmp_path / "j", [game_log(first, 2) for first in (1, 3, 5, 7)])
    with closing(database(tmp_path / "j")) as opened:
        schema.forget_old(opened, 2)

        assert [row.first_entry for row in schema.games(opened)] == [5, 7]
        assert [entry.entry for entry in schema.entries(opened, 0)] == [5, 6, 7, 8]


def test_a_changed_row_is_damage_although_every_page_is_in_order(tmp_path: Path) -> None:
    schema.write_new(tmp_path / "j", [game_log(1, 3)])
    with closing(database(tmp_path / "j")) as opened:
        opened.execute("UPDATE entries SET cause = replace(cause, 'a', 'b') WHERE entry = 2")
        schema.check_pages(opened)
        with pytest.raises(Damaged, match="entry 2 was changed"):
            schema.newest(opened)


def test_a_journal_of_version_1_is_sealed_as_it_stands(tmp_path: Path) -> None:
    schema.write_new(tmp_path / "j", [game_log(1, 3), game_log(4, 2)])
    made_version_1(tmp_path / "j")
    with closing(database(tmp_path / "j")) as opened:
        schema.migrate(opened)

        assert schema.newest(opened) == game_log(4, 2)
        assert flaw(schema.newest(opened)) == ""


def test_what_is_kept_aside_is_whole_and_has_what_is_in_the_log(tmp_path: Path) -> None:
    schema.write_new(tmp_path / "j", [game_log(1, 3)])
    with closing(database(tmp_path / "j")) as opened:
        opened.execute("PRAGMA journal_mode=WAL")
        schema.insert(opened, game_log(4, 2), 3)
        schema.keep_aside(opened, tmp_path / "aside")
    with closing(database(tmp_path / "aside")) as kept:
        assert schema.newest(kept) == game_log(4, 2)

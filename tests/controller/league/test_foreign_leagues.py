"""A league's database from somewhere else: whoever reads it or adds to it refuses it in words.

What hangs in SQLite no timeout of Python's ends, so the worst are read in a process of their own.
"""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.cli import main
from controller.league.databases import open_database
from controller.league.errors import DatabaseError
from controller.league.names import MOST_ALIASES, meant
from controller.league.standings import league
from controller.league.store import Store
from tests.controller.common.test_foreign_database import endless, spoil
from tests.controller.league.tables import NOW, Table

ROOT = Path(__file__).parents[3]

SEAT = "UPDATE league_seats SET"
GAME = "'attic' table_id, x game, 'topple' kind, 1 run, 1 rev, 1 is_over, 0 broken_off, 0 asked"
COLUMNS = f"{GAME}, 0 simulated, '' ended, '2026-11-21T20:00:00' played, '' heard"

CRAFTED = {
    "games that never end": endless("league_games", COLUMNS),
    "formats that never end": endless("league_schema", "x version"),
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON league_games BEGIN DELETE FROM league_runs; END",
    "an index of an expression": "CREATE INDEX i ON league_games (upper(game))",
    "a column that is computed for ever": (
        "DROP TABLE league_schema; CREATE TABLE league_schema (x, version BIGINT AS (1 + NEVER)); "
        "INSERT INTO league_schema VALUES (1)"
    ),
    "a check that never ends": (
        "DROP TABLE league_runs; CREATE TABLE league_runs (table_id TEXT NOT NULL, "
        "boot TEXT NOT NULL, run BIGINT NOT NULL, heard TEXT NOT NULL CHECK NEVER, "
        "PRIMARY KEY (table_id, boot))"
    ),
    "a key that throws others out": (
        "CREATE TABLE other (game TEXT UNIQUE ON CONFLICT REPLACE)"
    ),
    "a key of less": (
        "DROP TABLE league_aliases; CREATE TABLE league_aliases (player TEXT, means TEXT)"
    ),
    "a number in place of a text": (
        "DROP TABLE league_aliases; "
        "CREATE TABLE league_aliases (player BIGINT NOT NULL PRIMARY KEY, means TEXT NOT NULL)"
    ),
    "a format of many megabytes": "UPDATE league_schema SET version = zeroblob(200000000)",
}  # fmt: skip

READERS = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))
sys.path.insert(0, {str(ROOT)!r})
from controller.cli import main
from controller.common.errors import ControllerError
from controller.league.store import opened
from pages.league.league import LeagueDocument
from tests.controller.league.tables import NOW, Table
where = sys.argv[1]
heard = [Table("attic").restart().ends(("Ann", 5)).heard()]

def work():
    with opened(where) as store:
        store.write(heard, NOW)

print("standings", main(["league", "standings", "--database", where]), flush=True)
for name, read in (("page", LeagueDocument(where).read), ("worker", work)):
    try:
        read()
    except ControllerError as error:
        print(name, 2, error, flush=True)
    else:
        print(name, 0, flush=True)
"""
REFUSED = (
    "which no table has made", "not as a league makes them", "no league has written", "too big"
)  # fmt: skip
GIVEN_UP_S = 120.0
"""None takes two seconds."""


def kept(folder: Path) -> Path:
    """A league with a game in it."""
    path = folder / "league.sqlite"
    store = Store(open_database(str(path)))
    store.write([Table("attic").ends(("Ann", 42), ("Bob", 30)).heard()], NOW)
    store.close()
    return path


def changed(path: Path, statements: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        spoil(database, statements)
    return path


def read_by_all(path: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", READERS, path], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=GIVEN_UP_S,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("how", CRAFTED)
def test_a_league_that_acts_by_itself_or_is_none_is_refused_by_all_who_read_it(
    how: str, tmp_path: Path
) -> None:
    path = changed(kept(tmp_path), CRAFTED[how])
    before = path.read_bytes()

    said = read_by_all(path)

    assert [line.split()[:2] for line in said] == [
        ["standings", "2"], ["page", "2"], ["worker", "2"],
    ], said  # fmt: skip
    assert all(any(word in line for word in REFUSED) for line in said[1:]), said
    assert path.read_bytes() == before


@pytest.mark.slow
def test_a_name_that_fits_no_memory_is_refused_by_those_who_read_names(tmp_path: Path) -> None:
    path = changed(kept(tmp_path), f"{SEAT} name = hex(zeroblob(60000000))")

    said = read_by_all(path)

    assert [line.split()[1] for line in said] == ["2", "2", "0"], said
    assert "too big" in said[1]


def what_is_no_file(path: Path, kind: str) -> Path:
    path.unlink()
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a link to what never ends":
        path.symlink_to("/dev/zero")
    else:
        path.symlink_to(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["a pipe", "a folder", "a link to what never ends", "a link to itself"]
)
def test_what_is_no_file_is_refused_by_all_who_would_read_it(kind: str, tmp_path: Path) -> None:
    path = what_is_no_file(kept(tmp_path), kind)

    said = read_by_all(path)

    assert [line.split()[1] for line in said] == ["2"] * 3, said


@pytest.mark.slow
def test_a_link_beside_a_league_leads_to_nothing_that_is_written(tmp_path: Path) -> None:
    path, notes = kept(tmp_path), tmp_path / "notes"
    notes.write_text("buy dice")
    for end in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + end).symlink_to(notes)

    read_by_all(path)

    assert notes.read_text() == "buy dice"


LIES = {
    "no number": f"{SEAT} score = 'many'",
    "half a number": f"{SEAT} score = 0.5",
    "a number too large": f"{SEAT} score = 9223372036854775807",
    "bytes for a name": f"{SEAT} name = x'ff00'",
    "no text": f"{SEAT} name = CAST(x'ff' AS TEXT)",
    "bytes for a person": f"{SEAT} player = x'ff00'",
    "a person of many letters": f"{SEAT} player = hex(zeroblob(100000))",
    "won twice": f"{SEAT} won = 2",
    "a time that moves the cursor": "UPDATE league_games SET played = '2026' || char(27) || '[2J'",
    "a kind of two lines": "UPDATE league_games SET kind = 'topple' || char(10)",
    "a table of no name": "UPDATE league_games SET table_id = '../x'; "
    "UPDATE league_seats SET table_id = '../x'",
    "perhaps over": "UPDATE league_games SET asked = 'perhaps'",
    "a crowd": "WITH RECURSIVE c(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM c WHERE x < 999) "
    "INSERT INTO league_seats SELECT 'attic', 'attic-0', x, 'Eve', 'eve' || x, 1, 0 FROM c",
    "bytes for another name": "INSERT INTO league_aliases VALUES ('ann', x'ff00')",
}  # fmt: skip


@pytest.mark.parametrize("how", LIES)
def test_a_game_that_no_league_has_written_is_refused_in_a_line(
    how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = changed(kept(tmp_path), LIES[how])

    for ask in (["standings"], ["export"]):
        assert main(["league", *ask, "--database", str(path)]) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1
        assert str(path) in said.err
        assert said.err.strip().isprintable()


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("UPDATE league_runs SET run = 'first'", "holds what no league has written"),
        ("UPDATE league_runs SET run = 9223372036854775807", "holds what no league has written"),
        ("UPDATE league_games SET rev = x'ff'", "holds what no league has written"),
        ("DELETE FROM league_schema", "this league has format None"),
    ],
)
def test_a_worker_that_is_to_go_on_from_such_a_league_stops_in_words(
    how: str, word: str, tmp_path: Path
) -> None:
    path = changed(kept(tmp_path), how)
    database = open_database(str(path))
    table = Table("attic").ends(("Ann", 42), ("Bob", 30))
    heard = [table.heard(), table.restart().heard()]

    with closing(database), pytest.raises(DatabaseError, match=word):
        Store(database).write(heard, NOW)


def test_a_chain_of_names_without_end_is_followed_for_a_while(tmp_path: Path) -> None:
    chain = {f"p{number}": f"p{number + 1}" for number in range(100_000)}
    path = kept(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.executemany("INSERT INTO league_aliases VALUES (?, ?)", chain.items())
        database.execute(f"{SEAT} player = 'p0' WHERE seat = 0")
    store = Store(open_database(str(path)))

    (game,) = store.games()
    store.close()

    assert game.players[0].key == meant("p0", chain) == f"p{MOST_ALIASES}"


def test_a_league_that_a_worker_has_made_is_read_whatever_was_played(tmp_path: Path) -> None:
    path = kept(tmp_path)
    store = Store(open_database(str(path)))
    table = Table("toy", simulated=True)
    long = table.ends(("ﷺ" * 128, 2**53), ("-" * 300, -(2**53)), ("\x1b[2J", None))
    store.write([long.heard()], NOW)
    store.close()

    found = league(Store(open_database(str(path))).games(), simulated=True)

    assert len(found.standings[0].lines) == 5

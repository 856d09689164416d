"""SQLite files that count for ever or change what is written, given to all who read a journal.

Each reader is a process of its own: what hangs in SQLite no timeout of Python's ends.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.common.foreign_database import check_data_only
from controller.journal import schema
from controller.journal.journal import Journal
from tests.controller.journal.test_journal import evening, play
from tests.soaked import soaked

ROOT = Path(__file__).parents[3]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
NEVER = "(instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1'))"
"""Four million letters, compared at each of four million places."""

AS_GAMES = "x first_entry, '' game, 1 next_ref, 1 rev, 1 seq, 1 games, 1 seal"
AS_ENTRIES = "x entry, 'x' kind, 1.0 t_s, '{}' cause, '[]' outcomes, 1 seal"


def endless(table: str, columns: str) -> str:
    return f"DROP TABLE {table}; CREATE VIEW {table} AS {ENDLESS} SELECT {columns} FROM c"  # noqa: S608 - ours


CRAFTED = {
    "games that never end": endless("games", AS_GAMES),
    "entries that never end": endless("entries", AS_ENTRIES),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM games; END"
    ),
    "an index of an expression": "CREATE INDEX i ON entries(upper(cause))",
    "a virtual table": "CREATE VIRTUAL TABLE v USING fts5(a)",
    "a column computed for ever": (
        "DROP TABLE games; CREATE TABLE games (first_entry INTEGER PRIMARY KEY, game, next_ref, "
        "rev, seq, games, seal AS NEVER); INSERT INTO games VALUES (1, '', 1, 1, 1, 1)"
    ),
    "a check that never ends": (
        "DROP TABLE entries; CREATE TABLE entries (entry INTEGER PRIMARY KEY, kind, t_s, cause, "
        "outcomes, seal /* (*/ CHECK -- AS\n NEVER)"
    ),
    "a column that is filled for ever": (
        "DROP TABLE refused; CREATE TABLE refused (number INTEGER PRIMARY KEY, after_entry, t_s, "
        "cause, code, x DEFAULT NEVER)"
    ),
    "a key that throws others out": "CREATE TABLE x (a TEXT UNIQUE ON CONFLICT REPLACE)",
}  # fmt: skip

READERS = {
    "a table that starts": (
        "from controller.journal.journal import Journal\n"
        "from controller.common.errors import JournalError\n"
        "try:\n    Journal(path)\nexcept JournalError as error:\n    print(error)"
    ),
    "the doctor": (
        "from controller.workshop.doctor.stored_files import _contents\n"
        "found = _contents(path)\nassert found.verdict == 'wrong'\nprint(found.words)"
    ),
    "a support bundle": (
        "import sqlite3\nfrom pages.health.support import journal_tail\n"
        "try:\n    list(journal_tail(path))\nexcept sqlite3.Error as error:\n    print(error)"
    ),
}
DOCTOR = """
from controller.workshop.doctor.people import myself
from controller.workshop.doctor.stored_files import journal
list(journal(str(path), myself()))
"""
GIVEN_UP_S = 60.0
"""None takes a second."""


def spoil(database: sqlite3.Connection, statements: str) -> None:
    """Craft a database; what never ends is written in when nothing is computed any more."""
    stand_in = "(length('NEVER'))"
    database.executescript(statements.replace("NEVER", stand_in))
    database.execute("PRAGMA writable_schema=ON")
    database.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?)", (stand_in, NEVER))


def crafted(path: Path, how: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        schema.make(database)
        spoil(database, CRAFTED[how])
    return path


@pytest.mark.slow
@pytest.mark.parametrize("how", CRAFTED)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_acts_by_itself_is_refused_in_words_by_all_who_read_it(
    reader: str, how: str, tmp_path: Path
) -> None:
    path = crafted(tmp_path / "games.journal", how)
    script = f"from pathlib import Path\npath = Path({str(path)!r})\n{READERS[reader]}"

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=GIVEN_UP_S,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert "which no table has made" in done.stdout


OF_OTHER_FORM = {
    "a name of many megabytes": "UPDATE games SET game = hex(zeroblob(60000000))",
    "an entry of many megabytes": "UPDATE entries SET cause = hex(zeroblob(60000000))",
    "games of other types": (
        "DROP TABLE games; CREATE TABLE games (first_entry, game, next_ref, rev, seq, games, seal);"
        "INSERT INTO games VALUES ('one', x'ff', 'a', 'b', NULL, 0.5, x'00')"
    ),
    "entries of other types": (
        "DROP TABLE entries; CREATE TABLE entries (entry, kind, t_s, cause, outcomes, seal);"
        "INSERT INTO entries VALUES (1, x'ff', 'soon', 0.5, NULL, 'x')"
    ),
    "a cause without an end": "UPDATE entries SET cause = replace(hex(zeroblob(5000)), '00', '[')",
}  # fmt: skip

IN_LITTLE_MEMORY = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))
from pathlib import Path
"""
BUNDLE = """
from controller.common.config import parse
from pages.health.support import Documents, SupportDesk
SupportDesk("t1", parse(f'[table]\\njournal = "{path}"')).bundle(Documents())
"""


def played(folder: Path) -> Path:
    """A journal of some games."""
    path = folder / "games.journal"
    pipeline, items = evening()
    with Journal(path) as journal:
        play(journal, pipeline, *items)
    return path


def read_in_little_memory(path: Path) -> str:
    """What a table that starts says, if it has words; a bundle and the doctor come to an end."""
    readers = ("path = Path(path)", READERS["a table that starts"], DOCTOR, BUNDLE)
    script = IN_LITTLE_MEMORY + f"path = {str(path)!r}\n" + "\n".join(readers)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False,
        timeout=GIVEN_UP_S,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    return done.stdout


LONG = ("an entry of many megabytes", "a name of many megabytes")


@pytest.mark.parametrize(
    "how",
    soaked(OF_OTHER_FORM, but=[k for k in OF_OTHER_FORM if k not in LONG], mark=pytest.mark.slow),
)
def test_what_fits_neither_memory_nor_form_is_refused_in_words(how: str, tmp_path: Path) -> None:
    path = played(tmp_path)
    shutil.rmtree(tmp_path / "games.journal.d")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(OF_OTHER_FORM[how])

    assert "damaged" in read_in_little_memory(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a pipe", "what never ends"])
@pytest.mark.parametrize("place", ["", "-wal", ".mark", ".d/*"])
def test_what_is_no_file_is_neither_waited_for_nor_read_for_ever(
    place: str, kind: str, tmp_path: Path
) -> None:
    path = played(tmp_path)
    there = sorted(tmp_path.glob(f"{path.name}{place}"))
    taken = there[-1] if there else path.with_name(path.name + place)
    taken.unlink(missing_ok=True)
    if kind == "a pipe":
        os.mkfifo(taken)
    else:
        taken.symlink_to("/dev/zero")

    said = read_in_little_memory(path)

    assert said == "" or "check the" in said


def test_a_journal_that_a_table_has_made_acts_by_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.journal"
    pipeline, items = evening()
    with Journal(path) as journal:
        play(journal, pipeline, *items)
    with closing(sqlite3.connect(path)) as database:
        database.execute(schema.RESULTS_TABLE)
        check_data_only(database)


def test_a_journal_that_was_tampered_with_is_written_anew_from_its_copy(tmp_path: Path) -> None:
    path = tmp_path / "games.journal"
    pipeline, items = evening()
    with Journal(path) as journal:
        play(journal, pipeline, *items)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(CRAFTED["a trigger"])

    with Journal(path) as journal:
        assert journal.resume().state == pipeline.state
    assert path.with_name("games.journal.damaged-1").exists()
    with closing(sqlite3.connect(path)) as database:
        check_data_only(database)

"""SQLite files that count for ever or change what is written, given to all who read a journal.

Each reader is a process of its own: what hangs in SQLite no timeout of Python's ends.
"""

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

ROOT = Path(__file__).parents[3]

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
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
GIVEN_UP_S = 60.0
"""None takes a second."""


def crafted(path: Path, how: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        schema.make(database)
        database.executescript(CRAFTED[how])
    return path


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

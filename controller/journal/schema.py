"""The SQLite side of the journal: its tables, its versions, its logs of games.

Functions on an open connection. Errors of SQLite are handled in `controller/journal/journal.py`;
damage that only our checks find raises `Damaged`.
"""

import sqlite3
import struct
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from controller.common.errors import JournalError
from controller.common.files import flush
from controller.journal.entries import (
    NO_GAME,
    Entry,
    GameLog,
    GameRow,
    flaw,
    game_with_checksum,
    with_checksum,
)

SCHEMA = 2
"""Raised whenever an older program could no longer read what is written. 1 had no checksums, and
kept nothing of what was refused."""

PLAUSIBLE = 1000
"""A higher version than that is no version: the number itself was damaged."""

TABLES = (
    """CREATE TABLE games (
    first_entry INTEGER PRIMARY KEY,  -- the entry that started it
    game TEXT NOT NULL,
    next_ref INTEGER NOT NULL, rev INTEGER NOT NULL, seq INTEGER NOT NULL, games INTEGER NOT NULL,
    seal INTEGER NOT NULL DEFAULT -1
) STRICT""",
    """CREATE TABLE entries (
    entry INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    t_s REAL NOT NULL,
    cause TEXT NOT NULL,
    outcomes TEXT NOT NULL,
    seal INTEGER NOT NULL DEFAULT -1
) STRICT""",
)
REFUSED_TABLE = """CREATE TABLE refused (
    number INTEGER PRIMARY KEY,
    after_entry INTEGER NOT NULL,  -- the newest entry then
    t_s REAL NOT NULL,
    cause TEXT NOT NULL,
    code TEXT NOT NULL
) STRICT"""

RESULTS_TABLE = """CREATE TABLE IF NOT EXISTS results (
    number INTEGER PRIMARY KEY, game TEXT NOT NULL UNIQUE, result TEXT NOT NULL
) STRICT"""
"""Made when the first game ends. A program that does not know it is not disturbed by it, and
nothing is rebuilt from it."""

MOVES_TABLE = """CREATE TABLE IF NOT EXISTS moves (
    number INTEGER PRIMARY KEY, game TEXT NOT NULL UNIQUE, moves TEXT NOT NULL
) STRICT"""

FILMS_TABLE = """CREATE TABLE IF NOT EXISTS films (
    number INTEGER PRIMARY KEY, game TEXT NOT NULL, seq INTEGER NOT NULL, film TEXT NOT NULL,
    UNIQUE (game, seq)
) STRICT"""
"""As `results`: made when they are needed, and nothing is rebuilt from them."""

_MAGIC = b"SQLite format 3\x00"
_VERSION_AT = 60
"""Where a database's first page has the version (SQLite file format, 1.3)."""
_WAL_HEADER = struct.Struct(">4x4xI4x8s8x")
"""Page size and salts, of the header of a write-ahead log (SQLite file format, 4.1)."""
_WAL_FRAME = struct.Struct(">I4x8s8x")
"""Page number and salts, of the header of each of its frames."""


class Damaged(JournalError):  # noqa: N818
    """The journal is not what was written; the text says what was found."""


def written_version(path: Path) -> int:
    """The version of a journal, found without opening it as a database; 0 when it has none.

    SQLite would tidy up the write-ahead log of a file that is only looked at, and the journal
    of a newer program must stay as it is.

    Raises:
        OSError: it cannot be read.
    """
    # A pipe or a device would be waited for, or read, for ever.
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        page = file.read(_VERSION_AT + 4)
    versions = [_version(page)] if page.startswith(_MAGIC) else [0]
    wal = path.with_name(f"{path.name}-wal")
    if wal.is_file():
        versions += _versions_in_log(wal.read_bytes())
    return max(versions)


def _version(page: bytes) -> int:
    found = page[_VERSION_AT : _VERSION_AT + 4]
    return int.from_bytes(found, "big") if len(found) == 4 else 0


def _versions_in_log(log: bytes) -> Iterable[int]:
    """Versions on the first pages in a write-ahead log that belong to its present round."""
    if len(log) < _WAL_HEADER.size:
        return
    page_bytes, salts = _WAL_HEADER.unpack_from(log)
    step = _WAL_FRAME.size + max(page_bytes, 512)
    for at in range(_WAL_HEADER.size, len(log) - _WAL_FRAME.size - _VERSION_AT - 4, step):
        number, own_salts = _WAL_FRAME.unpack_from(log, at)
        page = log[at + _WAL_FRAME.size :][: _VERSION_AT + 4]
        if number == 1 and own_salts == salts and page.startswith(_MAGIC):
            yield _version(page)


def make(database: sqlite3.Connection) -> None:
    """Make an empty journal, within a transaction."""
    for statement in (*TABLES, REFUSED_TABLE):
        database.execute(statement)
    database.execute(f"PRAGMA user_version={SCHEMA}")


def migrate(database: sqlite3.Connection) -> None:
    """Convert a journal of version 1, within a transaction: add all checksums."""
    for table in ("games", "entries"):
        database.execute(f"ALTER TABLE {table} ADD COLUMN seal INTEGER NOT NULL DEFAULT -1")
    rows = [game_with_checksum(row) for row in games(database)]
    seals = {row.first_entry: row.seal for row in rows}
    database.executemany(
        "UPDATE games SET seal = ? WHERE first_entry = ?",
        [(row.seal, row.first_entry) for row in rows],
    )
    before = NO_GAME.seal
    for entry in entries(database, 0):
        before = with_checksum(entry, seals.get(entry.entry, before)).seal
        database.execute("UPDATE entries SET seal = ? WHERE entry = ?", (before, entry.entry))
    database.execute(REFUSED_TABLE)
    database.execute(f"PRAGMA user_version={SCHEMA}")


def keep_aside(database: sqlite3.Connection, path: Path) -> None:
    """Write a complete copy of a database; it is on the disk when this returns.

    Raises:
        sqlite3.Error: it cannot be written; nothing has changed.
        OSError: the same.
    """
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    with closing(sqlite3.connect(temporary)) as copy:
        database.backup(copy)
    flush(temporary)
    temporary.replace(path)
    flush(path.parent)


def check_pages(database: sqlite3.Connection) -> None:
    """Look at every page.

    Raises:
        Damaged: one of them is not as SQLite made it.
    """
    found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        # What SQLite says of it ("btreeInitPage() returns error code 11") helps nobody here.
        raise Damaged("a page of it is broken")


def newest(database: sqlite3.Connection) -> GameLog:
    """The game that was played last, checked entry by entry.

    Raises:
        Damaged: it is not what was written.
    """
    rows = games(database)
    game = rows[-1] if rows else NO_GAME
    game_log = GameLog(game, tuple(entries(database, game.first_entry)))
    if problem := flaw(game_log):
        raise Damaged(problem)
    return game_log


def games(database: sqlite3.Connection) -> list[GameRow]:
    """All games, oldest first; not checked."""
    rows = database.execute(
        "SELECT first_entry, game, next_ref, rev, seq, games, seal FROM games ORDER BY first_entry"
    )
    return [GameRow(*row) for row in rows.fetchall()]


def entries(database: sqlite3.Connection, first: int) -> list[Entry]:
    """All entries from a number on; not checked."""
    rows = database.execute(
        "SELECT entry, kind, t_s, cause, outcomes, seal FROM entries "
        "WHERE entry >= ? ORDER BY entry",
        (first,),
    )
    return [Entry(*row) for row in rows.fetchall()]


def insert_game(database: sqlite3.Connection, row: GameRow) -> None:
    """Add a game."""
    database.execute(
        "INSERT INTO games (first_entry, game, next_ref, rev, seq, games, seal) "
        "VALUES (:first_entry, :game, :next_ref, :rev, :seq, :games, :seal)",
        _by_name(row),
    )


def insert_entry(database: sqlite3.Connection, entry: Entry) -> None:
    """Add an entry."""
    database.execute(
        "INSERT INTO entries (entry, kind, t_s, cause, outcomes, seal) "
        "VALUES (:entry, :kind, :t_s, :cause, :outcomes, :seal)",
        _by_name(entry),
    )


def insert_refused(database: sqlite3.Connection, entry: Entry, code: str, most: int) -> None:
    """Add what was refused, and why, within a transaction; the oldest beyond `most` are removed."""
    number = database.execute(
        "INSERT INTO refused (after_entry, t_s, cause, code) VALUES (?, ?, ?, ?)",
        (entry.entry - 1, entry.t_s, entry.cause, code),
    ).lastrowid
    database.execute("DELETE FROM refused WHERE number <= ? - ?", (number, most))


def keep_result(database: sqlite3.Connection, game: str, result: str, most: int) -> None:
    """Keep how a game ended, within a transaction; of one game the last word, and so many games."""
    database.execute(RESULTS_TABLE)
    database.execute(
        "INSERT INTO results (game, result) VALUES (?, ?) "
        "ON CONFLICT (game) DO UPDATE SET result = excluded.result",
        (game, result),
    )
    _keep_newest(database, "results", most)


def results(database: sqlite3.Connection, most: int) -> list[str]:
    """How the last games ended, the newest first."""
    if not _has(database, "results"):
        return []
    rows = database.execute("SELECT result FROM results ORDER BY number DESC LIMIT ?", (most,))
    return [str(text) for (text,) in rows.fetchall()]


def keep_moves(database: sqlite3.Connection, game: str, moves: str, most: int) -> None:
    """Keep the packed moves of a game, within a transaction, and so many games; none: remove."""
    database.execute(MOVES_TABLE)
    if not moves:
        database.execute("DELETE FROM moves WHERE game = ?", (game,))
        return
    database.execute(
        "INSERT INTO moves (game, moves) VALUES (?, ?) "
        "ON CONFLICT (game) DO UPDATE SET moves = excluded.moves",
        (game, moves),
    )
    _keep_newest(database, "moves", most)


def keep_film(database: sqlite3.Connection, game: str, seq: int, film: str, most: int) -> None:
    """Keep the film of a fall, within a transaction, and so many films."""
    database.execute(FILMS_TABLE)
    database.execute(
        "INSERT INTO films (game, seq, film) VALUES (?, ?, ?) "
        "ON CONFLICT (game, seq) DO UPDATE SET film = excluded.film",
        (game, seq, film),
    )
    _keep_newest(database, "films", most)


def _keep_newest(database: sqlite3.Connection, table: str, most: int) -> None:
    newest = f"(SELECT MAX(number) FROM {table})"  # noqa: S608 - our own names
    database.execute(f"DELETE FROM {table} WHERE number <= {newest} - ?", (most,))  # noqa: S608


def moves(database: sqlite3.Connection, game: str) -> str:
    """The packed moves of a game; empty when there are none."""
    if not _has(database, "moves"):
        return ""
    row = database.execute("SELECT moves FROM moves WHERE game = ?", (game,)).fetchone()
    return "" if row is None else str(row[0])


def films(database: sqlite3.Connection, game: str) -> tuple[int, ...]:
    """Number of each film of a game, in order."""
    if not _has(database, "films"):
        return ()
    rows = database.execute("SELECT seq FROM films WHERE game = ? ORDER BY seq", (game,))
    return tuple(int(seq) for (seq,) in rows.fetchall())


def film(database: sqlite3.Connection, game: str, seq: int) -> str | None:
    """The text of one film; None when there is none, also of a number beyond SQLite's."""
    if seq not in films(database, game):
        return None
    sought = "SELECT film FROM films WHERE game = ? AND seq = ?"
    return str(database.execute(sought, (game, seq)).fetchone()[0])


def forget_game(database: sqlite3.Connection, game: str) -> None:
    """Remove what is kept of a finished game beside its entries, within a transaction."""
    for table in ("results", "moves", "films"):
        if _has(database, table):
            database.execute(f"DELETE FROM {table} WHERE game = ?", (game,))  # noqa: S608


def _has(database: sqlite3.Connection, table: str) -> bool:
    named = database.execute("SELECT name FROM sqlite_master WHERE name = ?", (table,))
    return named.fetchone() is not None


def insert(database: sqlite3.Connection, game_log: GameLog, after: int = 0) -> None:
    """Add what the log of a game has beyond an entry, its game with it if that began later."""
    if game_log.game.first_entry > after:
        insert_game(database, game_log.game)
    for entry in game_log.entries:
        if entry.entry > after:
            insert_entry(database, entry)


def forget_old(database: sqlite3.Connection, games: int) -> None:
    """Keep this many games, and what the newest one continues from."""
    first = database.execute(
        "SELECT first_entry FROM games ORDER BY first_entry DESC LIMIT 1 OFFSET ?", (games - 1,)
    ).fetchone()
    if first is not None:
        database.execute("DELETE FROM entries WHERE entry < ?", first)
        database.execute("DELETE FROM games WHERE first_entry < ?", first)


def write_new(path: Path, game_logs: Iterable[GameLog]) -> None:
    """Write a journal that holds these games, on the disk when this returns.

    Raises:
        sqlite3.Error: it cannot be written.
        OSError: the same.
    """
    for leftover in (path, path.with_name(f"{path.name}-journal")):
        leftover.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN")
        make(database)
        for game_log in game_logs:
            insert(database, game_log)
        database.execute("COMMIT")
    flush(path)


def _by_name(row: GameRow | Entry) -> dict[str, object]:
    return {name: getattr(row, name) for name in row.__struct_fields__}

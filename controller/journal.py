"""The journal: everything that made the game what it is, safe before anybody sees it.

One SQLite file. Each row of `entries` is a cause - an event of the sensors or something people
said - and the game is what the referee makes of them, so the journal and the rules rebuild it
exactly, undo and redo steps included. `outcomes` beside each cause is for people and for later
questions; nothing is rebuilt from it.

Every `write` is one transaction, on the disk when it returns (write-ahead log, full
synchronisation): whatever was shown on a display survives a pulled plug.

Only the game being played is read at a start. What the referee had counted before it (revision,
numbers of moves) stands in `games`.
"""

import contextlib
import math
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from controller.errors import JournalError, NewerJournal
from controller.pipeline import Cause, Output, replayed
from engine.events import (
    Cleared,
    Corrected,
    Fault,
    HumanInput,
    Placed,
    Restored,
    Retracted,
    Toppled,
)
from engine.referee import RefereeState

SCHEMA = 1
"""Raised whenever an older program could no longer read what is written."""

PAUSE_S = 60.0
"""Table time put between two runs: longer than any two things the referee holds to be one."""

PATIENCE_S = 2.0
"""A table that is being stopped closes its journal within this."""

_TABLES = """
CREATE TABLE games (
    first_entry INTEGER PRIMARY KEY,  -- the entry that started it
    game TEXT NOT NULL,
    next_ref INTEGER NOT NULL, rev INTEGER NOT NULL, seq INTEGER NOT NULL, games INTEGER NOT NULL
) STRICT;
CREATE TABLE entries (
    entry INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    t_s REAL NOT NULL,
    cause TEXT NOT NULL,
    outcomes TEXT NOT NULL
) STRICT;
"""

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (HumanInput, Placed, Corrected, Retracted, Toppled, Cleared, Fault, Restored)
}


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a start finds.

    Attributes:
        state: the referee as it was; a fresh one when there is nothing to go on with.
        resume_s: table time at which the next run goes on.
        entries: how many causes it was rebuilt from.
    """

    state: RefereeState
    resume_s: float = 0.0
    entries: int = 0


def to_json(cause: Cause) -> str:
    """A cause as it is kept. Numbers that are none (an unknown mass) are left out."""
    fields = {name: value for name, value in asdict(cause).items() if not _is_nan(value)}
    return msgspec.json.encode(fields).decode()


def from_json(kind: str, text: str) -> Cause:
    """The cause that was kept.

    Raises:
        JournalError: no cause of this version.
    """
    try:
        found: Cause = msgspec.json.decode(text, type=_KINDS[kind])
    except (KeyError, msgspec.DecodeError) as error:
        raise JournalError(f"the journal holds a {kind} that cannot be read: {error}") from None
    return found


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


class Journal:
    """One journal file, open for writing. Use it from one thread.

    Args:
        path: of the file; made with its folder when it is not there.
        patience_s: how long to wait for another process to let go of it.

    Raises:
        NewerJournal: a newer version wrote it. It is left as it is.
        JournalError: it cannot be opened, or is no journal.
    """

    def __init__(self, path: Path | str, *, patience_s: float = PATIENCE_S) -> None:
        self.path = Path(path)
        with self._in_words():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=patience_s, isolation_level=None)
        try:
            with self._in_words():
                self._open()
        except BaseException:
            self._database.close()
            raise

    def _open(self) -> None:
        version = int(self._value("PRAGMA user_version"))
        if version > SCHEMA:
            raise NewerJournal(
                f"{self.path}: this journal has format {version}, written by a newer version; "
                f"this version knows format {SCHEMA}. Update the software, or name another "
                "file as journal"
            )
        if version == 0 and int(self._value("SELECT count(*) FROM sqlite_master")):
            raise JournalError(f"{self.path}: this is a database, but no journal of this table")
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=FULL")
        self._database.execute("PRAGMA locking_mode=EXCLUSIVE")
        # Takes the lock now, so that a second table on this file is told at its start.
        self._database.execute("BEGIN IMMEDIATE")
        if version == 0:
            for statement in _TABLES.split(";"):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA user_version={SCHEMA}")
        self._database.execute("COMMIT")

    def _value(self, query: str) -> Any:
        return self._database.execute(query).fetchone()[0]

    def write(self, output: Output) -> None:
        """Make a decision durable; on the disk when this returns.

        Decisions that left the referee as it was need not be written, and are not.

        Raises:
            JournalError: the disk is full or broken; the message says what to check.
        """
        if not output.remembered:
            return
        outcomes = msgspec.json.encode([asdict(outcome) for outcome in output.outcomes]).decode()
        kind = type(output.cause).__name__
        row = (kind, _t_s(output.cause), to_json(output.cause), outcomes)
        with self._in_words(), self._transaction():
            entry = self._database.execute(
                "INSERT INTO entries (kind, t_s, cause, outcomes) VALUES (?, ?, ?, ?)", row
            ).lastrowid
            if output.state.game_id != output.before.game_id:
                before = output.before
                self._database.execute(
                    "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        entry,
                        output.state.game_id,
                        before.next_ref,
                        before.rev,
                        before.seq,
                        before.games,
                    ),
                )

    def resume(self) -> Resumed:
        """Rebuild the game that was being played.

        Raises:
            JournalError: the file is damaged.
        """
        with self._in_words():
            last = self._database.execute(
                "SELECT first_entry, next_ref, rev, seq, games FROM games "
                "ORDER BY first_entry DESC LIMIT 1"
            ).fetchone()
            first, *counters = last or (0, 1, 0, 0, 0)
            next_ref, rev, seq, games = counters
            causes = [from_json(kind, text) for kind, text in self._causes(first)]
            end_s = self._value("SELECT max(t_s) FROM entries")
        before = replace(RefereeState(), next_ref=next_ref, rev=rev, seq=seq, games=games)
        resume_s = 0.0 if end_s is None else float(end_s) + PAUSE_S
        return Resumed(replayed(causes, before), resume_s, len(causes))

    def _causes(self, first: int) -> list[tuple[str, str]]:
        return self._database.execute(
            "SELECT kind, cause FROM entries WHERE entry >= ? ORDER BY entry", (first,)
        ).fetchall()

    def games(self) -> tuple[str, ...]:
        """Names of all games ever played, oldest first."""
        with self._in_words():
            rows = self._database.execute("SELECT game FROM games ORDER BY first_entry").fetchall()
        return tuple(str(row[0]) for row in rows)

    def close(self) -> None:
        """Let go of the file. Nothing is lost without it."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except JournalError:
            raise
        except sqlite3.OperationalError as error:
            raise JournalError(f"{self.path}: {_advice(str(error))}") from None
        except sqlite3.DatabaseError as error:
            raise JournalError(
                f"{self.path}: this is no journal, or it is damaged ({error}); keep the file "
                "and name another one as journal"
            ) from None
        except OSError as error:
            raise JournalError(
                f"{self.path}: {error.strerror or error}; check the path and its rights"
            ) from None


def _advice(error: str) -> str:
    if "locked" in error:
        return "another table is using this journal; stop it, or name another file"
    if "full" in error:
        return "the disk is full; make room, nothing shown so far is lost"
    if "unable to open" in error or "readonly" in error:
        return f"{error}; check the path and its rights"
    return f"the journal cannot be used ({error}); check the disk"


def _t_s(cause: Cause) -> float:
    """When it came to be known, so that the next run goes on after it."""
    if isinstance(cause, HumanInput | Fault | Restored):
        return cause.t_s
    return cause.decided_s

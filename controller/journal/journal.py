"""The journal: stores everything that makes up a game, before it is shown.

One SQLite file. Each row of `entries` is a cause: an event of the sensors, or an input of a person.
The referee computes the game from the causes, so the journal and the rules rebuild it exactly, with
its undo and redo steps. `outcomes` beside each cause is for people; nothing is rebuilt from it.

Every `write` is one transaction, held by the operating system when it returns, so whatever was
shown survives a crash of the program. What is confirmed is also on the disk (write-ahead log, full
synchronisation) and survives a power cut; `controller/journal/sync_policy.py` says what that is.

At a start only the game being played is read, and checked entry by entry. Damaged entries are
restored from the copy (`controller/journal/backup.py`) and reported; if that is impossible, the
start is refused and nothing is changed (`controller/journal/recovery.py`). The mark shows a journal
that has lost its end (`controller/journal/mark.py`). The referee's counters before that game
(revision, numbers of moves) are in `games`.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import msgspec

from controller.common.errors import JournalError
from controller.common.sqlite_errors import IN_USE, primary_code
from controller.journal import schema
from controller.journal.backup import Backup
from controller.journal.entries import (
    Entry,
    GameRow,
    causes,
    entry_of,
    from_json,
    game_of,
    to_json,
    with_checksum,
)
from controller.journal.known import KnownJournals
from controller.journal.mark import Mark
from controller.journal.recovery import Recovery, plain, transaction
from controller.journal.room import Room
from controller.journal.schema import SCHEMA, Damaged
from controller.journal.sync_policy import EVERY_S, SyncPolicy
from controller.table.film import Film
from controller.table.pipeline import Output, replayed
from engine.errors import UNREADABLE
from engine.events import HumanInput
from engine.referee import RefereeState
from engine.results import GameResult
from engine.trouble import Trouble

__all__ = ["KEPT_GAMES", "PAUSE_S", "SCHEMA", "Journal", "Resumed", "from_json", "to_json"]

PAUSE_S = 60.0
"""Table time put between two runs: longer than any two things the referee holds to be one."""

PATIENCE_S = 2.0
"""A table that is being stopped closes its journal within this."""

KEPT_GAMES = 200
"""Some five evenings of eight hours. Older ones make room, or the card would fill up."""

FEWEST_COPIES = 2
"""Games whose copies stay even when the disk is full."""

KEPT_FILMS = 120
"""Some 700 kB: the falls of the last evenings. What a family wants to keep it downloads."""

KEPT_REFUSED = 500
MOST_NOTED = 30
"""Refused inputs recorded in a minute: a flood of commands must not wear out the card."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a start finds.

    Attributes:
        state: the referee as it was; a fresh one when there is nothing to go on with.
        resume_s: table time at which the next run goes on.
        entries: how many causes it was rebuilt from.
        notices: what had to be mended, for people.
        doubt: why this may not be all; None when it is.
    """

    state: RefereeState
    resume_s: float = 0.0
    entries: int = 0
    notices: tuple[str, ...] = ()
    doubt: Trouble | None = None

    @property
    def finished(self) -> bool:
        """Whether there is no game to go on with."""
        position = self.state.position
        return position.game_state is None or position.over


class Journal:
    """One journal file, open for writing; made with its folder if missing. Use it from one thread.

    It waits for `patience_s` until another process lets go of it, and forgets all but `kept_games`
    when a new game starts. `notices` tell people what had to be mended at the start. `room` is what
    can be had on a full disk (without a reserve when left out), `known` what other folders know.

    Raises:
        NewerJournal: a newer version wrote it. It is left as it is.
        JournalError: it cannot be opened, is no journal, or is damaged beyond its copy.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        patience_s: float = PATIENCE_S,
        kept_games: int = KEPT_GAMES,
        clock: Callable[[], float] = time.monotonic,
        room: Room | None = None,
        known: KnownJournals | None = None,
    ) -> None:
        self.path = Path(path)
        self._room = room or Room(self.path, reserve_bytes=0)
        self._known = known or KnownJournals(self.path, (), "")
        self._refill_s = float("-inf")
        self._kept_games = kept_games
        self._clock = clock
        self._sync_policy = SyncPolicy()
        self._noted, self._noting_s = 0, float("-inf")
        self._backup, self._mark = Backup(self.path), Mark(self.path)
        with self._in_words():
            self._known.refuse_elsewhere(there=self.path.exists())
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._room.begin()
            self._room.ensure(self._remove_old_copies)
            opened = Recovery(self.path, self._backup, self._mark, self._known, patience_s).run()
        self._database = opened.database
        self.notices, self._doubt = opened.notices, opened.doubt
        self._last_entry, self._checksum = opened.game_log.last_entry, opened.game_log.checksum
        with self._in_words():
            # Kept open, so that a process without a free descriptor can still save the game.
            self._log = os.open(self.path.with_name(f"{self.path.name}-wal"), os.O_RDONLY)
        self._backup.begin(opened.game_log)
        self._mark.begin(opened.game_log)
        self._known.begin(opened.game_log)

    @property
    def trouble(self) -> Trouble | None:
        """That the disk is full, and how long games can still be stored; None when it is not."""
        return self._room.trouble

    def write(self, output: Output) -> None:
        """Store a decision: safe from a crash of the program, and from a power cut if confirmed.

        Decisions that left the referee as it was need not be written, and are not. Words that
        were refused are noted, for whoever wonders later; nothing is rebuilt from that.

        Raises:
            JournalError: the disk is full or broken; the message says what to check.
        """
        number = self._last_entry + 1
        if not output.remembered:
            if output.refused is not None:
                self._note(entry_of(number, output), output.refused.code)
            return
        game = game_of(number, output)
        entry = with_checksum(
            entry_of(number, output), self._checksum if game is None else game.seal
        )
        waits = self._sync_policy.waits(output, self._clock())
        self._room.ensure(self._remove_old_copies)
        with self._in_words():
            self._database.execute(f"PRAGMA synchronous={'FULL' if waits else 'NORMAL'}")
            self._commit(entry, game)
        self._last_entry, self._checksum = number, entry.seal
        self._backup.add(entry, game)
        self._mark.move(number, entry.seal, sure=waits)
        if game is not None:
            self._backup.remove_all_but(self._kept_games)
            self._known.write(number, entry.seal)

    def _remove_old_copies(self) -> bool:
        """The games themselves are in the file."""
        return self._backup.remove_all_but(FEWEST_COPIES)

    def _note(self, entry: Entry, code: str) -> None:
        now_s = self._clock()
        if now_s - self._noting_s >= EVERY_S:
            self._noting_s, self._noted = now_s, 0
        self._noted += 1
        if self._noted > MOST_NOTED:
            return
        # The next decision will say that the disk is full; nobody must stop playing for a note.
        with contextlib.suppress(sqlite3.Error):
            self._database.execute("PRAGMA synchronous=NORMAL")
            with transaction(self._database):
                schema.insert_refused(self._database, entry, code, KEPT_REFUSED)

    def _commit(self, entry: Entry, game: GameRow | None) -> None:
        while True:
            try:
                return self._insert(entry, game)
            except sqlite3.OperationalError as error:
                if primary_code(error) != sqlite3.SQLITE_FULL:
                    raise
                if not self._room.make(self._remove_old_copies):
                    raise

    def _insert(self, entry: Entry, game: GameRow | None) -> None:
        with transaction(self._database):
            schema.insert_entry(self._database, entry)
            if game is not None:
                schema.insert_game(self._database, game)
                schema.forget_old(self._database, self._kept_games)

    def tend(self) -> None:
        """Flush unconfirmed entries once a minute. Call it often; it is quick.

        Raises:
            JournalError: the disk is broken.
        """
        now_s = self._clock()
        if now_s - self._refill_s >= EVERY_S:
            self._refill_s = now_s
            self._room.refill()
        if not (self._sync_policy.pending or self._backup.unflushed or self._mark.unflushed):
            return
        if not self._sync_policy.minute(self._clock()):
            return
        self._mark.sync()
        if self._backup.unflushed:
            # Before the file: what is pending there is a roll, which the next piece takes along.
            self._backup.sync()
            return
        if not self._sync_policy.pending:
            return
        self._sync_policy.pending = False
        with self._in_words():
            # Everything since the last synchronisation stands in the write-ahead log.
            os.fsync(self._log)
        self._mark.all_sure()

    def resume(self) -> Resumed:
        """Rebuild the game that was being played.

        Raises:
            JournalError: the file is damaged.
        """
        with self._in_words():
            game_log = schema.newest(self._database)
        game, entries = game_log.game, game_log.entries
        before = replace(
            RefereeState(),
            next_ref=game.next_ref,
            rev=game.rev,
            seq=game.seq,
            games=game.games,
        )
        end_s = max((entry.t_s for entry in entries), default=None)
        resume_s = 0.0 if end_s is None else end_s + PAUSE_S
        state = replayed(causes(entries), before)
        return Resumed(state, resume_s, len(entries), self.notices, self._doubt)

    def games(self) -> tuple[str, ...]:
        """Names of the games that are kept, oldest first."""
        with self._in_words():
            return tuple(row.game for row in schema.games(self._database))

    def keep(self, result: GameResult) -> None:
        """Keep the result of a game; a later result of the same game replaces it.

        It does not wait for the disk, and a full one is no reason to stop playing: the game
        itself stands in the journal, and the next decision will say what is wrong.
        """
        text = msgspec.json.encode(result).decode()
        with self._without_waiting():
            schema.keep_result(self._database, result.game, text, self._kept_games)

    def keep_moves(self, game: str, moves: str) -> None:
        """Keep the packed moves of a game, as `keep` does its result; empty: remove them."""
        with self._without_waiting():
            schema.keep_moves(self._database, game, moves, self._kept_games)

    def keep_film(self, film: Film) -> None:
        """Keep the film of a fall in the same way."""
        text = msgspec.json.encode(film).decode()
        with self._without_waiting():
            schema.keep_film(self._database, film.game, film.seq, text, KEPT_FILMS)

    def forget(self, game: str) -> None:
        """Keep neither result nor moves nor films of a game; its entries go as games come."""
        with self._without_waiting():
            schema.forget_game(self._database, game)

    @contextlib.contextmanager
    def _without_waiting(self) -> Iterator[None]:
        """A transaction for what nothing is rebuilt from, as `keep` explains."""
        with contextlib.suppress(sqlite3.Error):
            self._database.execute("PRAGMA synchronous=NORMAL")
            with transaction(self._database):
                yield
            self._sync_policy.pending = True

    def moves(self, game: str) -> str:
        """The packed moves of a game; empty when there are none, or none can be read."""
        with contextlib.suppress(sqlite3.Error):
            return schema.moves(self._database, game)
        return ""

    def films(self, game: str) -> tuple[int, ...]:
        """Numbers of the falls of a game of which there are films, in order."""
        with contextlib.suppress(sqlite3.Error):
            return schema.films(self._database, game)
        return ()

    def film(self, game: str, seq: int) -> Film | None:
        """The film of a fall; None when there is none, or it cannot be read."""
        with contextlib.suppress(sqlite3.Error, msgspec.DecodeError):
            text = schema.film(self._database, game, seq)
            return None if text is None else msgspec.json.decode(text, type=Film)
        return None

    def heard(self) -> tuple[tuple[HumanInput | None, list[dict[str, Any]]], ...]:
        """What was said and published in the game that was played last, in order.

        Raises:
            JournalError: the file is damaged.
        """
        with self._in_words():
            entries = schema.newest(self._database).entries
            said = (from_json(one.kind, one.cause) for one in entries)
            outcomes = (_read(one.outcomes) for one in entries)
            return tuple(
                (cause if isinstance(cause, HumanInput) else None, told)
                for cause, told in zip(said, outcomes, strict=True)
            )

    def results(self, most: int) -> tuple[GameResult, ...]:
        """Results of the last games, the oldest first, without unreadable ones.

        Raises:
            JournalError: the file is damaged.
        """
        with self._in_words():
            texts = schema.results(self._database, most)
        found = []
        for text in reversed(texts):
            with contextlib.suppress(msgspec.DecodeError):
                found.append(msgspec.json.decode(text, type=GameResult))
        return tuple(found)

    def close(self) -> None:
        """Close the file. Nothing is lost without it."""
        self._backup.close()
        if self._log >= 0:
            os.close(self._log)
        self._log = -1
        self._database.close()
        self._mark.close()
        self._known.write(self._last_entry, self._checksum)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _value(self, query: str) -> Any:
        return self._database.execute(query).fetchone()[0]

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except Damaged as damage:
            raise JournalError(
                f"{self.path}: the journal is damaged ({damage}), and no whole copy in "
                f"{self._backup.folder} can stand in for it. Keep both, and name another file as "
                "journal to play on"
            ) from None
        except JournalError:
            raise
        except sqlite3.OperationalError as error:
            raise JournalError(f"{self.path}: {_advice(error)}") from None
        except sqlite3.DatabaseError as error:
            raise JournalError(
                f"{self.path}: this is no journal, or it is damaged ({plain(error)}); keep it, "
                "and name another file as journal"
            ) from None
        except OSError as error:
            text = error.strerror or str(error)
            raise JournalError(
                f"{self.path}: {text}; check the path, its rights and the free space"
            ) from None


def _read(outcomes: str) -> list[dict[str, Any]]:
    """Outcomes as they were told; none if they cannot be read, since nothing hangs on them."""
    try:
        return msgspec.json.decode(outcomes, type=list[dict[str, Any]])
    except UNREADABLE:
        return []


def _advice(error: sqlite3.OperationalError) -> str:
    code = primary_code(error)
    if code in IN_USE:
        return "another table is using this journal; stop it, or name another file"
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; make room, nothing shown so far is lost"
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return f"{plain(error)}; check the path, its rights and the free space"
    return f"the journal cannot be used ({plain(error)}); check the disk"

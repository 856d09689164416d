"""Opens a journal: checks its version and content, and restores what is damaged from the copy.

What the file holds is used; what only the copy has is added; a damaged file is put aside and
written again from the copy. Each of these is reported. If both are damaged, nothing is changed and
the start is refused, because a wrong score is worse than none. The mark
(`controller/journal/mark.py`) shows if less was found than there was; a missing copy or mark is
reported too.

If the program is killed meanwhile, the next start begins again with the same files: the damaged
file is copied before anything is changed, and replaced as a whole.
"""

import contextlib
import filecmp
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.common.errors import JournalError, NewerJournal
from controller.common.files import flush
from controller.common.foreign_database import ActsByItself, check_data_only
from controller.common.sqlite_errors import primary_code
from controller.common.troubles import (
    JOURNAL_BOTH_LOST,
    JOURNAL_FROM_COPY,
    JOURNAL_GONE,
    JOURNAL_PART_MISSING,
    JOURNAL_STRANGER,
    JOURNAL_WENT_BACK,
)
from controller.journal import schema
from controller.journal.backup import Backup, last_number
from controller.journal.entries import GameLog
from controller.journal.known import KnownJournals
from controller.journal.mark import Mark, MarkLine, this_boot
from controller.journal.schema import PLAUSIBLE, SCHEMA, Damaged
from engine.trouble import Trouble

KEPT_DAMAGED = 3
"""Number of damaged journals that are kept."""

PULLED = "The plug seems to have been pulled: check the last move, it may have to be told again."

_SURROUNDINGS = frozenset(
    (
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    )
)  # fmt: skip
"""SQLite errors that are not about the content of the file."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """A journal that can be written.

    Attributes:
        database: holds the lock.
        game_log: the game being played, whole.
        notices: what had to be mended, for people.
        doubt: why this may not be all; None when it is.
    """

    database: sqlite3.Connection
    game_log: GameLog
    notices: tuple[str, ...]
    doubt: Trouble | None


class Recovery:
    """Opens one journal, whose folder is there, and recovers what was damaged.

    It waits for `patience_s` until another process lets go of the file.
    """

    def __init__(
        self, path: Path, backup: Backup, mark: Mark, known: KnownJournals, patience_s: float
    ) -> None:
        self._path = path
        self._known = known
        self._backup = backup
        self._mark = mark
        self._patience_s = patience_s
        self._database: sqlite3.Connection | None = None
        self._notices: list[str] = []
        self._doubt: Trouble | None = None
        self._migrated = False

    def run(self) -> Recovered:
        """Open the journal; it is locked when this returns.

        Raises:
            NewerJournal: a newer version wrote it.
            Damaged: beyond what the copy can mend.
            JournalError: it is no journal of this table.
            sqlite3.Error: it cannot be used.
            OSError: the same.
        """
        self._refuse_newer()
        self._refuse_unwritable()
        belongings = (self._path, self._beside("-wal"), self._backup.folder, self._mark.path)
        was_here = any(each.exists() for each in belongings)
        try:
            database, game_log = self._whole()
            # Read with the lock held, since a table that is being stopped still writes it.
            mark = self._mark.read()
            game_log = self._caught_up(database, game_log)
            self._look_for_backup(game_log)
            if mark is not None:
                self._compare(mark, game_log)
            elif was_here:
                self._miss_mark(game_log)
            self._compare_known(game_log, was_here=was_here)
        except BaseException:
            self._let_go()
            raise
        return Recovered(database, game_log, tuple(self._notices), self._doubt)

    def _refuse_newer(self) -> None:
        version = schema.written_version(self._path)
        if SCHEMA < version < PLAUSIBLE:
            raise NewerJournal(
                f"{self._path}: this journal has format {version}, written by a newer version; "
                f"this version knows format {SCHEMA}. Update the software, or name another "
                "file as journal"
            )

    def _refuse_unwritable(self) -> None:
        """Refuse a file that cannot be written; SQLite would only report an I/O error."""
        for place in (self._path, self._path.parent):
            if place.exists() and not os.access(place, os.W_OK):
                raise JournalError(
                    f"{place}: it cannot be written; check its rights, and whether the disk is "
                    "mounted read-only (a worn SD card may make itself so)"
                )

    def _whole(self) -> tuple[sqlite3.Connection, GameLog]:
        try:
            database = self._connect()
            schema.check_pages(database)
            return database, schema.newest(database)
        except Damaged as damage:
            problem = str(damage)
        except sqlite3.DatabaseError as error:
            if not self._is_damage(error) or self._backup.newest_path() is None:
                raise
            problem = plain(error)
        return self._rebuilt(problem)

    # --- a file as it should be --------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=self._patience_s, isolation_level=None)
        self._database = database
        # First of all, so that no index of the log in shared memory is made.
        database.execute("PRAGMA locking_mode=EXCLUSIVE")
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        # Takes the lock now, so that a second table on this file is told at its start.
        with transaction(database):
            version = int(_value(database, "PRAGMA user_version"))
            names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
            if not version and not names:
                schema.make(database)
        if not version and names:
            self._refuse_stranger(names)
        try:
            check_data_only(database)
        except ActsByItself as foreign:
            raise Damaged(str(foreign)) from None
        if version >= PLAUSIBLE:
            raise Damaged(f"format {version} cannot be")
        if version == 1:
            self._migrate(database)
        return database

    def _refuse_stranger(self, names: set[str]) -> None:
        if {"games", "entries"} <= names or self._backup.newest_path() is not None:
            raise Damaged("its format number is gone")
        raise JournalError(f"{self._path}: this is a database, but no journal of this table")

    def _migrate(self, database: sqlite3.Connection) -> None:
        """Convert an older journal to this version, and keep the old file beside it."""
        schema.check_pages(database)
        kept = self._beside(".v1")
        schema.keep_aside(database, kept)
        with transaction(database):
            schema.migrate(database)
        self._migrated = True
        self._notice(f"{self._path.name} is of this version now; {kept.name} is what it was.")

    # --- what the copy gives back ------------------------------------------------------------

    def _caught_up(self, database: sqlite3.Connection, game_log: GameLog) -> GameLog:
        """The newest game, with what only the copy has."""
        found = self._backup.newest()
        if found is None or not found.entries:
            self._mistrust_backup(game_log, empty=found is not None)
            return game_log
        if found.last_entry <= game_log.last_entry:
            # A kill leaves it one entry behind at most, and an entry half in the copy was in the
            # file before.
            behind = game_log.last_entry - found.last_entry
            if behind > 1 or (behind == 0 and self._backup.torn()):
                self._notice(PULLED)
            return game_log
        later = [each for each in self._backup.run() if each.last_entry > game_log.last_entry]
        if not (game_log.goes_on_in(later[0]) or self._vouched_for(game_log, later)):
            aside = self._backup.put_aside()
            self._notice(f"{self._backup.folder} is no copy of {self._path.name}; kept as {aside}.")
            return game_log
        with transaction(database):
            for each in later:
                schema.insert(database, each, game_log.last_entry)
        count = found.last_entry - game_log.last_entry
        self._notice(
            f"{self._path.name} had lost its last {count} entries; they came back from its copy."
        )
        return found

    def _vouched_for(self, game_log: GameLog, later: list[GameLog]) -> bool:
        """Whether the mark knows the newest game, though those before it are in the copy no more.

        A log that was cut off may lose more games than a copy keeps.
        """
        mark = self._mark.read()
        if mark is None or later[0].first_entry <= game_log.last_entry:
            return False
        return later[-1].checksum_of(mark.entry) == mark.seal

    def _mistrust_backup(self, game_log: GameLog, *, empty: bool) -> None:
        """Handle an unreadable copy: harmless, unless it goes further than the file.

        After a pulled plug it may have holes.
        """
        path = self._backup.newest_path()
        if path is None:
            return
        later = int(path.stem) > game_log.last_entry
        if later and not empty:
            raise Damaged(f"it lacks the game in {path}, which is damaged too")
        lost = 0 if later else last_number(path) - game_log.last_entry
        if not later and lost <= 0:
            self._notice(PULLED)
            return
        self._doubt = JOURNAL_BOTH_LOST()
        path.replace(path.with_name(f"{path.name}.damaged"))
        self._notice(
            f"A game began of which nothing is left but {path.name}: check the score."
            if later
            else f"{self._path.name} has lost its last {lost} entries, and its copy, kept as "
            f"{path.name}.damaged, is damaged too: check the score."
        )

    # --- what is missing ---------------------------------------------------------------------

    def _look_for_backup(self, game_log: GameLog) -> None:
        """A journal that has entries has a copy; version 1 had none."""
        if game_log.entries and self._backup.newest_path() is None and not self._migrated:
            self._doubt = self._doubt or JOURNAL_PART_MISSING()
            self._notice(
                f"{self._backup.folder.name}, the copy of {self._path.name}, is missing and is "
                "written again: check the score."
            )

    def _compare(self, mark: MarkLine, game_log: GameLog) -> None:
        """Compare what was found with how far the game had come."""
        last = game_log.last_entry
        pulled = mark.running and mark.boot != this_boot()
        if last < (mark.sure if pulled else mark.entry):
            self._doubt = self._doubt or JOURNAL_WENT_BACK()
            found = f"ends at entry {last}" if last else "is empty"
            self._notice(
                f"{self._path.name} {found}, and had come to entry {mark.entry}: what came "
                "after is lost. Check the score."
            )
        elif mark.entry and game_log.checksum_of(mark.entry) not in (None, mark.seal):
            self._doubt = self._doubt or JOURNAL_STRANGER()
            self._notice(
                f"{self._path.name} is not the journal that was played last: check the score."
            )
        elif pulled and game_log.entries and PULLED not in self._notices:
            self._notice(PULLED)

    def _compare_known(self, game_log: GameLog, *, was_here: bool) -> None:
        """Compare what was found with what other folders know of this journal."""
        line = self._known.read()
        if line is None:
            return
        behind = game_log.last_entry < line.entry
        if not behind and game_log.checksum_of(line.entry) in (None, line.seal):
            return
        if line.point != self._known.point:
            raise self._known.elsewhere(line)
        if self._doubt:
            return
        if not was_here:
            self._doubt = JOURNAL_GONE(path=str(self._path))
        else:
            self._doubt = JOURNAL_WENT_BACK() if behind else JOURNAL_STRANGER()
        self._notice(f"{self._doubt.sentence}. It had come to entry {line.entry}.")

    def _miss_mark(self, game_log: GameLog) -> None:
        """Handle a missing mark: normal after an update from a version without marks."""
        if self._migrated:
            return
        if self._notices or not game_log.entries or self._mark.path.exists():
            self._doubt = self._doubt or JOURNAL_PART_MISSING()
        self._notice(
            f"{self._mark.path.name}, which says how far the game had come, is missing or damaged "
            "and is written again. Normal after an update; otherwise check the score."
        )

    # --- a file written again ----------------------------------------------------------------

    def _rebuilt(self, problem: str) -> tuple[sqlite3.Connection, GameLog]:
        """A new file from the copy; the damaged one is put aside."""
        aside = self._put_aside()
        self._let_go()
        game_logs = self._backup.run()
        if not game_logs:
            raise Damaged(f"{problem}; as it was found it is kept as {aside.name}")
        fresh = self._path.with_name(f".{self._path.name}.rebuilt")
        schema.write_new(fresh, game_logs)
        # The log first: it belongs to the damaged file, and would be taken for the new one's.
        self._beside("-wal").unlink(missing_ok=True)
        flush(self._path.parent)
        fresh.replace(self._path)
        flush(self._path.parent)
        self._doubt = JOURNAL_FROM_COPY()
        self._notice(
            f"{self._path.name} was damaged ({problem}) and is kept as {aside.name}. "
            "The game came back from its copy: check the score."
        )
        database = self._connect()
        return database, schema.newest(database)

    def _put_aside(self) -> Path:
        """Keep the damaged file and its log as they are; the oldest of several makes room."""
        names = [("-wal", self._beside("-wal")), ("", self._path)]
        newest, aside = numbered(self._path, ".damaged-")
        if newest is not None and all(
            _same(it, newest.with_name(newest.name + end)) for end, it in names
        ):
            # A service that is refused tries again and again.
            return newest
        for end, source in names:
            if source.exists():
                target = aside.with_name(aside.name + end)
                shutil.copyfile(source, target)
                flush(target)
        flush(aside.parent)
        number = int(aside.name.rpartition("-")[2]) - KEPT_DAMAGED
        for end, _ in names:
            self._beside(f".damaged-{number}{end}").unlink(missing_ok=True)
        return aside

    def _beside(self, end: str) -> Path:
        return self._path.with_name(self._path.name + end)

    def _let_go(self) -> None:
        if self._database is not None:
            self._database.close()

    def _notice(self, text: str) -> None:
        self._notices.append(text)

    def _is_damage(self, error: sqlite3.DatabaseError) -> bool:
        code = primary_code(error)
        if code == sqlite3.SQLITE_READONLY:
            # A file that could be written, but says that it is of a format that cannot.
            return os.access(self._path, os.W_OK)
        return code not in _SURROUNDINGS


def plain(error: sqlite3.Error) -> str:
    """What SQLite says, without the damaged text that it quotes.

    >>> plain(sqlite3.OperationalError("Could not decode to UTF-8 column 'cause' with text 'x'"))
    'Could not decode to UTF-8 column'
    >>> plain(sqlite3.DatabaseError("database disk image is malformed"))
    'database disk image is malformed'
    """
    return re.split(r"['(:]", str(error), maxsplit=1)[0].strip()


@contextlib.contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of it, or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def numbered(path: Path, end: str) -> tuple[Path | None, Path]:
    """The newest of the numbered files beside a file, if there is one, and the next free name.

    Their names go on with `end` before the number.
    """
    begin = path.name + end
    names = [found.name[len(begin) :] for found in path.parent.glob(f"{begin}*")]
    last = max((int(name) for name in names if name.isdecimal()), default=0)
    return (
        path.with_name(f"{begin}{last}") if last else None,
        path.with_name(f"{begin}{last + 1}"),
    )


def _same(one: Path, other: Path) -> bool:
    if not (one.exists() and other.exists()):
        return one.exists() == other.exists()
    return filecmp.cmp(one, other, shallow=False)


def _value(database: sqlite3.Connection, query: str) -> Any:
    return database.execute(query).fetchone()[0]

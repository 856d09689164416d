"""The copy of a journal: the same entries as lines of text, one file for each game.

It is kept in the folder `table.journal.d` beside `table.journal`. If the SD card damages a page of
the SQLite file, the game is restored from these lines. They also show how far the game had come: a
write-ahead log that has lost its end looks to SQLite like a complete, shorter one.

A line is written after the database has the entry, and flushed now and then. So the copy may be a
little behind, and after a power cut its last line may be incomplete.
"""

import contextlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from controller.common.files import write_whole
from controller.journal.entries import NO_GAME, Entry, GameLog, GameRow, flaw
from engine.errors import UNREADABLE

_log = logging.getLogger(__name__)

SUFFIX = ".jsonl"


class Backup:
    """Writes and reads the lines of the copy of a journal."""

    def __init__(self, journal: Path) -> None:
        self.folder = journal.with_name(journal.name + ".d")
        self._file: BinaryIO | None = None
        self._games: list[Path] = []
        self._unflushed = False

    @property
    def unflushed(self) -> bool:
        """Whether lines have been written that may not be on the disk."""
        return self._unflushed

    def newest_path(self) -> Path | None:
        """File of the newest game."""
        paths = self._paths()
        return paths[-1] if paths else None

    def newest(self) -> GameLog | None:
        """The newest game; None when there is none, or it was damaged."""
        path = self.newest_path()
        return None if path is None else read(path)

    def torn(self) -> bool:
        """Whether the newest file ends within a line."""
        path = self.newest_path()
        lines = path.read_bytes().splitlines(keepends=True) if path else []
        return bool(lines) and not _is_whole(lines[-1])

    def run(self) -> list[GameLog]:
        """The newest game and those before it without a gap, oldest first.

        Empty when the newest was damaged: what it held nobody knows.
        """
        found: list[GameLog] = []
        for path in reversed(self._paths()):
            game_log = read(path)
            if game_log is None or (found and game_log.last_entry + 1 != found[0].first_entry):
                break
            if game_log.entries:
                found.insert(0, game_log)
        return found

    def put_aside(self) -> Path:
        """Rename the copy, because it belongs to another journal."""
        self.close()
        number = 1
        while (aside := self.folder.with_name(f"{self.folder.name}.aside-{number}")).exists():
            number += 1
        return self.folder.rename(aside)

    def begin(self, game_log: GameLog) -> None:
        """Write the file of the newest game with this content, and continue after it.

        A copy that cannot be written is told in the log and tried again with the next game: the
        entries themselves are safe in the database.
        """
        with self._forgiving():
            self.close()
            # Remembered, since looking at a folder takes a descriptor, and there may be none left.
            self._games = self._paths()
            if not game_log.entries:
                return
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self._path_of(game_log.game)
            lines = _lines(game_log.game, *game_log.entries)
            if path.is_symlink() or not path.is_file() or path.read_bytes() != lines:
                write_whole(path, lines)
                self._games = self._paths()
            self._open(path)

    def add(self, entry: Entry, game: GameRow | None) -> None:
        """Write one more entry; one that began a game opens the game's file.

        Failing, it does as `begin`.
        """
        with self._forgiving():
            if game is not None or entry.entry == 1:
                game = game or NO_GAME
                self.close()
                self.folder.mkdir(parents=True, exist_ok=True)
                path = self._path_of(game)
                # Whatever lies there already, and wherever a link would lead to.
                path.unlink(missing_ok=True)
                path.write_bytes(_lines(game, entry))
                self._open(path)
                self._games = [*(game for game in self._games if game != path), path]
            elif self._file is not None:
                self._file.write(_lines(entry))
                self._unflushed = True

    def sync(self) -> None:
        """Flush all lines to the disk."""
        if self._file is not None:
            self._unflushed = False
            with self._forgiving():
                os.fsync(self._file.fileno())

    def remove_all_but(self, newest: int) -> bool:
        """Remove the oldest files, damaged ones too, so that this many games are left.

        Returns:
            Whether there were any to remove.
        """
        before = len(self._games)
        with self._forgiving():
            while len(self._games) > newest:
                path = self._games[0]
                path.unlink(missing_ok=True)
                path.with_name(f"{path.name}.damaged").unlink(missing_ok=True)
                del self._games[0]
        return len(self._games) < before

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self, path: Path) -> None:
        # Unbuffered: a line is the operating system's when `add` returns.
        self._file = path.open("ab", buffering=0)
        self._unflushed = True

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            text = error.strerror or error
            _log.warning("%s: no copy of this game is kept (%s)", self.folder, text)
            self._unflushed = False
            with contextlib.suppress(OSError):
                self.close()
            self._file = None

    def _path_of(self, game: GameRow) -> Path:
        return self.folder / f"{game.first_entry:08d}{SUFFIX}"

    def _paths(self) -> list[Path]:
        """The files of games, oldest first; what else lies there is somebody else's."""
        found = self.folder.glob(f"*{SUFFIX}") if self.folder.is_dir() else ()
        return sorted(path for path in found if path.stem.isdecimal() and path.is_file())


def read(path: Path) -> GameLog | None:
    """A game from its lines, without an incomplete last one; None if earlier lines are damaged."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        return None
    if lines and not _is_whole(lines[-1]):
        lines.pop()
    if not lines:
        return GameLog()
    try:
        game = msgspec.json.decode(lines[0], type=GameRow)
        game_log = GameLog(game, tuple(msgspec.json.decode(line, type=Entry) for line in lines[1:]))
    except UNREADABLE:
        return None
    return None if flaw(game_log) else game_log


def last_number(path: Path) -> int:
    """Number of the last readable entry of a damaged file; 0 if there is none."""
    for line in reversed(path.read_bytes().splitlines()):
        with contextlib.suppress(*UNREADABLE):
            return msgspec.json.decode(line, type=Entry).entry
    return 0


def _is_whole(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except UNREADABLE:
        return False
    return line.endswith(b"\n")


def _lines(*rows: GameRow | Entry) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)

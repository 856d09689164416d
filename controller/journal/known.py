"""What is known, elsewhere, of a journal: that there was one, how far it had come, and where.

The mark beside the journal is lost with it: a stick that is not mounted leaves an empty folder,
which looks like a new table. So one line is kept in the folders of the configuration and of the
calibration as well, if they are others. It is written at a start, as a game begins, and at the end.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

import msgspec

from controller.common.errors import JournalError
from controller.common.files import read_bytes, write_whole
from controller.journal.entries import GameLog
from engine.errors import UNREADABLE

LARGEST_BYTES = 16 * 1024
"""Two paths, of 4096 bytes at most, and some numbers."""


class KnownLine(msgspec.Struct, frozen=True):
    """What is known of a journal.

    Attributes:
        journal: its file, without links.
        point: where its file system was mounted; empty where nobody knew.
        entry, seal: its newest entry and that entry's checksum.
    """

    journal: str
    point: str
    entry: int
    seal: int


class KnownJournals:
    """Reads and writes the line of a journal.

    `folders` are where it is kept, but for the journal's own; those that are missing or cannot be
    written are left out. `point` is where the journal's file system is mounted now.
    """

    def __init__(self, journal: Path, folders: Iterable[Path], point: str) -> None:
        self.point = point
        self._journal = os.path.realpath(journal)
        own = Path(self._journal).parent
        others = dict.fromkeys(Path(os.path.realpath(folder)) for folder in folders)
        name = f".{journal.name}-{crc32(self._journal.encode()):08x}.known"
        self.paths = tuple(folder / name for folder in others if folder != own)

    def read(self) -> KnownLine | None:
        """What is known, the newest of several; None when nothing is."""
        found = [line for path in self.paths if (line := self._line(path))]
        return max(found, key=lambda line: line.entry, default=None)

    def refuse_elsewhere(self, *, there: bool) -> None:
        """Refuse a missing journal that was on another file system; `there` if it is not missing.

        Raises:
            JournalError: the words say what to plug in.
        """
        line = self.read()
        if line is not None and not there and line.point != self.point:
            raise self.elsewhere(line)

    def elsewhere(self, line: KnownLine) -> JournalError:
        """That the journal was on a file system that is not mounted now."""
        files = " and ".join(map(str, self.paths))
        return JournalError(
            f"{self._journal}: its games are on what was mounted on {line.point}, and nothing is "
            "mounted there now; plug in the card or stick, and mount it. To begin a new table here "
            f"instead, delete {files}"
        )

    def begin(self, game_log: GameLog) -> None:
        """Write that a journal was opened: the start of its game, which the disk surely has."""
        self.write(game_log.first_entry, game_log.checksum_of(game_log.first_entry) or 0)

    def write(self, entry: int, seal: int) -> None:
        """Write how far the journal has come; nothing for one without an entry."""
        if not entry:
            return
        line = msgspec.json.encode(KnownLine(self._journal, self.point, entry, seal))
        for path in self.paths:
            # A service may not write beside its configuration.
            with contextlib.suppress(OSError):
                write_whole(path, line + b"\n")

    def _line(self, path: Path) -> KnownLine | None:
        if not path.is_file():
            return None
        try:
            line = msgspec.json.decode(read_bytes(path, LARGEST_BYTES), type=KnownLine)
        except (OSError, *UNREADABLE):
            return None
        return line if line.journal == self._journal else None

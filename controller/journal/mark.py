"""The mark: one line beside the journal and its copy that says how far the game had come.

`table.journal.mark` is overwritten in place after each entry. It is flushed when a table starts,
about once a minute, and when it stops in order. SQLite cannot notice that its log has lost its end
or that the journal was deleted; if the copy is lost as well, only the mark shows it. Nothing is
restored from the mark.

A mark from an earlier start of the computer that was not closed means that the power failed.
"""

import logging
import os
from pathlib import Path
from zlib import crc32

import msgspec

from controller.common.files import read_bytes, write_whole
from controller.journal.entries import GameLog
from engine.errors import UNREADABLE

_log = logging.getLogger(__name__)

LENGTH = 256
"""Of the line: within one block of any disk, so that it is the old one or the new one, whole."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class MarkLine(msgspec.Struct, frozen=True):
    """What the mark says.

    Attributes:
        boot: the start of the computer in which it was written; empty where that has no name.
        running: false when the table was stopped in order.
        entry: newest entry of the journal; 0 for none.
        sure: newest entry that the disk has confirmed to have.
        seal: checksum of that newest entry.
        check: CRC-32 of all this.
    """

    boot: str
    running: bool
    entry: int
    sure: int
    seal: int
    check: int = 0

    def checked(self) -> "MarkLine":
        """The same with its right sum."""
        blank = msgspec.structs.replace(self, check=0)
        return msgspec.structs.replace(blank, check=crc32(msgspec.json.encode(blank)))


class Mark:
    """Writes and reads the line of a journal."""

    def __init__(self, journal: Path) -> None:
        self.path = journal.with_name(f"{journal.name}.mark")
        self._line: MarkLine | None = None
        self._handle: int | None = None
        self._unflushed = False

    @property
    def unflushed(self) -> bool:
        """Whether the line on the disk may be an older one."""
        return self._unflushed

    def read(self) -> MarkLine | None:
        """The mark that was left here; None if there is none, or it is damaged."""
        if not self.path.is_file():
            return None
        try:
            line = msgspec.json.decode(read_bytes(self.path, LENGTH), type=MarkLine)
        except (OSError, *UNREADABLE):
            return None
        return line if line == line.checked() else None

    def begin(self, game_log: GameLog) -> None:
        """Write the mark of a journal that was opened; on the disk when this returns.

        A mark that cannot be written is told in the log; nobody stops playing for it.
        """
        last = game_log.last_entry
        self._line = MarkLine(this_boot(), True, last, last, game_log.checksum)
        try:
            write_whole(self.path, _bytes(self._line))
            self._handle = os.open(self.path, os.O_WRONLY)
        except OSError as error:
            self._give_up(error)

    def move(self, entry: int, seal: int, *, sure: bool) -> None:
        """Write an entry's number and checksum; `sure` if the journal waited for the disk."""
        if self._line is None:
            return
        known = entry if sure else self._line.sure
        self._write(msgspec.structs.replace(self._line, entry=entry, sure=known, seal=seal))

    def all_sure(self) -> None:
        """Write that the journal is on the disk up to its last entry."""
        if self._line is not None:
            self._write(msgspec.structs.replace(self._line, sure=self._line.entry))

    def sync(self) -> None:
        """Flush the line to the disk."""
        if self._handle is not None and self._unflushed:
            self._unflushed = False
            try:
                os.fsync(self._handle)
            except OSError as error:
                self._give_up(error)

    def close(self) -> None:
        """Write that the table was stopped in order, after its journal was closed."""
        if self._line is not None:
            line = self._line
            self._write(msgspec.structs.replace(line, running=False, sure=line.entry))
            self.sync()
        self._let_go()

    def _write(self, line: MarkLine) -> None:
        self._line = line
        if self._handle is None:
            return
        try:
            os.pwrite(self._handle, _bytes(line), 0)
            self._unflushed = True
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        _log.warning("%s: no mark is kept (%s)", self.path, error.strerror or error)
        self._let_go()

    def _let_go(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle, self._line, self._unflushed = None, None, False


def this_boot() -> str:
    """The kernel's id of the present start of the computer; empty if it has none."""
    try:
        return read_bytes(_BOOT_ID, LENGTH).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _bytes(line: MarkLine) -> bytes:
    return msgspec.json.encode(line.checked()).ljust(LENGTH - 1) + b"\n"

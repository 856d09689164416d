"""Keeps room for the journal on a disk that fills up.

A full disk would end the evening: what cannot be stored must not be shown. So while there is room a
reserve is held, a file that takes space beside the journal (`.table.journal.reserve`). When the
disk is full, what is ours makes room first: copies of old games, then old recordings. Then the
reserve goes, in pieces so small that another program that fills the disk can take little of it.
"""

import contextlib
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from controller.common.troubles import STORAGE_FULL
from engine.trouble import Trouble

_log = logging.getLogger(__name__)

MB = 1_000_000

RESERVE_BYTES = 8 * MB
"""SQLite's log grows to 4 MB before it begins again; file and copy take 2 MB an evening."""

PIECE_BYTES = 256 * 1024
"""Given up at a time; a decision with its copy takes 60 kB at most."""

ENOUGH_BYTES = 128 * 1024
"""Less free space than this is made more before something is written."""

PLENTY_BYTES = 16 * MB
"""So much must stay free when the reserve is filled up again, lest it goes back and forth."""


class Room:
    """The free space on a journal's disk.

    Args:
        journal: its file.
        spare: deletes something that is ours and not needed to play on, such as the oldest
            recording; false when there is no more.
        free_bytes: of a folder's disk.
    """

    def __init__(
        self,
        journal: Path,
        *,
        spare: Callable[[], bool] = lambda: False,
        reserve_bytes: int = RESERVE_BYTES,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self._journal = journal
        self._file = journal.with_name(f".{journal.name}.reserve")
        self._spare, self._wanted_bytes, self._free_bytes = spare, reserve_bytes, free_bytes
        self._held_bytes = 0

    @property
    def trouble(self) -> Trouble | None:
        """That the disk is full, and how long games can still be stored; None when it is not."""
        if self._held_bytes >= self._wanted_bytes:
            return None
        left_bytes = self._held_bytes + self._free()
        if left_bytes >= self._wanted_bytes + PLENTY_BYTES:
            return None
        return STORAGE_FULL(path=str(self._journal), mb=round(left_bytes / MB, 1))

    def begin(self) -> None:
        """Take the reserve, or what an earlier run has left of it."""
        with contextlib.suppress(OSError):
            if self._file.is_symlink():
                # It would be what it leads to that is cut later.
                self._file.unlink()
            if self._file.is_file():
                self._held_bytes = min(self._file.stat().st_size, self._wanted_bytes)
        self.refill()

    def refill(self) -> None:
        """Fill the reserve up when there is plenty of room again."""
        missing = self._wanted_bytes - self._held_bytes
        if missing <= 0 or self._free() < missing + PLENTY_BYTES:
            return
        try:
            self._allocate()
        except OSError as error:
            _log.warning("%s: no room is kept (%s)", self._file, error.strerror or error)
        else:
            self._held_bytes = self._wanted_bytes

    def ensure(self, old_copies: Callable[[], bool]) -> None:
        """Make room before something is written, if there is hardly any."""
        while self._free() < ENOUGH_BYTES and self.make(old_copies):
            pass

    def make(self, old_copies: Callable[[], bool]) -> bool:
        """Give up the next thing that is ours; false when there is nothing left.

        `old_copies` deletes copies of old games, and says whether there were any.
        """
        return old_copies() or self._spare() or self._give_up_piece()

    def _give_up_piece(self) -> bool:
        if self._held_bytes <= 0:
            return False
        if self._held_bytes == self._wanted_bytes:
            _log.warning("%s: the disk is full; games go on in the reserve", self._journal)
        self._held_bytes = max(0, self._held_bytes - PIECE_BYTES)
        try:
            os.truncate(self._file, self._held_bytes)
        except OSError:
            # Somebody has deleted it; whatever room that gave is there.
            self._held_bytes = 0
        return True

    def _allocate(self) -> None:
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            # A file with a hole would take no space.
            os.posix_fallocate(handle, 0, self._wanted_bytes)
        finally:
            os.close(handle)

    def _free(self) -> int:
        try:
            return self._free_bytes(self._journal.parent)
        except OSError:
            # What is wrong with the disk is said by whoever writes to it.
            return self._wanted_bytes + PLENTY_BYTES

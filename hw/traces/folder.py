"""Recordings without end in a folder that never grows beyond its bound.

Each file is a trace of its own that counts from zero and begins with a game where it can: once a
file is large enough, the next game gets a new one. The oldest files go as soon as bound or free
space asks for it. A file that a power cut has ended is readable up to its last chunk, and is never
written again.
"""

import contextlib
import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.events import HumanInput
from hw.calibration import Calibration
from hw.source import Item, item_time_s, shifted
from hw.traces.recorder import CannotRecord, Recorder
from hw.troubles import RECORDING_DISK_FULL, RECORDING_NO_FOLDER

MB = 1_000_000

FILES = 8
"""So many parts of the bound may one file have: the oldest eighth is what is lost at a time."""

LARGEST_FILE_BYTES = 32 * MB
"""About an evening."""

LOOK_AGAIN_BYTES = MB
"""The free space is asked for this often: a tenth of a second of a slow card's writing."""

MARGIN_S = 1.0
"""What one sensor measured before the first item of another may still be to come."""

_NAME = re.compile(r"evening-(\d{6})-\d{8}-\d{6}\.mcap")


def recordings(folder: Path) -> list[Path]:
    """The recordings in a folder, oldest first, by their numbers: a Pi's clock may have jumped."""
    try:
        return sorted(path for path in folder.iterdir() if _NAME.fullmatch(path.name))
    except OSError:
        return []


def delete_oldest(folder: Path) -> Path | None:
    """Delete the oldest recording; None when there is none but the newest, which may be growing."""
    found = recordings(folder)
    if len(found) < 2:
        return None
    try:
        found[0].unlink()
    except OSError:
        return None
    return found[0]


class RecordingFolder:
    """Records the items of one source, file after file."""

    def __init__(
        self,
        folder: Path,
        calibration: Calibration,
        *,
        simulated: bool,
        bound_bytes: int,
        reserve_bytes: int,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        """Nothing is made before there is something to write.

        All files together take no more than the bound; the reserve of the disk is left free for
        everything else.
        """
        self._folder, self._calibration, self._simulated = folder, calibration, simulated
        self._bound_bytes, self._reserve_bytes = bound_bytes, reserve_bytes
        self._free_bytes = free_bytes
        self._enough_bytes = min(LARGEST_FILE_BYTES, bound_bytes // FILES)
        self._recorder: Recorder | None = None
        self._path = folder
        self._begin_s = 0.0
        self._looked_at_bytes = 0

    def write(self, items: Sequence[Item]) -> None:
        """Append items.

        Raises:
            CannotRecord: there is no room, or no disk. What was written before stays readable.
        """
        if not items:
            return
        try:
            recorder = self._opened(items)
            recorder.write(shifted(item, -self._begin_s) for item in items)
        except OSError as problem:
            self.close()
            if isinstance(problem, CannotRecord):
                raise
            raise CannotRecord(
                RECORDING_NO_FOLDER(folder=str(self._folder), error=problem.strerror or "")
            ) from None

    def close(self) -> None:
        """End the file; the next items begin another."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            # Of a disk that is full or gone the file is as good as after a power cut.
            with contextlib.suppress(CannotRecord):
                recorder.close()

    def _opened(self, items: Sequence[Item]) -> Recorder:
        """The recorder to go on with; a new one when the file is large enough."""
        size = 0 if self._recorder is None else self._path.stat().st_size
        game = any(isinstance(item, HumanInput) and item.type == "start" for item in items)
        if size >= self._enough_bytes * (1 if game else 2):
            self.close()
        if self._recorder is None:
            self._recorder = self._begin(items)
        elif size - self._looked_at_bytes >= LOOK_AGAIN_BYTES:
            self._make_room()
            self._looked_at_bytes = size
        return self._recorder

    def _begin(self, items: Sequence[Item]) -> Recorder:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        there = recordings(self._folder)
        number = 1 + (int(there[-1].name.split("-")[1]) if there else 0)
        stamp = time.strftime("%Y%m%d-%H%M%S")
        self._path = self._folder / f"evening-{number:06}-{stamp}.mcap"
        self._begin_s = min(map(item_time_s, items)) - MARGIN_S
        self._looked_at_bytes = 0
        return Recorder.create(self._path, self._calibration, simulated=self._simulated)

    def _make_room(self) -> None:
        """Delete the oldest files until bound and reserve are kept."""
        found = [(path, path.stat().st_size) for path in recordings(self._folder)]
        taken = sum(size for _, size in found)
        ended = [one for one in found if self._recorder is None or one[0] != self._path]
        # What this file may still grow until the next look belongs to it already.
        while taken + LOOK_AGAIN_BYTES > self._bound_bytes or self._short():
            if not ended:
                raise CannotRecord(
                    RECORDING_DISK_FULL(folder=str(self._folder), mb=self._reserve_bytes // MB)
                )
            path, size = ended.pop(0)
            path.unlink(missing_ok=True)
            taken -= size

    def _short(self) -> bool:
        return self._free_bytes(self._folder) < self._reserve_bytes + LOOK_AGAIN_BYTES

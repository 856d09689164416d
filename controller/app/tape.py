"""Records the running evening beside the game, in a thread of its own.

The table hands over what it has and never waits: a disk that is full, slow or gone costs parts of
the recording and nothing else. What was lost is told, as long as it is news.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.trouble import Trouble
from hw.source import Item
from hw.traces.folder import RecordingFolder
from hw.traces.recorder import CannotRecord
from hw.troubles import RECORDING_SLOW

_log = logging.getLogger(__name__)

WAITING_STEPS = 2048
"""Forty seconds of a table's steps, some 5 MB: longer than a worn card has been seen to pause."""

AGAIN_S = 60.0
"""A disk that refused is tried again this often."""

NEWS_S = 600.0
"""So long is told that parts of the recording are missing."""

SWITCH = "switched-on"
"""A file that is there while people want a recording: so it goes on after a restart."""


class Tape:
    """Records what it is given, while it is on.

    `place` keeps that people switched it on, `on` says that the configuration asks for it,
    `waiting` how many steps may wait for the disk; `clock` is steady, in seconds.
    """

    def __init__(
        self,
        folder: RecordingFolder,
        place: Path,
        *,
        on: bool,
        clock: Callable[[], float] = time.monotonic,
        waiting: int = WAITING_STEPS,
    ) -> None:
        self._folder, self._switch, self._clock = folder, place / SWITCH, clock
        self._on, self._unsaved = on or self._switch.exists(), False
        self._steps: queue.Queue[Sequence[Item]] = queue.Queue(waiting)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tape", daemon=True)
        self._refused: Trouble | None = None
        self._again_s = float("-inf")
        self._lost, self._lost_s = 0, float("-inf")

    @property
    def on(self) -> bool:
        """Whether the evening is recorded."""
        return self._on

    @property
    def trouble(self) -> Trouble | None:
        """Why parts of the recording are missing, and what to check; None when none are."""
        if self._on and self._refused:
            return self._refused
        if self._on and self._clock() - self._lost_s < NEWS_S:
            return RECORDING_SLOW(n=self._lost)
        return None

    def start(self) -> None:
        """Write from now on, in a thread."""
        self._thread.start()

    def write(self, items: Sequence[Item]) -> None:
        """Hand items over; at once, whatever the disk does."""
        if not (self._on and items):
            return
        try:
            self._steps.put_nowait(items)
        except queue.Full:
            self._lost, self._lost_s = self._lost + 1, self._clock()

    def switch(self, on: bool) -> None:
        """Begin or end to record."""
        self._on, self._unsaved = on, True

    def stop(self) -> None:
        """Write what waits, and end the file."""
        self._stopping.set()
        self._thread.join(5.0)

    def step(self) -> None:
        """Write what waits, here; for whoever has no thread."""
        if self._unsaved:
            self._unsaved = False
            self._save()
        while not self._steps.empty():
            self._take(self._steps.get_nowait())
        if not self._on:
            self._folder.close()

    def _run(self) -> None:
        while not self._stopping.wait(0.2):
            self.step()
        self.step()
        self._folder.close()

    def _save(self) -> None:
        try:
            if self._on:
                self._switch.parent.mkdir(parents=True, exist_ok=True)
                self._switch.touch()
            else:
                self._switch.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("Until the next restart only: %s (%s)", self._switch, error.strerror)

    def _take(self, items: Sequence[Item]) -> None:
        now_s = self._clock()
        if now_s < self._again_s:
            return
        try:
            self._folder.write(items)
        except CannotRecord as error:
            self._refused, self._again_s = error.trouble, now_s + AGAIN_S
        else:
            self._refused = None

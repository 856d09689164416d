"""Runs the reader of each sensor in a thread of its own.

A reader is stepped: it takes what its sensor has now, and never waits. `SensorThread` steps one in
a thread, at the reader's own pace, and keeps what it gives in a bounded queue until the source
takes it. So a sensor that hangs holds up nobody. When the table is too slow and the queue is full,
the newest samples are dropped and counted. Tests, and whoever simulates time, step by hand.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from engine.samples import ImuSamples, ScaleSamples, SensorReport
from hw.source import Item
from hw.troubles import READER_FAILED

if TYPE_CHECKING:
    from engine.trouble import Trouble

_log = logging.getLogger(__name__)

QUEUE_STEPS = 1024
"""Twenty seconds of inertial bursts, and far more of what rests most of the time."""

JOIN_S = 2.0
"""The kernel gives up a stuck I2C transfer after a second."""

BROKEN_PAUSE_S = 1.0
"""A reader that failed in a way nobody foresaw is tried again this often."""


class Reader(Protocol):
    """One sensor, or one group of them."""

    @property
    def name(self) -> str:
        """Of the sensor, for sentences and reports."""

    @property
    def pause_s(self) -> float:
        """Time to leave before the next step."""

    @property
    def heard_s(self) -> float:
        """Nothing before this time will come any more."""

    def step(self) -> list[Item]:
        """What has come, in order of time; at once."""

    def close(self) -> None:
        """Let go of pins and buses."""


class SensorThread:
    """One reader, its thread and its queue; `lost` counts what did not fit, since the start."""

    def __init__(self, reader: Reader, clock: Callable[[], float], size: int = QUEUE_STEPS) -> None:
        """A reader that is not stepped yet, and the clock it goes by.

        So many steps with something in them may wait.
        """
        self.reader, self.lost = reader, 0
        self._clock = clock
        self._steps: queue.Queue[list[Item]] = queue.Queue(size)
        self._heard_s = float("-inf")
        self._broken: Trouble | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=reader.name, daemon=True)

    @property
    def heard_s(self) -> float:
        """Nothing before this time will come any more but what waits in the queue."""
        return self._heard_s

    def start(self) -> None:
        """Step the reader in a thread from now on."""
        self._thread.start()

    def step(self) -> None:
        """Step the reader once, here."""
        try:
            items = self.reader.step()
            heard_s = self.reader.heard_s
            if self._broken:
                items = [SensorReport(self._clock(), self.reader.name, ok=True), *items]
                self._broken = None
        except Exception as error:  # noqa: BLE001 - one sensor must never stop the others
            items, heard_s = self._breaks(error), self._clock()
        if items:
            self._put(items)
        # Only now: whoever sees this time finds in the queue all that was before it.
        self._heard_s = heard_s

    def take(self) -> list[Item]:
        """All that waits."""
        items: list[Item] = []
        while True:
            try:
                items += self._steps.get_nowait()
            except queue.Empty:
                return items

    def stop(self) -> None:
        """Stop the thread and close the reader."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(JOIN_S)
        if not self._thread.is_alive():
            self.reader.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.step()
            self._stopping.wait(BROKEN_PAUSE_S if self._broken else self.reader.pause_s)

    def _put(self, items: list[Item]) -> None:
        try:
            self._steps.put_nowait(items)
        except queue.Full:
            self.lost += sum(count(item) for item in items)

    def _breaks(self, error: Exception) -> list[Item]:
        """Report an unexpected error once, and try again."""
        what = str(error) or type(error).__name__
        found = READER_FAILED(name=self.reader.name, error=what)
        if found == self._broken:
            return []
        _log.exception("Reading %s failed", self.reader.name)
        self._broken = found
        return [SensorReport.of(self._clock(), self.reader.name, found)]


def count(item: Item) -> int:
    """How many samples an item holds; an event counts as one."""
    return len(item.t_s) if isinstance(item, ScaleSamples | ImuSamples) else 1

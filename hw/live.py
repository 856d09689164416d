"""What all tables that are there now have in common: table time, and items given away in order."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nextafter
from typing import Any, ClassVar, Protocol

import numpy as np

from engine.samples import ImuSamples, ScaleSamples
from hw.blocks import Event, ItemQueue, cut
from hw.calibration import Calibration
from hw.source import Item, SampleSource, TableSource, item_time_s, shifted


class Beside(Protocol):
    """What is read beside the sensors and gives events only, such as a panel."""

    @property
    def heard_s(self) -> float:
        """Nothing before this time, by the clock of the source, will come any more."""

    def start(self) -> None:
        """Begin; called once, when the time of the table begins."""

    def take(self) -> list[Item]:
        """All that waits, by the clock of the source."""

    def stop(self) -> None:
        """End, and let go of pins."""


class LiveSource(TableSource):
    """Each kind takes in `_listen` what its sensors have sent, and lets go of them in `_let_go`.

    Samples are given away as they come. An event waits until all that was measured before it has
    come; what comes later still is left out.

    Attributes:
        patience_s: an event waits no longer than this.
        late: samples that were left out.
        clock: the steady time in seconds its sensors go by.
        show: shows a face on the panel, if there is one.
    """

    patience_s: ClassVar[float]

    def __init__(
        self, calibration: Calibration, clock: Callable[[], float], *, simulated: bool
    ) -> None:
        """A table whose time begins with the first `poll`; its sensors go by the clock."""
        super().__init__(calibration, simulated=simulated)
        self.late = 0
        self.clock = clock
        self.show: Callable[[Any], None] = lambda _face: None
        self._beside: Beside | None = None
        self._queue = ItemQueue()
        self._events: list[Event] = []
        self._now_s = self._origin_s = -inf
        self._event_s = self._sample_s = -inf  # the latest of each kind that was given away
        self._closed = False

    @property
    def ended(self) -> bool:
        """True once closed; a table that falls silent has not ended."""
        return self._closed

    def join(self, beside: Beside, show: Callable[[Any], None]) -> None:
        """Read something beside the sensors, and show faces on it; before the first `poll`."""
        self._beside, self.show = beside, show

    def poll(self, until_s: float) -> list[Item]:
        """Everything new up to `until_s`; the first call says what time it is now."""
        if self._closed or until_s < self._now_s:
            return []
        if self._now_s == -inf:
            # What was measured before the table's time began is of no use to anybody.
            self._origin_s, self._event_s = self.clock() - until_s, until_s
            if self._beside is not None:
                self._beside.start()
        self._now_s = until_s
        return self._due(min(self._listen(), self._listen_beside()))

    def close(self) -> None:
        """Let go of the sensors; more calls do nothing."""
        if not self._closed:
            self._closed = True
            if self._beside is not None:
                self._beside.stop()
            self._let_go()

    def _listen_beside(self) -> float:
        if self._beside is None:
            return inf
        heard_s = self._beside.heard_s  # first: what was before it waits already
        for item in self._beside.take():
            self._put(shifted(item, -self._origin_s))
        return heard_s - self._origin_s

    def _listen(self) -> float:
        """`_put` what has come; nothing before the returned table time will come any more."""
        raise NotImplementedError

    def _let_go(self) -> None:
        raise NotImplementedError

    def _put(self, item: Item) -> None:
        """Have an item wait for its time; samples that come too late are left out."""
        if not isinstance(item, ScaleSamples | ImuSamples):
            self._events.append(item)
            return
        late = int(np.searchsorted(item.t_s, self._event_s, side="right"))
        self.late += late
        block = cut(item, slice(late, None))
        if isinstance(block, ScaleSamples):
            self._queue.scale.put(block)
        else:
            self._queue.imu.put(block)

    def _due(self, heard_s: float) -> list[Item]:
        """What is to be given away now; an event holds back what comes after it."""
        items = self._queue.take(self._ripen(heard_s))
        for item in items:
            if isinstance(item, ScaleSamples | ImuSamples):
                self._sample_s = max(self._sample_s, item_time_s(item))
            else:
                self._event_s = max(self._event_s, item.t_s)
        return items

    def _ripen(self, heard_s: float) -> float:
        """Queue the events whose time has come; up to which table time things may go now."""
        self._events.sort(key=lambda event: event.t_s)
        while self._events and (event := self._events[0]).t_s <= self._now_s:
            if event.t_s >= heard_s and self._now_s - event.t_s < self.patience_s:
                return nextafter(event.t_s, -inf)
            # What was given already cannot be taken back.
            t_s = max(event.t_s, self._sample_s, self._event_s)
            self._queue.put_events([replace(event, t_s=t_s)])
            del self._events[0]
        return self._now_s


class Accompanied(LiveSource):
    """A recording or a simulated table, with something real beside it, which goes by the clock."""

    patience_s = 0.0

    def __init__(self, inner: SampleSource, clock: Callable[[], float]) -> None:
        super().__init__(inner.calibration, clock, simulated=inner.simulated)
        self._inner = inner

    @property
    def ended(self) -> bool:
        """Once the table has ended, or this was closed."""
        return self._closed or self._inner.ended

    @property
    def notices(self) -> tuple[str, ...]:
        """Of the table."""
        return self._inner.notices

    def poll(self, until_s: float) -> list[Item]:
        """As `SampleSource`: its time begins at 0, whenever it is asked first."""
        begun = super().poll(0.0) if self._now_s == -inf else []
        return begun + super().poll(until_s)

    def _listen(self) -> float:
        for item in self._inner.poll(self._now_s):
            self._put(item)
        return inf

    def _let_go(self) -> None:
        self._inner.close()

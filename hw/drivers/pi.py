r"""The table on the pins of a Raspberry Pi: HX711, inertial sensor, panel, as one `SampleSource`.

    four HX711 (Blinka pins)  -> `ScaleReader` --\
    MPU-6050 (smbus2)         -> `ImuReader`   ---> a thread and a queue each -> in order of time
    switch, buttons (gpiozero) -> `Panel`      --/

Every reader stamps what it gives at the edge. The source only shifts those times to table time,
puts all in order, and says what was lost. A sensor that is missing or dead is a `SensorReport`
and a gap, never a weight; the others go on.

No real Pi has confirmed this: what the threads cost in CPU time, and how often Linux stretches
a pulse to an HX711 (one recorded project: 0.34 % of the readings).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, nextafter

import msgspec
import numpy as np

from engine.samples import ImuSamples, ScaleSamples, SensorReport
from engine.tabletop import Tabletop
from hw.blocks import Event, ItemQueue, cut
from hw.calibration import Calibration
from hw.drivers.panel import Face
from hw.drivers.pins_health import PinsHealth
from hw.drivers.sensor_thread import QUEUE_STEPS, Reader, SensorThread
from hw.source import Item, shifted

PATIENCE_S = 0.3
"""An event waits no longer than this for samples that should come before it: a burst of the
inertial sensor takes 25 ms, rows of four cells 40 ms, at 10 SPS a quarter of a second."""

LOSS_TOLD_S = 5.0
"""So long nothing must be lost before all is said to be well again."""

READINGS = "readings"
"""The sensor's name in reports about losses on this side of the pins."""


class PiSource:
    """Samples of a table from readers of this computer's own pins.

    Args:
        readers: one for each sensor or group.
        calibration: of the table.
        clock: the steady time in seconds the readers go by.
        show: takes the face of the panel, if there is one.
        health: how the readers find their sensors.
        notices: sentences for the owner.
        simulated: no real table stands behind the pins.
        threads: false: the readers are stepped by hand, with `step`.
        queue_steps: how much may wait for `poll`.
        close: called last, to let go of what the readers share.
    """

    def __init__(
        self,
        readers: Sequence[Reader],
        calibration: Calibration,
        clock: Callable[[], float],
        *,
        show: Callable[[Face], None] = lambda _face: None,
        health: Callable[[], PinsHealth] = PinsHealth,
        notices: tuple[str, ...] = (),
        simulated: bool = False,
        threads: bool = True,
        queue_steps: int = QUEUE_STEPS,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.sensor_threads = tuple(SensorThread(reader, clock, queue_steps) for reader in readers)
        self.late = 0
        self._calibration, self._clock, self._simulated = calibration, clock, simulated
        self._tabletop = calibration.tabletop()
        self._show, self._notices, self._threads, self._close = show, notices, threads, close
        self._health = health
        self._queue = ItemQueue()
        self._events: list[Event] = []
        self._origin_s: float | None = None
        self._now_s = self._event_s = self._sample_s = -inf
        self._lost, self._lost_s = 0, -inf
        self._closed = False

    # --- SampleSource ---------------------------------------------------------------------

    @property
    def calibration(self) -> Calibration:
        """How counts become grams."""
        return self._calibration

    @property
    def tabletop(self) -> Tabletop:
        """Geometry and mass of the table."""
        return self._tabletop

    @property
    def simulated(self) -> bool:
        """Whether no real table stands behind the pins."""
        return self._simulated

    @property
    def ended(self) -> bool:
        """True once closed."""
        return self._closed

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the owner."""
        return self._notices

    def poll(self, until_s: float) -> list[Item]:
        """Everything new up to `until_s`; the first call says what time it is, and begins."""
        if self._closed or until_s < self._now_s:
            return []
        self._now_s = until_s
        if self._origin_s is None:
            self._begin(until_s)
        heard_s = self._heard_s()
        for thread in self.sensor_threads:
            for item in thread.take():
                self._sort(shifted(item, -(self._origin_s or 0.0)))
        self._tell_losses()
        return self._due(heard_s)

    def close(self) -> None:
        """Stop the threads and let go of the pins; more calls do nothing."""
        if self._closed:
            return
        self._closed = True
        for thread in self.sensor_threads:
            thread.stop()
        self._close()

    # --- besides --------------------------------------------------------------------------

    @property
    def lost(self) -> int:
        """Samples and events that were lost because nobody took them in time."""
        return sum(thread.lost for thread in self.sensor_threads)

    def show(self, face: Face) -> None:
        """Show something on the panel."""
        self._show(face)

    def pins_health(self) -> PinsHealth:
        """How the sensors are now."""
        return msgspec.structs.replace(self._health(), lost=self.lost, late=self.late)

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the inertial sensor's chip; None before the first reading."""
        return self._health().imu.celsius

    def step(self) -> None:
        """Step every reader once; for whoever has no threads."""
        for thread in self.sensor_threads:
            thread.step()

    # --- inside ---------------------------------------------------------------------------

    def _begin(self, until_s: float) -> None:
        self._origin_s = self._clock() - until_s
        # What was measured before the table's time began is of no use to anybody.
        self._event_s = until_s
        if self._threads:
            for thread in self.sensor_threads:
                thread.start()

    def _heard_s(self) -> float:
        """Nothing before this table time will come any more but what waits already."""
        heard_s = min((thread.heard_s for thread in self.sensor_threads), default=inf)
        return heard_s - (self._origin_s or 0.0)

    def _sort(self, item: Item) -> None:
        """Put an item where it waits for its time; samples that come too late are dropped."""
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

    def _tell_losses(self) -> None:
        if self.lost > self._lost:
            first = self._now_s - self._lost_s > LOSS_TOLD_S
            count, self._lost, self._lost_s = self.lost - self._lost, self.lost, self._now_s
            if first:
                text = (
                    f"{count} readings were lost because this computer was too busy to take them; "
                    "close other programs"
                )
                self._events.append(SensorReport(self._now_s, READINGS, ok=False, reason=text))
        elif self._lost_s > -inf and self._now_s - self._lost_s > LOSS_TOLD_S:
            self._lost_s = -inf
            self._events.append(SensorReport(self._now_s, READINGS, ok=True))

    def _due(self, heard_s: float) -> list[Item]:
        """What is to be given away now; an event holds back what comes after it."""
        limit_s = self._ripen(heard_s)
        items = self._queue.take(limit_s)
        for item in items:
            if isinstance(item, ScaleSamples | ImuSamples):
                self._sample_s = max(self._sample_s, float(item.t_s[-1]))
            else:
                self._event_s = max(self._event_s, item.t_s)
        return items

    def _ripen(self, heard_s: float) -> float:
        """Queue the events whose time has come; up to which table time things may go now."""
        self._events.sort(key=lambda event: event.t_s)
        while self._events and (event := self._events[0]).t_s <= self._now_s:
            if event.t_s >= heard_s and self._now_s - event.t_s < PATIENCE_S:
                return nextafter(event.t_s, -inf)
            # What was given already cannot be taken back.
            t_s = max(event.t_s, self._sample_s, self._event_s)
            self._queue.put_events([replace(event, t_s=t_s)])
            del self._events[0]
        return self._now_s

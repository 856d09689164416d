"""The table on the pins of a Raspberry Pi: HX711 and inertial sensor as one `SampleSource`.

    four HX711 (Blinka pins), in a process of their own: `hw.drivers.cells_process`
            |  ring in shared memory
            v
      `ScaleReader`           --> a thread and a queue each -> in order of time
      `ImuReader`, MPU-6050   --/

Switch, buttons, lights and buzzer stand beside it: see `hw.drivers.panel_reader`.

Every reader stamps what it gives at the edge. The source only shifts those times to table time
and says what was lost. A sensor that is missing or dead is a `SensorReport`
and a gap, never a weight; the others go on.

No real Pi has confirmed this: what it costs in CPU time, and how often Linux stretches a pulse to
an HX711 (one recorded project: 0.34 % of the readings).
"""

from collections.abc import Callable, Sequence
from math import inf

import msgspec

from engine.samples import SensorReport
from hw.calibration import Calibration
from hw.conversions import NONE_OF_EACH, OfEach
from hw.drivers.cells import CellGroup
from hw.drivers.pins_health import PinsHealth
from hw.drivers.sensor_thread import QUEUE_STEPS, Reader, SensorThread
from hw.live import LiveSource
from hw.source import ImuService, shifted
from hw.troubles import READINGS_LOST

PATIENCE_S = 0.3
"""A burst of the inertial sensor takes 25 ms, rows of four cells 40 ms, at 10 SPS a quarter of a
second."""

LOSS_TOLD_S = 5.0
"""So long nothing must be lost before all is said to be well again."""

READINGS = "readings"
"""The sensor's name in reports about losses on this side of the pins."""


class PiSource(LiveSource):
    """Samples of a table from readers of this computer's own pins.

    Args:
        readers: one for each sensor or group.
        calibration: of the table.
        clock: the steady time in seconds the readers go by.
        health: how the readers find their sensors.
        service: how the inertial one is read.
        conversions: what the chips have converted since the last call, at times moved by so much.
        simulated: no real table stands behind the pins.
        threads: false: the readers are stepped by hand, with `step`.
        queue_steps: how much may wait for `poll`.
        close: called last, to let go of what the readers share.
        group: the load cells, which may have lost something and have something to say.
    """

    patience_s = PATIENCE_S

    def __init__(
        self,
        readers: Sequence[Reader],
        calibration: Calibration,
        clock: Callable[[], float],
        *,
        health: Callable[[], PinsHealth] = PinsHealth,
        service: Callable[[], ImuService] = ImuService,
        conversions: Callable[[float], OfEach] = lambda _shift_s: NONE_OF_EACH,
        simulated: bool = False,
        threads: bool = True,
        queue_steps: int = QUEUE_STEPS,
        close: Callable[[], None] = lambda: None,
        group: CellGroup | None = None,
    ) -> None:
        self.sensor_threads = tuple(SensorThread(reader, clock, queue_steps) for reader in readers)
        super().__init__(calibration, clock, simulated=simulated)
        self._health, self._service, self._close = health, service, close
        self._conversions = conversions
        self._to_start = self.sensor_threads if threads else ()
        self._group = group
        self._lost, self._lost_s = 0, -inf

    @property
    def lost(self) -> int:
        """Samples and events that were lost because nobody took them in time."""
        before = 0 if self._group is None else self._group.lost
        return before + sum(thread.lost for thread in self.sensor_threads)

    @property
    def notices(self) -> tuple[str, ...]:
        """What is not as well with the load cells as it could be."""
        return () if self._group is None else self._group.notices

    def pins_health(self) -> PinsHealth:
        """How the sensors are now."""
        return msgspec.structs.replace(self._health(), lost=self.lost, late=self.late)

    def conversions(self) -> OfEach:
        """What each chip has converted since the last call."""
        return self._conversions(-self._origin_s)

    def imu_service(self) -> ImuService:
        """How the inertial sensor is read."""
        return self._service()

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the inertial sensor's chip; None before the first reading."""
        return self._health().imu.celsius

    def step(self) -> None:
        """Step every reader once; for whoever has no threads."""
        for thread in self.sensor_threads:
            thread.step()

    # --- inside ---------------------------------------------------------------------------

    def _listen(self) -> float:
        for thread in self._to_start:
            thread.start()
        self._to_start = ()
        heard_s = min((thread.heard_s for thread in self.sensor_threads), default=inf)
        for thread in self.sensor_threads:
            for item in thread.take():
                self._put(shifted(item, -self._origin_s))
        self._tell_losses()
        return heard_s - self._origin_s

    def _let_go(self) -> None:
        for thread in self.sensor_threads:
            thread.stop()
        self._close()

    def _tell_losses(self) -> None:
        if self.lost > self._lost:
            first = self._now_s - self._lost_s > LOSS_TOLD_S
            count, self._lost, self._lost_s = self.lost - self._lost, self.lost, self._now_s
            if first:
                self._put(SensorReport.of(self._now_s, READINGS, READINGS_LOST(n=count)))
        elif self._lost_s > -inf and self._now_s - self._lost_s > LOSS_TOLD_S:
            self._lost_s = -inf
            self._put(SensorReport(self._now_s, READINGS, ok=True))

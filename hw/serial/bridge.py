"""The table behind a microcontroller: frames of the serial line as a `SampleSource`.

    frames -> conversions of four chips -> `Resampler` -> rows of four -> grams
           -> inertial samples          -> g and rad/s
           -> switch, heartbeat, restarts, silence -> `SwitchSample`, `SensorReport`

Every time is the microcontroller's own, turned into table time by the clock regression of
`firmware_bridge.clock`; when a frame happened to arrive says nothing. A line that is cut, a
microcontroller that restarts or hangs, a port that is not there yet: each is a gap in the samples
and a sentence, never a weight. The source goes on by itself when the line is back.
"""

from collections.abc import Callable, Iterable
from math import inf

import numpy as np

from engine.events import HumanInput
from engine.samples import SensorReport, SwitchSample
from engine.tabletop import CELL_COUNT, load_cell_name
from engine.trouble import Trouble
from firmware_bridge.events import (
    Arrived,
    CommandFailed,
    Connected,
    Event,
    NoAnswer,
    Rebooted,
    Refused,
)
from firmware_bridge.imu_chips import USUAL, chip_of, unknown
from firmware_bridge.link import NOT_OPENED
from firmware_bridge.messages import CellState, Imu, Scale, ScaleFlag, Status, Switch, Volts
from hw.calibration import Calibration
from hw.conversions import OfEach
from hw.live import LiveSource
from hw.rate_watch import RATES, RateWatch
from hw.resampling import Conversion, Resampler
from hw.serial.link_health import with_state, with_status
from hw.serial.link_reader import LinkReader
from hw.source import ImuService, LinkHealth, Voltages
from hw.troubles import (
    CELL_END,
    CELL_LOW,
    CELL_SILENT,
    IMU_INT_OPEN,
    IMU_NO_ANSWER,
    MCU_STALLED,
    of_link,
    words_of,
)

NOT_BELIEVED = ~(ScaleFlag.TIME_UNSURE)
"""Any flag but this one condemns a count; a time that is unsure is off by less than 10 ms."""

SETTLED_S = 0.06
"""Frames measured before this have arrived: 30 ms for the line, as much for a slow loop."""

NO_ROWS_S = 1.0
"""The line is well again when rows come, or when all else has come for so long."""

STALLED_S = 0.5
"""A hundred inertial samples. The connection itself waits for two heartbeats, which is too long:
what the cells would seem to do meanwhile must not be taken for silence of each of them."""

SATURATED_S = 0.5
"""So long at an end of the range is a broken wire and not a hand that leans on the table."""

CELL_KINDS = {CellState.SILENT: CELL_SILENT, CellState.STUCK_LOW: CELL_LOW}


class BridgeSource(LiveSource):
    """Samples of a table whose sensors are read by a microcontroller.

    The clock gives the seconds that the reader's link goes by, such as `time.monotonic`.
    """

    patience_s = 0.4

    def __init__(
        self,
        reader: LinkReader,
        calibration: Calibration,
        clock: Callable[[], float],
        *,
        simulated: bool = False,
    ) -> None:
        super().__init__(calibration, clock, simulated=simulated)
        self._reader = reader
        self._resampler = Resampler(calibration.scale.rate_hz)
        self._rates = RateWatch(calibration.scale.rate_hz)
        self._inertial: list[tuple[float, tuple[int, ...]]] = []
        self._imu_s = -inf
        self._heard_s: float | None = None  # by the clock
        self._flowing_since_s: float | None = None
        self._outage: Trouble | None = None
        self._warning: Trouble | None = None
        self._status: Status | None = None
        self._volts: Volts | None = None
        self._celsius: float | None = None
        self._int_open = False
        self._imu_who = 0
        self._complaints: dict[str, Trouble | None] = {}
        self._was_low, self._rests = [False] * CELL_COUNT, [0] * CELL_COUNT
        self._saturated_s: list[float | None] = [None] * CELL_COUNT
        self._resets = 0

    @property
    def notices(self) -> tuple[str, ...]:
        """Why nothing comes yet, if the line says so already."""
        return tuple(said.sentence for said in (self._outage, self._warning) if said)

    def put_events(self, events: Iterable[HumanInput]) -> None:
        """Slip in what people say, so that it comes out between the right samples."""
        self._events += events

    def conversions(self) -> OfEach:
        """What each chip has converted since the last call."""
        return self._resampler.log.take()

    # --- Health ---------------------------------------------------------------------------

    @property
    def imu_temperature_c(self) -> float | None:
        """Degrees Celsius of the inertial sensor's chip; None before the first reading."""
        return self._celsius

    @property
    def _of_imu(self) -> Trouble | None:
        if self._int_open:
            return IMU_INT_OPEN()
        return _unknown_chip(self._imu_who)

    def imu_service(self) -> ImuService:
        """How the inertial sensor is read."""
        status = self._status
        if status is None:
            return ImuService(int_open=self._int_open)
        return ImuService(
            status.imu_errors, self._int_open, status.imu_who, _unknown_chip(status.imu_who)
        )

    def voltages(self) -> Voltages | None:
        """What the microcontroller measured since the last call; None when nothing."""
        volts, self._volts = self._volts, None
        return None if volts is None else Voltages(volts.supply_mv / 1000, volts.probe_mv / 1000)

    def link_health(self) -> LinkHealth:
        """How the line is now."""
        said = self._outage or self._warning or self._of_imu
        health = LinkHealth(
            ok=not self._outage and self._heard_s is not None,
            **words_of(said),
            resets=self._resets,
            age_s=None if self._heard_s is None else round(self.clock() - self._heard_s, 2),
            late=self.late,
            condemned=self._resampler.condemned,
            imu_celsius=self._celsius,
        )
        return with_status(with_state(health, self._reader.state), self._status)

    # --- Events of the line ---------------------------------------------------------------

    def _listen(self) -> float:
        for event in self._reader.read():
            self._take(event)
        if outage := self._port_outage():
            self._interrupt(outage)
        self._fill()
        return inf if self._outage else min(self._now_s - SETTLED_S, self._resampler.done_to_s)

    def _let_go(self) -> None:
        self._reader.close()

    def _port_outage(self) -> Trouble | None:
        outage = self._reader.state.outage
        if outage and outage != NOT_OPENED:
            return of_link(outage)
        flowing = self._flowing_since_s is not None and self._heard_s is not None
        if flowing and self.clock() - (self._heard_s or 0.0) > STALLED_S:
            return MCU_STALLED()
        return None

    def _take(self, event: Event) -> None:
        match event:
            case Arrived():
                self._arrived(event)
            case Connected():
                self._warning = None if event.warning is None else of_link(event.warning)
            case Rebooted():
                self._resets += 1
                self._interrupt(of_link(event.trouble))
            case Refused() | NoAnswer() | CommandFailed():
                self._interrupt(of_link(event.trouble))
            case _:
                pass

    def _arrived(self, event: Arrived) -> None:
        self._heard_s = self.clock()
        if isinstance(event.frame.message, Status):
            self._heartbeat(event.frame.message)
        elif isinstance(event.frame.message, Volts):
            self._volts = event.frame.message
        if event.host_s is None:
            return  # the first tenth of a second: its clock is not known yet
        t_s = event.host_s - self._origin_s
        match event.frame.message:
            case Scale() as scale if scale.cell < CELL_COUNT:
                self._scale(t_s, scale, event.frame.flags)
            case Imu() as imu:
                self._int_open = bool(event.frame.flags & ScaleFlag.TIME_UNSURE)
                self._imu(t_s, imu)
            case Switch() as switch:
                self._put(SwitchSample(t_s, bool(switch.closed)))
            case _:
                pass

    def _scale(self, t_s: float, scale: Scale, flags: int) -> None:
        # Tried again after one that left DOUT low: what is left of that word, and no conversion.
        rest = bool(flags & ScaleFlag.TIME_UNSURE) and self._was_low[scale.cell]
        self._was_low[scale.cell] = bool(flags & ScaleFlag.NOT_HIGH)
        self._rests[scale.cell] += rest
        if not rest:
            good, index = not flags & NOT_BELIEVED, scale.index - self._rests[scale.cell]
            self._resampler.add(scale.cell, Conversion(t_s, index % 256, scale.count, good))
        if not flags & ScaleFlag.SATURATED:
            self._saturated_s[scale.cell] = None
        elif self._saturated_s[scale.cell] is None:
            self._saturated_s[scale.cell] = t_s
        self._flows(t_s)

    def _imu(self, t_s: float, imu: Imu) -> None:
        self._celsius = chip_of(self._imu_who or USUAL).celsius(imu.temperature)
        if t_s > self._imu_s:
            self._imu_s = t_s
            raw = (imu.ax, imu.ay, imu.az, imu.gx, imu.gy, imu.gz)
            self._inertial.append((t_s, raw))
        self._flows(t_s)

    def _heartbeat(self, status: Status) -> None:
        """Once a second: what the microcontroller thinks of its sensors."""
        self._status = status
        self._imu_who = status.imu_who or self._imu_who
        for cell in range(CELL_COUNT):
            kind = CELL_KINDS.get(CellState(status.cells >> 4 * cell & 3))
            since_s = self._saturated_s[cell]
            if kind is None and since_s is not None and self._now_s - since_s > SATURATED_S:
                kind = CELL_END
            found = None if kind is None else kind(n=load_cell_name(cell))
            self._complain(f"scale.{cell}", found)
        rates = self._rates.look(self._now_s, self._resampler.rates_hz)
        self._complain(RATES, rates)
        self._complain("imu", None if status.imu_who else IMU_NO_ANSWER())

    def _complain(self, sensor: str, trouble: Trouble | None) -> None:
        """Report a sensor when what is to be said about it has changed."""
        if trouble == self._complaints.get(sensor):
            return
        self._complaints[sensor] = trouble
        self._put(SensorReport.of(self._now_s, sensor, trouble))

    # --- The line is cut, the line is back ------------------------------------------------

    def _interrupt(self, trouble: Trouble) -> None:
        """No samples come. Said again only when there is something else to say."""
        if self._outage == trouble:
            return
        self._outage = trouble
        self._resampler.interrupt()
        self._flowing_since_s = None
        self._saturated_s = [None] * CELL_COUNT
        self._put(SensorReport.of(self._now_s, "link", trouble))

    def _flows(self, t_s: float) -> None:
        if self._flowing_since_s is None:
            self._flowing_since_s = t_s

    def _is_back(self, *, rows: bool) -> bool:
        since_s = self._flowing_since_s
        return since_s is not None and (rows or self._now_s - since_s > NO_ROWS_S)

    def _restore(self, t_s: float) -> None:
        self._outage = None
        self._put(SensorReport(t_s, "link", ok=True))

    # --- Out ------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Turn what has come into blocks that wait for their time."""
        rows = self._resampler.take(self._now_s)
        if self._outage and self._is_back(rows=bool(rows)):
            self._restore(float(rows.t_s[0]) if rows else self._now_s)
        if rows:
            self._put(self.calibration.scale_samples(rows.t_s, rows.counts, rows.trusted))
        came, self._inertial = self._inertial, []
        if came:
            t_s, raw = (np.array(column) for column in zip(*came, strict=True))
            self._put(self.calibration.imu_samples(t_s, raw))


def _unknown_chip(who: int) -> Trouble | None:
    warning = unknown(who)
    return None if warning is None else of_link(warning)

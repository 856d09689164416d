"""Counts what was lost, and where: on the link, in the microcontroller, or at the chip.

Three numbers come with the samples and tell the three apart:

* `seq` counts the frames that were sent: a gap was lost on the link;
* `tx_dropped` in Status counts the frames that did not fit into the microcontroller's buffer;
* `index` counts the conversions that were read from a cell. If more conversion periods went by
  than `index` advanced, the chip finished conversions that nobody fetched.

Pure; fed with frames in the order of arrival.
"""

from collections import deque
from dataclasses import dataclass, field, replace
from statistics import median

from firmware_bridge.framing import Frame
from firmware_bridge.messages import CELLS, Imu, Scale, ScaleFlag, Status

PERIODS_REMEMBERED = 31
PERIODS_NEEDED = 8
"""Intervals before a period is believed. Chips of one type differ by 15 %, so it is measured."""

LATE_PERIODS = 1.5
"""From here on an interval is more than one period; the chips' jitter is below 3 %."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Totals since the microcontroller started.

    Attributes:
        link: frames that were sent and did not arrive.
        device: frames that the microcontroller dropped before sending.
        missed: conversions per cell that were never read from the chip.
        disordered: frames that came twice or in the wrong order; a serial line cannot do that.
    """

    link: int = 0
    device: int = 0
    missed: tuple[int, ...] = (0,) * CELLS
    disordered: int = 0

    @property
    def total(self) -> int:
        """Everything lost, whatever the place."""
        return self.link + self.device + sum(self.missed)


@dataclass(slots=True)
class Cadence:
    """Period of one sensor on a clock of its own.

    Attributes:
        missed: periods that went by without a sample being read.
    """

    missed: int = 0
    _index: int | None = None
    _t_us: int = 0
    _periods_us: deque[int] = field(default_factory=lambda: deque(maxlen=PERIODS_REMEMBERED))

    @property
    def period_us(self) -> float | None:
        """Median interval in microseconds of the microcontroller, None until it is known."""
        return median(self._periods_us) if len(self._periods_us) >= PERIODS_NEEDED else None

    def sample(self, index: int, t_us: int) -> None:
        """Take one sample: its number modulo 256 and its ticks modulo 2**32."""
        if self._index is not None:
            self._interval((index - self._index) % 256, (t_us - self._t_us) % 2**32)
        self._index, self._t_us = index, t_us

    def interrupt(self) -> None:
        """The sensor was off or settling: the next interval says nothing."""
        self._index = None

    def _interval(self, steps: int, dt_us: int) -> None:
        period_us = self.period_us
        if period_us is not None and dt_us > (steps + LATE_PERIODS - 1) * period_us:
            # `index` wraps: after a long silence whole rounds of 256 are no misses.
            ahead = round(dt_us / period_us) - steps
            self.missed += max(0, (ahead + 64) % 256 - 64)
        elif steps == 1:
            self._periods_us.append(dt_us)


@dataclass(slots=True)
class LossCounter:
    """Adds up losses frame by frame.

    Attributes:
        scales: cadence of each cell.
        imu: cadence of the inertial sensor.
    """

    scales: tuple[Cadence, ...] = field(
        default_factory=lambda: tuple(Cadence() for _ in range(CELLS))
    )
    imu: Cadence = field(default_factory=Cadence)
    _totals: Losses = field(default_factory=Losses)
    _seq: int | None = None
    _dropped: int | None = None

    @property
    def totals(self) -> Losses:
        """Losses so far."""
        return replace(self._totals, missed=tuple(cadence.missed for cadence in self.scales))

    def take(self, frame: Frame) -> None:
        """Account for one frame."""
        self._take_seq(frame.seq)
        message = frame.message
        if isinstance(message, Scale) and message.cell < len(self.scales):
            self._take_scale(message, frame)
        elif isinstance(message, Imu):
            self.imu.sample(message.index, frame.t_us)
        elif isinstance(message, Status):
            self._take_dropped(message.tx_dropped)

    def pause(self) -> None:
        """Streaming stops or begins: intervals across the pause mean nothing."""
        for cadence in (*self.scales, self.imu):
            cadence.interrupt()

    def reopened(self) -> None:
        """The port was closed for a while: what was sent meanwhile is nobody's loss."""
        self._seq = None
        self.pause()

    def _take_seq(self, seq: int) -> None:
        gap = 0 if self._seq is None else (seq - self._seq - 1) % 0x10000
        if gap >= 0x8000:
            self._totals = replace(self._totals, disordered=self._totals.disordered + 1)
            return
        self._totals = replace(self._totals, link=self._totals.link + gap)
        self._seq = seq

    def _take_scale(self, message: Scale, frame: Frame) -> None:
        cadence = self.scales[message.cell]
        if frame.flags & (ScaleFlag.SETTLING | ScaleFlag.TIME_UNSURE):
            cadence.interrupt()
        else:
            cadence.sample(message.index, frame.t_us)

    def _take_dropped(self, tx_dropped: int) -> None:
        # The counter starts with the boot, and so does this object, at zero.
        step = (tx_dropped - (self._dropped or 0)) % 0x10000
        self._totals = replace(self._totals, device=self._totals.device + step)
        self._dropped = tx_dropped

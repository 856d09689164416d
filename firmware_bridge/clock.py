"""The microcontroller's clock in host time, from round trips and never from arrival times.

Frames wait in USB buffers for anything up to half a second, so when one arrives says little. The
host therefore asks for the time about once a second and notes when it asked and when the answer
came: the answer was made somewhere between, at the middle give or take half the round trip. A
straight line through the quick round trips of the last minutes gives offset and rate.

Ticks are 32 bits of microseconds and wrap every 71.6 minutes. Pure: all times are passed in.
"""

from collections import deque
from dataclasses import dataclass, field
from statistics import fmean, median

NOMINAL_S_PER_US = 1e-6

WINDOW = 120
"""Round trips remembered: two minutes, in which the warm-up of a resonator is a straight line."""

RATE_PRIOR_S2 = 0.04
"""Weight of the nominal rate, in the unit of the regression's denominator (s^2). A Nano's ceramic
resonator is within 0.5 %, one round trip within about 1 ms: (1 ms / 0.5 %)^2."""

SLOW_FACTOR = 2.0
SLOW_MARGIN_S = 0.002
"""A round trip this much slower than the median waited somewhere; on which way is unknown."""

JUMP_S = 0.05
"""Disagreement beyond its own round trip that no crystal explains."""

JUMPS_BELIEVED = 3
"""So many round trips in a row that disagree with the line: the line is what is wrong."""


@dataclass(slots=True)
class TickCounter:
    """Extends 32-bit ticks to ticks that never wrap.

    Frames may be asked about out of order by up to half a wrap (35 minutes).
    """

    _last_us: int | None = None

    def extend(self, t_us: int) -> int:
        """Microseconds since the microcontroller started, without wrapping."""
        extended = self.peek(t_us)
        self._last_us = extended if self._last_us is None else max(self._last_us, extended)
        return extended

    def peek(self, t_us: int) -> int:
        """The same without remembering it: a frame that may not be ours."""
        if self._last_us is None:
            return t_us
        return self._last_us + (t_us - self._last_us + 0x80000000) % 0x100000000 - 0x80000000


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """One question for the time and its answer.

    Attributes:
        device_us: extended ticks in the answer.
        sent_s: host time at which the question was written.
        received_s: host time at which the answer was read.
    """

    device_us: int
    sent_s: float
    received_s: float

    @property
    def host_s(self) -> float:
        """Best guess of the host time at which the answer was made."""
        return (self.sent_s + self.received_s) / 2

    @property
    def duration_s(self) -> float:
        """How long question and answer were under way together."""
        return self.received_s - self.sent_s


@dataclass(frozen=True, slots=True)
class ClockFit:
    """Host time as a straight line over ticks.

    Attributes:
        device_us: where the line is anchored (mean of the round trips used).
        host_s: host time there.
        s_per_us: slope; 1e-6 for a perfect crystal.
    """

    device_us: float
    host_s: float
    s_per_us: float = NOMINAL_S_PER_US

    def at(self, device_us: float) -> float:
        """Host time in seconds for extended ticks."""
        return self.host_s + (device_us - self.device_us) * self.s_per_us

    @property
    def rate_ppm(self) -> float:
        """How much too slow the microcontroller's clock is, parts per million of host time."""
        return (self.s_per_us / NOMINAL_S_PER_US - 1) * 1e6


@dataclass(slots=True)
class DeviceClock:
    """Learns the line; one for each boot of the microcontroller.

    Attributes:
        line: None until the first answer.
        refused: round trips that were too slow or disagreed, since the start.
    """

    line: ClockFit | None = None
    refused: int = 0
    _trips: deque[RoundTrip] = field(default_factory=lambda: deque(maxlen=WINDOW))
    _jumps: list[RoundTrip] = field(default_factory=list)

    def learn(self, trip: RoundTrip) -> None:
        """Take one answer in; a single false one never moves the line."""
        if self._disagrees(trip):
            self.refused += 1
            self._jumps.append(trip)
            if len(self._jumps) < JUMPS_BELIEVED:
                return
            self._trips.clear()
            self._trips.extend(self._jumps)
        else:
            self._trips.append(trip)
        self._jumps.clear()
        self.line = fit(self._quick())

    def host_s(self, device_us: int) -> float | None:
        """Host time of extended ticks in seconds, or None before the first answer."""
        return None if self.line is None else self.line.at(device_us)

    def _disagrees(self, trip: RoundTrip) -> bool:
        """True when the answer cannot have been made between question and arrival."""
        if self.line is None:
            return False
        off_s = abs(self.line.at(trip.device_us) - trip.host_s)
        return off_s > trip.duration_s / 2 + JUMP_S

    def _quick(self) -> list[RoundTrip]:
        limit_s = SLOW_FACTOR * median(trip.duration_s for trip in self._trips) + SLOW_MARGIN_S
        return [trip for trip in self._trips if trip.duration_s <= limit_s]


def fit(trips: list[RoundTrip]) -> ClockFit:
    """Least squares with the nominal rate as prior, so that two close answers do not tilt it."""
    mid_us = fmean(trip.device_us for trip in trips)
    mid_s = fmean(trip.host_s for trip in trips)
    over = under = 0.0
    for trip in trips:
        along_s = (trip.device_us - mid_us) * NOMINAL_S_PER_US
        across_s = trip.host_s - mid_s - along_s
        over += along_s * across_s
        under += along_s * along_s
    return ClockFit(mid_us, mid_s, NOMINAL_S_PER_US * (1 + over / (under + RATE_PRIOR_S2)))

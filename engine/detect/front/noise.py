"""How noisy the load cells are, measured all the time.

The second difference of a signal is nearly free of everything slow: drift, swing, weight. Its
median is tracked by stepping up or down with its sign, so hands and bumps, however wild, move the
estimate by one step only.
"""

from collections import deque
from math import isfinite, sqrt

from engine.detect.front.ticks import TICK_S, Tick
from engine.samples import Floats

MEDIAN_OF_SECOND_DIFFERENCE = 0.6745 * 6**0.5
"""Median of |x0 - 2 x1 + x2| for independent normal x of standard deviation 1."""

STEP = 0.02
"""Two per cent a tick: from a wrong start to the truth in two seconds, steady within 10 %."""

TOUCHED_STEP = 0.004
"""While somebody touches the weight is not noise; only an estimate far too low may creep up."""


RATE_WINDOW_S = 10.0

SLOWEST_TICKS = 8
"""Between two conversions, at most: an HX711 makes 10 a second at least (datasheet)."""


class MedianTracker:
    """Standard deviation of the noise of one signal."""

    def __init__(self, start: float, least: float) -> None:
        self.sd = start
        self._least = least
        self._values: deque[float] = deque(maxlen=2 * SLOWEST_TICKS + 1)

    def update(self, value: float, step: float, apart: int = 1) -> None:
        """One more value of the signal; values so many `apart` are measured independently."""
        self._values.append(value)
        if len(self._values) <= 2 * apart:
            return
        departure = abs(
            self._values[-1] - 2 * self._values[-1 - apart] + self._values[-1 - 2 * apart]
        )
        median = MEDIAN_OF_SECOND_DIFFERENCE * self.sd
        if departure > median:
            self.sd *= 1 + step
        else:
            self.sd = max(self.sd * (1 - step), self._least)


class Rate:
    """Measured rate of a sensor: samples over time, over about ten seconds."""

    def __init__(self) -> None:
        self.hz = 0.0
        self._from_s: float | None = None
        self._count = 0

    def update(self, t_s: Floats) -> None:
        """A block of sample times."""
        if not t_s.size:
            return
        if self._from_s is None:
            self._from_s, self._count = float(t_s[0]), -1
        self._count += t_s.size
        elapsed_s = float(t_s[-1]) - self._from_s
        if elapsed_s > 1.0:
            self.hz = self._count / elapsed_s
        if elapsed_s > RATE_WINDOW_S:
            self._from_s, self._count = float(t_s[-1]), 0


class Noise:
    """Noise of the weight and of the cells' moment, per tick.

    Ticks between two conversions lie on a straight line; only ticks of different conversions tell
    of noise.

    Attributes:
        apart: ticks from one conversion to the next, at least one.
    """

    def __init__(self) -> None:
        self.apart = 1
        self._mass = MedianTracker(0.12, least=0.02)
        self._cop = (MedianTracker(12.0, least=2.0), MedianTracker(12.0, least=2.0))

    @property
    def mass_g(self) -> float:
        """Standard deviation of the weight of one tick."""
        return self._mass.sd

    @property
    def alike(self) -> float:
        """By how much a mean of ticks is noisier than of independent ones."""
        return sqrt(self.apart)

    @property
    def cop_gmm(self) -> float:
        """Standard deviation of the moment of one tick, the mean of both axes."""
        return (self._cop[0].sd + self._cop[1].sd) / 2

    def update(self, tick: Tick, *, touched: bool, scale_hz: float) -> None:
        """One more tick.

        Args:
            tick: it.
            touched: somebody's hand is in it.
            scale_hz: rate of the load cells; 0 while nobody knows.
        """
        if scale_hz > 0.0:
            self.apart = min(max(round(1.0 / (scale_hz * TICK_S)), 1), SLOWEST_TICKS)
        step = TOUCHED_STEP if touched else STEP
        if not isfinite(tick.cop_x_gmm):
            return
        self._mass.update(tick.mass_g, step, self.apart)
        self._cop[0].update(tick.cop_x_gmm, step, self.apart)
        self._cop[1].update(tick.cop_y_gmm, step, self.apart)

"""How noisy the load cells are, measured all the time.

The second difference of a signal is nearly free of everything slow: drift, swing, weight. Its
median is tracked by stepping up or down with its sign, so hands and bumps, however wild, move the
estimate by one step only.
"""

from math import isfinite, nan

from engine.detect.front.ticks import Tick
from engine.samples import Floats

MEDIAN_OF_SECOND_DIFFERENCE = 0.6745 * 6**0.5
"""Median of |x0 - 2 x1 + x2| for independent normal x of standard deviation 1."""

STEP = 0.02
"""Two per cent a tick: from a wrong start to the truth in two seconds, steady within 10 %."""

TOUCHED_STEP = 0.004
"""While somebody touches the weight is not noise; only an estimate far too low may creep up."""


RATE_WINDOW_S = 10.0


class MedianTracker:
    """Standard deviation of the noise of one signal."""

    def __init__(self, start: float, least: float) -> None:
        self.sd = start
        self._least = least
        self._last = self._before_last = nan

    def update(self, value: float, step: float) -> None:
        """One more value of the signal."""
        departure = abs(self._before_last - 2 * self._last + value)
        self._before_last, self._last = self._last, value
        median = MEDIAN_OF_SECOND_DIFFERENCE * self.sd
        if departure > median:
            self.sd *= 1 + step
        elif departure <= median:  # the first two values depart from nothing: NaN
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


class Rates:
    """Measured rates of both sensors."""

    def __init__(self) -> None:
        self.scale = Rate()
        self.imu = Rate()


class Noise:
    """Noise of the weight and of the cells' moment, per tick."""

    def __init__(self) -> None:
        self._mass = MedianTracker(0.12, least=0.02)
        self._cop = (MedianTracker(12.0, least=2.0), MedianTracker(12.0, least=2.0))

    @property
    def mass_g(self) -> float:
        """Standard deviation of the weight of one tick."""
        return self._mass.sd

    @property
    def cop_gmm(self) -> float:
        """Standard deviation of the moment of one tick, the mean of both axes."""
        return (self._cop[0].sd + self._cop[1].sd) / 2

    def update(self, tick: Tick, *, touched: bool) -> None:
        """One more tick; `touched`: somebody's hand is in it."""
        step = TOUCHED_STEP if touched else STEP
        if not isfinite(tick.cop_x_gmm):
            return
        self._mass.update(tick.mass_g, step)
        self._cop[0].update(tick.cop_x_gmm, step)
        self._cop[1].update(tick.cop_y_gmm, step)

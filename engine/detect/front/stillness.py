"""Whether the board has come to rest, and whether a contact has moved it."""

from collections import deque
from math import inf, isfinite

from engine.detect.front.ticks import TICK_S

SWING_TICKS = 20
"""Most of a swing: in it the board was at its fastest."""

SWINGS_S = 2.0
"""What a board swings after a piece was put down, in the mean: where nobody sees it swing."""

STIRRED, STIRRED_RAD_S, MOVING_RAD_S = 1.2, 0.015, 0.05
"""A board that moves a fifth faster than before, and by a degree a second, has been touched; one
that swings by three degrees a second anyway does not tell."""

STILL_RAD_S, STILL_TICKS, QUIET = 0.0045, 6, 2.0
"""A board that turns by less than a quarter of a degree a second, in the mean square of a fifth of
a swing, sticks to its pivot (T16: what is bumped off then had been placed). At a turning point of a
swing only one of less than a tenth of a degree is so slow. The gyroscope's noise (0.002 rad/s in a
tick as a rule) is in it: where it is more, the limit is twice what a board that swings no more
shows at best. On simulated evenings (375 placements) rest is found 0.00 to 0.05 s late, and in one
of a hundred too early."""


class Stillness:
    """Follows how fast the board turns."""

    def __init__(self) -> None:
        self._swings: deque[float] = deque(maxlen=SWING_TICKS)
        self._rates = deque[float](maxlen=STILL_TICKS)
        self._quiet_rad_s = 0.0
        self._swung_rad_s, self._stirred_rad_s = 0.0, inf

    def turns(self, rate_rad_s: float, *, free: bool, rested_s: float) -> None:
        """So fast in this tick.

        Args:
            rate_rad_s: nan when the inertial sensor was not heard.
            free: nobody touches.
            rested_s: for how long the weight has been steady.
        """
        unheard = 0.0 if rested_s > SWINGS_S else inf
        self._rates.append(rate_rad_s if isfinite(rate_rad_s) else unheard)
        if free:
            self._swings.append(rate_rad_s)
        elif isfinite(rate_rad_s):
            self._stirred_rad_s = max(self._stirred_rad_s, rate_rad_s)

    def since_s(self, now_s: float, rested_s: float) -> float | None:
        """Since when the board has hung still; None while it does not."""
        if len(self._rates) < STILL_TICKS:
            return None
        mean_rad_s = (sum(rate * rate for rate in self._rates) / STILL_TICKS) ** 0.5
        if rested_s > SWINGS_S and min(self._rates) > 0.0:
            self._quiet_rad_s = min(self._quiet_rad_s or inf, mean_rad_s)
        still = mean_rad_s < max(STILL_RAD_S, QUIET * self._quiet_rad_s)
        return now_s - STILL_TICKS * TICK_S if still else None

    def touched(self) -> None:
        """A contact begins: it has moved the board if that turns faster than it did."""
        self._swung_rad_s = max(self._swings, default=0.0)
        self._stirred_rad_s = 0.0 if isfinite(self._swung_rad_s) else inf

    @property
    def stirred(self) -> bool:
        """Whether the board was moved in this contact, for all that one can tell."""
        rate = self._stirred_rad_s
        return rate > MOVING_RAD_S or rate > STIRRED * self._swung_rad_s + STIRRED_RAD_S

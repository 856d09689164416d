"""Says while a table runs that a chip converts at another rate than its table was calibrated with.

Such a cell is waited for and not declared dead: the table goes on as well as that rate lets it.
Pure; the rates are those of the chips themselves (`hw.resampling`).
"""

from collections.abc import Callable, Sequence

from engine.tabletop import load_cell_name
from engine.trouble import Trouble, TroubleKind
from hw.conversions import strap_hz
from hw.troubles import (
    RATE_FAST,
    RATE_ODD,
    RATE_SLOW,
    THE_RATE_FAST,
    THE_RATE_ODD,
    THE_RATE_SLOW,
)

RATES = "rates"
"""The sensor's name in reports: the cells themselves are trusted."""

USUAL_RATE, ALLOWED_RATE = 0.15, 0.20
"""Real chips: 10.5 to 11.68 and 82 to 93.7 SPS, which is up to 17 % fast. A fifth is too much."""

SLOW_FAST_ODD = RATE_SLOW, RATE_FAST, RATE_ODD
OF_THE_ONE = THE_RATE_SLOW, THE_RATE_FAST, THE_RATE_ODD

LOOK_EVERY_S = 1.0
SURE_LOOKS = 3
"""A chip that is power-cycled or read late looks odd for a moment."""


class RateWatch:
    """Looks at the rates once a second."""

    def __init__(self, strapped_hz: float, *, one_cell: bool = False) -> None:
        """A table that was calibrated at a rate."""
        self._one_cell = one_cell
        self._slow, self._fast, self._off = OF_THE_ONE if one_cell else SLOW_FAST_ODD
        self._wanted_hz = strap_hz(strapped_hz)
        self._looked_s = float("-inf")
        self._looks = 0
        self._found: Trouble | None = None
        self.trouble: Trouble | None = None

    def look(self, now_s: float, rates_hz: Callable[[], Sequence[float | None]]) -> Trouble | None:
        """What is to be said of the rates at a time; None when they are as they should be.

        `rates_hz` measures them, which takes half a millisecond, and pins are looked at every two:
        it is asked once in `LOOK_EVERY_S`.
        """
        if now_s - self._looked_s < LOOK_EVERY_S:
            return self.trouble
        self._looked_s = now_s
        found = self._odd(rates_hz())
        if _of(found) != _of(self._found):
            self._found, self._looks = found, 0
        self._looks += 1
        if self._looks >= SURE_LOOKS:
            self.trouble = self._found
        return self.trouble

    def _odd(self, rates_hz: Sequence[float | None]) -> Trouble | None:
        known = [(cell, rate) for cell, rate in enumerate(rates_hz) if rate is not None]
        wrong = [(c, rate) for c, rate in known if abs(rate / self._wanted_hz - 1) > ALLOWED_RATE]
        if not wrong:
            return None
        kind = self._kind(wrong[0][1])
        alike = [(cell, rate) for cell, rate in wrong if self._kind(rate) is kind]
        names = ", ".join(load_cell_name(cell) for cell, _ in alike)
        which = {} if self._one_cell else {"n": names}
        return kind(**which, hz=round(alike[0][1]), wanted=round(self._wanted_hz))

    def _kind(self, rate_hz: float) -> TroubleKind:
        strap = strap_hz(rate_hz)
        if strap == self._wanted_hz or abs(rate_hz / strap - 1) > ALLOWED_RATE:
            return self._off
        return self._slow if rate_hz < self._wanted_hz else self._fast


def _of(trouble: Trouble | None) -> object:
    """What is wrong and with which cells, whatever the rates are to the last conversion."""
    return trouble and (trouble.code, trouble.args.get("n"))

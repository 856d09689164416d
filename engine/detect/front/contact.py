"""Is anybody touching? Free, in contact, or settling at a new weight.

The weight alone is quick and honest about hands: a board left alone weighs the same in every
tick. What a hand cannot fake for long is a *steady* weight. So a contact ends with a run of
ticks of equal weight, and only what that run weighs against the weight before is evidence.
"""

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import inf

from engine.detect.front.ticks import TICK_S

RUN_TICKS = 4
"""0.1 s of equal weight ends a contact: longer than the load cells' averaging (0.05 s)."""

LEAST_STEP = 0.15
"""A departure of less than this share of a piece is noise or drift on any table."""

CLEAR_STEP = 0.5
"""A departure of more than this share of a piece needs no second tick to be believed."""

PRESS_G = 1.0
"""A hand presses with more than this; the rest of the board's swing weighs less."""

IMPACT_G = 2.0
"""Smaller ups and downs of the weight are noise and the board's own swing."""

SHAKE_G = 10.0
"""A hand that takes pieces lifts the board by less; a table pushed with half a metre a second
squared makes a board of 200 g lighter and heavier by so much."""

EARLY_S = 0.3
"""Tables shake at 4-11 Hz: up and down within a quarter of a second. A hand that presses, and
pieces that fall later, are slower."""

HOVERING_S = 0.6
"""A hand that hovers over a board that seems free comes back sooner (two thirds of a swing)."""

KNOCK_G = 30.0
KNOCK_S = 0.15

BASELINE_TICKS = 40.0
"""The weight of the free board is averaged over about a second, following the drift."""


class Phase(Enum):
    """What the weight says."""

    FREE = "free"
    CONTACT = "contact"
    SETTLING = "settling"


@dataclass(slots=True)
class Touch:
    """What one contact looked like: for telling hands, bumps and falls apart.

    Attributes:
        began_s: start of the contact.
        highest_g, lowest_g: extremes of the weight against the weight before.
        lightest_g: least weight on the scale, whatever it was before.
        pressed_s: how long at least a third of a piece more than before was felt.
        impacts: how often the weight rose again by `IMPACT_G` after falling: pieces that
            bounce, a shaken table, a hand that hesitates.
        first_reversal_s: how long after the start the weight first swung from above to below the
            weight before or back: a shaken table. No hand pulls on the board and presses on it so
            soon after.
        felt_s: how long the contact has lasted.
        lighter_s: how long after the start the board first became lighter than before.
        back_s: how long the board, after it was pressed, last weighed what it had before.
        back_until_s: until how long after the start.
        after_g, after_least_g: the highest and the lowest since.
    """

    began_s: float
    highest_g: float = 0.0
    lowest_g: float = 0.0
    lightest_g: float = inf
    pressed_s: float = 0.0
    impacts: int = 0
    first_reversal_s: float = inf
    felt_s: float = 0.0
    lighter_s: float = inf
    back_s: float = 0.0
    back_until_s: float = 0.0
    after_g: float = inf
    after_least_g: float = 0.0
    sign: int = 0
    turned_g: float = 0.0
    rising: bool = False

    @property
    def shaken(self) -> bool:
        """Whether the whole table was shaken: from the start, up and down, hard."""
        return self.first_reversal_s < EARLY_S and self.lowest_g < -SHAKE_G

    @property
    def knocked(self) -> bool:
        """Whether something hit the board, hard and short."""
        return self.highest_g > KNOCK_G and self.pressed_s < KNOCK_S

    def feel(self, excess_g: float) -> None:
        """One more tick of the contact, as weight over the weight before."""
        self.felt_s += TICK_S
        self.highest_g = max(self.highest_g, excess_g)
        self.lowest_g = min(self.lowest_g, excess_g)
        if excess_g > PRESS_G:
            self.pressed_s += TICK_S
        if abs(excess_g) < PRESS_G and self.pressed_s > 0.0:
            self.back_s = TICK_S if self.after_g > -inf else self.back_s + TICK_S
            self.back_until_s, self.after_g, self.after_least_g = self.felt_s, -inf, inf
        else:
            self.after_g = max(self.after_g, excess_g)
            self.after_least_g = min(self.after_least_g, excess_g)
        if excess_g < -IMPACT_G:
            self.lighter_s = min(self.lighter_s, self.felt_s)
        sign = (excess_g > IMPACT_G) - (excess_g < -IMPACT_G)
        if sign and self.sign and sign != self.sign:
            self.first_reversal_s = min(self.first_reversal_s, self.felt_s)
        self.sign = sign or self.sign
        self._follow(excess_g)

    def _follow(self, excess_g: float) -> None:
        """Count the upward swings of the weight, with hysteresis."""
        if self.rising:
            self.turned_g = max(self.turned_g, excess_g)
            if excess_g < self.turned_g - IMPACT_G:
                self.rising, self.turned_g = False, excess_g
        else:
            self.turned_g = min(self.turned_g, excess_g)
            if excess_g > self.turned_g + IMPACT_G:
                self.rising, self.turned_g = True, excess_g
                self.impacts += 1


class Balance:
    """Follows the weight from tick to tick."""

    def __init__(self, piece_g: float) -> None:
        self._piece_g = piece_g
        self.phase = Phase.CONTACT
        self.before_g: float | None = None
        self._before_last_g: float | None = None
        self.noise_g = 0.12  # replaced by the measured noise from the first tick on
        self.touch = Touch(0.0)
        self.run_began_s = 0.0
        self.arrived_s = 0.0
        self.run_mean_g = 0.0
        self.run_ticks = 0
        self._recent: deque[float] = deque(maxlen=RUN_TICKS)
        self._doubts = 0
        self._arrived_g = inf
        self._trend_g = 0.0
        self._broke_g: float | None = None

    @property
    def tolerance_g(self) -> float:
        """How far a tick may be from the mean of its run."""
        return max(0.1 * self._piece_g, 4.0 * self.noise_g)

    @property
    def gained_g(self) -> float:
        """Weight of the last run against that before its contact, also once it is accepted."""
        before = self._before_last_g if self.phase is Phase.FREE else self.before_g
        return self.run_mean_g - (before or 0.0)

    @property
    def run_s(self) -> float:
        """How long the current weight has been steady."""
        return self.run_ticks * TICK_S

    def update(self, t_s: float, mass_g: float) -> Phase:
        """Advance by one tick, which ends at `t_s` and weighs `mass_g`."""
        if self.phase is Phase.FREE:
            self._while_free(t_s, mass_g)
        else:
            self._while_touched(t_s, mass_g)
        return self.phase

    def accept(self) -> None:
        """The run's weight is the new weight of the free board."""
        self._trend_g = 0.0
        self._before_last_g, self.before_g = self.before_g, self.run_mean_g
        self.phase = Phase.FREE
        self._doubts = 0

    def start_anew(self) -> None:
        """Forget the weight before: the next steady one is taken as it is."""
        self.before_g = None
        self.restart()

    def rejoin(self) -> bool:
        """The contact before this one was not over: compare with the weight before that one.

        Returns:
            False when there was none: the table has only just been switched on.
        """
        if self._before_last_g is None:
            return False
        self.before_g = self._before_last_g
        return True

    def rebase(self, t_s: float) -> None:
        """The last run's weight counts as before, though the board is being touched again."""
        self.before_g = self.run_mean_g
        self._touched(t_s)

    def restart(self) -> None:
        """Call it a contact again: the run was no rest."""
        self.phase = Phase.CONTACT
        self._recent.clear()
        self.run_ticks = 0

    def touch_lightly(self, began_s: float) -> None:
        """Somebody touches, by what the inertial sensor feels: the weight alone does not say so."""
        if self.phase is Phase.FREE:
            self._touched(began_s)
        self.restart()

    def _touched(self, began_s: float) -> None:
        self.touch, self._arrived_g, self._doubts = Touch(began_s), inf, 0

    def _while_free(self, t_s: float, mass_g: float) -> None:
        assert self.before_g is not None  # noqa: S101 - free only after accept()
        departure = mass_g - self.before_g
        limit = max(LEAST_STEP * self._piece_g, 4.5 * self.noise_g)
        self._trend_g += (departure - self._trend_g) / RUN_TICKS
        trend_limit = max(LEAST_STEP * self._piece_g, 2.0 * self.noise_g)
        if abs(departure) > limit or abs(self._trend_g) > trend_limit:
            self._doubts += 1
            sure = abs(departure) > max(CLEAR_STEP * self._piece_g, 2 * limit)
            if sure or self._doubts >= 2:
                self._begin(t_s, mass_g)
            return
        self._doubts = 0
        self.run_ticks += 1
        gain = 1.0 / min(self.run_ticks, BASELINE_TICKS)
        self.before_g += gain * departure
        self.run_mean_g = self.before_g

    def _begin(self, t_s: float, mass_g: float) -> None:
        self._touched(t_s - (self._doubts + 1) * TICK_S)
        self.restart()
        self._feel(mass_g)
        self._recent.append(mass_g)

    def _feel(self, mass_g: float) -> None:
        touch, before = self.touch, self.before_g
        if before is None:
            return
        touch.lightest_g = min(touch.lightest_g, mass_g)
        touch.feel(mass_g - before)

    def _while_touched(self, t_s: float, mass_g: float) -> None:
        if self._broke_g is not None:
            self._feel(self._broke_g)
            self._broke_g = None
        if self.phase is Phase.SETTLING:
            if abs(mass_g - self.run_mean_g) <= 1.3 * self.tolerance_g:
                self._feel(mass_g)
                self.run_ticks += 1
                self.run_mean_g += (mass_g - self.run_mean_g) / self.run_ticks
                return
            self.restart()
            # What ends a rest is no part of what led to it: it is felt with what follows.
            self._broke_g = mass_g
        else:
            self._feel(mass_g)
        self._recent.append(mass_g)
        if len(self._recent) < RUN_TICKS:
            return
        mean = sum(self._recent) / RUN_TICKS
        if max(abs(mass - mean) for mass in self._recent) <= self.tolerance_g:
            self.phase = Phase.SETTLING
            self.run_ticks = RUN_TICKS
            self.run_mean_g = mean
            self.run_began_s = t_s - RUN_TICKS * TICK_S
            if abs(mean - self._arrived_g) > 2 * self.tolerance_g:
                self._arrived_g, self.arrived_s = mean, self.run_began_s

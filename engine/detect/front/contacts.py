"""Ticks to observations: where contacts begin and end, and what each rest between them shows.

`Balance` says whether somebody touches, `MomentEstimator` how the board hangs; a contact ends with
a rest, which is looked at again and again for as long as it lasts. The back end weighs the looks
(`engine.detect.back.scene`), and says what the next contact is compared with.
"""

from collections import deque
from dataclasses import replace
from math import hypot, inf

import numpy as np

from engine.detect.body import Body, Stacks
from engine.detect.front.attitude import Rate, Up
from engine.detect.front.contact import BASELINE_TICKS, HOVERING_S, Balance, Phase
from engine.detect.front.health import Rests
from engine.detect.front.moment import Moment, MomentEstimator
from engine.detect.front.observation import IN_THE_AIR_S, BackEnd, Felt, Look, Rested
from engine.detect.front.pressing import MOST_PRESSED_G, Press, Pressing
from engine.detect.front.shocks import Pushes, Shocks
from engine.detect.front.stillness import Stillness
from engine.detect.front.ticks import TICK_S, Tick
from engine.detect.front.tipping import Tipping
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop

LOOKS = (5, 7, 10, 16, 24, 36, 50, 64, 80, 140, 240)
"""Ticks of rest after which it is looked at (anew); then every `LATER_LOOKS`."""

LATER_LOOKS = 200

LAG_TICKS = 4
"""A hand is noticed up to 0.1 s after it came; the newest ticks wait before they are believed."""

FOLD_TICKS = 20
"""Half a second of swing at a time goes into the belief about the moment for good."""

HELD_MISFIT = 9.0
"""Mean square residual of half a second's swing that no free board on a shaken table has."""

WILD_G = 20.0
"""A larger dynamic weight than any swing makes: a shaken gyroscope, not to be subtracted."""

FEWEST_SAMPLES = 3.5
"""A rest of fewer conversions is none: between two of them a straight line looks steady."""

START_S = 0.3
"""So long must the weight be steady at the start to be taken for the empty board's."""

WEIGHED_FOR_S = 2.0
"""A rest weighs what it weighed in its first seconds: the cells creep all evening."""

UNSTEADY_TICKS = 12
"""0.3 s: longer than a shaken table takes to swing back (4-11 Hz)."""

LOST = 0.65
"""A weight below this share of a piece, all the time, is a piece that is gone."""

NOTHING_CHANGED_GMM, NOTHING_CHANGED_G = 20.0, 0.5
"""A fifth of a cell, or three standard deviations: the board hangs as it did."""

PLATE_REACH_MM = 100.0
UNKNOWN_GMM = 1e4
"""A moment with such an error has not been measured at all."""

DOUBTFUL_GMM = 300.0
"""Error of the moment while gyroscope and accelerometer contradict each other: a hand's."""

HANDS_APART = 0.35
"""Under a resting hand a piece is a step of its weight within this share."""

CLEARLY_MM = 4.0
"""A contact whose press is known less well than a finger works says nothing about the next one."""


class Contacts:
    """Follows one table from tick to tick.

    Attributes:
        tilt_doubtful: gyroscope and accelerometer contradict each other.
        scale_hz: rate of the load cells.
        alike: by how much a mean of ticks is noisier than of independent ones (`Noise`).
        cells_g: loads of the cells when the board was free last; empty when they say nothing.
        rest_cells_g: the same, averaged over the rest as its weight is.
    """

    def __init__(self, tabletop: Tabletop, back: BackEnd, rests: Rests) -> None:
        self._tabletop, self._back, self._rests = tabletop, back, rests
        self.balance = Balance(tabletop.piece.mass_mean_g)
        self.moment = MomentEstimator(tabletop)
        self.pressing = Pressing()
        self.shocks = Shocks()
        self.tipping = Tipping(believed=tabletop.weight_only)
        self.stillness = Stillness()
        self.tilt_doubtful = False
        self.scale_hz = tabletop.scale_rate_hz
        self.alike = 1.0
        self.cells_g: tuple[float, ...] = ()
        self.rest_cells_g: tuple[float, ...] = ()
        self._bare = Stacks(tabletop).body()
        self._lagging: deque[tuple[Tick, Up, Rate]] = deque()
        self._fall = 0.0
        self._felt: Felt | None = None
        self._pressed_before: tuple[Press | None, float] = None, -inf
        self._held: list[tuple[float, float]] = []
        self._recent: deque[float] = deque(maxlen=UNSTEADY_TICKS)
        self._felt_ticks = 0
        self._shifts: list[tuple[float, float]] = []
        self._shifted_s = -inf
        self._tied = False
        self._began_g = self._rested_s = 0.0
        self._free_ticks = 0

    def lost(self) -> None:
        """How the board hung meanwhile nobody knows."""
        self._lagging.clear()
        self.moment.lost()

    def weigh_anew(self) -> None:
        """What the weight did while nobody knew is not evidence for anything."""
        self._touched(was_free=self.balance.phase is Phase.FREE)
        self.balance.start_anew()
        self._told()

    def weigh_on(self) -> bool:
        """The cells weigh otherwise from now on, but against the weight before as ever.

        Returns:
            False where the present rest has been looked at: it was weighed otherwise.
        """
        balance = self.balance
        looked = balance.phase is Phase.SETTLING and balance.run_ticks > LOOKS[0]
        if balance.before_g is None or looked:
            return False
        if balance.phase is not Phase.FREE:
            balance.restart()
            self.moment.touch_again()
        return True

    # -- one tick --------------------------------------------------------------------------------

    def weigh(self, tick: Tick, up: Up, rate: Rate) -> Phase:
        """Advance the weight by one tick; the phase before it."""
        was = self.balance.phase
        self.stillness.turns(hypot(*rate), free=was is Phase.FREE, rested_s=self._rested_s)
        if was is not Phase.CONTACT:
            still_s = self.stillness.since_s(self._back.now_s, self._rested_s)
            if still_s is not None:
                self._back.hung_still(still_s)
        self.balance.update(tick.t_s, self._resting_mass_g(tick, up, rate))
        self._told()
        return was

    def follow(self, was: Phase, tick: Tick, up: Up, rate: Rate) -> None:
        """Act on the tick that was weighed last; `was` the phase before it."""
        phase = self.balance.phase
        if phase is Phase.FREE:
            self._while_free(tick, up, rate)
        elif phase is Phase.SETTLING:
            self.moment.add(tick, up, rate)
            if self._begin() if self.balance.before_g is None else self._settle():
                self._lagging.clear()
            elif self.moment.ticks % (FOLD_TICKS // 2) == 0 and self.balance.before_g is not None:
                self._held_lightly(tick)
        elif was is not Phase.CONTACT:
            self._touched(was_free=was is Phase.FREE)
        else:
            self._while_touched(tick.mass_g)
        if phase is Phase.CONTACT:
            tapped = self.shocks.jolt_g > self.moment.tap_g
            self.pressing.add(tick, up, rate, tapped=tapped)
        self._told()

    def _told(self) -> None:
        back = self._back
        back.in_contact = self.balance.phase is Phase.CONTACT
        back.touched_s, back.jolted_s = self.balance.touch.began_s, self.shocks.jolted_s

    def _resting_mass_g(self, tick: Tick, up: Up, rate: Rate) -> float:
        """The weight the board would show at rest.

        The centre of mass of a swinging board rises and falls; the cells feel its vertical
        acceleration, the second derivative of S . up (two grams in a wild swing).
        """
        sx, sy = self.moment.now_gmm
        sz = self._back.body.moment_z_gmm
        rate_x, rate_y = rate
        rate_z = tick.turn_z_rad / TICK_S
        fall = -(
            sx * (rate_y * up[2] - rate_z * up[1])
            + sy * (rate_z * up[0] - rate_x * up[2])
            + sz * (rate_x * up[1] - rate_y * up[0])
        )
        dynamic_g = (fall - self._fall) / TICK_S / STANDARD_GRAVITY_MM_S2
        self._fall = fall
        return tick.mass_g - dynamic_g if abs(dynamic_g) < WILD_G else tick.mass_g

    def _while_free(self, tick: Tick, up: Up, rate: Rate) -> None:
        self._lagging.append((tick, up, rate))
        if len(self._lagging) > LAG_TICKS:
            settled = self._lagging.popleft()
            self._average(settled[0].cells_g)
            self.moment.add(*settled)
        if self.moment.ticks >= FOLD_TICKS:
            if self._held_lightly(tick):
                return
            self.moment.fold(self._back.body, learn=self.balance.run_s > HOVERING_S)
        self._rest_on()

    def _average(self, cells_g: tuple[float, ...]) -> None:
        self._free_ticks += 1
        # A cell that was silent for a moment is no part of a new rest.
        before_g = self.rest_cells_g if self.cells_g and self._free_ticks > 1 else cells_g
        gain = 1.0 / min(self._free_ticks, BASELINE_TICKS)
        self.cells_g, self.rest_cells_g = cells_g, tuple([
            mean + gain * (now - mean) for mean, now in zip(before_g, cells_g, strict=True)
        ])  # fmt: skip

    def _held_lightly(self, tick: Tick) -> bool:
        """Whether the board moves as no free board does, though it weighs what it weighed.

        Fingers that slide a piece to another cell need not press on it.
        """
        moment = self.moment
        if moment.ticks < FOLD_TICKS or moment.misfit(self._back.body) < HELD_MISFIT:
            return False
        was_free = self.balance.phase is Phase.FREE
        moment.drop_last(FOLD_TICKS, self._back.body)
        self.balance.touch_lightly(tick.t_s - FOLD_TICKS * TICK_S)
        self._touched(was_free=was_free)
        return True

    def _while_touched(self, mass_g: float) -> None:
        """One more tick of a contact: is weight gone, though it is not steady?"""
        balance = self.balance
        if balance.before_g is None or not self._back.begun:
            return
        self._recent.append(mass_g - balance.before_g)
        self._felt_ticks += 1
        if len(self._recent) < UNSTEADY_TICKS or self._felt_ticks % 4:
            return
        highest_g = max(self._recent)
        if highest_g > -LOST * self._back.piece_g:
            return
        # Less than before all the time: as good as a short rest of the mean.
        mean_g = balance.before_g + sum(self._recent) / len(self._recent)
        spread_g = (highest_g - min(self._recent)) / 4
        began_s = self._back.now_s - UNSTEADY_TICKS * TICK_S
        self._back.lighter(replace(
            self._seen(measure=False), mass_g=mean_g, mean_g=mean_g, noise_g=spread_g,
            steady_s=0.1, arrived_s=began_s,
        ))  # fmt: skip

    # -- rests -----------------------------------------------------------------------------------

    def _begin(self) -> bool:
        """The first steady weight, or the first after the scale was lost: true when it is known."""
        balance = self.balance
        self._lasts()
        if balance.run_s < START_S:
            return False
        self._back.begin(balance.run_mean_g)
        # There is nothing before it to compare it with.
        self._tied = True
        balance.accept()
        return True

    def _settle(self) -> bool:
        """One more tick of a steady weight; true when the board counts as free."""
        self._lasts()
        if not _due(self.balance.run_ticks) or not self._back.begun or self._too_short:
            return False
        if not self._look():
            return False
        self.balance.accept()
        return True

    def _rest_on(self) -> None:
        """One more tick of a free board."""
        balance, back = self.balance, self._back
        self._lasts()
        if not _due(balance.run_ticks):
            return
        if self._tied or back.agreed(balance.run_ticks):
            back.wait(self._rested(let_go=True))
            return
        self._look()
        if self._rested_s >= HOVERING_S:
            self._tie()

    def _lasts(self) -> None:
        self._rested_s = self.balance.run_s
        if self._rested_s < WEIGHED_FOR_S:
            self._began_g = self.balance.run_mean_g

    @property
    def _too_short(self) -> bool:
        """Whether the present rest is not more than a few conversions of the load cells."""
        return self._rested_s * self.scale_hz < FEWEST_SAMPLES

    def _look(self) -> bool:
        self.moment.plate_gmm = PLATE_REACH_MM * abs(self.balance.gained_g)
        if self._shifted_s != self.balance.arrived_s:
            self._shifted_s = self.balance.arrived_s
            self._shifts.clear()
        look = self._seen()
        self._felt = look.felt
        free = self._back.look(look)
        if look.moment is not None and len(self._shifts) < len(LOOKS):
            self._shifts.append((look.moment.offset_shift_gmm, look.moment.offset_sd_gmm))
        return free

    def _seen(self, *, measure: bool = True) -> Look:
        balance = self.balance
        return Look(
            felt=self._feel(),
            let_go=balance.phase is Phase.FREE,
            mass_g=self._began_g,
            noise_g=1.3 * self.alike * balance.noise_g / max(self._rested_s / TICK_S, 6.0) ** 0.5,
            mean_g=balance.run_mean_g,
            arrived_s=balance.arrived_s,
            came_s=self._came_s(),
            steady_s=self._rested_s,
            moment=self._measured(self._back.body) if measure else None,
            bare=self._measured(self._bare) if measure and self._back.may_be_bare else None,
            shifts=tuple(self._shifts),
            friction_gmm=self.moment.friction_gmm,
            hung_gmm=self.moment.now_gmm,
        )

    def _feel(self) -> Felt:
        touch = self.balance.touch
        before, ended_s = self._pressed_before
        landing = touch.began_s - ended_s < IN_THE_AIR_S
        pushes = self.shocks.about(touch)
        return Felt(
            replace(touch),
            pushes,
            tipped=self.tipping.since(touch.began_s),
            stirred=self.stillness.stirred,
            press=self._press(pushes),
            before=before if landing else None,
            landing=landing,
        )

    def _came_s(self) -> float:
        """When the weight of a piece came: also under another hand that rested there meanwhile."""
        piece_g = self._back.piece_g
        if len(self._held) > 1:
            (_, before_g), (arrived_s, mass_g) = self._held[-2:]
            if abs(mass_g - before_g - piece_g) < HANDS_APART * piece_g:
                return arrived_s
        return self.balance.arrived_s

    def _press(self, pushes: Pushes) -> Press | None:
        """Where this contact pressed, if the tilt can be relied on.

        A shaken table weighs on the cells and turns no board: it would seem to press in the middle.
        """
        if self.tilt_doubtful or self._tabletop.weight_only or pushes.shaken:
            return None
        return self.pressing.where(self.moment.table(), self._back.body)

    def _measured(self, body: Body) -> Moment | None:
        if self.moment.deaf or self._tabletop.weight_only:
            return None
        moment = self.moment.measure(body)
        if moment.sd_gmm > UNKNOWN_GMM:
            return None
        if self.balance.phase is Phase.FREE:
            # It was let go. Who holds it now touches it anew, or else the sensor lies.
            moment = replace(moment, misfit=moment.usual_misfit)
        if self.tilt_doubtful:
            moment = replace(moment, change_cov=moment.change_cov + np.eye(2) * DOUBTFUL_GMM**2)
        return moment

    def _tie(self) -> None:
        """The board hangs as it did: its moment is the one of before."""
        moment = self.moment.measure(self._back.body)
        limit = NOTHING_CHANGED_GMM + 3 * moment.sd_gmm
        as_before = moment.size_gmm < limit and abs(self.balance.gained_g) < NOTHING_CHANGED_G
        self._tied = as_before and self._back.unchanged(self.balance.run_mean_g)
        if self._tied:
            self.moment.nothing_changed()

    # -- the board is touched --------------------------------------------------------------------

    def _touched(self, *, was_free: bool) -> None:
        """The rest is over: go on with what it left, and begin the next contact."""
        self._told()
        if len(self.cells_g) == 4 and was_free:
            self._rests.note(self.cells_g)
        self._free_ticks = 0
        self._lagging.clear()
        if not self._back.begun or self.balance.before_g is None:
            self.moment.touch_again()
            return
        if not was_free and self._too_short:
            self.moment.touch_again()
            return
        if not was_free and not self._tied and self.moment.ticks:
            self._look()
        moment = None if self._tied else self._measured(self._back.body)
        x_gmm, y_gmm = (0.0, 0.0) if moment is None else map(float, moment.change_gmm)
        left = self._back.end(self._rested(let_go=was_free, change_gmm=(x_gmm, y_gmm)))
        if left.forgotten:
            self.moment.touch_again()
            return
        self._keep_hand()
        moment = self._measured(self._back.body)
        hung_gmm = self.moment.now_gmm if moment is None else moment.now_gmm
        self.pressing.begin(self.balance.run_mean_g, (float(hung_gmm[0]), float(hung_gmm[1])))
        if left.moves:
            self._go_on(was_free=was_free)
        else:
            self._go_back(was_free=was_free, held=left.held)
        if was_free:
            self.stillness.touched()
        self._tied = False
        self._recent.clear()

    def _rested(self, *, let_go: bool, change_gmm: tuple[float, float] = (0.0, 0.0)) -> Rested:
        mean_g, hung_gmm = self.balance.run_mean_g, self.moment.now_gmm
        return Rested(self._rested_s, let_go, self._began_g, mean_g, hung_gmm, change_gmm)

    def _go_on(self, *, was_free: bool) -> None:
        """The next rest is compared with this one."""
        self.moment.fold(self._back.body, learn=was_free and self._rested_s > HOVERING_S)
        self.moment.contact()
        self._held.clear()
        if not was_free:
            self.balance.rebase(self._back.now_s)

    def _go_back(self, *, was_free: bool, held: bool) -> None:
        """The next rest is compared with the one before."""
        if held:
            self._held.append((self.balance.arrived_s, self.balance.run_mean_g))
        else:
            self._held.clear()
        if was_free and self.balance.rejoin():
            self.moment.rejoin()
        else:
            self.moment.touch_again()

    def _keep_hand(self) -> None:
        """What the next contacts will be asked about this one, which is over."""
        press = self._press(self.shocks.about(self.balance.touch))
        if press is not None and (press.sd_mm > CLEARLY_MM or press.highest_g > MOST_PRESSED_G):
            press = None
        if press is None and self._only_left:
            press = self._pressed_before[0]
        self._pressed_before = press, self.balance.arrived_s

    @property
    def _only_left(self) -> bool:
        """Whether the contact was but a piece that left its stack: its hand had pressed before."""
        felt, light_g = self._felt, self._back.piece_g / 2
        return felt is not None and felt.landing and felt.touch.highest_g < light_g


def _due(ticks: int) -> bool:
    return ticks in LOOKS or (ticks > LOOKS[-1] and ticks % LATER_LOOKS == 0)

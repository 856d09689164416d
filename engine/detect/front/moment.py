"""Measuring the board's moment from its swing and from the load cells, without waiting for rest.

Theory of operation. Let S = (Sx, Sy) be the horizontal first moment of the board about the pivot,
in the board frame. A piece of mass m put down at (x, y) changes it by m (x, y); so S before and
S after a contact, and the weight gained, say where the piece lies. While nobody touches the
board, two independent equations hold in every tick (J turns a vector by 90 degrees, g is gravity,
a the angular acceleration, w the rate, up the tracked tilt, Sz the vertical moment):

    swing:  up/up_z Sz + (I_pieces + I_board) J'a/g + c J'w/g + F J'w/|w|   = S
    scale:  cop + up/up_z Sz + (I_pieces + I_board) J'a/g + h (a x S)/g      = S + offset

The first is the pendulum with viscous damping c and Coulomb friction F in the pivot. At rest its
friction term is unknown within the band +-F, which is what limits a tilt reading. The second
needs no friction at all: whatever torque the pivot passes on stands on the load cells too. Its
price is the cells' noise and a slowly wandering offset (drift, pieces lying on the base), which
is measured whenever the board swings freely.

Both are linear in the unknowns (S, offset, I_board, c, F, h), so one Gaussian belief over all of
them is updated by least squares over the ticks of a window, robustly (Huber weights). S before
the last contact stays in the belief beside S now, so their difference comes with its covariance.
I_board, c, F and h belong to the table and are learned from its own swings.
"""

from dataclasses import dataclass
from math import hypot, isfinite

import numpy as np

from engine.detect.body import Body
from engine.detect.front.regression import Equations, mean_square, robust_update
from engine.detect.front.swing import (
    MOVING_RAD_S,
    TableEstimate,
    across,
    drag,
    torque,
    with_neighbours,
)
from engine.detect.front.ticks import TICK_S, Tick
from engine.samples import Flags, Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop

# Places in the state vector.
_BEFORE, _NOW, _OFFSET = slice(0, 2), slice(2, 4), slice(4, 6)
_INERTIA, _DAMPING, _FRICTION, _HEIGHT = 6, 7, 8, 9
_TABLE = slice(6, 10)
_SIZE = 10
_TELLING, _JOLTED = 8, 9  # in a row of the window
_OFFSET_ONLY = np.diag([0.0] * 4 + [1.0] * 2 + [0.0] * 4)

_SCALED = 1e5
"""Inertia and damping are kept in 1e5 g mm^2 (and /s), so that all unknowns are of one size."""

REST_RAD_S = 0.005
"""0.3 degrees a second: slower is rest (noise of the gyroscope: 0.02-0.06 a tick)."""

SWING_SD = 0.0012
"""Residual of the swing equation per tick as a share of Sz: 0.07 degrees of tilt, of which 0.05
are noise of the attitude; about 5 g mm on the usual board."""

MODEL_SHARE = 0.03
"""Share of the inertial torque that the rigid model misses (lever arms, coupling, timing)."""

CORRELATED_TICKS = 3.0
"""Neighbouring residuals are alike; three ticks count as one."""

STICKING_SHARE = 0.3
"""Share of the pivot's friction that its model (one constant, always against the motion) misses."""

STUCK_TICKS = 40.0
"""At rest the friction torque is one unknown, not one per tick: a second of rest counts once."""

TELLING_TICKS = 400
"""And after ten seconds it has said all it can."""

OFFSET_STEP_GMM = (5.0, 15.0, 30.0)
"""What a contact leaves in the cells' offset: least, at first, most. How steady the table stands,
and whether people lean on it, is learned from its own steps."""

OFFSET_MEMORY = 0.15
"""Share of the newest step in that: about the last seven contacts count."""

LEAN_SD = 0.037
"""As a share of Sz, 150 g mm on the usual board: what tilting the base by half a degree does, as
leaning on the table may. A piece lying on the base plate moves it by 150-300."""

RESTLESS_S = 2.0
"""Somebody who has just leaned goes on leaning, or stops: the offset is not to be relied on."""

SAME_OFFSET = 9.0
"""Squared distance in standard deviations (two degrees of freedom, 99 %) up to which the offset
is taken to be what it was."""

SEAT_CREEP_GMM2_S = 0.1
OFFSET_CREEP_GMM2_S = 25.0
"""Variance a second: the board's moment hardly creeps by itself, the cells' offset does (drift,
people leaning a little)."""

MOST_TICKS = 400
"""Ten seconds. A hand may rest on the board all evening; memory may not grow with it."""

TEACHABLE_MISFIT = 2.0
"""A window that fits worse says nothing about the table: somebody's hand was in it."""

USUAL_MISFIT, LEAST_MISFIT, MISFIT_MEMORY = 0.2, 0.05, 0.05
"""How well a free board's swing fits on a good table, at best, and how fast a table's own is
learned (ten seconds of it): with a noisy inertial sensor it fits ten times worse."""

INERTIA_SHARE = (0.25, 3.0)
PIVOT_MM = (20.0, 300.0)
"""No tower has a board that swings in less than half or more than 1.7 times the usual period, or a
pivot that is lower or higher above its load cells. A hand that swings the board while it places
looks like such a tower: one rough table learned a period of 0.14 s from 16 ticks, and never came
back."""

KNOWN_SD = 0.01
"""Of each of the table's properties when it is taken for known; no window moves it then."""
_KNOWN = np.eye(4) * KNOWN_SD**2

TAP_G, JOLT_NOISES, NOISE_MEMORY, USUAL_JOLT_G = 0.01, 4.0, 0.01, 0.0025
"""What shakes the tip while somebody taps on the table, or more than so many times the sensor's own
noise; a shaken tip turns the board, and no equation knows of it. Taps shake by 0.01 to 0.03 g; a
board that swings freely feels 0.0075 g once in a thousand ticks (4 twin tables, 40,000 ticks)."""

_UNKNOWN = np.eye(2) * 1e6


@dataclass(frozen=True, slots=True)
class Moment:
    """S now, and the change since the last contact (g mm, g^2 mm^2).

    Attributes:
        now_gmm: S, (2,), with its covariance (2, 2).
        change_gmm: S minus S before the contact, (2,), with its covariance (2, 2).
        offset_shift_gmm: how far the cells' offset moved: a piece on the base plate, or a lean.
        offset_sd_gmm: standard deviation of that, the same in all directions.
        misfit: mean square residual of the swing; large while somebody still holds the board.
        usual_misfit: the same when nobody does, on this table.
        ticks: length of the window.
    """

    now_gmm: Floats
    now_cov: Floats
    change_gmm: Floats
    change_cov: Floats
    offset_shift_gmm: float
    offset_sd_gmm: float
    misfit: float
    usual_misfit: float
    ticks: int

    @property
    def size_gmm(self) -> float:
        """Length of the change."""
        return hypot(*self.change_gmm)

    @property
    def sd_gmm(self) -> float:
        """Standard deviation of the change, the same in all directions."""
        return float(np.sqrt(np.trace(self.change_cov) / 2))


class MomentEstimator:
    """The belief about S and the table; fed with the ticks during which nobody touches.

    Attributes:
        cop_sd_gmm: noise of the load cells' moment in a tick.
        plate_gmm: what the weight gained would do to the cells' offset if it lay on the plate.
    """

    def __init__(self, tabletop: Tabletop) -> None:
        sz = -tabletop.empty_moment_gmm[2]
        # A first guess until the board has swung: the usual period of 0.72 s, within a fifth.
        inertia = STANDARD_GRAVITY_MM_S2 * sz / (2 * np.pi / 0.72) ** 2 / _SCALED
        self._mean = np.zeros(_SIZE)
        self._guess = inertia
        self._mean[_BEFORE] = self._mean[_NOW] = tabletop.empty_moment_gmm[:2]
        self._mean[[_INERTIA, _DAMPING, _FRICTION, _HEIGHT]] = inertia, 4.0, 0.004 * sz, 120.0
        self._cov = np.diag(
            [*[150.0**2] * 4, *[30.0**2] * 2, (0.2 * inertia) ** 2, 9.0, (0.004 * sz) ** 2, 40.0**2]
        )
        self.cop_sd_gmm = 12.0
        self.plate_gmm = 0.0
        self._offset_before = np.zeros(2)
        self._rows: list[tuple[float, ...]] = []
        self._still_ticks = 0
        self._offset_moved = False
        self._offset_step_var = OFFSET_STEP_GMM[1] ** 2
        self._fresh = False
        self._restless_s = 0.0
        self._sz_gmm = sz
        self._solved: tuple[Floats, Floats, float] | None = None
        self._strange = self._alone = False  # alone: nobody has touched since the last window
        self._usual_misfit, self._usual_jolt_g = USUAL_MISFIT, USUAL_JOLT_G
        self._kept = self._mean.copy(), self._cov.copy(), self._offset_before.copy()

    @property
    def ticks(self) -> int:
        """Ticks in the open window."""
        return len(self._rows)

    @property
    def restless(self) -> bool:
        """Whether somebody leans on the table, or did a moment ago."""
        return self._restless_s > 0

    @property
    def deaf(self) -> bool:
        """Whether the open window was recorded without the inertial sensor."""
        return sum(isfinite(row[0] + row[2]) for row in self._rows) * 2 < len(self._rows)

    @property
    def now_gmm(self) -> tuple[float, float]:
        """S as far as it is folded into the belief."""
        return float(self._mean[2]), float(self._mean[3])

    @property
    def friction_gmm(self) -> float:
        """Coulomb friction of the pivot as a moment; the tilt band is this over Sz."""
        return max(float(self._mean[_FRICTION]), 0.5)

    def table(self) -> TableEstimate:
        """What is known about the table."""
        mean = self._mean
        return TableEstimate(
            board_inertia_gmm2=float(mean[_INERTIA]) * _SCALED,
            damping_gmm2_s=float(mean[_DAMPING]) * _SCALED,
            friction_gmm=self.friction_gmm,
            friction_sd_gmm=float(np.sqrt(self._cov[_FRICTION, _FRICTION])),
            pivot_height_mm=float(mean[_HEIGHT]),
        )

    @property
    def tap_g(self) -> float:
        """What shakes the tip by more is somebody who taps on the table, not the sensor's noise."""
        return max(TAP_G, JOLT_NOISES * self._usual_jolt_g)

    def add(self, tick: Tick, up: tuple[float, float, float], rate: tuple[float, float]) -> None:
        """One more tick of the open window."""
        self._solved = None
        jolt_g, tap_g = hypot(tick.force_x_g - up[0], tick.force_y_g - up[1]), self.tap_g
        if isfinite(jolt_g):
            self._usual_jolt_g += NOISE_MEMORY * (min(jolt_g, tap_g) - self._usual_jolt_g)
        at_rest = hypot(*rate) < REST_RAD_S
        self._still_ticks = self._still_ticks + 1 if at_rest else 0
        self._rows.append((
            up[0] / up[2], up[1] / up[2], tick.spin_x_rad_s2, tick.spin_y_rad_s2,
            rate[0], rate[1], tick.cop_x_gmm, tick.cop_y_gmm,
            float(self._still_ticks <= TELLING_TICKS), float(jolt_g > tap_g),
        ))  # fmt: skip
        if len(self._rows) > MOST_TICKS:
            del self._rows[: MOST_TICKS // 2]

    def drop_last(self, ticks: int, body: Body) -> None:
        """Forget the newest ticks: the board has moved as no free one does.

        Where they are all that was seen since the contact, only what lies beside the board is kept
        of them: the cells tell that however the board moves.
        """
        if self._fresh and len(self._rows) <= ticks:
            mean, cov, _ = self._solve(body)
            self._mean[_OFFSET] = mean[_OFFSET]
            self._cov = _apart(self._cov, _OFFSET, cov[_OFFSET, _OFFSET])
        self._solved = None
        del self._rows[-ticks:]

    def measure(self, body: Body) -> Moment:
        """S from everything known and the open window."""
        mean, cov, misfit = self._solve(body)
        change = mean[_NOW] - mean[_BEFORE]
        cross = cov[_NOW, _BEFORE]
        change_cov = cov[_NOW, _NOW] + cov[_BEFORE, _BEFORE] - cross - cross.T
        shift = hypot(*(mean[_OFFSET] - self._offset_before))
        offset_sd = float(np.sqrt(np.trace(cov[_OFFSET, _OFFSET]) / 2))
        return Moment(
            mean[_NOW], cov[_NOW, _NOW], change, change_cov, shift, offset_sd,
            misfit, self._usual_misfit, len(self._rows),
        )  # fmt: skip

    def misfit(self, body: Body) -> float:
        """Mean square residual of the swing in the open window."""
        return self._solve(body)[2]

    def fold(self, body: Body, *, learn: bool = True) -> None:
        """Take the open window into the belief for good and go on with an empty one.

        Args:
            body: mass properties during the window.
            learn: let it teach what the table is like, too. Not when a hand may have been in it.
        """
        if not self._rows:
            return
        elapsed_s = len(self._rows) * TICK_S
        mean, cov, misfit = self._solve(body)
        if not learn or misfit > TEACHABLE_MISFIT or self._strange:
            mean, cov = self._without_lesson(mean, cov)
        else:
            self._learn_misfit(misfit)
        self._mean, self._cov = mean, cov
        self._restless_s = RESTLESS_S if self._offset_moved else self._restless_s - elapsed_s
        self._learn_offset_step()
        self._alone = True
        self._cov[_NOW, _NOW] += np.eye(2) * elapsed_s * SEAT_CREEP_GMM2_S
        self._cov[_OFFSET, _OFFSET] += np.eye(2) * elapsed_s * OFFSET_CREEP_GMM2_S
        self._discard()

    def _learn_misfit(self, misfit: float) -> None:
        usual = self._usual_misfit
        usual += MISFIT_MEMORY * (min(misfit, 4.0 * usual) - usual)
        self._usual_misfit = max(usual, LEAST_MISFIT)

    def _learn_offset_step(self) -> None:
        """How much this table's contacts move the cells' offset, once it is known well again."""
        least, _, most = OFFSET_STEP_GMM
        known = np.trace(self._cov[_OFFSET, _OFFSET]) < 2 * (1.5 * least) ** 2
        if not self._fresh or not (known or self._offset_moved):
            return
        self._fresh = False
        step = self._mean[_OFFSET] - self._offset_before
        seen = most**2 if self._offset_moved else min(float(step @ step) / 2, most**2)
        blended = self._offset_step_var + OFFSET_MEMORY * (seen - self._offset_step_var)
        self._offset_step_var = max(blended, least**2)

    def _without_lesson(self, mean: Floats, cov: Floats) -> tuple[Floats, Floats]:
        """A new belief with the old one about the table's own properties."""
        mean = mean.copy()
        mean[_TABLE] = self._mean[_TABLE]
        return mean, _apart(cov, _TABLE, self._cov[_TABLE, _TABLE])

    def contact(self) -> None:
        """Somebody touched: S may be anything from now on; S so far becomes "before"."""
        self._discard()
        self._still_ticks = 0
        self._offset_before = self._mean[_OFFSET].copy()
        move = np.eye(_SIZE)
        move[_BEFORE] = 0.0
        move[_BEFORE, _NOW] = np.eye(2)
        self._mean = move @ self._mean
        self._cov = move @ self._cov @ move.T
        self._forget_now()
        variance = (LEAN_SD * self._sz_gmm) ** 2 if self.restless else self._offset_step_var
        self._cov[_OFFSET, _OFFSET] += np.eye(2) * variance
        self._fresh = True
        self._kept = self._mean.copy(), self._cov.copy(), self._offset_before.copy()

    def rejoin(self) -> None:
        """The last contact was not over when it seemed so: all that was learned since is void.

        S before that contact is "before" again; what the window held while the hand hovered says
        nothing about the board.
        """
        self._discard()
        self._still_ticks = 0
        mean, cov, offset = self._kept
        self._mean, self._cov, self._offset_before = mean.copy(), cov.copy(), offset.copy()

    def touch_again(self) -> None:
        """Another contact before anything was decided: "before" stays."""
        self._discard()
        self._still_ticks = 0
        self._forget_now()

    def lost(self) -> None:
        """Nobody watched the board: S may be anything now, and may have been before."""
        self.touch_again()
        self._cov = _apart(self._cov, _BEFORE, _UNKNOWN)

    def nothing_changed(self) -> None:
        """The contact left the board as it was: S is what it was before."""
        self._discard()
        self._mean[_NOW] = self._mean[_BEFORE]
        move = np.eye(_SIZE)
        move[_NOW] = 0.0
        move[_NOW, _BEFORE] = np.eye(2)
        self._cov = move @ self._cov @ move.T
        self._cov[_NOW, _NOW] += np.eye(2) * 3.0**2

    def _discard(self) -> None:
        """Forget the whole open window."""
        self._solved = None
        self._rows.clear()

    def _forget_now(self) -> None:
        self._alone = False
        self._cov = _apart(self._cov, _NOW, _UNKNOWN)

    def _solve(self, body: Body) -> tuple[Floats, Floats, float]:
        if self._solved is not None:
            return self._solved
        if not self._rows:
            return self._mean.copy(), self._cov.copy(), 0.0
        window = self._equations(body)
        # Leaning on the table, or a piece on the base plate, moves the cells' offset at once. So
        # it is measured freely too, and the belief about it used only if they agree.
        loose_gmm = hypot(LEAN_SD * body.moment_z_gmm, self.plate_gmm)
        loose = self._cov + _OFFSET_ONLY * loose_gmm**2
        priors = np.array((loose, self._cov))
        means, covs, standard = robust_update(self._mean, priors, window)
        gap = means[0, _OFFSET] - self._mean[_OFFSET]
        spread = covs[0, _OFFSET, _OFFSET] + self._cov[_OFFSET, _OFFSET]
        self._offset_moved = bool(gap @ np.linalg.solve(spread, gap) >= SAME_OFFSET)
        which = 0 if self._offset_moved else 1
        if self._offset_moved and self._alone:
            # A lean turns base and board together: what moves then says nothing of friction.
            window = self._equations(body, leaning=True)
            means, covs, standard = robust_update(self._mean, priors, window)
        self._strange = not self._may_be_a_table(means[which])
        if self._strange:
            means, covs, standard = robust_update(
                self._mean, _apart(priors, _TABLE, _KNOWN), window
            )
        mean = means[which]
        mean[_FRICTION] = max(mean[_FRICTION], 0.0)
        self._solved = mean, covs[which], mean_square(standard[which, : window.swings])
        return self._solved

    def _may_be_a_table(self, mean: Floats) -> bool:
        least, most = INERTIA_SHARE
        lowest_mm, highest_mm = PIVOT_MM
        swings = least * self._guess < mean[_INERTIA] < most * self._guess
        return bool(swings and lowest_mm < mean[_HEIGHT] < highest_mm)

    def _equations(self, body: Body, *, leaning: bool = False) -> Equations:
        """The equations of the window: those of the swing first, x before y."""
        columns = np.array(self._rows).T
        lean, spin, rate, cop = columns[:2], columns[2:4], columns[4:6], columns[6:8]
        gravity, sz = STANDARD_GRAVITY_MM_S2, body.moment_z_gmm
        across_spin, across_rate = across(spin), across(rate)
        hang = lean * sz - across(torque(body, spin)) / gravity
        speed = np.hypot(*rate)
        moving = (speed > MOVING_RAD_S) & (not leaning)
        # Kind of equation (swing, scale), axis, tick, unknown.
        matrix = np.zeros((2, 2, len(speed), _SIZE))
        matrix[:, 0, :, 2] = matrix[:, 1, :, 3] = 1.0
        matrix[1, 0, :, 4] = matrix[1, 1, :, 5] = 1.0
        matrix[..., _INERTIA] = across_spin * (_SCALED / gravity)
        matrix[0, ..., _DAMPING] = across_rate * (_SCALED / gravity)
        matrix[0, ..., _FRICTION] = drag(rate) * moving
        matrix[1, ..., _HEIGHT] = across_spin * (sz / gravity)
        target = np.array((hang, cop + hang))
        swing, scale = self._variances(body, moving, np.hypot(*spin))
        variance = np.array(((swing, swing), (scale, scale)))
        heard = np.isfinite(target + matrix[..., _INERTIA])
        heard[0] &= columns[_TELLING] > 0
        heard &= ~with_neighbours(columns[_JOLTED] > 0)
        return Equations(matrix[heard], target[heard], variance[heard], int(heard[0].sum()))

    def _variances(self, body: Body, moving: Flags, spin: Floats) -> tuple[Floats, Floats]:
        """Of the swing's and of the scale's equation in each tick, as independent ones."""
        inertia = self._mean[_INERTIA] * _SCALED + (body.inertia_xx_gmm2 + body.inertia_yy_gmm2) / 2
        model = (MODEL_SHARE * inertia / STANDARD_GRAVITY_MM_S2 * spin) ** 2
        stuck = (0.6 * max(self.friction_gmm, 1.5)) ** 2 * STUCK_TICKS
        known = (SWING_SD * body.moment_z_gmm) ** 2 + model
        swing = known * CORRELATED_TICKS + np.where(moving, 0.0, stuck)
        return swing, (self.cop_sd_gmm**2 + 2 * model) * CORRELATED_TICKS / 2


def _apart(covs: Floats, some: slice, own: Floats) -> Floats:
    """Covariances (..., n, n) of which some unknowns have their `own`, whatever the others are."""
    covs = covs.copy()
    covs[..., some, :] = 0.0
    covs[..., :, some] = 0.0
    covs[..., some, some] = own
    return covs

"""The pivot, from swings that no hand disturbs: period, damping, friction and its law.

With S the moment of board and pieces about the tip, u the vertical seen from the board, w the
rate and I the inertia, the horizontal part of angular momentum says in every tick, divided by g,

    u_xy S_z - J'(I_pieces w')/g = u_z S_xy + I_board J'w'/g + c J'w/g + F (M/Me) J'w/|w|

J' turns a vector by 90 degrees, c is viscous damping, F dry friction, M/Me the weight on the tip
over that of the empty board. All unknowns are linear. S_xy and a drift of the tracked tilt belong
to one swing each and are projected out of it; what is left adds up over swings, so a bootstrap
over swings costs nothing. Further columns ask whether friction obeys its assumed law.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np

from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop
from lab.fit.estimates import DRAWS, Estimate, between, bootstrap, missing
from lab.fit.evening import TICK_S, EveningSignals

GRAVITY = STANDARD_GRAVITY_MM_S2
SPAN_TICKS = 4
"""Each equation is a mean over 0.1 s: noise of the spin is that of the ends of the span."""

MOVING_RAD_S = 0.026
"""1.5 degrees a second: above it the direction of friction is certain (`detect.front.moment`)."""

LEAST_TICKS, LEAST_MOVING = 20, 10
LEAST_SWINGS = 6
"""With fewer a bootstrap over swings says little."""

ODD = 4.0
"""A swing that fits so many times worse than the usual one had a hand in it."""

SLOW_RAD_S = 0.08
"""4.6 degrees a second: dry friction that is higher when things hardly move has fallen to the rest
by about there. A part in proportion to speed is damping, whatever makes it."""

COLUMNS = ("inertia", "damping", "friction", "board", "pieces", "when_slow", "with_load")
BASE = (0, 1, 2)
WHEN_SLOW, WITH_LOAD = (*BASE, 5), (*BASE, 6)
TAKEN = (3, 4)

KNOWN_SHARES = np.array([0.009, 0.012])
"""How well an owner knows the empty board's moment and what pieces weigh (`lab.twin.drawing`:
0.6 and 0.8 %, on tables that vary half as much again). It bends the period by some tenths of a per
cent, because most swings are those of a loaded board."""

NOTHING = np.zeros(2)

FLOORS = (0.0010, 0.002, 0.01, 0.02, 0.0, 0.0)
FLOORS_ABSOLUTE = (0.0, 0.0, 0.0002, 0.0005, 0.08, 0.06)
"""What the model itself misses of each figure, as a share and outright (standard deviations): from
twins, whose parameters are known. A bootstrap cannot see what all swings have in common."""

DEAD_G = 0.1
"""A sensor that feels less than this of gravity is dead, and must divide nothing by nothing."""

SCALED = 1e5
"""Inertia and damping in 1e5 g mm2 (and /s), so that all columns are of one size."""


@dataclass(frozen=True, slots=True)
class Swing:
    """One swing, its own unknowns projected out.

    Attributes:
        normal: (k, k). right: (k,). square: sum of the squares of the target. equations: how many.
        moment, slope: S_xy is the moment less the slope times the law, once that is known.
    """

    start_s: float
    normal: Floats
    right: Floats
    square: float
    equations: int
    moment: Floats
    slope: Floats

    def misfit(self, law: Floats) -> float:
        """Mean square residual under a law, (g mm)^2."""
        used = len(law)
        explained = law @ (2 * self.right[:used] - self.normal[:used, :used] @ law)
        square = self.square - float(explained)
        return max(square, 0.0) / max(self.equations, 1)


def swings(evening: EveningSignals) -> list[Swing]:
    """Every swing of the evening that moved enough and whose load is known."""
    return list(_swings(evening))


def _swings(evening: EveningSignals) -> Iterator[Swing]:
    for run in evening.runs(evening.free, LEAST_TICKS):
        load = evening.load(run)
        if load is None:
            continue
        swing = _swing(evening, run, *load)
        if swing is not None:
            yield swing


def _swing(
    evening: EveningSignals, run: slice, mass_g: float, sz: float, inertia: Floats
) -> Swing | None:
    """The equations of one swing; None when it hardly moves."""
    up, rate, spin = tracked(evening, run), evening.rate[run, :2], evening.spin[run]
    speed = np.hypot(*rate.T)
    empty_sz = evening.table.empty_moment_gmm[2]
    loaded = 1 + mass_g / evening.table.empty_mass_g
    drag = _across(rate / np.maximum(speed, 1e-9)[:, None]) * loaded
    columns = np.stack(
        [
            _across(spin) * (SCALED / GRAVITY),
            _across(rate) * (SCALED / GRAVITY),
            drag,
            -up[:, :2] * empty_sz,
            -up[:, :2] * (sz - empty_sz) + _across(spin @ inertia) / GRAVITY,
            drag * np.exp(-speed / SLOW_RAD_S)[:, None],
            drag * (loaded - 1),
        ],
        axis=2,
    )
    target = up[:, :2] * sz - _across(spin @ inertia) / GRAVITY
    clear = _means((speed > MOVING_RAD_S).astype(float)[:, None])[:, 0] > 0.99
    if clear.sum() < LEAST_MOVING:
        return None
    height = _means(up[:, 2:])[clear]
    middle_s = np.arange(len(clear))[clear] * TICK_S
    # Its own unknowns: S_xy, and a slow drift of the tracked tilt.
    own = np.column_stack((height, middle_s - middle_s.mean()))
    rows, want = [], []
    moment, slope = np.empty(2), np.empty((2, len(COLUMNS)))
    projector = np.linalg.pinv(own)
    for axis in range(2):
        matrix, aim = _means(columns[:, axis])[clear], _means(target[:, axis : axis + 1])[clear]
        moment[axis], slope[axis] = (projector @ aim)[0, 0], (projector @ matrix)[0]
        rows.append(matrix - own @ (projector @ matrix))
        want.append((aim - own @ (projector @ aim))[:, 0])
    whole, goal = np.vstack(rows), np.concatenate(want)
    return Swing(
        float(evening.t_s[run.start]),
        whole.T @ whole,
        whole.T @ goal,
        float(goal @ goal),
        len(goal),
        moment,
        slope,
    )


def tracked(evening: EveningSignals, run: slice) -> Floats:
    """The vertical in the board frame, means over ticks: by the gyroscope alone, within a run.

    The detector's own attitude leans on the accelerometer all the time, half a tick late, which
    takes 0.8 % off a swing. Here the accelerometer says the mean over the run only: the tip
    stands still, so it feels nothing of the swing but what averages out.
    """
    up, rate, spin = evening.up[run].copy(), evening.rate[run], evening.spin[run]
    turned = -np.cross(rate, up)[:, :2] * TICK_S
    ends = np.cumsum(turned, axis=0)
    # A mean over the tick, not of its ends.
    bent = np.column_stack((spin[:, 1], -spin[:, 0])) * (TICK_S**2 / 12)
    middle = ends - turned / 2 + bent
    start_s, end_s = float(evening.t_s[run.start]) - TICK_S, float(evening.t_s[run.stop - 1])
    felt = evening.accel.between(start_s, end_s)
    size = np.maximum(np.linalg.norm(felt, axis=1)[:, None], DEAD_G)
    up[:, :2] = middle - middle.mean(axis=0) + (felt[:, :2] / size).mean(axis=0)
    up[:, 2] = np.sqrt(np.maximum(1 - (up[:, :2] ** 2).sum(axis=1), 0.25))
    return up


def _across(xy: Floats) -> Floats:
    """Rows turned by 90 degrees, the J' of the theory."""
    return np.column_stack((-xy[:, 1], xy[:, 0]))


def _means(rows: Floats) -> Floats:
    """Running means over a span of ticks."""
    total = np.concatenate((np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)))
    means: Floats = (total[SPAN_TICKS:] - total[:-SPAN_TICKS]) / SPAN_TICKS
    return means


@dataclass(frozen=True, slots=True)
class Pivot:
    """What the swings say.

    Attributes:
        law: I_b, c and F; empty when there were too few swings.
        used: the swings it is from.
    """

    law: Floats
    used: tuple[Swing, ...]
    estimates: tuple[Estimate, ...]


NAMES = (
    "period_s",
    "gyration_mm",
    "damping_ratio",
    "friction_band_deg",
    "friction_when_slow",
    "friction_with_load",
)


def fitted(evening: EveningSignals) -> Pivot:
    """Period, damping and friction of the empty board, and the law of friction."""
    found = _undisturbed(swings(evening))
    count = len(found)
    if count < LEAST_SWINGS:
        needs = f"{LEAST_SWINGS} swings of half a second that no hand disturbs (it has {count})"
        none = tuple(missing(name, count, needs) for name in NAMES)
        return Pivot(np.empty(0), tuple(found), none)
    stack, table = _Stack.of(found), evening.table
    law = stack.solve(np.ones(count))
    figures = _figures(table, stack, np.ones(count), NOTHING)
    # What the owner knows is drawn anew each time, as the swings are: so it widens the intervals.
    rng = np.random.default_rng(2)
    knowing = rng.normal(0, KNOWN_SHARES, (DRAWS, 2))
    draws = bootstrap(count, lambda weights, draw: _figures(table, stack, weights, knowing[draw]))
    missed = np.hypot(np.array(FLOORS) * figures, FLOORS_ABSOLUTE)
    draws += rng.normal(0, 1, draws.shape) * missed
    estimates = [
        between(name, value, draw, count)
        for name, value, draw in zip(NAMES, figures, draws.T, strict=True)
    ]
    loaded = int((stack.normal[:, 6, 6] > 0).sum())
    if loaded < LEAST_SWINGS:
        needs = f"{LEAST_SWINGS} swings with pieces on the board (it has {loaded})"
        estimates[-1] = missing(NAMES[-1], loaded, needs)
    return Pivot(law, tuple(found), tuple(estimates))


def _undisturbed(found: list[Swing]) -> list[Swing]:
    """Without those that fit far worse than the others."""
    for _ in range(2):
        if len(found) < LEAST_SWINGS:
            break
        law = _Stack.of(found).solve(np.ones(len(found)))
        misfits = np.array([swing.misfit(law) for swing in found])
        most = ODD * float(np.median(misfits))
        found = [swing for swing, off in zip(found, misfits, strict=True) if off <= most]
    return found


@dataclass(frozen=True, slots=True)
class _Stack:
    """Swings on top of each other, so that drawing them anew is one product."""

    normal: Floats
    right: Floats

    @classmethod
    def of(cls, found: list[Swing]) -> "_Stack":
        return cls(
            np.array([swing.normal for swing in found]),
            np.array([swing.right for swing in found]),
        )

    def solve(
        self, weights: Floats, columns: Sequence[int] = BASE, known: Floats = NOTHING
    ) -> Floats:
        """The law of weighted swings, if board and pieces are off by the shares `known`."""
        whole = np.tensordot(weights, self.normal, 1)
        right = weights @ self.right - whole[:, TAKEN] @ known
        normal = whole[np.ix_(columns, columns)]
        # An empty board says nothing of a load: that column is nothing, and stays out of the way.
        floor = 1e-9 * np.diag(np.diag(normal) + np.trace(normal) / len(normal))
        return np.asarray(np.linalg.solve(normal + floor, right[list(columns)]), dtype=np.float64)


def _figures(table: Tabletop, stack: _Stack, weights: Floats, known: Floats) -> Floats:
    """The figures of `NAMES`, of weighted swings."""
    inertia, damping, friction = stack.solve(weights, BASE, known)
    sz = -table.empty_moment_gmm[2] * (1 + known[0])
    inertia, damping = max(inertia, 1e-3) * SCALED, damping * SCALED
    rest = max(abs(friction), 1e-3)
    slow = stack.solve(weights, WHEN_SLOW, known)[3] / rest
    load = stack.solve(weights, WITH_LOAD, known)[3] / rest
    return np.array([
        2 * np.pi * np.sqrt(inertia / (GRAVITY * sz)),
        np.sqrt(inertia / table.empty_mass_g),
        damping / (2 * np.sqrt(inertia * GRAVITY * sz)),
        degrees(friction / sz),
        slow,
        1 + load,
    ])  # fmt: skip

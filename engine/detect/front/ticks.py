"""Samples to ticks: the two sensor streams on one common, even time axis.

Load cells and inertial sensor have clocks of their own, lose samples and glitch. Everything after
this file sees neither: it sees one `Tick` every 25 ms that says how much weighed where, how the
board turned in between and what the accelerometer felt. A tick is a pure function of the samples
around it, so it does not matter how a stream was cut into blocks (live: a few samples; replay:
thousands). Conversion is vectorised over all ticks that a block completes.

Time: a tick covers `[t_s - TICK_S, t_s]`. The HX711's output is a mean over about four
conversions, 25 ms late; its samples are shifted back by that group delay. A corrupt word is known
by its neighbours, so one more sample is waited for. The time of that sample is `needed_s`.
"""

from collections.abc import Sequence
from math import ceil, floor, inf, isfinite, nan
from statistics import median
from typing import NamedTuple

import numpy as np

from engine.samples import GAP_PERIODS, Flags, Floats, ImuSamples, ScaleSamples
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop

TICK_S = 0.025
"""Two scale samples and five inertial samples: short against the swing (0.72 s) and a touch."""

SCALE_DELAY_S = 0.025
"""Group delay of the HX711 at 80 SPS (docs/traces.md: mean over about four conversions)."""

STALE_S = 0.4
"""A sensor silent for longer no longer holds up the other one (datasheet: 50 ms settling)."""

BEGIN_S = 1.5
"""The same before a sensor was heard at all: HX711 at 10 SPS are first heard 0.9 s after power."""

GLITCH_G = 6.0
"""A single cell that jumps this far and back within one sample is a corrupt word, not a hand:
the converter's own averaging spreads any true load change over four samples."""

ALONE = 0.5
"""A corrupt word breaks the plate's equation by all that it jumps, a load by nothing."""

UNSURE = 0.1
"""Share of a piece by which a change of weight is off on a well table."""

_KEEP_S = 0.3


class Tick(NamedTuple):
    """The table during 25 ms. NaN where the sensor was not heard.

    Attributes:
        t_s: end of the tick.
        needed_s: table time of the last sample needed to make it.
        mass_g: total weight over the tare.
        cop_x_gmm, cop_y_gmm: first moment of the load on the cells, sum of mass times position.
        turn_x_rad ... turn_z_rad: rotation of the board during the tick (gyroscope).
        rate_x_rad_s, rate_y_rad_s: mean angular rate.
        spin_x_rad_s2, spin_y_rad_s2: mean angular acceleration.
        force_x_g ... force_z_g: mean specific force at the pivot (lever arm of the sensor removed).
        cell_0_g ... cell_3_g: mean load on each load cell.
    """

    t_s: float
    needed_s: float
    mass_g: float
    cop_x_gmm: float
    cop_y_gmm: float
    turn_x_rad: float
    turn_y_rad: float
    turn_z_rad: float
    rate_x_rad_s: float
    rate_y_rad_s: float
    spin_x_rad_s2: float
    spin_y_rad_s2: float
    force_x_g: float
    force_y_g: float
    force_z_g: float
    cell_0_g: float
    cell_1_g: float
    cell_2_g: float
    cell_3_g: float

    @property
    def cells_g(self) -> tuple[float, float, float, float]:
        """Mean load on each load cell."""
        return self[15:19]

    def without_imu(self) -> "Tick":
        """The same tick as if the inertial sensor had been silent."""
        return self._replace(**dict.fromkeys(self._fields[5:15], nan))

    @property
    def scale_ok(self) -> bool:
        """Whether the load cells were heard."""
        return isfinite(self.mass_g)

    @property
    def imu_ok(self) -> bool:
        """Whether the inertial sensor was heard."""
        return isfinite(self.force_z_g)


def _keep_increasing(t_s: Floats, after_s: float) -> np.ndarray | slice:
    """Samples whose time goes up, as an index; one that steps back in time is dropped."""
    if t_s.size and t_s[0] > after_s and (t_s[1:] > t_s[:-1]).all():
        return slice(None)
    highest = np.maximum.accumulate(np.concatenate(([after_s], t_s)))[:-1]
    return np.flatnonzero(t_s > highest)


class TickMaker:
    """Collects samples and hands out ticks, each once, in order."""

    def __init__(self, tabletop: Tabletop) -> None:
        self._weight_only = tabletop.weight_only
        self._positions_mm = np.array(tabletop.load_cell_positions_mm)
        self._lever_mm = np.array(tabletop.imu_position_mm)
        self._scale_t = np.empty(0)
        self._scale_g = np.empty((0, 4))
        self._imu_t = np.empty(0)
        self._imu = np.empty((0, 6))
        self._edge_s: float | None = None
        self._known_silence_s = -inf
        self.solver = CellSolver(self._positions_mm)

    def feed_scale(self, samples: ScaleSamples) -> None:
        """Add load-cell samples; a silent gap condemns the sample before it (sensing.md 5)."""
        last = float(self._scale_t[-1]) if self._scale_t.size else -inf
        self._known_silence_s = max(self._known_silence_s, last)
        keep = _keep_increasing(samples.t_s, last)
        mass_g = np.where(samples.valid[keep], samples.mass_g[keep], np.nan)
        self._scale_t = np.concatenate((self._scale_t, samples.t_s[keep]))
        self._scale_g = np.concatenate((self._scale_g, mass_g))

    def feed_imu(self, samples: ImuSamples) -> None:
        """Add inertial samples."""
        last = float(self._imu_t[-1]) if self._imu_t.size else -inf
        self._known_silence_s = max(self._known_silence_s, last)
        keep = _keep_increasing(samples.t_s, last)
        self._imu_t = np.concatenate((self._imu_t, samples.t_s[keep]))
        both = np.hstack((samples.rate_rad_s[keep], samples.accel_g[keep]))
        self._imu = np.concatenate((self._imu, both))

    def take(self, until_s: float) -> list[Tick]:
        """All ticks that can be made from what was heard until `until_s`."""
        if self._edge_s is None:
            self._edge_s = self._first_edge_s(until_s)
        # Looking for corrupt data words costs more than knowing that no tick can be made anyway.
        if not self._ready(until_s, self._scale_horizon(until_s)):
            return []
        condemned = self.solver.condemned(self._scale_t, self._scale_g)
        count = self._ready(until_s, self._scale_horizon(until_s, condemned))
        if not count:
            return []
        edges = self._edges(count)
        ticks = self._make(edges, np.where(condemned, np.nan, self._scale_g))
        self._edge_s = float(edges[-1])
        self._forget(self._edge_s - _KEEP_S)
        return ticks

    def weigh_again(self, tick: Tick) -> Tick:
        """The tick as it is with the load cells that are trusted now."""
        mass_g, cop_gmm = self.solver.solve(np.array([tick.cells_g]))
        return tick._replace(
            mass_g=float(mass_g[0]), cop_x_gmm=float(cop_gmm[0, 0]), cop_y_gmm=float(cop_gmm[0, 1])
        )

    def _newest_s(self, until_s: float) -> float:
        """Table time by which a sensor that has said nothing is known to be silent.

        Blocks come one sensor after the other. Only when a second one of the same sensor comes
        is it known that the other had nothing to say about the first, however long that was.
        """
        return min(self._known_silence_s, until_s)

    def _first_edge_s(self, until_s: float) -> float | None:
        """Where the first tick begins: when both sensors are heard, or one long enough alone."""
        begun = [float(times[0]) for times in (self._scale_t, self._imu_t) if times.size]
        alone = len(begun) < 2 and not self._weight_only
        if not begun or (alone and self._newest_s(until_s) - begun[0] < BEGIN_S):
            return None
        return ceil((max(begun) + 2 * SCALE_DELAY_S) / TICK_S) * TICK_S

    def _ready(self, until_s: float, scale_s: float) -> int:
        """How many ticks can be made now that the load is known up to `scale_s`."""
        if self._edge_s is None:
            return 0
        imu_s = float(self._imu_t[-1]) if self._imu_t.size else -inf
        imu_s = until_s if self._weight_only else min(imu_s, until_s)
        horizon = max(min(scale_s, imu_s), self._newest_s(until_s) - STALE_S)
        if horizon < self._edge_s:
            return 0
        return floor((horizon - self._edge_s) / TICK_S + 1e-9)

    def _edges(self, count: int) -> Floats:
        """Edges of the next ticks, the last known edge first."""
        first = round((self._edge_s or 0.0) / TICK_S)
        return np.asarray(np.arange(first, first + count + 1) * TICK_S, dtype=np.float64)

    def _scale_horizon(self, until_s: float, condemned: Flags | None = None) -> float:
        """Table time up to which the load is known: the last sample but one, shifted back.

        A condemned sample is bridged to the next good one, so that one is waited for too.
        """
        last = int(self._scale_t.searchsorted(until_s, side="right")) - 2
        while condemned is not None and last >= 0 and condemned[last].any():
            last -= 1
        return float(self._scale_t[last]) - SCALE_DELAY_S if last >= 0 else -inf

    def _needed(self, edges: Floats) -> Floats:
        """When the last sample needed for each tick was heard."""
        after = (self._scale_t - SCALE_DELAY_S).searchsorted(edges - 1e-9) + 1
        heard = self._scale_t[np.minimum(after, self._scale_t.size - 1)]
        return np.maximum(edges, np.minimum(heard, edges + STALE_S))

    def _make(self, edges: Floats, clean_g: Floats) -> list[Tick]:
        mass_g, cop_gmm, cells_g = self._weigh(edges, clean_g)
        turn, rate, spin, force = self._turn(edges)
        needed = self._needed(edges[1:]) if self._scale_t.size else edges[1:]
        columns = np.column_stack(
            (edges[1:], needed, mass_g, cop_gmm, turn, rate[:, :2], spin[:, :2], force, cells_g)
        )
        return list(map(Tick._make, columns.tolist()))

    def _weigh(self, edges: Floats, clean: Floats) -> tuple[Floats, Floats, Floats]:
        """Mean load, its first moment and the load on each cell in each tick."""
        at = self._scale_t - SCALE_DELAY_S
        good = np.isfinite(clean)
        if good.all():
            cells = _Curves(at, clean, edges).means()
        else:
            cells = np.column_stack([
                _Curves(at[good[:, cell]], clean[good[:, cell], cell : cell + 1], edges).means()
                for cell in range(4)
            ])  # fmt: skip
        return *self.solver.solve(cells), cells

    def _turn(self, edges: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Rotation, rate, angular acceleration and specific force in each tick."""
        curves = _Curves(self._imu_t, self._imu, edges)
        means, at_edges = curves.means(), curves.at_edges()[:, :3]
        rate, felt = means[:, :3], means[:, 3:]
        spin = (at_edges[1:] - at_edges[:-1]) / TICK_S
        lever = _cross(spin, self._lever_mm) + _cross(rate, _cross(rate, self._lever_mm))
        force = felt - lever / STANDARD_GRAVITY_MM_S2
        return rate * TICK_S, rate, spin, force

    def _forget(self, before_s: float) -> None:
        first = int(self._scale_t.searchsorted(before_s))
        self._scale_t, self._scale_g = self._scale_t[first:], self._scale_g[first:]
        first = int(self._imu_t.searchsorted(before_s))
        self._imu_t, self._imu = self._imu_t[first:], self._imu[first:]


def _cross(left: Floats, right: Floats) -> Floats:
    """Vector product of rows; numpy's own costs more than all the rest on short blocks."""
    (ax, ay, az), (bx, by, bz) = left.T, right.T
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)).T


class _Curves:
    """All channels of one sensor as straight lines from sample to sample, seen from tick edges."""

    def __init__(self, t_s: Floats, values: Floats, edges: Floats) -> None:
        self._t, self._values, self._edges = t_s, values, edges
        self._known = t_s.size >= 2
        if not self._known:
            return
        right = np.minimum(np.maximum(t_s.searchsorted(edges), 1), t_s.size - 1)
        self._before = right - 1
        begun = t_s[self._before]
        gap = t_s[right] - begun
        self._gap = gap[:, None]
        self._into = np.minimum(np.maximum(edges - begun, 0.0), gap)[:, None]
        self._left, self._right = values[self._before], values[right]
        self._lost = (
            (gap > STALE_S) | (edges > t_s[-1] + STALE_S / 4) | (edges < t_s[0] - STALE_S / 4)
        )

    def at_edges(self) -> Floats:
        """The values at the edges; NaN where the samples are too far apart."""
        if not self._known:
            return self._nothing(len(self._edges))
        share = self._into / self._gap
        out = self._left * (1.0 - share) + self._right * share
        out[self._lost] = np.nan
        return np.asarray(out)

    def means(self) -> Floats:
        """Mean over each tick, by the integral of the lines."""
        if not self._known:
            return self._nothing(len(self._edges) - 1)
        t, values, into = self._t, self._values, self._into
        integral = np.zeros(values.shape)
        steps = (values[1:] + values[:-1]) / 2 * (t[1:] - t[:-1])[:, None]
        np.cumsum(steps, axis=0, out=integral[1:])
        slope = (self._right - self._left) / self._gap
        area = integral[self._before] + into * (self._left + slope * into / 2)
        if self._edges[-1] > t[-1]:
            area += np.maximum(self._edges - t[-1], 0.0)[:, None] * values[-1]
        if self._edges[0] < t[0]:
            area += np.minimum(self._edges - t[0], 0.0)[:, None] * values[0]
        means = (area[1:] - area[:-1]) / TICK_S
        means[self._lost[1:]] = np.nan
        return np.asarray(means)

    def _nothing(self, count: int) -> Floats:
        return np.full((count, self._values.shape[1]), np.nan)


class CellSolver:
    """Four load cells to one weight and one moment; three are enough when one is dead.

    The load on a plate with four feet has three unknowns (weight and two moments), so one cell
    can be lost: the others are solved by least squares with the same rigid-plate model.

    Attributes:
        dead: cells that are not trusted.
        left_out_g: what a single dead cell is held to show beyond what the other three say.
        warp_g: excess of the untouched plate while all four were trusted: what their zeros are off.
    """

    def __init__(self, positions_mm: Floats) -> None:
        self._positions_mm = positions_mm
        self._centred_mm = positions_mm - positions_mm.mean(axis=0)
        spread = (self._centred_mm**2).sum(axis=0)
        # Load on foot i of a rigid plate: W/4 + x_i Mx / sum(x^2) + y_i My / sum(y^2).
        self._shares = np.column_stack((np.full(4, 0.25), self._centred_mm / spread))
        self._null: Floats = np.linalg.svd(self._shares.T)[2][3]  # what no load does to the cells
        self._breaks = self._null / abs(self._null).mean()
        self.dead: frozenset[int] = frozenset()
        self.left_out_g = self.warp_g = 0.0
        self._zeros_g = np.zeros(4)

    def condemned(self, t_s: Floats, mass_g: Floats) -> Flags:
        """Which data words are corrupt: cells that jump alone, and conversions before a reset."""
        bad = np.zeros(mass_g.shape, dtype=np.bool_)
        if t_s.size < 3:
            return bad
        steps = mass_g[1:] - mass_g[:-1]
        into, out_of = steps[:-1], -steps[1:]
        # Beside a word that was not heard there is nothing to jump from: NaN is never greater.
        with np.errstate(invalid="ignore"):
            up, down = np.minimum(into, out_of) > GLITCH_G, np.maximum(into, out_of) < -GLITCH_G
            bad[1:-1] = up | down
            if bad.any():
                # A tower that falls shakes all four, from one slow conversion to the next as well.
                departs_g = np.abs(self.excess((into + out_of) / 2))[:, None]
                bad[1:-1] &= ~(departs_g < ALONE * np.minimum(np.abs(into), np.abs(out_of)))
        gaps = t_s[1:] - t_s[:-1]
        bad[:-1][gaps > GAP_PERIODS * median(gaps.tolist())] = True
        return np.asarray(bad & ~np.isnan(mass_g))

    def expected(self, cells_g: Sequence[float], cell: int) -> float:
        """What `cell` should weigh, by the other three and the rigid plate."""
        return float(self.due_g(np.asarray(cells_g), cell))

    def due_g(self, cells_g: Floats, cell: int) -> Floats:
        """The same of each row (n, 4); what the cell itself shows is not asked."""
        loads = cells_g.copy()
        loads[..., cell] = 0.0
        due: Floats = loads @ -self._null / self._null[cell]
        return due

    def carry_on(self, rest_g: Sequence[float], back: int | None = None) -> bool:
        """Weigh on as before though a cell is lost or back; whether that can be.

        A lost cell is held to show what it last showed beyond the other three; one that is back
        has another zero, which goes on from there.

        Args:
            rest_g: loads of the cells at a rest just before; empty when unknown.
            back: the cell that is trusted again; None when one was lost.
        """
        held_g, self.left_out_g = self.left_out_g, 0.0
        lost = 1 if back is None else 0
        if len(self.dead) != lost or not rest_g or not all(map(isfinite, rest_g)):
            return False
        (cell,) = self.dead if back is None else (back,)
        loads_g = np.asarray(rest_g) + self._zeros_g
        beyond_g = float(loads_g[cell] - self.due_g(loads_g, cell))
        if back is None:
            self.left_out_g = beyond_g
        else:
            self._zeros_g[cell] += held_g - beyond_g
        return True

    def excess(self, cells_g: Floats) -> Floats:
        """By how much each row (n, 4) breaks the plate's equation, g of one cell."""
        broken: Floats = cells_g @ self._breaks
        return broken

    def borne_g(self, cells_g: Floats) -> Floats:
        """What each cell bears by all four together, in each row (n, 4) or in one."""
        borne: Floats = cells_g - np.multiply.outer(cells_g @ self._null, self._null)
        return borne

    def off_g(self, cells_g: Floats, cell: int) -> float:
        """How far `cell` is from what the other three say, with the zeros as they were before."""
        broken_g = (self.excess(cells_g) - self.warp_g) * abs(self._null).mean()
        return float(broken_g / self._null[cell])

    def is_clearly(self, cell: int, changes_g: Sequence[float], piece_g: float) -> bool:
        """Whether it is this cell that broke the plate's equation, when a contact has ended.

        Args:
            cell: the one that changed most.
            changes_g: of the load on each cell.
            piece_g: mass of a piece: nothing, or one piece, has come or gone besides.
        """
        changes = np.asarray(changes_g)
        odd_g = [self._odd_g(changes, other, piece_g) for other in range(4)]
        own_g = odd_g.pop(cell)
        # A foot off the ground moves all four cells by as much; then this one changes no more.
        without = np.linalg.norm(self.borne_g(changes))
        rocks = without < np.linalg.norm(np.delete(changes, cell))
        return not rocks and 2 * own_g < min(odd_g)

    def _odd_g(self, changes: Floats, cell: int, piece_g: float) -> float:
        """How far the change of the load is from nothing or a piece, were this cell off."""
        load = changes.copy()
        load[cell] = self.due_g(changes, cell)
        weight_g = abs(float(load.sum()))
        beyond_g = max(float(np.linalg.norm(load)) - piece_g, 0.0)
        return min(weight_g, abs(weight_g - piece_g)) + beyond_g + UNSURE * piece_g

    def solve(self, cells_g: Floats) -> tuple[Floats, Floats]:
        """Weight (n,) and moment (n, 2) about the origin from the loads of the live cells."""
        live = [cell for cell in range(4) if cell not in self.dead]
        cells_g = cells_g + self._zeros_g
        if len(live) == 4:
            return cells_g.sum(axis=1), cells_g @ self._positions_mm
        if len(live) < 3:
            nothing = np.full((len(cells_g), 3), np.nan)
            return nothing[:, 0], nothing[:, 1:]
        (cell,) = self.dead
        whole_g = cells_g.copy()
        whole_g[:, cell] = self.due_g(cells_g, cell) + self.left_out_g
        return whole_g.sum(axis=1), whole_g @ self._positions_mm

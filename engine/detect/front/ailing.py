"""Load cells that still measure, but badly: named by running estimates over their conversions.

A load anywhere on a rigid plate with four feet changes at least two cells: right above one foot,
its neighbours take a third of what it takes. So whatever changes one cell alone is that cell's own
doing, on the scale of conversions (corrupt words, a zero that steps) and of a minute (drift). Noise
is compared with the other three cells. What follows the load, but not as much as it should, breaks
the plate's equation in proportion to one cell's load. A foot off the ground breaks that equation
too, but changes all four cells by as much: it is no cell's doing.

Work is done on whole blocks of rows, so it does not matter how the stream was cut.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from engine import troubles
from engine.detect.front.gains import Gains
from engine.detect.front.noise import MEDIAN_OF_SECOND_DIFFERENCE
from engine.detect.front.ticks import CellSolver
from engine.samples import Floats, ScaleSamples
from engine.trouble import TroubleKind

BLOCK_ROWS = 32
"""0.4 s at 80 conversions a second: the unit of work."""

MEDIAN_ROWS = 21
"""Longer than twice the four conversions that an HX711 needs to settle (datasheet)."""

ALONE = 0.2
"""Another cell takes a third at least; the rest is for plates that bend."""

BROKEN = 0.7
"""Share of what is off by which the plate's equation must be broken: that of medians need not
hold where loads come faster than conversions."""

OFF_G, OFF_SD = 1.5, 8.0
"""What counts as off: far beyond a conversion's noise (0.1 g), and half a piece (3 g)."""

SHORT_ROWS, SHORT_WEIGHT = 2, 0.25
"""A word or two is taken out by its neighbours, and one in 5,000 is corrupt on a healthy table
(docs/traces.md); longer than that, a hand's weight is falsified."""

WINDOW_S = 60.0
"""What is older no longer counts; a cell is back when it has been well for as long."""

EPISODES = 3.0
"""In a window. A well cell has 0.06, of one corrupt word in 5,000 rows of four (docs/traces.md)."""

OWN_SHARE = 0.8
"""Of all episodes in the window."""

NOISY, QUIET = 4.0, 2.0
"""Times the noise of the others. Four cells are as noisy as three when one is 2.2 times as noisy
as the others: W of three is 2 (c1 + c3), of variance 8 sd^2; of four 3 sd^2 and the bad cell's."""
NOISY_G = 0.4
NOISE_BLOCKS, CALM = 25, 0.3
"""Ten seconds at 80 conversions a second, and the quantile that hands do not reach."""

DEAFENED, DEAFENED_BLOCKS = 10.0, 5
"""So noisy in each of so many blocks in a row (2 s) that no hand can be it: of a load, the others
take a third."""

DRIFT_G, DRIFTED_G = 2.5, 3.0
"""In a window: what one cell has moved while nobody touched, and the growth of what breaks the
plate's equation; the latter is 0.4 g on a well table with 100 g on each cell (docs/traces.md)."""
SLOW_G = 0.5
"""From block to block: less is creeping, more is somebody's hand, or a step."""

FEWEST_RESTS = 8
UNEVEN_G = 1.0
"""Root mean square of the plate's equation over the rests, as one cell's load."""
EXPLAINED, CLEARER = 0.9, 2.5
"""The cell explains so much of it, and every other cell leaves so many times as much."""
GAIN = 0.04
"""Shares of a load differ by 0.4 % from what statics say (docs/traces.md); ten times that."""
STEADIER = 1.5
"""A cell that follows no load hides a quarter of the changes of the weight."""

PLAUSIBLE_G, PLAUSIBLE = 1.0, 0.01
"""A cell that is as the other three say, to a gram and a hundredth, measures well."""
LOADED_G = 10.0
"""By so much the load on a cell must have changed before that says anything."""


@dataclass(frozen=True, slots=True)
class _Block:
    """One block of rows, summed up.

    Attributes:
        t_s: of its last row.
        means_g: of each cell.
        noise_g: standard deviation of each cell's conversions; `noisiest_g` of the noisiest.
        excess_g: median of that by which its rows break the plate's equation; one corrupt word of
            100 g moves a mean by 3 g.
    """

    t_s: float
    means_g: Floats
    noise_g: Floats
    noisiest_g: float
    excess_g: float


@dataclass(frozen=True, slots=True)
class _Step:
    """From one block to the next.

    Attributes:
        t_s: end of the second block.
        quiet_g: by how much each cell changed while all changed little; else zero.
        excess_g: by how much the second block breaks the plate's equation.
    """

    t_s: float
    quiet_g: Floats
    excess_g: float


@dataclass(frozen=True, slots=True)
class _Episode:
    """One cell was off alone."""

    t_s: float
    cell: int
    weight: float


@dataclass(frozen=True, slots=True)
class Ailing:
    """A load cell that measures badly, and how."""

    cell: int
    kind: TroubleKind


@dataclass(frozen=True, slots=True)
class _Well:
    """For how long a cell has agreed with the others, and over what loads."""

    since_s: float | None = None
    least_g: float = inf
    most_g: float = -inf

    def with_load(self, t_s: float, due_g: float) -> "_Well":
        """One block more in which it did."""
        since_s = t_s if self.since_s is None else self.since_s
        return _Well(since_s, min(self.least_g, due_g), max(self.most_g, due_g))

    def long_enough(self, now_s: float) -> bool:
        """Whether that says that it measures well."""
        if self.since_s is None:
            return False
        return now_s - self.since_s > WINDOW_S and self.most_g - self.least_g > LOADED_G


class AilingCells:
    """Running estimates of how well each of four load cells measures."""

    def __init__(self, solver: CellSolver) -> None:
        self._solver = solver
        self._t_s: Floats = np.empty(0)
        self._rows: Floats = np.empty((0, 4))
        self._blocks: deque[_Block] = deque(maxlen=NOISE_BLOCKS)
        self._episodes: deque[_Episode] = deque()
        self._drifts: deque[_Step] = deque()
        self._gains = Gains(solver)
        self._well = _Well()
        self._judged: Sequence[float] = ()

    def feed(self, samples: ScaleSamples) -> None:
        """Add rows; those with a cell that was not heard say nothing here."""
        whole = np.isfinite(samples.mass_g).all(axis=1)
        self._t_s = np.concatenate((self._t_s, samples.t_s[whole]))
        self._rows = np.concatenate((self._rows, samples.mass_g[whole]))

    def forget(self) -> None:
        """A cell is lost or back: what was before is no measure."""
        self._episodes.clear()
        self._drifts.clear()
        self._gains.forget()
        self._well = _Well()

    def advance(self, until_s: float) -> bool:
        """Work through what was heard until then; whether there was a new block of it."""
        worked, rows = False, BLOCK_ROWS + MEDIAN_ROWS
        while len(self._t_s) >= rows and self._t_s[rows - 1] <= until_s:
            self._work()
            worked = True
        return worked

    def verdict(self, rests: Sequence[Sequence[float]]) -> Ailing | None:
        """The cell that ails; None: none, or one is left out already.

        Args:
            rests: loads of the cells whenever nobody touched the board, oldest first.
        """
        if self._solver.dead:
            return None
        off_now = self._erratic() or self._noisy() or self._drifting()
        return off_now or self._weak() or self._uneven(rests)

    def is_well(self) -> bool:
        """Whether the cell that is left out has measured well for long enough."""
        return self._well.long_enough(self._blocks[-1].t_s if self._blocks else 0.0)

    # -- one block ----------------------------------------------------------------------------

    def _work(self) -> None:
        """Sum up the next block, in the middle of the rows that its medians need."""
        around = self._rows[: BLOCK_ROWS + MEDIAN_ROWS - 1]
        begin = MEDIAN_ROWS // 2
        rows, t_s = around[begin : begin + BLOCK_ROWS], self._t_s[begin : begin + BLOCK_ROWS]
        departures = np.abs(rows[2:] - 2 * rows[1:-1] + rows[:-2])
        noise_g = _quantile(departures, 0.5) / MEDIAN_OF_SECOND_DIFFERENCE
        excess_g = float(_quantile(self._solver.excess(rows), 0.5))
        noisiest_g = float(noise_g.max())
        block = _Block(float(t_s[-1]), rows.mean(axis=0), noise_g, noisiest_g, excess_g)
        self._gains.add(t_s, rows)
        self._find_episodes(t_s, rows, around, np.maximum(OFF_G, OFF_SD * noise_g))
        if self._blocks:
            change_g = block.means_g - self._blocks[-1].means_g
            quiet_g = change_g * (np.abs(change_g) < SLOW_G).all()
            self._drifts.append(_Step(block.t_s, quiet_g, excess_g))
        self._blocks.append(block)
        self._t_s, self._rows = self._t_s[BLOCK_ROWS:], self._rows[BLOCK_ROWS:]
        self._forget_before(block.t_s - WINDOW_S)
        self._follow_the_left_out(block)

    def _find_episodes(self, t_s: Floats, rows: Floats, around: Floats, off_g: Floats) -> None:
        """Runs of conversions in which one cell was off alone."""
        excess, least = self._solver.excess(around), BROKEN * off_g.min()
        if excess.max() - excess.min() <= least:
            return  # a hand, or nobody
        begin = MEDIAN_ROWS // 2
        by_g = np.abs(excess[begin : begin + len(rows)] - _running_median(excess))
        if by_g.max() <= least:
            return
        off = np.abs(rows - _running_median(around))
        ordered = np.sort(off, axis=1)
        alone = (by_g > BROKEN * ordered[:, 3]) & (ordered[:, 2] < ALONE * ordered[:, 3])
        worst = off.argmax(axis=1)
        cells = np.where(alone & (ordered[:, 3] > off_g[worst]), worst, -1).tolist()
        run = 0
        for at, cell in enumerate(cells):
            run = run + 1 if at and cell == cells[at - 1] else 1
            if cell >= 0 and (at + 1 == len(cells) or cells[at + 1] != cell):
                weight = SHORT_WEIGHT if run <= SHORT_ROWS else 1.0
                self._episodes.append(_Episode(float(t_s[at]), cell, weight))

    def _forget_before(self, t_s: float) -> None:
        while self._episodes and self._episodes[0].t_s < t_s:
            self._episodes.popleft()
        while self._drifts and self._drifts[0].t_s < t_s:
            self._drifts.popleft()

    # -- verdicts -----------------------------------------------------------------------------

    def _erratic(self) -> Ailing | None:
        weights = [0.0] * 4
        for episode in self._episodes:
            weights[episode.cell] += episode.weight
        worst = max(weights)
        if worst < EPISODES or worst < OWN_SHARE * sum(weights):
            return None
        return Ailing(weights.index(worst), troubles.CELL_ERRATIC)

    def _calm_noise_g(self, blocks: int, quantile: float) -> list[float]:
        """The noise of each cell in a calm moment of the last blocks."""
        latest = list(self._blocks)[-blocks:]
        noise_g: list[float] = _quantile(np.array([b.noise_g for b in latest]), quantile).tolist()
        return noise_g

    def _noisy(self) -> Ailing | None:
        if max((block.noisiest_g for block in self._blocks), default=0.0) <= NOISY_G:
            return None
        for blocks, quantile, limit in (
            (DEAFENED_BLOCKS, 0.0, DEAFENED),
            (NOISE_BLOCKS, CALM, NOISY),
        ):
            if len(self._blocks) < blocks:
                continue
            noise_g = self._calm_noise_g(blocks, quantile)
            cell = noise_g.index(max(noise_g))
            if _times_the_others(noise_g, cell) > limit:
                return Ailing(cell, troubles.CELL_NOISY)
        return None

    def _drifting(self) -> Ailing | None:
        """What breaks the plate's equation more and more, while nobody touches, by one cell."""
        if not self._drifts:
            return None
        grown_g = abs(self._drifts[-1].excess_g - self._drifts[0].excess_g)
        if grown_g <= DRIFTED_G:
            return None
        moved_g = np.abs(np.sum([step.quiet_g for step in self._drifts], axis=0))
        cell = int(moved_g.argmax())
        others_g = float(np.delete(moved_g, cell).max())
        own = moved_g[cell] > max(DRIFT_G, grown_g / 2) and others_g < moved_g[cell] / 2
        return Ailing(cell, troubles.CELL_DRIFTS) if own else None

    def _weak(self) -> Ailing | None:
        cell = self._gains.suspect()
        return None if cell is None else Ailing(cell, troubles.CELL_UNEVEN)

    def _uneven(self, rests: Sequence[Sequence[float]]) -> Ailing | None:
        """One whose load explains what breaks the plate's equation from rest to rest."""
        if len(rests) < FEWEST_RESTS or rests[-1] is self._judged:
            return None
        self._judged = rests[-1]
        loads = np.asarray(rests)
        excess_g = self._solver.excess(loads)
        excess_g -= excess_g.mean()
        left = float(excess_g @ excess_g)
        if left < UNEVEN_G**2 * len(loads):
            return None
        found = sorted(
            (*_gain(excess_g, self._solver.due_g(loads, cell)), cell)
            for cell in range(4)
            if self._is_steadier_without(cell, loads)
        )
        if not found:
            return None
        unexplained, gain, cell = found[0]
        clear = len(found) < 2 or found[1][0] > CLEARER * unexplained
        named = clear and unexplained < (1 - EXPLAINED) * left and gain > GAIN
        return Ailing(cell, troubles.CELL_UNEVEN) if named else None

    def _is_steadier_without(self, cell: int, loads: Floats) -> bool:
        """Whether the weight by the other three does not jump more than the weight by all four.

        With a foot off the ground it does: then the four are right together.
        """
        repaired = loads.copy()
        repaired[:, cell] = self._solver.due_g(loads, cell)
        by_three, by_four = (np.abs(np.diff(each.sum(axis=1))).sum() for each in (repaired, loads))
        return bool(by_three < STEADIER * by_four)

    # -- the cell that is left out ------------------------------------------------------------

    def _follow_the_left_out(self, block: _Block) -> None:
        if len(self._solver.dead) != 1:
            return
        (cell,) = self._solver.dead
        due_g = float(self._solver.due_g(block.means_g, cell))
        off_g = self._solver.off_g(block.means_g, cell)
        near = abs(off_g) < PLAUSIBLE_G + PLAUSIBLE * abs(due_g)
        erratic = any(each.cell == cell and each.t_s > block.t_s - 1.0 for each in self._episodes)
        noise_g = self._calm_noise_g(NOISE_BLOCKS, CALM)
        ails = not near or erratic or _times_the_others(noise_g, cell) > QUIET
        self._well = _Well() if ails else self._well.with_load(block.t_s, due_g)


def _running_median(rows: Floats) -> Floats:
    """Of `MEDIAN_ROWS` rows around each, in each column."""
    windows = np.lib.stride_tricks.sliding_window_view(rows, MEDIAN_ROWS, axis=0)
    middle = MEDIAN_ROWS // 2
    medians: Floats = np.partition(windows, middle, axis=-1)[..., middle]
    return medians


def _quantile(rows: Floats, share: float) -> Floats:
    """Of each column; numpy's own costs more than all the rest on so few rows."""
    ordered = np.sort(rows, axis=0)
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    quantile: Floats = ordered[below] + (at - below) * (ordered[above] - ordered[below])
    return quantile


def _times_the_others(noise_g: Sequence[float], cell: int) -> float:
    """How many times as noisy a cell is as the middle one of the others; 0 where it is quiet."""
    if noise_g[cell] <= NOISY_G:
        return 0.0
    others_g = sorted(noise for other, noise in enumerate(noise_g) if other != cell)
    return noise_g[cell] / max(others_g[1], 1e-6)


def _gain(excess_g: Floats, due_g: Floats) -> tuple[float, float]:
    """Sum of squares that a wrong gain of one cell leaves of the excess, and how wrong it is."""
    centred_g = due_g - due_g.mean()
    gain = float(excess_g @ centred_g) / max(float(centred_g @ centred_g), 1e-9)
    return float(((excess_g - gain * centred_g) ** 2).sum()), abs(gain)

"""Estimates with honest intervals: what was found, how surely, and from how much.

Intervals hold 90 %. A figure that a recording cannot give is `missing`, with what it would need.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isnan, nan

import numpy as np

from engine.samples import Floats

LEVEL = 0.90
DRAWS = 400
"""Of the bootstrap: the ends of a 90 % interval are then known within a tenth of its width."""
NORMAL_90 = 1.645
CHI_SQUARE_90 = 2.706
"""Twice the fall of the log-likelihood at the ends of a 90 % interval, one degree of freedom."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure of a table.

    Attributes:
        name: of the figure, with its unit at the end where it has one.
        value: NaN when it was not seen.
        low, high: ends of the 90 % interval.
        count: of rests, swings or contacts it is from.
        note: what it would need, when it was not seen; else what to know about it.
    """

    name: str
    value: float = nan
    low: float = -inf
    high: float = inf
    count: int = 0
    note: str = ""

    @property
    def seen(self) -> bool:
        """Whether the recording could give it."""
        return not isnan(self.value)


def missing(name: str, count: int, needs: str) -> Estimate:
    """A figure that this recording cannot give."""
    return Estimate(name, count=count, note=f"not seen in this recording: needs {needs}")


def normal(name: str, value: float, sd: float, count: int) -> Estimate:
    """A figure with a standard deviation."""
    return Estimate(name, value, value - NORMAL_90 * sd, value + NORMAL_90 * sd, count)


def between(name: str, value: float, draws: Floats, count: int) -> Estimate:
    """A figure with draws of a bootstrap; the interval is a little wider for few units.

    A bootstrap of n units has a variance too small by (n - 1)/n, and its ends are those of a
    normal where Student's are due; both are made good by `widening`.
    """
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    wider = widening(count)
    return Estimate(
        name,
        value,
        float(value - wider * (value - low)),
        float(value + wider * (high - value)),
        count,
    )


def widening(count: int) -> float:
    """Student's t over the normal, and the root of n/(n - 1), for `count` units.

    >>> round(widening(6), 2), round(widening(60), 2)
    (1.34, 1.02)
    """
    if count < 2:
        return inf
    free = count - 1
    # Student's 95 % point by the expansion of Cornish and Fisher, good to 2 % from 3 units on.
    z = NORMAL_90
    student = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    return float(student / z * np.sqrt(count / free))


def drawn_anew(count: int) -> Floats:
    """How often each of `count` units is drawn: (`DRAWS`, count); one recording has one answer."""
    rng = np.random.default_rng(1)
    return rng.multinomial(count, np.full(count, 1 / count), DRAWS).astype(np.float64)


def bootstrap(count: int, figure: Callable[[Floats, int], float | Floats]) -> Floats:
    """Figures of resampled units.

    Args:
        count: of units.
        figure: of how often each unit was drawn, (count,), and the number of the draw.
    """
    return np.array([figure(each, number) for number, each in enumerate(drawn_anew(count))])


def by_likelihood(
    name: str, grid: Sequence[float] | Floats, log_likelihood: Floats, count: int
) -> Estimate:
    """The likeliest of a grid, and what is not much less likely."""
    grid = np.asarray(grid)
    best = int(np.argmax(log_likelihood))
    # Of few units a likelihood is less curved at its sides than its top says.
    fall = CHI_SQUARE_90 / 2 * widening(count) ** 2
    inside = np.flatnonzero(log_likelihood > log_likelihood[best] - fall)
    low, high = grid[inside[0]], grid[inside[-1]]
    return Estimate(
        name,
        float(grid[best]),
        0.0 if inside[0] == 0 else float(low),
        inf if inside[-1] == len(grid) - 1 else float(high),
        count,
    )


@dataclass(frozen=True, slots=True)
class WalkParts:
    """A wandering quantity with noise, taken apart so that a likelihood costs next to nothing.

    Attributes:
        walk: variance of each part, for a wander of one. square: of each part as measured.
    """

    walk: Floats
    square: Floats

    @classmethod
    def of(cls, target: Floats, design: Floats, walk: Floats) -> "WalkParts":
        """Take apart what the design does not explain (restricted likelihood).

        Args:
            target: (n,) or (n, axes).
            design: (n, k), what is explained otherwise.
            walk: (n, n), covariance of a wander of one.
        """
        left, sizes, _ = np.linalg.svd(design, full_matrices=True)
        free = left[:, int((sizes > 1e-9 * sizes.max()).sum()) :]
        variances, turn = np.linalg.eigh(free.T @ walk @ free)
        parts = (turn.T @ free.T @ target).reshape(len(variances), -1)
        return cls(np.repeat(np.maximum(variances, 0.0)[:, None], parts.shape[1], 1), parts**2)

    def log_likelihood(self, wander: float, noise: float) -> float:
        """Of a wander and a noise, as standard deviations."""
        variance = wander**2 * self.walk + noise**2
        return float(-0.5 * (np.log(variance) + self.square / variance).sum())

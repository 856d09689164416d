"""From a change of moment and of weight to a probability for each of the 25 cells.

Likelihood: the moment gained is the piece's mass times its position; the piece lies a few
millimetres off the middle of its cell, rarely much more (fat tail). Prior: the rules' legal
cells. The result is a probability for every cell and for none of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, log1p, pi

import numpy as np

from engine.detect.back.parameters import (
    FROM_MIDDLE_MM,
    OFF_CENTRE_SD_MM,
    SEAT_SD_GMM,
    TAIL_SD_MM,
    TAIL_SHARE,
    TAIL_VARIANCES,
    TWO_TAIL_VARIANCES,
)
from engine.events import Ranked
from engine.samples import Flags, Floats
from engine.tabletop import CELLS

LOG_TWO_PI = log(2 * pi)

_LOG_NEAR, _LOG_FAR = log1p(-TAIL_SHARE), log(TAIL_SHARE)

LEAST_NAMED = 1e-3
"""Cells that are less probable are not named."""

_ROUND = np.eye(2)
"""Covariance of a spread that is the same in all directions."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a piece lies.

    Attributes:
        cell: the most probable cell.
        probability: of that cell, given that one piece was placed.
        alternatives: the others above one in a thousand, best first.
        log_density: of the change, whichever cell it is, per g^2 mm^2.
    """

    cell: str
    probability: float
    alternatives: Ranked
    log_density: float


def mixed(ways: Sequence[tuple[float, Location]]) -> Location | None:
    """Where a piece lies by several hypotheses; None if no sensor can tell.

    Args:
        ways: probability of each hypothesis, and where the piece lies by it; the likeliest first.
    """
    if len(ways) < 2:
        return ways[0][1] if ways else None
    total, shares = sum(p for p, _ in ways), dict[str, float]()
    for p, place in ways:
        for cell, share in ((place.cell, place.probability), *place.alternatives):
            shares[cell] = shares.get(cell, 0.0) + p / total * share
    (cell, best), *others = sorted(shares.items(), key=lambda each: -each[1])
    return Location(cell, best, _alternatives(others[:4]), ways[0][1].log_density)


def agreed(ways: Sequence[tuple[float, Location]]) -> float:
    """Share of the hypotheses by which it lies on the same cell as by the likeliest."""
    same = sum(p for p, place in ways if place.cell == ways[0][1].cell)
    return same / sum(p for p, _ in ways) if ways else 1.0


@lru_cache(maxsize=8)
def allowed(legal_cells: tuple[str, ...] | None) -> Flags:
    """On which cells the rules allow a piece, (25,); remembered, for it is asked all the time."""
    return np.array([not legal_cells or cell in legal_cells for cell in CELLS])


Shares = tuple[float, ...] | None
"""See `Expectation.shares`."""


@lru_cache(maxsize=8)
def log_legal(legal_cells: tuple[str, ...] | None, shares: Shares) -> Floats:
    """Log probability of each cell for a piece that is put down by the rules, (25,)."""
    legal = allowed(legal_cells)
    by_die = np.array(shares) if shares and legal.all() else legal / legal.sum()
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(by_die))


@lru_cache(maxsize=8)
def log_prior(
    legal_cells: tuple[str, ...] | None, against_rules: float, shares: Shares = None
) -> Floats:
    """Of each cell, from the rules; remembered, since a turn asks for the same many times."""
    legal = allowed(legal_cells)
    if legal.all():
        return log_legal(legal_cells, shares)
    against = against_rules / int((~legal).sum())
    return np.asarray(np.log(np.where(legal, (1 - against_rules) / legal.sum(), against)))


def locate(  # noqa: PLR0917 - what was measured, and what was known before
    change_gmm: Floats,
    change_cov: Floats,
    mass: tuple[float, float],
    centres_mm: Floats,
    legal_cells: tuple[str, ...] | None,
    against_rules: float,
    *,
    shares: Shares = None,
    pressed: Floats | None = None,
) -> Location:
    """Probability of each cell.

    Args:
        change_gmm: horizontal moment gained, (2,).
        change_cov: its covariance, (2, 2).
        mass: mass of the piece and its standard deviation, g.
        centres_mm: (25, 2) cell centres in the order of `CELLS`.
        legal_cells: on which the rules allow a piece; None for any.
        against_rules: probability that it lies on another one all the same.
        shares: how likely each cell is where the rules allow any, (25,); None for alike.
        pressed: how much likelier the hand pressed where it did for each cell (log), (25,).
    """
    logs = cell_densities(change_gmm, change_cov, mass, centres_mm)
    logs += log_prior(legal_cells, against_rules, shares)
    if pressed is not None:
        logs += pressed
    return _located(logs)


def locate_two(
    change_gmm: Floats,
    change_cov: Floats,
    mass: tuple[float, float],
    centres_mm: Floats,
    log_priors: tuple[Floats, Floats],
) -> tuple[Location, Location]:
    """Where two pieces lie of which only the sum of their moments is known; see `locate`.

    Args:
        change_gmm: moment that both have brought.
        change_cov: its covariance.
        mass: of each of them, and its standard deviation, g.
        centres_mm: cell centres.
        log_priors: for each piece, log probability of each cell, (25,).

    Returns:
        Where each of them lies; `log_density` of either is that of the change.
    """
    mass_g, mass_sd_g = mass
    sums = centres_mm[:, None, :] + centres_mm[None, :, :]
    gap = (change_gmm - mass_g * sums).reshape(-1, 2)
    own = 2 * ((mass_g * OFF_CENTRE_SD_MM) ** 2 + (mass_sd_g * FROM_MIDDLE_MM) ** 2)
    near = log_normal(gap, change_cov + _ROUND * (SEAT_SD_GMM**2 + own))
    far = log_normal(gap, TWO_TAIL_VARIANCES * change_cov + _ROUND * 2 * (mass_g * TAIL_SD_MM) ** 2)
    logs = np.logaddexp(_LOG_NEAR + near, _LOG_FAR + far).reshape(len(centres_mm), -1)
    logs += log_priors[0][:, None] + log_priors[1][None, :]
    one, other = (np.logaddexp.reduce(logs, axis=axis) for axis in (1, 0))
    return _located(one), _located(other)


def _located(logs: Floats) -> Location:
    """The location of a piece that lies on each cell with such a log density."""
    highest = float(logs.max())
    share = np.exp(logs - highest)
    total = float(share.sum())
    share /= total
    order = np.argsort(-share)
    best = int(order[0])
    others = _alternatives([(CELLS[k], float(share[k])) for k in order[1:5]])
    return Location(CELLS[best], float(share[best]), others, highest + log(total))


def _alternatives(ranked: Sequence[tuple[str, float]]) -> Ranked:
    """What is told of the other cells, the most probable first."""
    return tuple((cell, round(p, 4)) for cell, p in ranked if p > LEAST_NAMED)


def cell_densities(
    change_gmm: Floats, change_cov: Floats, mass: tuple[float, float], centres_mm: Floats
) -> Floats:
    """Log density of a change of moment for a piece on each cell, (25,); see `locate`."""
    mass_g, mass_sd_g = mass
    gap = change_gmm - mass_g * centres_mm
    base = change_cov + _ROUND * SEAT_SD_GMM**2
    stretch = mass_sd_g**2 * centres_mm[:, :, None] * centres_mm[:, None, :]
    near = log_normal(gap, base + stretch + _ROUND * (mass_g * OFF_CENTRE_SD_MM) ** 2)
    far = log_normal(gap, TAIL_VARIANCES * base + stretch + _ROUND * (mass_g * TAIL_SD_MM) ** 2)
    return np.asarray(np.logaddexp(_LOG_NEAR + near, _LOG_FAR + far))


def log_normal_at(gap: Floats, cov: Floats, times: float = 1.0) -> float:
    """Log of the normal density of one gap (2,) with so many times a covariance (2, 2).

    Without numpy, which takes ten times as long for two numbers.
    """
    (x, y), (xx, xy, _, yy) = gap.tolist(), cov.ravel().tolist()
    determinant: float = xx * yy - xy * xy
    squared: float = (yy * x * x - 2 * xy * x * y + xx * y * y) / (determinant * times)
    return -0.5 * squared - 0.5 * log(determinant) - log(times) - LOG_TWO_PI


def log_normal(gap: Floats, cov: Floats) -> Floats:
    """The same of gaps (n, 2) with covariances (n, 2, 2) or (2, 2)."""
    xx, yy, xy = cov[..., 0, 0], cov[..., 1, 1], cov[..., 0, 1]
    determinant = xx * yy - xy * xy
    x, y = gap[..., 0], gap[..., 1]
    squared = (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant
    return np.asarray(-0.5 * squared - 0.5 * np.log(determinant) - LOG_TWO_PI)

"""From a change of moment and of weight to a probability for each of the 25 cells.

Likelihood: the moment gained is the piece's mass times its position; the piece lies a few
millimetres off the middle of its cell, rarely much more (fat tail). Prior: the rules' legal
cells. The result is a probability for every cell and for none of them.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log, log1p

import numpy as np

from engine.events import Expectation, Ranked
from engine.samples import Floats
from engine.tabletop import CELLS, Piece

OFF_CENTRE_SD_MM = 3.0
"""Spread of a careful hand about the middle of a cell (2.1-3.0 mm on the public games)."""

TAIL_SD_MM = 10.0
TAIL_SHARE = 0.06
"""Pieces set down over the edge of a cell or stack, hurried hands, and whatever else the model
does not know: fat tails keep the stated confidence honest (FORMAT.md: a plain Gaussian that says
0.99 was right 97 % of the time)."""

_LOG_NEAR, _LOG_FAR = log1p(-TAIL_SHARE), log(TAIL_SHARE)

SEAT_SD_GMM = 6.0
"""The pivot's seat and the cable shift a little with every contact (0.04 mm times the board)."""

AGAINST_RULES = 0.004
"""Share of placements on a cell the die does not allow: people do err, and rolls are mistyped."""

_ROUND = np.eye(2)
"""Covariance of a spread that is the same in all directions."""


@dataclass(frozen=True, slots=True)
class Location:
    """Where a piece lies.

    Attributes:
        cell: the most probable cell.
        probability: of that cell, given that one piece was placed.
        alternatives: the others above one in a thousand, best first.
        fit: squared distance to the best cell in standard deviations (2 degrees of freedom).
        fit_nothing: the same to no change at all: weight that does not weigh on the board.
    """

    cell: str
    probability: float
    alternatives: Ranked
    fit: float
    fit_nothing: float


@lru_cache(maxsize=8)
def _log_prior(legal_cells: tuple[str, ...] | None) -> Floats:
    """Of each cell, from the rules; remembered, since a turn asks for the same many times."""
    if not legal_cells:
        return np.asarray(np.log(np.full(len(CELLS), 1 / len(CELLS))))
    legal = np.array([cell in legal_cells for cell in CELLS])
    against = AGAINST_RULES / max(int((~legal).sum()), 1)
    return np.asarray(np.log(np.where(legal, (1 - AGAINST_RULES) / legal.sum(), against)))


def fused_mass_g(piece: Piece, gained_g: float, gained_sd_g: float) -> tuple[float, float]:
    """Mass of the placed piece and its standard deviation: pieces are alike, scales are noisy."""
    spread = 1.5 * piece.mass_std_g + 0.01 * piece.mass_mean_g
    known, seen = spread**-2, gained_sd_g**-2
    mass = (known * piece.mass_mean_g + seen * gained_g) / (known + seen)
    return mass, (known + seen) ** -0.5


def locate(
    change_gmm: Floats,
    change_cov: Floats,
    mass: tuple[float, float],
    centres_mm: Floats,
    expectation: Expectation,
    *,
    unmodelled_gmm: float = 0.0,
) -> Location:
    """Probability of each cell.

    Args:
        change_gmm: horizontal moment gained, (2,).
        change_cov: its covariance, (2, 2).
        mass: mass of the piece and its standard deviation, g.
        centres_mm: (25, 2) cell centres in the order of `CELLS`.
        expectation: which cells are legal.
        unmodelled_gmm: further standard deviation of the change that its covariance misses.
    """
    mass_g, mass_sd_g = mass
    gap = change_gmm - mass_g * centres_mm
    base = change_cov + _ROUND * (SEAT_SD_GMM**2 + unmodelled_gmm**2)
    stretch = mass_sd_g**2 * centres_mm[:, :, None] * centres_mm[:, None, :]
    near, fit = _log_density(gap, base + stretch + _ROUND * (mass_g * OFF_CENTRE_SD_MM) ** 2)
    far, _ = _log_density(gap, 2 * base + stretch + _ROUND * (mass_g * TAIL_SD_MM) ** 2)
    logs = np.logaddexp(_LOG_NEAR + near, _LOG_FAR + far)
    logs += _log_prior(expectation.legal_cells)
    share = np.exp(logs - logs.max())
    share /= share.sum()
    order = np.argsort(-share)
    best = int(order[0])
    others = tuple((CELLS[k], round(float(share[k]), 4)) for k in order[1:5] if share[k] > 1e-3)
    nothing = base + _ROUND * (mass_g * OFF_CENTRE_SD_MM) ** 2
    fit_nothing = float(change_gmm @ np.linalg.solve(nothing, change_gmm))
    return Location(CELLS[best], float(share[best]), others, float(fit[best]), fit_nothing)


def _log_density(gap: Floats, cov: Floats) -> tuple[Floats, Floats]:
    """Log of the normal density and squared distance, for 25 gaps and covariances."""
    xx, yy, xy = cov[:, 0, 0], cov[:, 1, 1], cov[:, 0, 1]
    determinant = xx * yy - xy * xy
    x, y = gap[:, 0], gap[:, 1]
    squared = (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant
    return -0.5 * squared - 0.5 * np.log(determinant), squared

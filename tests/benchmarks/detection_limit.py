"""The idealised limit: what nobody could beat who reads the board's tilt at one rest.

A Monte Carlo of the physics in docs/traces.md and of nothing else: the board rests
somewhere within the pivot's friction band of its true equilibrium, before the placement and after
it; the piece lies a little off the middle of its cell; its mass is one of a batch, the estimator
knows only the mean. No noise, no calibration error, no hands, no clocks.

The band decides nearly all: docs/traces.md gives 100 % at 0.15 degrees, 97.9 % at 0.3 and 77.5 %
at 0.5 without the die, and `test_detection_limit.py` holds this file to them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.samples import Floats
from engine.tabletop import CELLS, FILES, RANKS, level
from lab.twin.parameters import FRICTION_BAND_DEG, MANNERS, BodyParameters, Preset

PITCH_MM = 32.0
PIECE_G, PIECE_SD_G = 3.0, 0.09
"""The plain table of `lab.twin.parameters.preset_parameters`."""

MOST_PIECES = 30
"""A round of the public games ends with up to so many pieces on the board."""

Indices = npt.NDArray[np.int64]

COLUMNS = np.array([FILES.index(cell[0]) - 2 for cell in CELLS])
ROWS = np.array([RANKS.index(cell[1]) - 2 for cell in CELLS])
LEVELS = np.array([level(cell) for cell in CELLS])
DIE_SIDES = 6
ANY_LEVEL = 6


class Limit(NamedTuple):
    """Shares of right cells in `n` drawn placements."""

    n: int
    untold: float
    told: float


def preset_limit(preset: Preset, n: int = 40_000, *, seed: int = 1, rests: int = 1) -> Limit:
    """The limit on tables of a preset, friction bands drawn as the twin draws them.

    Args:
        preset: of pivot and people.
        n: placements.
        seed: of the chance.
        rests: rests averaged before and after the placement; 1 is what a table has that
            decides at once.
    """
    rng = np.random.default_rng([seed, 99])
    low, high = FRICTION_BAND_DEG[preset]
    return limit(rng, rng.uniform(low, high, n), MANNERS[preset].offset_mm, rests=rests)


def limit(rng: np.random.Generator, band_deg: Floats, offset_mm: float, *, rests: int = 1) -> Limit:
    """The limit for given friction bands, one for each drawn placement."""
    n = len(band_deg)
    rolled = rng.integers(1, DIE_SIDES + 1, n)
    cells = _cells_on(rng, rolled)
    centres = PITCH_MM * np.column_stack((COLUMNS, ROWS))
    mass_g = rng.normal(PIECE_G, PIECE_SD_G, n)
    lying = centres[cells] + rng.normal(0, offset_mm, (n, 2))
    band_gmm = _band_gmm(rng, band_deg)
    moment = mass_g[:, None] * lying
    moment += _rest_error(rng, band_gmm, rests) - _rest_error(rng, band_gmm, rests)
    gap = moment[:, None, :] - PIECE_G * centres[None, :, :]
    squared = (gap**2).sum(axis=2)
    forbidden = (rolled[:, None] != ANY_LEVEL) & (LEVELS[None, :] != rolled[:, None])
    untold = squared.argmin(axis=1) == cells
    told = np.where(forbidden, np.inf, squared).argmin(axis=1) == cells
    return Limit(n, float(untold.mean()), float(told.mean()))


def _cells_on(rng: np.random.Generator, rolled: Indices) -> Indices:
    """A cell for each roll: any of the rolled level, any at all for a six."""
    allowed = (rolled[:, None] == ANY_LEVEL) | (LEVELS[None, :] == rolled[:, None])
    cells: Indices = np.where(allowed, rng.random(allowed.shape), -1.0).argmax(axis=1)
    return cells


def _band_gmm(rng: np.random.Generator, band_deg: Floats) -> Floats:
    """The friction band as a moment: it grows with the weight on the tip."""
    empty = BodyParameters()
    pieces_g = PIECE_G * rng.integers(0, MOST_PIECES + 1, len(band_deg))
    hang_gmm = -empty.empty_moment_gmm[2]
    band: Floats = hang_gmm * np.radians(band_deg) * (1 + pieces_g / empty.empty_mass_g)
    return band


def _rest_error(rng: np.random.Generator, band_gmm: Floats, rests: int) -> Floats:
    """Error of the moment as read from the tilt at rest: anywhere in the friction disc."""
    n = len(band_gmm)
    radius = band_gmm[:, None] * np.sqrt(rng.random((n, rests)))
    angle = rng.uniform(0, 2 * np.pi, (n, rests))
    error: Floats = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=2).mean(axis=1)
    return error

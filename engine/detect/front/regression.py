"""A belief about unknowns, updated by many linear equations of which a few may be wrong."""

from typing import NamedTuple

import numpy as np

from engine.samples import Floats

HUBER_SDS = 2.0
"""Residuals above two standard deviations count by their size, not by its square: a finger that
brushes the board spoils a tick or two."""

ROUNDS = 3
"""Of weighing anew: a fourth moves the moment by more than 0.07 standard deviations in one window
of a hundred (2458 windows of a rough public game)."""

WILD_SDS = 8.0
"""However far off, a residual says no more than that."""


class Equations(NamedTuple):
    """Linear equations about the state; `swings`: how many of them, the first, are the swing's."""

    matrix: Floats
    target: Floats
    variance: Floats
    swings: int


def mean_square(standard: Floats) -> float:
    """Of residuals in standard deviations; 0 when there are none."""
    squares = np.minimum(standard, WILD_SDS) ** 2
    return float(squares.sum()) / squares.size if squares.size else 0.0


def robust_update(mean: Floats, covs: Floats, window: Equations) -> tuple[Floats, Floats, Floats]:
    """Gaussian beliefs of one mean updated by linear equations with Huber weights.

    Args:
        mean: of every belief, (n,).
        covs: their covariances, (k, n, n); two at once cost little more than one.
        window: the equations.

    Returns:
        Means (k, n), covariances, and the residuals in standard deviations, one row for each.
    """
    matrix, target, variance, _ = window
    prior = np.linalg.inv(covs)
    known = prior @ mean
    sd, weights = np.sqrt(variance), 1.0 / variance
    for _ in range(ROUNDS):
        weighted = (matrix * weights[..., None]).swapaxes(-1, -2)
        new_covs = np.linalg.inv(prior + weighted @ matrix)
        new_means = (new_covs @ (known + weighted @ target)[..., None])[..., 0]
        standard = np.abs(target - (matrix @ new_means[..., None])[..., 0]) / sd
        weights = np.minimum(1.0, HUBER_SDS / np.maximum(standard, 1e-9)) / variance
    return np.asarray(new_means), np.asarray(new_covs), np.asarray(standard)

"""How the board sits: its wander on the tip, and how far beside the middle pieces are put.

Each swing says where the board's moment lies. An empty board should have the same one after every
clearing; what it has not is the seat's wander, a random walk over the pieces placed in between. A
placed piece moves the moment by its weight times its place, and by the seat's step: both scatter.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.samples import Floats
from engine.tabletop import cell_xy_mm
from lab.fit.estimates import (
    Estimate,
    WalkParts,
    between,
    bootstrap,
    by_likelihood,
    missing,
)
from lab.fit.evening import Content, EveningSignals
from lab.fit.swing import Pivot

STEP_GRID_MM = np.exp(np.linspace(np.log(1e-3), np.log(0.5), 240))
SCATTER_GRID_GMM = np.exp(np.linspace(np.log(0.5), np.log(60.0), 25))
"""How well one swing tells the moment, on anything from the best pivot to the roughest."""

LEAST_CLEARINGS = 3
LEAST_PLACED = 12

STRAY = 12.0
"""A piece so far from its cell was seen on a wrong one."""

NAMES = ("seat_step_mm", "moment_scatter_gmm", "place_scatter_mm")


@dataclass(frozen=True, slots=True)
class _Told:
    """The board's moment by one swing."""

    content: Content
    moment_gmm: Floats


def fitted(evening: EveningSignals, pivot: Pivot) -> tuple[Estimate, ...]:
    """Seat, what one swing is worth, and how far off people put pieces."""
    if not len(pivot.law):
        needs = "more swings that no hand disturbs"
        return tuple(missing(name, len(pivot.used), needs) for name in NAMES)
    told = [
        _Told(evening.content_at(s.start_s), s.moment - s.slope[:, : len(pivot.law)] @ pivot.law)
        for s in pivot.used
    ]
    scatter = _scatter(told)
    seat = _seat(evening, told)
    return seat, scatter, _scattered(evening, told, scatter)


def _seat(evening: EveningSignals, told: list[_Told]) -> Estimate:
    empty = [each for each in told if each.content.cells == ()]
    placed = np.array([each.content.placed for each in empty], dtype=np.float64)
    rounds = len(np.unique(placed))
    if rounds <= LEAST_CLEARINGS:
        needs = f"{LEAST_CLEARINGS} clearings after which the empty board swings (it has "
        return missing("seat_step_mm", rounds, f"{needs}{max(rounds - 1, 0)})")
    walk = np.minimum.outer(placed, placed)
    moments = np.array([each.moment_gmm for each in empty])
    parts = WalkParts.of(moments, np.ones((len(empty), 1)), walk)
    weight_g = evening.table.empty_mass_g
    logs = np.array([
        max(parts.log_likelihood(weight_g * step, scatter) for scatter in SCATTER_GRID_GMM)
        for step in STEP_GRID_MM
    ])  # fmt: skip
    return by_likelihood("seat_step_mm", STEP_GRID_MM, logs, rounds)


def _scatter(told: list[_Told]) -> Estimate:
    """How far two swings of the same board differ, on one axis."""
    groups: dict[int, list[Floats]] = {}
    for each in told:
        groups.setdefault(id(each.content), []).append(each.moment_gmm)
    pairs = [np.diff(np.array(group), axis=0) for group in groups.values() if len(group) > 1]
    steps = np.concatenate(pairs) if pairs else np.empty((0, 2))
    if len(steps) < LEAST_PLACED / 2:
        return missing(
            "moment_scatter_gmm", len(steps), "six touches that leave the board as it is"
        )
    # The mean square, but a nudged piece may not decide it.
    squares = np.minimum((steps**2).mean(axis=1), 9 * np.median((steps**2).mean(axis=1)))

    def figure(weights: Floats, _draw: int = 0) -> float:
        return float(np.sqrt(weights @ squares / weights.sum() / 2))

    draws = bootstrap(len(squares), figure)
    return between("moment_scatter_gmm", figure(np.ones(len(squares))), draws, len(squares))


def _scattered(evening: EveningSignals, told: list[_Told], scatter: Estimate) -> Estimate:
    """Spread of pieces about the middle of their cells as the moment shows it, on each axis.

    The seat's wander is in it, as the piece's weight would have to be off its place to do the same.
    """
    table, squares = evening.table, []
    piece = table.piece
    noise = scatter.value**2 if scatter.seen else 0.0
    for before, after in pairwise(told):
        old, new = before.content.cells, after.content.cells
        if old is None or new is None or len(new) != len(old) + 1 or new[: len(old)] != old:
            continue
        place = np.array(cell_xy_mm(table, new[-1]))
        left = after.moment_gmm - before.moment_gmm - piece.mass_mean_g * place
        known = 2 * noise + (piece.mass_std_g * place) ** 2
        squares.append(float((left**2 - known).mean()))
    name = "place_scatter_mm"
    if len(squares) < LEAST_PLACED:
        needs = f"{LEAST_PLACED} placements with a swing before and after (it has {len(squares)})"
        return missing(name, len(squares), needs)
    values = np.array(squares)
    apart = np.abs(values - np.median(values))
    values = values[apart < STRAY * np.median(apart) + 1e-9]

    def figure(weights: Floats, _draw: int = 0) -> float:
        return float(np.sqrt(max(weights @ values / weights.sum(), 0.0)) / piece.mass_mean_g)

    return between(name, figure(np.ones(len(values))), bootstrap(len(values), figure), len(values))

"""How hard hands press when they put a piece down, from the load cells: for the steadiest hand.

Off unless the table's owner wants it (`[scoreboard] hands`): it measures people. What was measured
is kept in memory, so of a game that a restart interrupts only the rest counts.

A hand that lets a piece go softly leaves hardly more than its weight; one that pushes shows as a
peak before the release. Measured at the release as the detector tells it.
"""

from collections import defaultdict, deque
from collections.abc import Mapping
from statistics import median

import numpy as np

from engine.events import Placed
from engine.referee import RefereeState
from engine.results import Feat
from engine.samples import Samples, ScaleSamples

KEPT_S = 12.0
"""Of weights: a placement is decided 8 s after its release at the latest (docs/results.md)."""

BEFORE_S = 0.8
"""The press before the release: hands take 0.2 to 0.6 s to set a piece down."""

AFTER_S = (0.1, 0.25)
"""When the hand is gone and the piece lies, long before the next one comes."""

MOST_KEPT = 500
"""Placements, far more than a game has."""

LEAST_PLACED = 5
"""One soft piece is luck."""


class Hands:
    """Presses of the placements of late; nothing is measured unless it is on."""

    def __init__(self, *, on: bool) -> None:
        self._on = on
        self._kept: deque[ScaleSamples] = deque()
        self._press_g: dict[int, float] = {}

    @property
    def press_g(self) -> Mapping[int, float]:
        """By the number of the detector's event: peak over the weight at rest after it, in g."""
        return self._press_g

    def samples(self, block: Samples) -> None:
        """Take a block that arrived."""
        if self._on and isinstance(block, ScaleSamples) and len(block.t_s):
            self._kept.append(block)
            while self._kept[0].t_s[-1] < block.t_s[-1] - KEPT_S:
                self._kept.popleft()

    def placed(self, event: Placed, resume_s: float) -> None:
        """A placement has been seen; `resume_s` is what the pipeline adds to the samples' time."""
        if not self._kept:
            return
        t_s = np.concatenate([block.t_s for block in self._kept]) + resume_s - event.t_s
        mass_g = np.concatenate([block.mass_g for block in self._kept]).sum(axis=1)
        pressing = mass_g[(t_s >= -BEFORE_S) & (t_s <= 0)]
        after = mass_g[(t_s >= AFTER_S[0]) & (t_s <= AFTER_S[1])]
        pressing, after = pressing[~np.isnan(pressing)], after[~np.isnan(after)]
        if len(pressing) and len(after):
            press_g = max(0.0, float(pressing.max() - np.median(after)))
            self._press_g[event.id] = round(press_g, 1)
            self._press_g = dict(list(self._press_g.items())[-MOST_KEPT:])


def steadiest(state: RefereeState, press_g: Mapping[int, float]) -> Feat | None:
    """Whose pieces were pressed least, by the median; None where too few were measured.

    `press_g` is by the number of the detector's event.
    """
    by_player: dict[str, list[float]] = defaultdict(list)
    for applied in state.applied().values():
        seen = state.judged_move(applied.ref).move.seen
        if applied.type == "placed" and applied.player and seen and seen.id in press_g:
            by_player[applied.player].append(press_g[seen.id])
    softest = [
        Feat(player, round(median(presses), 1))
        for player, presses in by_player.items()
        if len(presses) >= LEAST_PLACED
    ]
    return min(softest, key=lambda feat: feat.value, default=None)

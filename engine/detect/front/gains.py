"""A load cell whose gain is off, found by what hands and swings do to all four.

Pieces that lie on the board weigh on all four cells alike, through the pivot, so that which cell
does not follow cannot be told from them. What presses, lifts or swings changes the cells unevenly:
from one tenth of a second to the next the plate's equation is then broken in proportion to the
change of the load on the one cell. A foot that leaves the ground breaks it without any load; noise,
drift and single corrupt words break it in proportion to nothing.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np

from engine.detect.front.ticks import CellSolver
from engine.samples import Floats

MOST_ROWS, LEAST_ROWS, PART_S = 8, 2, 0.15
"""Rows in a part: 0.1 s at 80 conversions a second, shorter than the press of a hand and twice what
an HX711 needs to settle; fewer where they come more slowly (at 10 a second: 0.2 s)."""

LEAST_G, MOST_G = 1.0, 3.0
"""Smaller changes of the load are noise (0.05 g in a part). Larger ones count as of so much, so
that a single one, as a clumsy hand or a foot leaving the ground makes, says no more than others."""

CHANGES = 20
"""So many are judged together: half a minute of play, a few seconds of a hand that rests."""

LEAST_GAIN, MOST_GAIN = 0.13, 1.0
"""Of the load that the plate's equation makes of all four: a gain of 0.88, of 0.43. Cells that are
calibrated carelessly reach 0.056 (46 evenings); what breaks the equation by as much as the load
changes is no gain, but friction, noise or a foot."""

BROKEN_G = 0.1
"""Root mean square: twice the noise of a part."""

UNEXPLAINED, CLEARER = 0.2, 3.0
"""The cell leaves no more of it, and every other one so many times as much."""


@dataclass(frozen=True, slots=True)
class _Change:
    """Between two parts: of the load on each cell, and of what breaks the plate's equation."""

    loads_g: Floats
    excess_g: float


class Gains:
    """Judges the gains of the four cells by the latest changes of the load."""

    def __init__(self, solver: CellSolver) -> None:
        self._solver = solver
        self._last_g: Floats | None = None
        self._changes = deque[_Change](maxlen=CHANGES)
        self._suspect: int | None = None
        self._judged = True

    def forget(self) -> None:
        """A cell is lost or back: what was before is no measure."""
        self._changes.clear()
        self._suspect = None

    def add(self, t_s: Floats, rows: Floats) -> None:
        """Look at more rows, which follow those before; their number is a multiple of the most."""
        last, size, row_s = self._last_g, MOST_ROWS, float(t_s[-1] - t_s[0]) / (len(t_s) - 1)
        while size > LEAST_ROWS and size * row_s > PART_S:
            size //= 2
        parts = rows.reshape(-1, size, 4)
        # A corrupt word stands at one end when rows are ordered by what breaks the equation.
        order = np.argsort(self._solver.excess(parts), axis=1)
        middle = order[:, size // 4 : size - size // 4, None]
        means_g = np.take_along_axis(parts, middle, axis=1).mean(axis=1)
        self._compare(np.diff(means_g, axis=0, prepend=means_g[:1] if last is None else last))
        self._last_g = means_g[-1:]

    def _compare(self, changes_g: Floats) -> None:
        loads_g = self._solver.borne_g(changes_g)
        largest_g = np.abs(loads_g).max(axis=1)
        for at in np.flatnonzero(largest_g >= LEAST_G):
            excess_g = float(self._solver.excess(changes_g[at]))
            share = min(1.0, MOST_G / max(largest_g[at], abs(excess_g)))
            self._changes.append(_Change(share * loads_g[at], share * excess_g))
            self._judged = False

    def suspect(self) -> int | None:
        """The cell whose gain is off; None while none is for sure."""
        if not self._judged:
            self._judged, self._suspect = True, self._judge()
        return self._suspect

    def _judge(self) -> int | None:
        if len(self._changes) < CHANGES:
            return None
        loads_g = np.array([change.loads_g for change in self._changes])
        excess_g = np.array([change.excess_g for change in self._changes])
        broken = float(excess_g @ excess_g)
        if broken < BROKEN_G**2 * CHANGES:
            return None
        follows, squares = excess_g @ loads_g, (loads_g**2).sum(axis=0)
        left = broken - follows**2 / np.maximum(squares, LEAST_G**2)
        best, second = np.argsort(left)[:2].tolist()
        clear = left[best] < UNEXPLAINED * broken and left[second] > CLEARER * left[best]
        gain = abs(follows[best]) / max(squares[best], LEAST_G**2)
        return best if clear and LEAST_GAIN < gain < MOST_GAIN else None

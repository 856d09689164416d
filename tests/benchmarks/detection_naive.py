"""The naive baseline: averaged weight over a threshold, and the linear change of tilt.

What most people would build first, done without malice: load cells averaged over a quarter of a
second, an event whenever two windows agree and differ from the last level by more than half a
piece, the accelerometer averaged over the same windows, and the change of tilt turned into
millimetres with the hang of the board (pieces counted, so that it grows lighter to tilt as it
fills). It knows the calibration, the die, and when people are clearing. It cannot doubt: it
neither asks nor corrects. docs/traces.md gives such a method 77 / 73 / 56 % of 25 cells,
given the true contact times; here it has to find those itself.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.events import HumanInput
from engine.samples import Floats, ImuSamples, ScaleSamples
from engine.tabletop import CELLS, FILES, RANKS, Tabletop, level
from hw.source import Item

AVERAGED_S = 0.25
STEADY_G = 0.25
"""Two neighbouring windows that differ by less are at rest: a twelfth of a piece. At a sixth the
baseline takes more hands for pieces (measured on the public games)."""

STEP_PIECES = 0.5
COLLAPSE_PIECES = 4
"""More pieces than that do not slide off one by one."""

WHILE_PLACING_S = 3.0
CLEARING_S = 20.0
"""A topple after which nobody says that the board is clear was none."""

ANY_LEVEL = 6


class Baseline:
    """Walks over the windows of one trace."""

    def __init__(self, tabletop: Tabletop, *, dice: bool) -> None:
        """Begin with an empty board of unknown weight."""
        self.events: list[dict[str, Any]] = []
        self._tabletop = tabletop
        self._dice = dice
        self._level_g: float | None = None
        self._tilt = np.zeros(2)
        self._pieces = 0
        self._clearing_until_s = -np.inf
        self._rolled = ANY_LEVEL
        self._last_placed_s = -np.inf
        self._ids = 0

    def hear(self, said: HumanInput) -> None:
        """What people say about die and clearing."""
        if said.type == "roll" and self._dice:
            self._rolled = said.data.get("value", ANY_LEVEL)
        elif said.type == "cleared":
            self._clearing_until_s, self._level_g, self._pieces = -np.inf, None, 0

    def look(self, t_s: float, before_g: float, now_g: float, tilt: Floats) -> None:
        """One window, beside the one before it."""
        if t_s < self._clearing_until_s or abs(now_g - before_g) > STEADY_G:
            return
        if self._level_g is None:
            self._level_g, self._tilt = now_g, tilt
            return
        pieces = (now_g - self._level_g) / self._tabletop.piece.mass_mean_g
        if pieces > STEP_PIECES:
            self._placed(t_s, tilt)
        elif pieces < -STEP_PIECES:
            self._toppled(t_s, -pieces)
        # What is no event is drift: both levels follow it.
        self._level_g, self._tilt = now_g, tilt

    def _placed(self, t_s: float, tilt: Floats) -> None:
        self._pieces += 1
        self._ids += 1
        self._last_placed_s = t_s
        # A heavier side hangs lower: the vertical, seen from the board, leans away from it.
        x_mm, y_mm = (self._tilt - tilt) * self._hang_gmm() / self._tabletop.piece.mass_mean_g
        allowed = [c for c in CELLS if self._rolled in {ANY_LEVEL, level(c)}]
        cell = min(allowed, key=lambda c: self._squared_mm2(c, x_mm, y_mm))
        self.events.append(
            {
                "type": "placed",
                "id": self._ids,
                "t": t_s - 2 * AVERAGED_S,
                "decided": t_s,
                "cell": cell,
                "confidence": 1.0,
            }
        )

    def _toppled(self, t_s: float, pieces: float) -> None:
        self._ids += 1
        self._clearing_until_s = t_s + CLEARING_S
        self.events.append(
            {
                "type": "toppled",
                "id": self._ids,
                "t": t_s - 2 * AVERAGED_S,
                "decided": t_s,
                "kind": "collapse" if pieces > COLLAPSE_PIECES else "off_board",
                "cause": "placing" if t_s - self._last_placed_s < WHILE_PLACING_S else "bump",
                "confidence": 1.0,
            }
        )

    def _hang_gmm(self) -> float:
        """Vertical moment of board and pieces, these at the mean height of all cells."""
        table = self._tabletop
        steps = float(np.mean([level(cell) - 1 for cell in CELLS]))
        height_mm = table.centre_height_mm - steps * table.level_step_mm + table.piece.height_mm
        pieces_gmm = self._pieces * table.piece.mass_mean_g * height_mm
        return -(table.empty_moment_gmm[2] + pieces_gmm)

    def _squared_mm2(self, cell: str, x_mm: float, y_mm: float) -> float:
        pitch = self._tabletop.cell_pitch_mm
        column, row = FILES.index(cell[0]) - 2, RANKS.index(cell[1]) - 2
        return float((x_mm - column * pitch) ** 2 + (y_mm - row * pitch) ** 2)


def naive_lines(tabletop: Tabletop, items: Iterable[Item], *, dice: bool) -> list[dict[str, Any]]:
    """What the baseline makes of a trace, as `topple-table replay --json` would print it.

    Args:
        tabletop: the owner's calibration.
        items: of the trace.
        dice: whether the rolls are told.
    """
    scale, imu, said = _collected(items)
    baseline = Baseline(tabletop, dice=dice)
    end_s = float(scale[-1, 0]) if len(scale) else 0.0
    edges = np.arange(scale[0, 0] if len(scale) else 0.0, end_s, AVERAGED_S / 2)
    mass, force = _window_means(scale, edges), _window_means(imu, edges)
    waiting = sorted(said, key=lambda one: one.t_s, reverse=True)
    for index in range(4, len(edges)):
        t_s = float(edges[index])
        while waiting and waiting[-1].t_s <= t_s:
            baseline.hear(waiting.pop())
        # The windows end here and `AVERAGED_S` (two edges) ago.
        before_g, now_g = float(mass[index - 2, 0]), float(mass[index, 0])
        baseline.look(t_s, before_g, now_g, force[index])
    summary = {
        "type": "summary",
        "duration_s": end_s,
        "placements": sum(e["type"] == "placed" for e in baseline.events),
        "topples": sum(e["type"] == "toppled" for e in baseline.events),
        "asked": 0,
    }
    return [*baseline.events, summary]


def _collected(items: Iterable[Item]) -> tuple[Floats, Floats, list[HumanInput]]:
    """Time and weight, time and tilt, and what was said."""
    scale, imu, said = [np.empty((0, 2))], [np.empty((0, 3))], []
    for item in items:
        if isinstance(item, ScaleSamples):
            scale.append(np.column_stack((item.t_s, np.nansum(item.mass_g, axis=1))))
        elif isinstance(item, ImuSamples):
            imu.append(np.column_stack((item.t_s, item.accel_g[:, :2])))
        elif isinstance(item, HumanInput):
            said.append(item)
    return np.concatenate(scale), np.concatenate(imu), said


def _window_means(rows: Floats, edges: Floats) -> Floats:
    """Mean of the columns after the first over the `AVERAGED_S` before each edge."""
    t_s, values = rows[:, 0], rows[:, 1:]
    total = np.vstack((np.zeros(values.shape[1]), np.cumsum(values, axis=0)))
    first = np.searchsorted(t_s, edges - AVERAGED_S)
    last = np.searchsorted(t_s, edges)
    count = np.maximum(last - first, 1)
    means: Floats = (total[last] - total[first]) / count[:, None]
    return means

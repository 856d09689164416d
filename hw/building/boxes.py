"""The stepped board as boxes: a floor under each cell, a riser between neighbours.

A riser stands under the edge of the higher of two neighbours and reaches down to the underside of
the lower. Board frame: origin at the tip, z up, mm.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from engine.tabletop import CELLS, FILES, RANKS, cell_xy_mm, surface_mm
from hw.building.measures import Measures


class Box(NamedTuple):
    """A box along the axes: from where to where in x, y and z."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    z_low: float
    z_high: float

    @classmethod
    def around(cls, middle: tuple[float, float, float], size: tuple[float, float, float]) -> "Box":
        """The box of this size round a point."""
        ends = [(at - long / 2, at + long / 2) for at, long in zip(middle, size, strict=True)]
        return cls(*(end for pair in ends for end in pair))

    @property
    def middle_x_mm(self) -> float:
        """Where its middle is, along x."""
        return (self.x_low + self.x_high) / 2

    def covered_mm2(self, other: "Box") -> float:
        """How much of the other lies above or below this one."""
        long = min(self.x_high, other.x_high) - max(self.x_low, other.x_low)
        wide = min(self.y_high, other.y_high) - max(self.y_low, other.y_low)
        return max(long, 0.0) * max(wide, 0.0)


def floors(measures: Measures) -> Iterator[Box]:
    """One under each cell."""
    wall, pitch = measures.board.wall_mm, measures.cell_pitch_mm
    for cell in CELLS:
        middle = (*cell_xy_mm(measures, cell), surface_mm(measures, cell) - wall / 2)
        yield Box.around(middle, (pitch, pitch, wall))


def risers(measures: Measures) -> Iterator[Box]:
    """One between each pair of neighbours."""
    wall, pitch = measures.board.wall_mm, measures.cell_pitch_mm
    for one, other in neighbours():
        high, low = sorted((one, other), key=lambda cell: -surface_mm(measures, cell))
        (hx, hy), (lx, ly) = cell_xy_mm(measures, high), cell_xy_mm(measures, low)
        inwards = wall / 2 / pitch
        top, under = surface_mm(measures, high), surface_mm(measures, low) - wall
        middle = (
            (hx + lx) / 2 + inwards * (hx - lx),
            (hy + ly) / 2 + inwards * (hy - ly),
            (top + under) / 2,
        )
        across = (wall, pitch) if hx != lx else (pitch, wall)
        yield Box.around(middle, (*across, top - under))


def neighbours() -> list[tuple[str, str]]:
    """Cells that share an edge."""
    across = [(a + r, b + r) for r in RANKS for a, b in itertools.pairwise(FILES)]
    along = [(f + a, f + b) for f in FILES for a, b in itertools.pairwise(RANKS)]
    return across + along

"""The board and the pieces on it as one rigid body.

The detector's belief about the board: which piece lies where, hence how heavy it is, how far its
moment reaches down (`moment_z`) and how hard it is to turn. Positions along x and y are never
taken from here: they are measured. Only the slowly varying vertical moment and the inertia are
book-kept, since an error of a cell changes them by less than a per cent.
"""

from dataclasses import dataclass

import numpy as np

from engine.samples import Floats  # noqa: TC001
from engine.tabletop import CELLS, Tabletop, piece_centre_mm


@dataclass(frozen=True, slots=True)
class Body:
    """Mass properties about the pivot.

    Attributes:
        mass_g: of the pieces alone (the empty board is in the tare).
        moment_z_gmm: vertical first moment of board and pieces; negative: it hangs.
        inertia_gmm2: 2x2 moments of inertia (xx, xy / xy, yy) of the pieces alone; the empty
            board's is estimated from its swing.
    """

    mass_g: float
    moment_z_gmm: float
    inertia_xx_gmm2: float
    inertia_yy_gmm2: float
    inertia_xy_gmm2: float


class Stacks:
    """What is believed to lie on the board: event numbers of the pieces, bottom first."""

    def __init__(self, tabletop: Tabletop) -> None:
        self._tabletop = tabletop
        self._cells: dict[str, list[int]] = {cell: [] for cell in CELLS}
        self._count = 0
        self.centres_mm: Floats = np.array([piece_centre_mm(tabletop, cell)[:2] for cell in CELLS])

    def __len__(self) -> int:
        return self._count

    def height(self, cell: str) -> int:
        """Number of pieces on `cell`."""
        return len(self._cells[cell])

    def put(self, ref: int, cell: str) -> None:
        """A piece came to lie on `cell`."""
        self._cells[cell].append(ref)
        self._count += 1

    def take(self, ref: int) -> None:
        """The piece `ref` is gone, if it was on the board."""
        for refs in self._cells.values():
            if ref in refs:
                refs.remove(ref)
                self._count -= 1

    def clear(self) -> None:
        """The board is empty."""
        for refs in self._cells.values():
            refs.clear()
        self._count = 0

    def body(self) -> Body:
        """Mass properties with every piece of the mean mass, at the centre of its cell."""
        mass = self._tabletop.piece.mass_mean_g
        moment_z = self._tabletop.empty_moment_gmm[2]
        xx = yy = xy = 0.0
        for cell, refs in self._cells.items():
            for below in range(len(refs)):
                x, y, z = piece_centre_mm(self._tabletop, cell, below)
                moment_z += mass * z
                xx += mass * (y * y + z * z)
                yy += mass * (x * x + z * z)
                xy -= mass * x * y
        return Body(self._count * mass, moment_z, xx, yy, xy)

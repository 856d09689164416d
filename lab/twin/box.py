"""The box of pieces, and where on a cell a hand sets one down."""

from dataclasses import dataclass, field
from math import cos, pi, sin

import numpy as np

from engine.tabletop import PIECES_PER_COLOUR
from hw.errors import BadTwin
from lab.twin.parameters import TwinParameters
from lab.twin.pieces import Pieces, TwinPiece

LARGEST_OFFSET_MM = 6.5
"""Nobody sets a piece down worse than this by oversight; so in the public traces."""


@dataclass(slots=True)
class Box:
    """Twelve pieces of each colour, each with its own mass and grip, used round after round."""

    parameters: TwinParameters
    rng: np.random.Generator
    _pieces: dict[str, list[TwinPiece]] = field(default_factory=dict)
    _made: int = 0

    def take(self, colour: str, grams: float | None = None) -> TwinPiece:
        """A piece of a colour; or one made for the occasion, of a given mass.

        Raises:
            BadTwin: the mass is not positive.
        """
        if grams is not None:
            if not grams > 0:
                raise BadTwin(f"a piece of {grams} g; it must weigh more than 0 g")
            return self._new(colour, grams)
        if colour not in self._pieces:
            self._pieces[colour] = [self._drawn(colour) for _ in range(PIECES_PER_COLOUR)]
            self._pieces[colour][0].mass_g -= dict(self.parameters.lost_g).get(colour, 0.0)
        box = self._pieces[colour]
        return box.pop(int(self.rng.integers(len(box)))) if box else self._drawn(colour)

    def give_back(self, pieces: list[TwinPiece]) -> None:
        """Put pieces back for the next round."""
        for piece in pieces:
            self._pieces.setdefault(piece.colour, []).append(piece)

    def _drawn(self, colour: str) -> TwinPiece:
        piece = self.parameters.piece
        kind = next((each for each in piece.colours if each.colour == colour), piece)
        grams = float(self.rng.normal(kind.mass_mean_g, kind.mass_std_g))
        return self._new(colour, max(0.2, grams))

    def _new(self, colour: str, grams: float) -> TwinPiece:
        friction = self.parameters.manners.sliding_friction
        grip = max(0.15, float(self.rng.normal(friction, 0.12 * friction)))
        self._made += 1
        return TwinPiece(self._made, colour, grams, grip)


def spot_mm(
    pieces: Pieces,
    cell: str,
    rng: np.random.Generator,
    *,
    offset_mm: tuple[float, float] | None = None,
    slip: str | None = None,
) -> tuple[float, float]:
    """Where on the board a piece for a cell is set down.

    Args:
        pieces: what lies on the board.
        cell: `a1` to `e5`.
        rng: where the chance comes from.
        offset_mm: from the cell's centre; drawn if left out.
        slip: `offedge` or `offstack` for a place where it cannot stay.

    Raises:
        BadTwin: no such cell or slip, or no stack there to slip off.
    """
    x_mm, y_mm = pieces.centre_mm(cell)
    if slip == "offedge":
        dx, dy = _over_the_edge(pieces, cell, rng)
    elif slip == "offstack":
        return _off_the_stack(pieces, cell, rng)
    elif slip is not None:
        raise BadTwin(f"slip is {slip!r}; it must be 'offedge' or 'offstack'")
    elif offset_mm is not None:
        dx, dy = offset_mm
    else:
        spread = pieces.parameters.manners.offset_mm
        dx, dy = np.clip(rng.normal(0, spread, 2), -LARGEST_OFFSET_MM, LARGEST_OFFSET_MM)
    return x_mm + float(dx), y_mm + float(dy)


def _over_the_edge(pieces: Pieces, cell: str, rng: np.random.Generator) -> tuple[float, float]:
    pitch = pieces.parameters.cell_pitch_mm
    x_mm, y_mm = pieces.centre_mm(cell)
    lower = []
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        beyond = pieces.cell_at(x_mm + dx * pitch, y_mm + dy * pitch)
        if beyond is None or pieces.floor_mm(beyond) < pieces.floor_mm(cell):
            lower.append((dx, dy))
    dx, dy = lower[int(rng.integers(len(lower)))]
    out = pitch / 2 + float(rng.uniform(0.1, 1.2))
    return out * dx, out * dy


def _off_the_stack(pieces: Pieces, cell: str, rng: np.random.Generator) -> tuple[float, float]:
    stack = pieces.stacks[cell]
    if not stack:
        raise BadTwin(f"there is no stack on {cell} to slip off")
    turn = float(rng.uniform(0, 2 * pi))
    out = pieces.parameters.piece.diameter_mm * float(rng.uniform(0.49, 0.53))
    return stack[-1].x_mm + out * cos(turn), stack[-1].y_mm + out * sin(turn)

"""What a placement in Topple brings and what it risks: points joined with the tilt it causes.

The physics is asked, never computed here: `tilt_rad` says how far the board would hang after a
piece was put on a cell. Without sensors, `counted_tilt` estimates it from the stacks alone.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from engine.games.topple.board import INDEX, ROWS, Board, points_of, put, ways_of
from engine.games.topple.rules import TOPPLE_BONUS, TOPPLE_PENALTY, ToppleState, legal_cells
from engine.tabletop import CELLS, FILES, RANKS

Tilt = Callable[[str], float]
"""Cell -> tilt of the board at rest, in rad, if one more piece lay on that cell."""

TILT_PER_PIECE_AND_CELL_RAD = 0.023
"""About 3 g at 32 mm over a board moment of 4100 g mm: the middle of the tables measured."""

EVEN_CHANCE_TILT_RAD = 0.26
"""Tilt at which we give a placement one chance in two: pieces begin to slide on plastic at some
15 degrees. The spread stands for the swing that follows a release."""
TILT_SPREAD_RAD = 0.035

EVEN_CHANCE_HEIGHT = 9.0
"""Stack height with an even chance of falling while one more is put on; a wobble of one piece
diameter in a level stack. The spread is wide: hands differ more than towers."""
HEIGHT_SPREAD = 0.9

COST_OF_A_TOPPLE = TOPPLE_PENALTY + TOPPLE_BONUS
"""What a topple costs against the others: 10 lost, 3 given away."""


class Hint(NamedTuple):
    """One placement, weighed.

    Attributes:
        points: what the rules would pay.
        tilt_rad: how far the board would hang afterwards.
        risk: estimated probability, 0 to 1, that pieces fall.
        worth: points to be expected, the cost of a topple included.
    """

    cell: str
    colour: str
    points: int
    tilt_rad: float
    risk: float
    worth: float


def topple_hints(state: ToppleState, tilt_rad: Tilt | None = None) -> tuple[Hint, ...]:
    """Every legal placement with points and risk, the best first.

    Args:
        state: a game of Topple; before the roll the hints hold for all 25 cells.
        tilt_rad: tilt that a piece on a cell would cause; estimated from the stacks if left out.
    """
    if state.phase == "over":
        return ()
    tilt_of = tilt_rad or counted_tilt(state.board)
    match = state.match
    hints = [
        _hint(state, cell, match.colours[colour], tilt_of(cell))
        for colour in match.hands[state.current]
        if state.left[colour]
        for cell in legal_cells(state)
    ]
    return tuple(sorted(hints, key=lambda hint: (-hint.worth, CELLS.index(hint.cell))))


def _hint(state: ToppleState, cell: str, colour: str, tilt_rad: float) -> Hint:
    points = placement_points(state, cell, colour)
    risk = topple_risk(tilt_rad, len(state.board[INDEX[cell]]))
    return Hint(cell, colour, points, tilt_rad, risk, (1 - risk) * points - risk * COST_OF_A_TOPPLE)


def placement_points(state: ToppleState, cell: str, colour: str) -> int:
    """What placing `colour` on `cell` would score now; 0 in the young people's version."""
    if state.match.target is None:
        return 0
    ways = ways_of(state.board, INDEX[cell], colour)
    return points_of(ways, shared_once=state.match.rules["share"] == "once")


def topple_risk(tilt_rad: float, height_before: int = 0) -> float:
    """Estimated probability that a placement topples something.

    Args:
        tilt_rad: tilt of the board after the placement.
        height_before: pieces in the stack before it.
    """
    slides = _logistic((tilt_rad - EVEN_CHANCE_TILT_RAD) / TILT_SPREAD_RAD)
    falls = _logistic((height_before - EVEN_CHANCE_HEIGHT) / HEIGHT_SPREAD)
    return 1 - (1 - slides) * (1 - falls)


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))


def counted_tilt(board: Board) -> Tilt:
    """Tilt estimated by counting: every piece alike, every table alike."""
    x = sum(_file(cell) * len(stack) for cell, stack in zip(CELLS, board, strict=True))
    y = sum(_rank(cell) * len(stack) for cell, stack in zip(CELLS, board, strict=True))

    def tilt_rad(cell: str) -> float:
        moment = math.hypot(x + _file(cell), y + _rank(cell))
        return math.atan(TILT_PER_PIECE_AND_CELL_RAD * moment)

    return tilt_rad


def _file(cell: str) -> int:
    return FILES.index(cell[0]) - 2


def _rank(cell: str) -> int:
    return RANKS.index(cell[1]) - 2


def gift(board: Board, at: int, colour: str) -> int:
    """How many rows a placement would leave with just one cell to fill: a gift to the next."""
    after = put(board, at, colour)
    mine = [cells for cells in ROWS.values() if CELLS[at] in cells]
    return sum(sum(not after[INDEX[cell]] for cell in cells) == 1 for cells in mine)

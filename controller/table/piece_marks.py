"""How surely the weight of a piece says whose it is, and whose pieces weigh like others.

Pure: part of what `health` says.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.pieces import PieceSet
from engine.referee.position import Position
from engine.separation import Tells, certainty, strangers, tells

THIRD = 3
"""A hand on the board may make one piece lighter, and another; a lost washer does so each time."""


class LostMark(msgspec.Struct, frozen=True):
    """Pieces of a colour that weighed like those of another: a washer may be lost.

    Attributes:
        colour: whose pieces the table believes they were.
        like: the colour whose weight they have.
        times: in this game.
    """

    colour: str
    like: str
    times: int


class PieceMarks(msgspec.Struct, frozen=True):
    """What the weight of pieces is worth now.

    Attributes:
        masses_g: mean of each colour, as weighed by the owner or learned in this game.
        certainty: probability that a piece's weight names its colour.
        lost: whose washers may be lost, from the third time on.
    """

    masses_g: dict[str, float]
    certainty: float
    lost: list[LostMark]


def pieces_tell(masses: Mapping[str, Any], position: Position) -> Tells:
    """Of how many pieces in play the weight tells whose they are.

    Without a game of the tower: of the pieces that the owner weighed. The masses are the
    calibration's (`engine.pieces.PieceSet.of`).
    """
    if not position.by_sensors:
        return tells(list(PieceSet.of(masses).colours.values()))
    if position.pieces is None:
        return "none"
    return tells([position.pieces.mass(name) for name in position.game_state.match.colours])


def piece_marks(masses: Mapping[str, Any], position: Position) -> PieceMarks | None:
    """What is known of colours by weight; None where fewer than two are known."""
    given = position.given or PieceSet.of(masses)
    known = (position.pieces or given).colours
    if len(known) < 2:
        return None
    times = strangers(given, position.weighed)
    return PieceMarks(
        {colour: round(mass.mean_g, 3) for colour, mass in known.items()},
        round(certainty(list(known.values())), 5),
        [LostMark(*pair, count) for pair, count in times.items() if count >= THIRD],
    )

"""What is worth a question: the points expected to be lost without it, against a tap."""

from engine.referee.basics import placing
from engine.referee.ledger import Move
from engine.referee.position import Position

BOTHER_POINTS = 0.25
"""A question stops the evening for some seconds: as bad as losing a quarter of a point."""

FUTURE_POINTS = 2.0
"""What a piece on a wrong cell costs later, at the beginning of a round: it fills rows that are not
full and leaves others open. Of a round's points some 50 hang on 24 pieces. One of a wrong colour
costs about as much: it is a top for another player in all rows through its cell."""

LOST_TURN_POINTS = 5.0
"""What a piece costs that was none: its points, and a turn that goes to the wrong player."""


def worth_of(position: Position, colour: str, cells: tuple[str, ...]) -> int:
    """By how many points the score would differ between the cells at most."""
    rules = position.rules
    found = []
    for cell in cells:
        placed = rules.apply(position.game_state, {"type": "place", "colour": colour, "cell": cell})
        found.append(int(rules.view(placed)["last"].get("points") or 0))
    return max(found, default=0) - min(found, default=0)


def is_worth_asking(position: Position, move: Move, confidence: float, worth: int) -> bool:
    """Whether people should be asked about a placement.

    Args:
        position: before it.
        move: the placement as the sensors saw it.
        confidence: probability that it is read rightly.
        worth: see `worth_of`.
    """
    seen = min(sum(p for _, p in move.seen.cells), 1.0) if move.seen else 1.0
    none = max(1.0 - max(seen, confidence), 0.0)
    elsewhere = max(1.0 - confidence - none, 0.0)
    lost = elsewhere * (worth + _later(position)) + none * LOST_TURN_POINTS
    return bool(lost > BOTHER_POINTS)


def colour_worth(position: Position, colours: tuple[str, str], cell: str) -> int:
    """By how many points a colour's score would differ between two colours of a piece at most."""
    rules = position.rules
    here, there = (
        rules.view(rules.apply(position.game_state, placing(position, colour, cell)))
        for colour in colours
    )
    points, others = here["colour_scores"], there["colour_scores"]
    return max(abs(int(points[name]) - int(others[name])) for name in points)


def is_colour_worth_asking(position: Position, doubt: float, worth: int) -> bool:
    """Whether people should be asked which colour a piece has.

    Args:
        position: before its placement.
        doubt: probability that it has not the colour that is believed.
        worth: see `colour_worth`.
    """
    return doubt * (worth + _later(position)) > BOTHER_POINTS


def _later(position: Position) -> float:
    """What a piece that is taken for another costs in what is left of the round."""
    view = position.view
    left: int = sum(view["left"].values())
    return FUTURE_POINTS * left / (left + sum(map(len, view["board"].values())))

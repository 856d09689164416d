"""What is worth a question: the points expected to be lost without it, against a tap."""

from engine.referee.ledger import Move
from engine.referee.position import Position

BOTHER_POINTS = 0.25
"""A question stops the evening for some seconds: as bad as losing a quarter of a point."""

FUTURE_POINTS = 2.0
"""What a piece on a wrong cell costs later, at the beginning of a round: it fills rows that are not
full and leaves others open. Of a round's points some 50 hang on 24 pieces."""

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
    view = position.rules.view(position.game_state)
    left = sum(view["left"].values())
    later = FUTURE_POINTS * left / (left + sum(map(len, view["board"].values())))
    return bool(elsewhere * (worth + later) + none * LOST_TURN_POINTS > BOTHER_POINTS)

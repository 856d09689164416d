"""What is in the box of Topple, and where."""

from engine.games.topple.state import ToppleState
from engine.tabletop import PIECES_PER_COLOUR


def is_complete(state: ToppleState) -> bool:
    """Whether every piece is on the board or left, exactly once."""
    placed = [colour for stack in state.board for colour in stack]
    return all(
        placed.count(colour) + left == PIECES_PER_COLOUR
        for colour, left in zip(state.match.colours, state.left, strict=True)
    )

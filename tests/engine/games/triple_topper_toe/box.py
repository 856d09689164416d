"""What is in the box of Triple Topper Toe, and where."""

from engine.games.triple_topper_toe.cube import DECK
from engine.games.triple_topper_toe.state import TripleTopperState


def is_complete(state: TripleTopperState) -> bool:
    """Whether every card is in the pile, in a hand or played, exactly once."""
    held = [*state.pile, *state.hands[0], *state.hands[1]]
    known = len(held) == len(set(held)) and set(held) <= set(DECK)
    return known and len(held) + state.facedown + state.faceup == len(DECK)

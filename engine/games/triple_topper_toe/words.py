"""Triple Topper Toe in words: what an action was, and the cube."""

from engine.games.contract import Action
from engine.games.triple_topper_toe.state import SEATS, TripleTopperState


def sentence(who: str, before: TripleTopperState, action: Action, after: TripleTopperState) -> str:
    """One sentence about an accepted action. Says nothing that is hidden."""
    kind = action["type"]
    if kind == "nobuzz":
        return "Nobody answers; the next question is read"
    if kind == "buzz":
        name = before.players[SEATS.index(action["player"])]
        return f"{name} answers {'right' if action['correct'] else 'wrong'}"
    if kind == "draw":
        return f"{who} draws a card"
    if kind == "discard":
        return f"{who} throws {len(action['cards'])} cards away"
    if action["cell"] is None:
        return f"{who} plays {action['card']}, a wasted turn"
    line = f" and completes {len(after.lines)} line{'s'[: len(after.lines) != 1]}"
    return f"{who} plays {action['card']} on {action['cell']}" + (line if after.lines else "")


def board_in_words(state: TripleTopperState) -> list[str]:
    """The four layers side by side, the bottom first; rows from back to front."""
    marks = [mark or "." for mark in state.marks]
    return [
        "   ".join(
            " ".join(marks[16 * row + 4 * column + layer] for column in range(4))
            for layer in range(4)
        )
        for row in reversed(range(4))
    ]

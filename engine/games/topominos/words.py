"""Topominos in words: what an action was, and the compartments."""

from engine.games.contract import Action
from engine.games.topominos.dots import DOTS, TEXTS
from engine.games.topominos.state import TopominosState, turn_points
from engine.games.words import points_in_words


def sentence(who: str, before: TopominosState, action: Action, after: TopominosState) -> str:
    """One sentence about an accepted action. Says nothing that is hidden."""
    kind = action["type"]
    if kind == "place":
        at = action["compartment"] - 1
        nine = after.completed > before.completed
        stack = "completes a nine" if nine else f"the stack has {DOTS[after.dots[at]]}"
        dots = action["dots"]
        return f"{who} lays {dots[:3]}/{dots[3:6]}/{dots[6:]} in compartment {at + 1}: {stack}"
    if kind == "end":
        return f"{who} ends the turn: {points_in_words(turn_points(before))}" + _end_of_round(after)
    if kind == "pass":
        return f"{who} passes and exchanges {len(action.get('give', ()))}" + _end_of_round(after)
    if kind == "draw":
        return f"{who} draws a piece"
    return f"Round {after.round} begins with {action['first']}"


def _end_of_round(after: TopominosState) -> str:
    if after.result is None:
        return ""
    results = zip(after.match.players, after.result, strict=True)
    return "; end of the round: " + ", ".join(f"{name} {points}" for name, points in results)


def board_in_words(state: TopominosState) -> list[str]:
    """The board as text, a line a row, the far row first."""
    grids = [TEXTS[dots].replace("0", ".").replace("1", "o") for dots in state.dots]
    return [
        "  ".join(grids[3 * row + column][3 * line : 3 * line + 3] for column in range(3))
        for row in range(3)
        for line in range(3)
    ]

"""Topple in words: what an action was, and the board."""

from engine.games.contract import Action
from engine.games.topple.board import Way
from engine.games.topple.state import ToppleState
from engine.games.words import points_in_words


def sentence(who: str, before: ToppleState, action: Action, after: ToppleState) -> str:  # noqa: ARG001
    """One sentence about an accepted action. Says nothing that is hidden."""
    last = after.last
    if action["type"] == "roll":
        return f"{who} rolls a {action['value']}"
    if action["type"] == "end_round":
        return "The round is stopped" + _round_end(after)
    if action["type"] == "pass" or last is None:
        return f"{who} passes" + _round_end(after)
    if action["type"] == "place":
        scored = ", ".join(map(_way, last.ways))
        gained = f": {points_in_words(last.points)} ({scored})" if last.ways else ""
        return f"{who} places {last.colour} on {last.cell}{gained}" + _round_end(after)
    how = "while placing" if last.cause == "placing" else "by a bump"
    changes = ", ".join(f"{colour} {points:+d}" for colour, points in last.changes.items())
    return (
        f"{last.player} topples the tower {how}"
        + (f": {changes}" if changes else "")
        + (_round_end(after))
    )


def _way(way: Way) -> str:
    verb = {"complete": "completes row", "add": "adds to row", "stack": "stack"}[way.way]
    return f"{verb} {way.where} {way.points}"


def _round_end(after: ToppleState) -> str:
    end = after.round_end
    if end is None:
        return ""
    over = "the game is over" if end.game_over else f"round {after.round} begins"
    return f"; {'all pieces are played, ' if end.reason == 'all_played' else ''}{over}"


def board_in_words(state: ToppleState) -> list[str]:
    """Each cell is its stack, bottom first, by the first letters of the colours."""
    stacks = ["".join(colour[0] for colour in stack) or "." for stack in state.board]
    width = max(map(len, stacks))
    return [
        f"{rank + 1} " + " ".join(stack.ljust(width) for stack in stacks[5 * rank : 5 * rank + 5])
        for rank in reversed(range(5))
    ] + ["  " + " ".join(file.ljust(width) for file in "abcde")]

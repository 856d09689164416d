"""What an action was, in words for the players. Says nothing that is hidden."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.games.contract import Action
from engine.games.registry import GAMES
from engine.games.topolo.state import HEIGHTS, INDEX
from engine.games.topominos.dots import DOTS, TEXTS
from engine.games.topominos.state import TopominosState, turn_points
from engine.games.topple.board import Way
from engine.games.topple.rules import ToppleState
from engine.games.triple_topper_toe.state import SEATS, TripleTopperState


def action_in_words(game: str, before: Any, action: Action, after: Any) -> str:
    """One sentence about an accepted action.

    Args:
        game: record id.
        before: the state before; None for a `start`.
        action: the action.
        after: the state after it.
    """
    if before is None:
        return f"{GAMES[game].title} begins; {GAMES[game].current_player(after) or 'nobody'} to act"
    who = GAMES[game].current_player(before) or "Somebody"
    return _WORDS[game](who, before, action, after)


def _points(count: int) -> str:
    return f"{count} point" if abs(count) == 1 else f"{count} points"


# --- Topple ----------------------------------------------------------------------------------


def _topple(who: str, before: ToppleState, action: Action, after: ToppleState) -> str:  # noqa: ARG001
    last = after.last
    if action["type"] == "roll":
        return f"{who} rolls a {action['value']}"
    if action["type"] == "end_round":
        return "The round is stopped" + _round_end(after)
    if action["type"] == "pass" or last is None:
        return f"{who} passes" + _round_end(after)
    if action["type"] == "place":
        scored = ", ".join(map(_way, last.ways))
        gained = f": {_points(last.points)} ({scored})" if last.ways else ""
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


# --- the others ------------------------------------------------------------------------------


def _topolo(who: str, before: Any, action: Action, after: Any) -> str:
    size = {"S": "small", "M": "mid", "L": "large"}[action["size"]]
    colour = after.board[INDEX[action["cell"]]].split("-")[0]
    said = f"{who} places a {size} {colour} piece ({HEIGHTS[action['size']]}) on {action['cell']}"
    if before.odd_first is None:
        said += f"; the {'odd' if after.odd_first else 'even'} rows come first"
    return said


def _triple_topper(
    who: str, before: TripleTopperState, action: Action, after: TripleTopperState
) -> str:
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


def _topominos(who: str, before: TopominosState, action: Action, after: TopominosState) -> str:
    kind = action["type"]
    if kind == "place":
        at = action["compartment"] - 1
        nine = after.completed > before.completed
        stack = "completes a nine" if nine else f"the stack has {DOTS[after.dots[at]]}"
        dots = action["dots"]
        return f"{who} lays {dots[:3]}/{dots[3:6]}/{dots[6:]} in compartment {at + 1}: {stack}"
    if kind == "end":
        return f"{who} ends the turn: {_points(turn_points(before))}" + _end_of_round(after)
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


_WORDS: Mapping[str, Callable[[str, Any, Action, Any], str]] = {
    "topple": _topple,
    "topolo": _topolo,
    "triple-topper-toe": _triple_topper,
    "topominos": _topominos,
}


# --- boards ----------------------------------------------------------------------------------


def board_in_words(game: str, state: Any) -> list[str]:
    """The board as text, a line a row, the far row first."""
    return _BOARDS[game](state)


def _topple_board(state: ToppleState) -> list[str]:
    """Each cell is its stack, bottom first, by the first letters of the colours."""
    stacks = ["".join(colour[0] for colour in stack) or "." for stack in state.board]
    width = max(map(len, stacks))
    return [
        f"{rank + 1} " + " ".join(stack.ljust(width) for stack in stacks[5 * rank : 5 * rank + 5])
        for rank in reversed(range(5))
    ] + ["  " + " ".join(file.ljust(width) for file in "abcde")]


def _topolo_board(state: Any) -> list[str]:
    cells = [f"{piece[0]}{piece[-1]}" if piece else ".." for piece in state.board]
    return [
        f"{rank + 1} " + " ".join(cells[8 * rank : 8 * rank + 8]) for rank in reversed(range(8))
    ] + ["  " + " ".join(file + " " for file in "abcdefgh")]


def _cube(state: TripleTopperState) -> list[str]:
    """The four layers side by side, the bottom first; rows from back to front."""
    marks = [mark or "." for mark in state.marks]
    return [
        "   ".join(
            " ".join(marks[16 * row + 4 * column + layer] for column in range(4))
            for layer in range(4)
        )
        for row in reversed(range(4))
    ]


def _compartments(state: TopominosState) -> list[str]:
    grids = [TEXTS[dots].replace("0", ".").replace("1", "o") for dots in state.dots]
    return [
        "  ".join(grids[3 * row + column][3 * line : 3 * line + 3] for column in range(3))
        for row in range(3)
        for line in range(3)
    ]


_BOARDS: Mapping[str, Callable[[Any], list[str]]] = {
    "topple": _topple_board,
    "topolo": _topolo_board,
    "triple-topper-toe": _cube,
    "topominos": _compartments,
}

"""Worked rule cases and played games, as `tests/engine/games/worked` has them, and how to run them.

Not a test itself. `GAME.json` holds cases: a play with what the view must then show, an action
that must be refused, or a question to a pure function of the rules. `GAME.played.jsonl` holds whole
games: each action with what it changed in the view. Both were made apart from our program, and are
not made anew when it changes. An action is its type and its values in the order of `FIELDS`; a list
has commas.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.errors import IllegalAction
from engine.games.registry import GAMES
from engine.games.topolo.rules import groups, result_of
from engine.games.topolo.state import Board
from engine.games.topominos import dots
from engine.games.topominos.dots import orbit
from engine.games.topominos.pieces import DEFAULT, SETS
from engine.games.topple.board import ROWS, cells_for
from engine.games.topple.rules import rolloff_winner
from engine.games.triple_topper_toe import cube
from engine.record import first_difference

WORKED = Path(__file__).parent / "engine" / "games" / "worked"

FIELDS: Mapping[str, Mapping[str, str]] = {
    "topple": {"roll": "value", "place": "colour cell", "topple": "cause player colour"},
    "topolo": {"place": "cell size"},
    "triple-topper-toe": {
        "play": "card cell",
        "discard": "cards reshuffle",
        "buzz": "player correct",
    },
    "topominos": {
        "place": "piece compartment dots",
        "draw": "piece",
        "end": "drawn",
        "pass": "give drawn",
    },
}
"""Game -> type of an action -> its fields; the last ones may be left out."""

NUMBERS = ("value", "piece", "compartment", "give", "drawn")
LISTS = ("give", "drawn", "cards", "reshuffle")
NAMED = {"none": None, "yes": True, "no": False}
PACKED = ("deck", "pieces")
"""Long lists of a start, written with spaces."""

View = dict[str, Any]


# --- the notation -------------------------------------------------------------------------------


def action_of(game: str, words: str) -> dict[str, Any]:
    """An action from its words.

    >>> action_of("topominos", "pass 9,8 -")
    {'type': 'pass', 'give': [9, 8], 'drawn': []}
    """
    kind, *values = words.split()
    names = FIELDS[game].get(kind, "").split()
    return {"type": kind} | {
        name: _value(name, text) for name, text in zip(names, values, strict=False)
    }


def _value(name: str, text: str) -> Any:
    if name in LISTS:
        return [_one(name, item) for item in text.split(",")] if text != "-" else []
    return NAMED[text] if text in NAMED else _one(name, text)


def _one(name: str, text: str) -> Any:
    return int(text) if name in NUMBERS else text


def _actions(game: str, play: str) -> list[dict[str, Any]]:
    return [action_of(game, words) for words in play.split("; ") if words]


def _unpacked(start: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value.split() if key in PACKED and " " in value else value
        for key, value in start.items()
    }


def changed(view: View, changes: Mapping[str, Any]) -> View:
    """A view with changes: fields to merge in, and under `-` those that are gone.

    >>> changed({"board": {"a1": "x", "b1": "o"}}, {"board": {"-": ["a1"], "c1": "x"}, "n": 2})
    {'board': {'b1': 'o', 'c1': 'x'}, 'n': 2}
    """
    out = {key: value for key, value in view.items() if key not in changes.get("-", ())}
    for key, value in changes.items():
        if key != "-":
            both = isinstance(value, dict) and isinstance(out.get(key), dict)
            out[key] = changed(out[key], value) if both else value
    return out


# --- played games -------------------------------------------------------------------------------


def played_games() -> list[str]:
    """The games of which whole games are written down."""
    return sorted(path.name.partition(".")[0] for path in WORKED.glob("*.played.jsonl"))


def record_lines_of(game: str) -> Iterator[str]:
    """The played games of a kind as lines of a record, with the whole view after each action."""
    name, number, view = "", 0, View()
    for text in (WORKED / f"{game}.played.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(text)
        if "game" in entry:
            name, number, view = f"{game}-{entry['game']}", 0, {}
        do = entry["do"]
        action = action_of(game, do) if isinstance(do, str) else _unpacked(do)
        line = {"game": game, "id": name, "n": number, "action": action}
        if "refused" in entry:
            line["reject"] = entry["refused"]
        else:
            view = changed(view, entry["now"])
            line["expect"] = view
        if "options" in entry:
            line["options"] = entry["options"]
        yield json.dumps(line)
        number += 1


# --- cases --------------------------------------------------------------------------------------


def topolo_board(rows: list[str]) -> Board:
    """The board of a case: eight rows, the eighth first, `rS` for a small red piece."""
    colours = {"r": "red-", "b": "black-"}
    cells = [cell for row in reversed(rows) for cell in row.split()]
    return tuple("" if cell == ".." else colours[cell[0]] + cell[1] for cell in cells)


def topolo_result(rows: list[str], options: Mapping[str, str] | None = None) -> dict[str, Any]:
    return result_of(topolo_board(rows), **(options or {}))._asdict()


def topominos_default_summary() -> list[int]:
    """How many pieces of 1 to 9 dots the proposed set has."""
    return [sum(piece.count("1") == count for piece in DEFAULT) for count in range(1, 10)]


PURE: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "topple": {
        "cells_for": cells_for,
        "lines_through": lambda cell: sorted(row for row, on in ROWS.items() if cell in on),
        "rolloff": rolloff_winner,
    },
    "topolo": {
        "groups": lambda rows, colour: groups(topolo_board(rows), colour),
        "result": topolo_result,
    },
    "triple-topper-toe": {
        "line_count": lambda: len(cube.LINES),
        "targets": cube.targets,
        "is_line": lambda cells: tuple(sorted(cube.INDEX[c] for c in cells)) in cube.LINES,
        "lines_through": lambda cell: len(cube.LINES_AT[cube.INDEX[cell]]),
    },
    "topominos": {
        "class_counts": lambda: [
            sum(dots.DOTS[least] == count for least in {ways[0] for ways in dots.ORBITS})
            for count in range(10)
        ],
        "default_summary": topominos_default_summary,
        "orbit": lambda **piece: orbit(piece["dots"]),
        "set": lambda name: " ".join(SETS[name]),
    },
}


def cases_of(game: str) -> list[Any]:
    """The cases of a game as pytest parameters."""
    worked = json.loads((WORKED / f"{game}.json").read_text(encoding="utf-8"))
    starts = {name: _unpacked(start) for name, start in worked["starts"].items()}
    return [
        pytest.param(case | {"game": game, "start": starts.get(case.get("start"))}, id=case["says"])
        for case in worked["cases"]
    ]


def run_case(case: Mapping[str, Any]) -> None:
    """Run one case; fails with words when the rules disagree with it."""
    if "ask" in case:
        result = PURE[case["game"]][case["ask"]](**case["of"])
        assert first_difference(case["answer"], result) is None
    elif "refused" in case:
        _run_refusal(case)
    else:
        _run_views(case)


def _run_refusal(case: Mapping[str, Any]) -> None:
    *accepted, refused = [case["start"], *_actions(case["game"], case["play"])]
    game = GAMES[case["game"]].rules
    if not accepted:
        with pytest.raises(IllegalAction) as caught:
            game.start(refused, case.get("options"))
    else:
        state = play(case["game"], accepted, case.get("options"))[-1]
        before = game.view(state)
        with pytest.raises(IllegalAction) as caught:
            game.apply(state, refused)
        assert game.view(state) == before
    assert caught.value.code == case["refused"]


def _run_views(case: Mapping[str, Any]) -> None:
    game, actions = case["game"], [case["start"]]
    for step in case["then"]:
        actions += _actions(game, step["play"])
        view = GAMES[game].rules.view(play(game, actions, case.get("options"))[-1])
        for path, expected in step["view"].items():
            assert first_difference(expected, at(view, path)) is None, path


def play(game: str, actions: list[Any], options: Mapping[str, Any] | None = None) -> list[Any]:
    """The states after each action, all of which must be accepted."""
    states = [GAMES[game].rules.start(actions[0], options)]
    for action in actions[1:]:
        states.append(GAMES[game].rules.apply(states[-1], action))
    return states


def at(view: Any, path: str) -> Any:
    """The value at a dotted path of a view."""
    for key in path.split("."):
        view = view[int(key)] if isinstance(view, (list, tuple)) else view[key]
    return view

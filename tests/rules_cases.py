"""The given rule cases and records, found beside the repository, and how they are run.

Not a test itself. A case is a list of actions with checks, an action that must be refused, or a
question to a pure function of the rules.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.errors import IllegalAction
from engine.games.registry import GAMES
from engine.games.topolo.rules import groups, result_of
from engine.games.topolo.state import Board
from engine.games.topominos import dots
from engine.games.topominos.dots import orbit
from engine.games.topominos.pieces import DEFAULT
from engine.games.topple.board import cells_for, rows_through
from engine.games.topple.rules import rolloff_winner
from engine.games.triple_topper_toe import cube
from engine.record import first_difference

CASES = Path(__file__).resolve().parents[2] / "shared" / "rules" / "cases"


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


PURE: Mapping[str, Callable[..., Any]] = {
    "topple_cells_for": cells_for,
    "topple_lines_through": rows_through,
    "topple_rolloff": rolloff_winner,
    "topolo_groups": lambda rows, colour: groups(topolo_board(rows), colour),
    "topolo_result": topolo_result,
    "ttt_line_count": lambda: len(cube.LINES),
    "ttt_targets": cube.targets,
    "ttt_is_line": cube.is_line,
    "ttt_lines_through": lambda cell: len(cube.LINES_AT[cube.INDEX[cell]]),
    "topominos_class_counts": dots.class_counts,
    "topominos_default_summary": topominos_default_summary,
    "topominos_orbit": lambda **piece: orbit(piece["dots"]),
}


def cases_of(*files: str, game: str | None = None) -> list[Any]:
    """The cases of some files as pytest parameters; one skipped parameter when they are absent."""
    if not CASES.is_dir():
        missing = pytest.mark.skip(reason=f"the given rule cases are not at {CASES}")
        return [pytest.param({}, marks=missing, id="no-cases")]
    cases = [case for file in files for case in json.loads((CASES / file).read_text())]
    return [pytest.param(case, id=case["id"]) for case in cases if game in (None, case["game"])]


def record_file(game: str) -> Path:
    """The given record of a game; skips the test when it is absent."""
    path = CASES / f"{game}.records.jsonl"
    if not path.exists():
        pytest.skip(f"the given records are not at {CASES}")
    return path


def run_case(case: Mapping[str, Any]) -> None:
    """Run one case; fails with words when the rules disagree with it."""
    if "pure" in case:
        _run_pure(case["pure"])
    elif "reject" in case:
        _run_refusal(case)
    else:
        _run_checks(case)


def _run_pure(pure: Mapping[str, Any]) -> None:
    result = PURE[pure["fn"]](**pure["args"])
    assert first_difference(pure["result"], result) is None


def _run_refusal(case: Mapping[str, Any]) -> None:
    *accepted, refused = case["actions"]
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
    assert caught.value.code == case["reject"]["code"]


def _run_checks(case: Mapping[str, Any]) -> None:
    states = play(case["game"], case["actions"], case.get("options"))
    for check in case["checks"]:
        view = GAMES[case["game"]].rules.view(states[check["after"]])
        for path, expected in check["expect"].items():
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

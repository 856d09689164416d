"""Short games in a test: what happens step by step, and what is so then.

A case is a heading, and below it lines `steps -> facts` or `-> more facts`, separated by `;`.
Steps are those of `stories.py`; a fact is the name of one of `FACTS`, or a path into one of
`WORLDS`, and all that it holds.
Without `start` an ordinary game of Ann (blue) and Bob (red) has begun.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec
import pytest

from engine.events import Expectation
from engine.games.contract import View
from engine.referee import expectation, standing
from engine.scoreboard import document
from tests.engine.referee.script import Script
from tests.engine.referee.stories import do

FACTS: Mapping[str, Callable[[Script], str]] = {
    "board": lambda game: _all(f"{cell}={'+'.join(on)}" for cell, on in game.board.items() if on),
    "scores": lambda game: _all(f"{name}={points}" for name, points in game.scores.items()),
    "turn": lambda game: f"{game.state.position.player} {game.state.position.phase}",
    "asks": lambda game: _all(game.questions),
    "doubts": lambda game: _all(game.doubts),
    "offers": lambda game: _all(c.value for asked in game.state.questions() for c in asked.choices),
    "expects": lambda game: _expected(expectation(game.state)),
    "silent": lambda game: _all(m.data["player"] for m in game.state.ledger if m.weighed),
    "left": lambda game: _all(f"{colour}={n}" for colour, n in _view(game)["left"].items()),
    "stands": lambda game: _all(f"{event}={cell}" for event, cell in standing(game.state)),
    "told": lambda game: _all(game.types),
    "refused": lambda game: game.ruling.refused.code if game.ruling.refused else "nothing",
    "amended": lambda game: _all(f"{event}={cell}" for event, cell in game.ruling.amendments),
}


WORLDS: Mapping[str, Callable[[Script], Any]] = {
    "shown": lambda game: document(game.state, table="t1", boot="b1"),
    "outcome": lambda game: [{"type": o.type, "player": o.player, **o.data} for o in
                             game.ruling.outcomes],
    "asked": lambda game: {
        asked.id: asked for asked in (*game.state.questions(), *game.state.doubts())
    },
    "applied": lambda game: {str(ref): one for ref, one in game.state.applied().items()},
    "position": lambda game: game.state.position,
    "state": lambda game: game.state,
}  # fmt: skip
"""In which a fact may be named by its path: `shown.last.points 5`."""


def fact(game: Script, name: str) -> str:
    """What it holds now, in words."""
    if name in FACTS:
        return FACTS[name](game)
    world, *path = name.split(".")
    found = WORLDS[world](game)
    for step in path:
        found = getattr(found, step) if hasattr(found, step) else _item(found, step)
    return found if isinstance(found, str) else msgspec.json.encode(found).decode()


def _item(found: Any, step: str) -> Any:
    return found.get(step) if isinstance(found, Mapping) else found[int(step)]


def cases(text: str) -> pytest.MarkDecorator:
    """Calls a test with the lines of each case; its heading is the id."""
    found: dict[str, list[str]] = {}
    for line in text.strip().split("\n"):
        if line[:1] != " ":
            found[line] = []
        elif not line.startswith("    #"):
            found[list(found)[-1]].append(line.strip())
    return pytest.mark.parametrize("lines", found.values(), ids=found)


def assert_played(lines: list[str]) -> None:
    """Play it, and see whether everything is so."""
    game = Script() if lines[0].startswith("start") else Script().start()
    for line in lines:
        steps, _, facts = f" {line}".partition(" -> ")
        for step in filter(None, steps.split("; ")):
            do(game, *step.split())
        for told in filter(None, facts.split("; ")):
            name, _, value = told.partition(" ")
            assert f"{name} {fact(game, name)}" == f"{name} {value}", line


def _expected(awaited: Expectation) -> str:
    """How many pieces are left, where the next may be, and whether two dice are told."""
    cells = ("anywhere",) if awaited.legal_cells is None else awaited.legal_cells
    return " ".join([str(awaited.pieces_left), *cells, *["ahead"] * awaited.ahead])


def _view(game: Script) -> View:
    return game.state.position.rules.view(game.state.position.game_state)


def _all(words: Iterable[str]) -> str:
    return " ".join(words) or "nothing"

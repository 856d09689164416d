"""Short games in a test: what happens step by step, and what is so then.

A case is a heading, and below it lines `steps -> facts` or `-> more facts`, separated by `;`.
Steps are those of `stories.py`; a fact is the name of one of `FACTS` and all that it holds.
Without `start` an ordinary game of Ann (blue) and Bob (red) has begun.
"""

from collections.abc import Callable, Iterable, Mapping

import pytest

from engine.events import Expectation
from engine.referee import expectation
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
    "told": lambda game: _all(game.types),
    "refused": lambda game: game.ruling.refused.code if game.ruling.refused else "nothing",
    "amended": lambda game: _all(f"{event}={cell}" for event, cell in game.ruling.amendments),
}


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
        for fact in filter(None, facts.split("; ")):
            name, _, value = fact.partition(" ")
            assert f"{name} {FACTS[name](game)}" == f"{name} {value}", line


def _expected(awaited: Expectation) -> str:
    """How many pieces are left, where the next may be, and whether two dice are told."""
    cells = ("anywhere",) if awaited.legal_cells is None else awaited.legal_cells
    return " ".join([str(awaited.pieces_left), *cells, *["ahead"] * awaited.ahead])


def _all(words: Iterable[str]) -> str:
    return " ".join(words) or "nothing"

"""Whole games of simulated players through the real referee, without sensors."""

import random
from typing import Any

from controller.table.pipeline import Pipeline
from controller.table.resultbook import ResultBook
from engine.events import HumanInput
from engine.games.playthrough import play_through
from engine.games.registry import GAMES
from engine.referee import RefereeState
from engine.results import GameResult
from tests.controller.evenings import TABLETOP, Detector

ENDED_UNIX_S = 1_795_291_200.0
"""2026-11-21, 20:00 UTC."""


def whole_game(kind: str, seed: int) -> tuple[GameResult, Any]:
    """The result that is told, and the last state of the rules, which know nothing of telling."""
    book = ResultBook()
    _, last = _played(kind, seed, book)
    (found,) = book.games
    return found, last


def played_through(kind: str, seed: int) -> RefereeState:
    """The referee at the end."""
    return _played(kind, seed, ResultBook())[0]


def _played(kind: str, seed: int, book: ResultBook) -> tuple[RefereeState, Any]:
    chance = random.Random(seed).random
    pipeline, last = Pipeline(Detector(), chance=chance), None
    for number, step in enumerate(play_through(kind, chance)):
        t_s, data, last = 100.0 * number, dict(step.action), step.after
        verb = data.pop("type")
        if verb == "start":
            data |= {"game": kind, "id": f"{kind}-{seed}"}
        elif kind != "topple":
            verb, data = "action", dict(step.action)
        elif verb == "topple":
            data["player"] = GAMES[kind].rules.current_player(step.before)
        for output in pipeline.say(HumanInput(t_s, verb, data)):
            assert output.refused is None, output.refused
            book.note(output.state, ENDED_UNIX_S, TABLETOP)
        if kind == "topple" and pipeline.state.position.clearing:
            pipeline.say(HumanInput(t_s + 50.0, "cleared"))
    return pipeline.state, last

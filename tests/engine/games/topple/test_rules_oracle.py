"""Random games with random house rules, action by action, against the second writing."""

import json
import random
from typing import Any

import pytest

from engine.games.chance import Chance, pick
from engine.games.registry import GAMES
from engine.games.topple.rules import TOPPLE
from engine.games.topple.state import ToppleState
from engine.record import first_difference
from lab.bench.rules_oracle import LEVELS, Oracle
from tests.engine.games.helpers import starts_of
from tests.rules_cases import record_lines_of
from tests.soaked import soaked

GAMES_PER_TEST = 20
# Not compared: without the roll there is nothing in the given rules to compare with.
COMPARED = {name: values for name, values in TOPPLE.options.items() if name != "dice"}


def by_words(action: dict) -> tuple[str, ...]:
    return tuple(str(value) for value in action.values())


def random_action(state: ToppleState, oracle: Oracle, chance: Chance) -> dict:
    staying = [name for name in oracle.names if name not in oracle.out]
    if oracle.board and chance() < 0.03:
        return {"type": "topple", "cause": "bump", "player": pick(staying, chance)}
    if oracle.die is not None and chance() < 0.03:
        return {"type": "topple", "cause": "placing", "player": oracle.current}
    return dict(pick(TOPPLE.legal_actions(state), chance))


def cells(game: Oracle) -> list[str] | None:
    if game.die is None or game.winners:
        return None
    board = [file + rank for rank in "12345" for file in "abcde"]
    return [cell for cell in board if game.die in (6, LEVELS[cell])]


def legal_in(game: Oracle) -> list[dict[str, Any]]:
    if game.winners:
        return []
    if game.die is None:
        return [{"type": "roll", "value": value} for value in range(1, 7)]
    return [
        {"type": "place", "colour": colour, "cell": cell}
        for colour in game.hands[game.current]
        if game.left(colour)
        for cell in cells(game) or []
    ] + ([{"type": "pass"}] if game.may_pass() else [])


def view(game: Oracle) -> dict[str, Any]:
    over = bool(game.winners)
    turns = [] if over else game.rounds[-1]
    totals = {name: [game.score[c] for c in game.hands[name]] for name in game.names}
    return {
        "round": game.round,
        "phase": "over" if over else "roll" if game.die is None else "act",
        "current": None if over else game.current,
        "die": game.die,
        "previous": turns[-1][0] if turns else None,
        "cells": cells(game),
        "board": {cell: stack for cell, stack in game.board.items() if stack},
        "left": {colour: game.left(colour) for colour in game.colours},
        "colour_scores": dict(game.score) if game.scored else None,
        "player_best": {n: max(s) for n, s in totals.items()} if game.scored else None,
        "player_total": {n: sum(s) for n, s in totals.items()} if game.scored else None,
        "out": game.out,
        "last": game.last,
        "round_end": game.round_end,
        "winners": game.winners,
    }


@pytest.mark.parametrize("batch", soaked(range(8), but=(0, 1)))
def test_random_games_agree_with_the_second_writing_of_the_rules(batch: int) -> None:
    ends = 0
    for seed in range(batch * GAMES_PER_TEST, (batch + 1) * GAMES_PER_TEST):
        chance = random.Random(seed).random
        rules = {name: pick(values, chance) for name, values in COMPARED.items()}
        start = dict(
            GAMES["topple"].outcomes.completed(None, starts_of("topple")[seed % 3], chance)
        )
        start["target"] = start["target"] and pick((5, 20, 60), chance)
        state, oracle = TOPPLE.start(start, rules), Oracle(start, rules)
        for _ in range(300):
            assert first_difference(view(oracle), TOPPLE.view(state)) is None, (seed, rules)
            legal = map(dict, TOPPLE.legal_actions(state))
            assert sorted(legal, key=by_words) == sorted(legal_in(oracle), key=by_words)
            if TOPPLE.is_over(state):
                ends += 1
                break
            action = random_action(state, oracle, chance)
            state = TOPPLE.apply(state, action)
            oracle.apply(action)

    assert ends > GAMES_PER_TEST / 4


def test_the_second_writing_agrees_with_the_played_games() -> None:
    """The oracle is worth something only if it is right itself."""
    oracle: Oracle | None = None
    for text in record_lines_of("topple"):
        entry = json.loads(text)
        if "reject" in entry:
            continue
        if entry["n"] == 0:
            oracle = Oracle(entry["action"], entry["options"])
        else:
            assert oracle is not None
            oracle.apply(entry["action"])
        assert oracle is not None
        assert first_difference(entry["expect"], view(oracle)) is None, entry["n"]

import random

import pytest

from engine.errors import IllegalAction
from engine.games.chance import shuffled
from engine.games.playthrough import play_through
from engine.games.registry import GAMES
from tests.engine.games.helpers import refusal_of

ALL = pytest.mark.parametrize("game", list(GAMES))


@ALL
def test_completed_start_can_be_played_at_once(game: str) -> None:
    for seed in range(30):
        start = GAMES[game].outcomes.completed(
            None, GAMES[game].example, random.Random(seed).random
        )
        GAMES[game].rules.start(start)


@ALL
def test_what_a_person_said_is_kept(game: str) -> None:
    start = GAMES[game].outcomes.completed(None, GAMES[game].example, random.Random(1).random)

    assert GAMES[game].outcomes.completed(None, start, random.Random(2).random) == start
    assert {name: start[name] for name in GAMES[game].example} == dict(GAMES[game].example)


@ALL
def test_senseless_start_comes_back_for_the_rules_to_refuse(game: str) -> None:
    for nonsense in ({"players": 3}, {"players": [1, None]}, {"racks": 5}, {"deck": "x"}):
        start = {"type": "start", **nonsense}
        try:
            filled = GAMES[game].outcomes.completed(None, start, random.Random(1).random)
        except IllegalAction:
            continue
        assert refusal_of(GAMES[game].rules.start, filled)


@ALL
def test_every_action_can_be_drawn_again_and_stays_legal(game: str) -> None:
    chance = random.Random(4).random
    for step in play_through(game, chance):
        if step.before is not None:
            again = GAMES[game].outcomes.redrawn(step.before, step.action, chance)
            GAMES[game].rules.apply(step.before, again)


def test_shuffling_keeps_everything_and_reaches_every_order() -> None:
    chance = random.Random(0).random
    orders = {tuple(shuffled("abc", chance)) for _ in range(200)}

    assert len(orders) == 6
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)

import random

import pytest

from engine.errors import IllegalAction
from engine.games.chance import (
    CHANCE_FIELDS,
    SECRET_FIELDS,
    completed,
    public_action,
    redrawn,
    shuffled,
)
from engine.games.playthrough import STARTS, play_through
from engine.games.registry import GAMES
from tests.engine.games.helpers import refusal_of

ALL = pytest.mark.parametrize("game", list(GAMES))


@ALL
def test_completed_start_can_be_played_at_once(game: str) -> None:
    for seed in range(30):
        start = completed(game, None, STARTS[game], random.Random(seed).random)
        GAMES[game].start(start)


@ALL
def test_what_a_person_said_is_kept(game: str) -> None:
    start = completed(game, None, STARTS[game], random.Random(1).random)

    assert completed(game, None, start, random.Random(2).random) == start
    assert {name: start[name] for name in STARTS[game]} == dict(STARTS[game])


@ALL
def test_senseless_start_comes_back_for_the_rules_to_refuse(game: str) -> None:
    for nonsense in ({"players": 3}, {"players": [1, None]}, {"racks": 5}, {"deck": "x"}):
        start = {"type": "start", **nonsense}
        try:
            filled = completed(game, None, start, random.Random(1).random)
        except IllegalAction:
            continue
        assert refusal_of(GAMES[game].start, filled)


@ALL
def test_every_action_can_be_drawn_again_and_stays_legal(game: str) -> None:
    chance = random.Random(4).random
    for step in play_through(game, chance):
        if step.before is not None:
            again = redrawn(game, step.before, step.action, chance)
            GAMES[game].apply(step.before, again)


@ALL
def test_public_action_has_no_secret_and_no_chance_field_of_hidden_games(game: str) -> None:
    for step in play_through(game, random.Random(5).random):
        shown = public_action(game, step.action)
        secret = SECRET_FIELDS.get((game, shown["type"]), ())
        assert not set(shown) & set(secret)
        if game in ("triple-topper-toe", "topominos"):
            assert not set(shown) & set(CHANCE_FIELDS.get((game, shown["type"]), ()))


def test_shuffling_keeps_everything_and_reaches_every_order() -> None:
    chance = random.Random(0).random
    orders = {tuple(shuffled("abc", chance)) for _ in range(200)}

    assert len(orders) == 6
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)

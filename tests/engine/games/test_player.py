"""Every player plays whole games by the rules, and the decent ones are worth playing against."""

from collections.abc import Callable
from random import Random

import pytest

from engine.games.kind import Player
from engine.games.player import random_player
from engine.games.registry import GAMES

LONGEST = 2000
"""Actions; far beyond any game that these players can end."""


def finished(game_id: str, seats: Callable[[str], Player], seed: int) -> tuple[str, ...]:
    """Plays until the end, or until nobody would ever end it; names of the winners."""
    kind, game, chance = GAMES[game_id], GAMES[game_id].rules, Random(seed)
    state = game.start(kind.outcomes.completed(None, kind.example, chance.random))
    for _ in range(LONGEST):
        if game.is_over(state):
            break
        player = game.current_player(state) or ""
        state = game.apply(state, seats(player)(state, chance.random))
    return game.winners(state)


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_decent_player_only_makes_moves_the_rules_accept(game_id: str, seed: int) -> None:
    decent = GAMES[game_id].player

    assert isinstance(finished(game_id, lambda _: decent, seed), tuple)


@pytest.mark.parametrize("game_id", ["topolo", "triple-topper-toe"])
def test_a_decent_player_beats_a_random_one(game_id: str) -> None:
    decent, lucky = GAMES[game_id].player, random_player(GAMES[game_id])
    first, won = "Ann", 0
    for seed in range(12):
        winners = finished(game_id, lambda name: decent if name == first else lucky, seed)
        won += winners == (first,)

    assert won >= 8


def test_the_same_luck_makes_the_same_game() -> None:
    decent = GAMES["triple-topper-toe"].player

    first = finished("triple-topper-toe", lambda _: decent, 5)
    assert finished("triple-topper-toe", lambda _: decent, 5) == first

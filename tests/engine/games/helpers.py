"""Random games for the tests of all games."""

import random
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from engine.errors import IllegalAction
from engine.games.chance import Chance, pick
from engine.games.contract import Action, Game
from engine.games.kind import GameKind, Player
from engine.games.registry import GAMES

MORE_STARTS: dict[str, list[dict[str, Any]]] = {
    "topple": [
        {
            "variant": "two-colour",
            "players": [
                {"name": "Ann", "colours": ["pink", "yellow"]},
                {"name": "Bob", "colours": ["blue", "green"]},
            ],
        },
        {"variant": "young", "target": None},
    ],
    "triple-topper-toe": [{"variant": "quiz"}],
    "topominos": [
        {"players": ["Ann"], "match": {"rounds": 2}},
        {"players": ["Ann", "Bob", "Cat", "Dan"], "pieces": "alternative"},
        {"players": ["Ann", "Bob", "Cat"], "match": {"points": 60}},
    ],
}


def random_player(game: GameKind) -> Player:
    """A player who takes any legal action."""

    def choose(state: Any, chance: Chance) -> Action:
        return game.outcomes.redrawn(state, pick(game.rules.legal_actions(state), chance), chance)

    return choose


def starts_of(game: str) -> list[dict[str, Any]]:
    """The usual opening of a game and its variants, without what chance decides."""
    return [
        dict(GAMES[game].example),
        *({**GAMES[game].example, **more} for more in MORE_STARTS.get(game, ())),
    ]


def opened(game: str, seed: int, variant: int = 0, options: Any = None) -> Any:
    chance = random.Random(seed).random
    starts = starts_of(game)
    start = GAMES[game].outcomes.completed(None, starts[variant % len(starts)], chance)
    return GAMES[game].rules.start(start, options)


def random_states(
    game: str, seed: int, steps: int, variant: int = 0, options: Any = None
) -> list[Any]:
    """The states of a random game, at most `steps` actions long."""
    rules, chance = GAMES[game].rules, random.Random(seed + 1).random
    choose, states = random_player(GAMES[game]), [opened(game, seed, variant, options)]
    while len(states) <= steps and not rules.is_over(states[-1]):
        states.append(rules.apply(states[-1], choose(states[-1], chance)))
    return states


def states_of(game: str, steps: int = 120, options: Any = None) -> st.SearchStrategy[Any]:
    """A position somewhere in a random game."""
    return st.builds(
        lambda seed, variant, length: random_states(game, seed, length, variant, options)[-1],
        st.integers(0, 2**32),
        st.integers(0, len(starts_of(game)) - 1),
        st.integers(0, steps),
    )


def refusal_of(call: Callable[..., Any], *arguments: Any) -> IllegalAction | None:
    """How the rules refuse a call; None when they accept it."""
    try:
        call(*arguments)
    except IllegalAction as refusal:
        return refusal
    return None


def code_of(game: Game[Any], state: Any, action: Any) -> str | None:
    """The code an action is refused with; None when it is accepted."""
    refusal = refusal_of(game.apply, state, action)
    assert refusal is None or refusal.message
    return refusal.code if refusal else None

"""Topple: the tower that the sensors follow."""

from engine.games.kind import GameKind
from engine.games.topple.chance import OUTCOMES
from engine.games.topple.player import choose_topple, may_topple
from engine.games.topple.rules import TOPPLE
from engine.games.topple.start import MOST_PLAYERS, filled_in
from engine.games.topple.state import ToppleState
from engine.games.topple.words import board_in_words, sentence


def _cleared(state: ToppleState) -> bool:
    return state.round_end is not None


KIND = GameKind(
    rules=TOPPLE,
    example={
        "type": "start",
        "players": [
            {"name": "Ann", "colours": ["pink"]},
            {"name": "Bob", "colours": ["blue"]},
            {"name": "Cat", "colours": ["yellow"]},
        ],
        "target": 40,
        "variant": "standard",
    },
    seats=(2, MOST_PLAYERS),
    player=choose_topple,
    sentence=sentence,
    board_in_words=board_in_words,
    outcomes=OUTCOMES,
    by_sensors=True,
    in_rounds=True,
    filled_in=filled_in,
    mishap=may_topple,
    cleared=_cleared,
)

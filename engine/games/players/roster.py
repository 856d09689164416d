"""The decent players by the record id of their game."""

from collections.abc import Mapping

from engine.games.player import Player
from engine.games.topolo.player import choose_topolo
from engine.games.topominos.player import choose_topominos
from engine.games.topple.player import choose_topple
from engine.games.triple_topper_toe.player import choose_triple_topper

DECENT_PLAYERS: Mapping[str, Player] = {
    "topple": choose_topple,
    "topolo": choose_topolo,
    "triple-topper-toe": choose_triple_topper,
    "topominos": choose_topominos,
}

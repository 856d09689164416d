"""The decent players by the record id of their game."""

from collections.abc import Mapping

from engine.games.players.base import Player
from engine.games.players.topolo import choose_topolo
from engine.games.players.topominos import choose_topominos
from engine.games.players.topple import choose_topple
from engine.games.players.triple_topper import choose_triple_topper

DECENT_PLAYERS: Mapping[str, Player] = {
    "topple": choose_topple,
    "topolo": choose_topolo,
    "triple-topper-toe": choose_triple_topper,
    "topominos": choose_topominos,
}

"""Players for every game, as pure functions: for the demo, the tests and the hints."""

from engine.games.player import Chance, Player, pick, random_player
from engine.games.players.roster import DECENT_PLAYERS

__all__ = ["DECENT_PLAYERS", "Chance", "Player", "pick", "random_player"]

"""The games by their record id. A fifth game is one file and one line here."""

from collections.abc import Mapping
from typing import Any

from engine.games.contract import Game
from engine.games.topolo import TOPOLO
from engine.games.topominos import TOPOMINOS
from engine.games.topple import TOPPLE
from engine.games.triple_topper import TRIPLE_TOPPER

GAMES: Mapping[str, Game[Any]] = {
    game.id: game for game in (TOPPLE, TOPOLO, TRIPLE_TOPPER, TOPOMINOS)
}

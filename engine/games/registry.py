"""The games by their record id. A fifth game is one file and one line here."""

from collections.abc import Mapping
from typing import Any

from engine.games.contract import Game
from engine.games.topolo.rules import TOPOLO
from engine.games.topominos.rules import TOPOMINOS
from engine.games.topple.rules import TOPPLE
from engine.games.triple_topper_toe.rules import TRIPLE_TOPPER

GAMES: Mapping[str, Game[Any]] = {
    game.id: game for game in (TOPPLE, TOPOLO, TRIPLE_TOPPER, TOPOMINOS)
}

"""A player for any game who takes any legal action."""

from typing import Any

from engine.games.chance import Chance, pick
from engine.games.contract import Action
from engine.games.kind import GameKind, Player


def random_player(game: GameKind) -> Player:
    """A player who takes any legal action."""

    def choose(state: Any, chance: Chance) -> Action:
        return game.outcomes.redrawn(state, pick(game.rules.legal_actions(state), chance), chance)

    return choose

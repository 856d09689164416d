"""What all players share: chance comes in as an argument, a choice goes out as an action."""

from typing import Any, Protocol

from engine.games.chance import Chance, pick, redrawn
from engine.games.contract import Action, Game

__all__ = ["Chance", "Player", "pick", "random_player"]


class Player(Protocol):
    """Chooses the next action of whoever is to act; never asked when the game is over."""

    def __call__(self, state: Any, chance: Chance) -> Action:
        """An action the rules accept in `state`, outcomes of chance included."""
        ...


def random_player(game: Game[Any]) -> Player:
    """A player who takes any legal action."""

    def choose(state: Any, chance: Chance) -> Action:
        return redrawn(game.id, state, pick(game.legal_actions(state), chance), chance)

    return choose

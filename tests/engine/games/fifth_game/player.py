"""A player of Heap of Pearls who would rather dip."""

from engine.games.chance import Chance, pick
from engine.games.contract import Action
from tests.engine.games.fifth_game.chance import OUTCOMES
from tests.engine.games.fifth_game.rules import HEAP_OF_PEARLS, PearlState


def choose(state: PearlState, chance: Chance) -> Action:
    legal = HEAP_OF_PEARLS.legal_actions(state)
    chosen = legal[-1] if chance() < 0.7 else pick(legal, chance)
    return OUTCOMES.redrawn(state, chosen, chance)

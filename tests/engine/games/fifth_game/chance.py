"""What chance decides in Heap of Pearls: the wishes, and what comes when somebody dips in."""

from typing import Any

from engine.games.chance import Chance, Filled, Outcomes, pick
from tests.engine.games.fifth_game.rules import MOST_FOUND, PearlState


def _wishes(_: Any, action: Filled, chance: Chance) -> Filled:
    names = action.get("players")
    if "wishes" in action or not isinstance(names, (list, tuple)):
        return {}
    return {"wishes": {str(name): pick(range(1, 7), chance) for name in names}}


def _found(state: PearlState, action: Filled, chance: Chance) -> Filled:
    found = pick(range(1, min(MOST_FOUND, state.heap) + 1), chance)
    return {} if "found" in action else {"found": found}


OUTCOMES = Outcomes(
    fillers={"start": _wishes, "dip": _found},
    by_chance={"dip": ("found",)},
    secret={"start": ("wishes",)},
)

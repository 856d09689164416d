"""What chance decides in Topple: the die, also in the roll-off. Nothing is hidden."""

from collections.abc import Mapping
from typing import Any

from engine.games.chance import Chance, Filled, Outcomes, pick


def _roll(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    return {"value": action.get("value", pick(range(1, 7), chance))}


def _start(state: Any, action: Filled, chance: Chance) -> Filled:  # noqa: ARG001
    """The roll-off, when nobody has been named to start."""
    players = action.get("players")
    if "first" in action or "rolloff" in action or not isinstance(players, (list, tuple)):
        return {}
    named = [player.get("name") for player in players if isinstance(player, Mapping)]
    names = [name for name in named if isinstance(name, str)]
    if not names:
        return {}
    rounds, tied = [], sorted(set(names))
    while len(tied) > 1:
        rolls = {name: pick(range(1, 7), chance) for name in tied}
        rounds.append(rolls)
        tied = [name for name in tied if rolls[name] == max(rolls.values())]
    return {"first": tied[0], **({"rolloff": rounds} if rounds else {})}


OUTCOMES = Outcomes(fillers={"start": _start, "roll": _roll}, by_chance={"roll": ("value",)})

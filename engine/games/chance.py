"""What chance decides, supplied from a source the caller injects; and what must stay hidden.

Records hold the outcome of every die, draw and shuffle, so the rules themselves are without
chance. When a table plays instead of replaying, somebody must supply those outcomes: the
`Outcomes` of a game fill in what an action leaves out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.games.contract import Action

Chance = Callable[[], float]
"""A source of numbers in 0 <= x < 1, such as `random.Random(seed).random`."""

Item = TypeVar("Item")
Filled = dict[str, Any]
"""Fields of an action; those that are None are left out."""


def pick(items: Sequence[Item], chance: Chance) -> Item:
    """One of `items`, each as likely as the other."""
    return items[min(int(chance() * len(items)), len(items) - 1)]


def shuffled(items: Sequence[Item], chance: Chance) -> list[Item]:
    """All of `items` in a random order."""
    return sample(items, len(items), chance)


def sample(items: Sequence[Item], count: int, chance: Chance) -> list[Item]:
    """`count` of `items` in a random order, as from a bag; all of them if there are fewer."""
    left, taken = list(items), []
    for _ in range(min(count, len(left))):
        at = min(int(chance() * len(left)), len(left) - 1)
        left[at], left[-1] = left[-1], left[at]
        taken.append(left.pop())
    return taken


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What chance decides in one game.

    Attributes:
        fillers: action type -> the fields its action leaves out, of the state before (None for a
            `start`), what the action says, and chance.
        by_chance: action type -> fields that chance decides. Starts are dealt only where empty.
        secret: action type -> fields that only the acting player, or nobody, may see.
    """

    fillers: Mapping[str, Callable[[Any, Filled, Chance], Filled]] = field(default_factory=dict)
    by_chance: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    secret: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def completed(self, state: Any, action: Action, chance: Chance) -> Action:
        """`action` with every outcome of chance that it leaves out.

        Args:
            state: the state it will be applied to; None for a `start`.
            action: an action as a person or a player gives it. Senseless ones come back as they
                are: the rules refuse them with better words.
            chance: the die and the shuffling hands.
        """
        filler = self.fillers.get(str(action.get("type")))
        if filler is None:
            return action
        filled = {name: value for name, value in action.items() if value is not None}
        return {**action, **filler(state, filled, chance)}

    def redrawn(self, state: Any, action: Action, chance: Chance) -> Action:
        """A legal action with its outcomes of chance drawn afresh.

        `legal_actions` names one outcome for all; a simulated player must not always have that one.
        """
        chosen = self.bare(action)
        return action if chosen is action else self.completed(state, chosen, chance)

    def bare(self, action: Action) -> Action:
        """`action` without what chance decides: only what its player chose."""
        by_chance = self.by_chance.get(str(action.get("type")), ())
        if not by_chance:
            return action
        return {name: value for name, value in action.items() if name not in by_chance}

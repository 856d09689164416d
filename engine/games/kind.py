"""A game as everybody else meets it: its rules, and all that is peculiar to it besides.

Nobody outside a game's folder asks which game is played. Who needs to know something of a game
asks its `GameKind`, by way of `engine.games.registry`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from engine.games.chance import Chance, Outcomes
from engine.games.contract import Action, Game


class Player(Protocol):
    """Chooses the next action of whoever is to act; never asked when the game is over."""

    def __call__(self, state: Any, chance: Chance) -> Action:
        """An action the rules accept in `state`, outcomes of chance included."""
        ...


Counts = Literal["points", "group", "marks"]
"""What a score is: points, pieces in the largest group, or marks on the board."""

Mishap = Callable[[Any, Action, Chance], Action]
"""State, what was meant, and chance -> what happens instead; usually what was meant."""


def _as_meant(state: Any, action: Action, chance: Chance) -> Action:  # noqa: ARG001
    return action


def _unchanged(opening: dict[str, Any]) -> dict[str, Any]:
    return opening


def _never(state: Any) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class GameKind:
    """One game.

    Attributes:
        rules: its rules, with its record id, its title and its house rules.
        example: a usual opening; what chance decides is left out.
        seats: the fewest and the most players.
        sides: fields of the opening that name one player each, in seating order; empty where it
            has a list of `players`.
        player: a simulated player who is worth playing against.
        sentence: who acts, the state before, an accepted action, the state after -> one sentence
            in English about it, without anything hidden.
        board_in_words: state -> the board as text, a line a row, the far row first.
        outcomes: what chance decides, and what stays hidden.
        names: language -> the game's name, where it is not the title.
        counts: what its scores are.
        by_sensors: whether the sensors can follow it; the others are played by hand entry.
        in_rounds: whether it can have more than one round.
        filled_in: an opening as people give it -> with what they need not say.
        mishap: what may go wrong with a simulated player's action.
        cleared: whether the board has just been cleared, so that it shows nothing of what happened.
        page_facts: more that its pages need to know; plain JSON.
    """

    rules: Game[Any]
    example: Action
    seats: tuple[int, int]
    player: Player
    sentence: Callable[[str, Any, Action, Any], str]
    board_in_words: Callable[[Any], list[str]]
    sides: tuple[str, ...] = ()
    outcomes: Outcomes = field(default_factory=Outcomes)
    names: Mapping[str, str] = field(default_factory=dict)
    counts: Counts = "points"
    by_sensors: bool = False
    in_rounds: bool = False
    filled_in: Callable[[dict[str, Any]], dict[str, Any]] = _unchanged
    mishap: Mishap = _as_meant
    cleared: Callable[[Any], bool] = _never
    page_facts: Mapping[str, Any] = field(default_factory=dict)

    def in_words(self, before: Any, action: Action, after: Any) -> str:
        """One sentence about an accepted action; nothing that is hidden.

        Args:
            before: the state before; None for a `start`.
            action: the action.
            after: the state after it.
        """
        if before is None:
            to_act = self.rules.current_player(after) or "nobody"
            return f"{self.rules.title} begins; {to_act} to act"
        who = self.rules.current_player(before) or "Somebody"
        return self.sentence(who, before, action, after)

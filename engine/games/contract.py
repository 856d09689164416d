"""The rules that every game offers, in this order, as one object.

Actions are plain dictionaries in the form of the game records (docs/rules.md), so that
what is journalled, published, recorded and played is one and the same thing. States are frozen
values: `apply` returns a new one, and a refused action leaves nothing behind.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

Action = Mapping[str, Any]
View = dict[str, Any]
State = TypeVar("State")


class Game(Protocol[State]):
    """The rules of one game.

    Attributes:
        id: the record id, as in records and commands.
        title: the game's name for people.
        options: house-rule switches: name -> allowed values, the default first.
    """

    id: str
    title: str
    options: Mapping[str, tuple[Any, ...]]

    def start(self, action: Action, options: Mapping[str, Any] | None = None) -> State:
        """Open a game from its `start` action.

        Raises:
            IllegalAction: players, colours, target or an option cannot be played with.
        """
        ...

    def current_player(self, state: State) -> str | None:
        """Who is to act, by name; None when the game is over, or waits for all or any of them."""
        ...

    def legal_actions(self, state: State) -> Sequence[Action]:
        """Every action the rules accept now, without the ones only people can report.

        Where chance decides (which pieces are drawn), one outcome stands for all; see
        `engine.games.chance`. The actions may be shared between calls: read, do not change.
        """
        ...

    def apply(self, state: State, action: Action) -> State:
        """The state after `action`.

        Raises:
            IllegalAction: with a code and words; `state` is untouched.
        """
        ...

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        ...

    def winners(self, state: State) -> tuple[str, ...]:
        """Names of the winners; empty while the game goes on or when nobody won."""
        ...

    def scores(self, state: State) -> Mapping[str, int]:
        """The score to show for each player; empty for a game without scores."""
        ...

    def view(self, state: State) -> View:
        """The complete view, as in docs/rules.md. Holds hidden information."""
        ...

    def public_view(self, state: State) -> View:
        """The view without what only one player may see."""
        ...

    def player_view(self, state: State, player: str) -> View:
        """The view as `player` may see it."""
        ...

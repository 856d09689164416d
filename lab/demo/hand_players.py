"""Simulated players of a game without sensors: they take the turns for which nobody has a phone.

Pure but for the chance that is passed in: where the game stands and the time go in, what somebody
says comes out.
"""

from random import Random
from typing import Any

from engine.events import HumanInput
from engine.games.kind import GameKind
from engine.referee import RefereeState
from engine.scoreboard import seats

THINKING_S = (1.2, 2.8)
"""Long enough to see on the scoreboard what the one before did."""

BREAK_S = (25.0, 35.0)
"""Between two games: long enough to see who won."""

FIRST_S = (1.0, 3.0)

HEARD_S = 5.0
"""What they said comes to the table a little later; after so long it is said again."""


class HandPlayers:
    """One game after the other, for as long as nobody else has one at this table.

    A game that guests begin with the same names is theirs as well: they play for whoever has no
    phone. What comes after a game is for the guests to say while there are any.

    Args:
        game: record id.
        kind: the same game.
        chance: their luck and their choices.
    """

    def __init__(self, game: str, kind: GameKind, chance: Random) -> None:
        self._game = game
        self._kind = kind
        self._chance = chance
        self._number = 0
        self._own: str | None = None
        self._names: frozenset[str] = frozenset()
        self._about: Any = None
        self._due_s = 0.0

    def act(
        self, state: RefereeState, now_s: float, seated: tuple[str, ...] = ()
    ) -> HumanInput | None:
        """What one of them says now.

        Args:
            state: where the game stands.
            now_s: table time.
            seated: players who have a phone, and play themselves.
        """
        position = state.position
        if position.game_state is None or position.over:
            if seated:
                self._about = None
                return None
            wait_s = BREAK_S if self._number else FIRST_S
            return (
                self._start(now_s) if self._waited((state.game_id, "over"), wait_s, now_s) else None
            )
        if not self._ours(state) or position.player in seated:
            self._about = None
            return None
        if not self._waited((state.game_id, state.rev), THINKING_S, now_s):
            return None
        kind = position.kind
        action = kind.player(position.game_state, self._chance.random)
        action = kind.mishap(position.game_state, action, self._chance.random)
        return HumanInput(now_s, "action", {"action": dict(kind.outcomes.bare(action))})

    def _ours(self, state: RefereeState) -> bool:
        if state.game_id == self._own:
            self._names = frozenset(seats(state))
            return True
        return not state.position.by_sensors and self._names == frozenset(seats(state))

    def _waited(self, about: Any, wait_s: tuple[float, float], now_s: float) -> bool:
        """Whether some time has passed since they first looked at this moment, once."""
        if about != self._about:
            self._about, self._due_s = about, now_s + self._chance.uniform(*wait_s)
        if now_s < self._due_s:
            return False
        self._due_s = now_s + HEARD_S
        return True

    def _start(self, now_s: float) -> HumanInput:
        self._number += 1
        self._own = f"demo-{self._chance.getrandbits(32):08x}-{self._number}"
        opening = dict(self._kind.outcomes.bare(self._kind.example))
        opening.pop("type", None)
        data = {**opening, "game": self._game, "id": self._own}
        return HumanInput(now_s, "start", {**data, "replace": True} if self._number > 1 else data)

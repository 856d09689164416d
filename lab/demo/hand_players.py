"""Simulated players of a game without sensors: they take the turns for which nobody has a phone.

Pure but for the chance that is passed in: where the game stands and the time go in, what somebody
says comes out.
"""

from random import Random
from typing import Any

from engine.events import HumanInput
from engine.games.kind import GameKind
from engine.referee import RefereeState

THINKING_S = (1.2, 2.8)
"""Long enough to see on the scoreboard what the one before did."""

BREAK_S = (25.0, 35.0)
"""Between two games: long enough to see who won."""

FIRST_S = (1.0, 3.0)

HEARD_S = 5.0
"""What they said comes to the table a little later; after so long it is said again."""


class HandPlayers:
    """One game after the other, for as long as nobody else has one at this table.

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
        if position.game_state is None:
            return self._start(now_s) if self._waited("first", FIRST_S, now_s) else None
        if position.over:
            over = (state.game_id, "over")
            return self._start(now_s) if self._waited(over, BREAK_S, now_s) else None
        if state.game_id != self._own or position.player in seated:
            self._about = None
            return None
        if not self._waited((state.game_id, state.rev), THINKING_S, now_s):
            return None
        action = self._kind.player(position.game_state, self._chance.random)
        action = self._kind.mishap(position.game_state, action, self._chance.random)
        return HumanInput(now_s, "action", {"action": dict(self._kind.outcomes.bare(action))})

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

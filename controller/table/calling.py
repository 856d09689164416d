"""When the winner may be called although an answer may still change who it is. Pure."""

from engine.referee import RefereeState

UNANSWERED_S = 30.0
"""Whoever knows answers in this time; a longer silence would spoil the end of a game."""


class Calling:
    """Waits for the answers to what is asked before the winner is called."""

    def __init__(self) -> None:
        """Nothing is waited for yet."""
        self._asked: tuple[str | None, tuple[str, ...] | None] = (None, None)
        self._since_s = 0.0

    def waits(self, state: RefereeState, now_s: float) -> bool:
        """Whether somebody may still answer: no longer after 30 s in which nobody did."""
        asked = (state.game_id, state.at_end)
        if asked != self._asked:
            self._asked, self._since_s = asked, now_s
        return now_s - self._since_s < UNANSWERED_S

    def lapsed(self, state: RefereeState, result: str | None, now_s: float) -> bool:
        """Whether a result that is shown as `open` is to be shown as final now."""
        return result == "open" and not self.waits(state, now_s)

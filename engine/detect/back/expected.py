"""What the rules expected of the board, and since when: a piece may be seen only turns later."""

from collections import deque

from engine.detect.back.parameters import HURRY_S, ROLLED_AFTER_S
from engine.events import ANYTHING, Expectation

REMEMBERED = 8
"""Expectations kept: a turn brings about three."""

Turn = tuple[float, Expectation]
"""Since when a die has been in force, s, and what it allows."""


class Expected:
    """The latest expectations, each with the table time from which on it was in force.

    Attributes:
        now: the one in force.
    """

    def __init__(self) -> None:
        self.now = ANYTHING
        self._told: deque[Turn] = deque(maxlen=REMEMBERED)
        self._dice: deque[tuple[float, bool]] = deque(maxlen=REMEMBERED)

    def tell(self, t_s: float, expectation: Expectation) -> Expectation:
        """From now on the rules expect this; gives what they have expected so far."""
        before, self.now = self.now, expectation
        self._told.append((t_s, expectation))
        return before

    def then(self, t_s: float) -> Expectation:
        """What was in force at a time; before anybody said anything, what is now."""
        known = (known for since_s, known in reversed(self._told) if since_s <= t_s)
        return next(known, self.now)

    def of_piece(self, t_s: float) -> Expectation:
        """What the rules expected when a piece was let go.

        A slow decision may come after the next roll; then the next player's cells would be the
        wrong prior. But a piece put down before anybody told the die has only the later one.
        """
        then = self.then(t_s)
        if then.pieces_left == 0:
            # The rules had closed the board, wrongly: which die was in force is not known.
            return ANYTHING
        return then if then.may_place else self.now

    def turns(self, since_s: float, t_s: float) -> list[Turn]:
        """The dice that were in force between two times."""
        before = [known for told_s, known in self._told if told_s <= since_s]
        dice = [(since_s, known) for known in before[-1:]]
        dice += [(told_s, known) for told_s, known in self._told if since_s < told_s <= t_s]
        turns = [each for each in dice if each[1].may_place]
        return [
            each for k, each in enumerate(turns) if not k or _other_turn(turns[k - 1][1], each[1])
        ]

    def due(self, since_s: float, t_s: float) -> Expectation:
        """What the rules expected of a piece that has been put down between two times.

        Where somebody has rolled meanwhile, the piece of the turn before comes first.
        """
        turns = self.turns(since_s, t_s)
        return turns[0][1] if len(turns) > 1 else self.of_piece(t_s)

    def released_s(self, since_s: float, t_s: float) -> float:
        """When it was let go at the latest: who rolls has seen the piece of the turn before."""
        turns = self.turns(since_s, t_s)
        return min(t_s, turns[1][0] - ROLLED_AFTER_S) if len(turns) > 1 else t_s

    def die_told(self, t_s: float, released_s: float, *, busy: bool) -> None:
        """A die was told, perhaps out of step: while somebody placed, or hardly after.

        Args:
            t_s: when.
            released_s: when the piece placed last was let go.
            busy: whether a piece is being placed now.
        """
        self._dice.append((t_s, busy or t_s < released_s + HURRY_S / 2))

    def hurried(self, began_s: float, arrived_s: float) -> None:
        """A piece is being placed; if its die was told just before, that one is out of step."""
        if self._dice:
            told_s, _ = self._dice[-1]
            if began_s - HURRY_S < told_s <= arrived_s:
                self._dice[-1] = told_s, True

    def in_step(self, began_s: float, arrived_s: float) -> bool:
        """Whether the die in force is surely that of the piece put down between two times.

        A die told out of step was told late, or it is the next player's, told early; and then the
        one told next may be of this turn.
        """
        dice = [die for die in self._dice if die[0] <= arrived_s]
        in_step = not any(out_of_step for _, out_of_step in dice[-2:])
        in_time = not dice or dice[-1][0] < began_s - HURRY_S
        return self.then(arrived_s).may_place and in_step and in_time


def _other_turn(before: Expectation, known: Expectation) -> bool:
    """Whether somebody has rolled in between."""
    return (before.legal_cells, before.ahead) != (known.legal_cells, known.ahead)

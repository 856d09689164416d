"""Contacts that may have been falls, for the moment when players clear a board that was not full.

A fall may leave weight and moment as they were. Then only the contact was unusual, or the last
placement, or what people do: they stare at the board, do not roll, and clear it. What is
remembered here becomes a topple when the players clear the board, and nothing otherwise.
"""

from dataclasses import dataclass, replace

from engine.detect.causes import Causes
from engine.detect.contact import Touch
from engine.detect.scene import Placement, Scene
from engine.events import Expectation

STARED_S = 1.5
"""A round that ends by the rules is cleared at once (0.4-0.7 s, public set). Players who stare at
the board for longer, do not roll, and then clear it have seen something fall."""

SUSPICIOUS_PRESS_S = 0.1
ODD_FIT = 14.0
ODD_CONFIDENCE = 0.8


@dataclass(slots=True)
class Suspicion:
    """A contact that may have been a fall, though it did not look like one.

    Attributes:
        moved: whether the board's moment changed a little.
        expected: what the rules expected when it began.
        same_as_last: whether the piece placed last is the one that may have fallen.
    """

    t_s: float
    touch: Touch
    moved: bool
    expected: Expectation
    same_as_last: bool = False


class Suspicions:
    """Remembers suspicious contacts, and says which one to blame.

    Attributes:
        odd: the last contact that was unusual.
        brush: the last contact of any kind.
    """

    def __init__(self, scene: Scene, causes: Causes) -> None:
        self._scene = scene
        self._causes = causes
        self.odd: Suspicion | None = None
        self.brush: Suspicion | None = None

    def forget(self) -> None:
        """Nothing felt so far is evidence any more."""
        self.odd = self.brush = None

    def note(self, *, moved: bool) -> None:
        """A contact ended and nothing seems to have changed."""
        touch = self._scene.balance.touch
        self.brush = self._remembered(moved=moved)
        if self.odd is not None and self.odd.same_as_last:
            return
        if touch.pressed_s >= SUSPICIOUS_PRESS_S or touch.impacts >= 2 or moved:
            self.odd = self.brush

    def taken_back(self) -> None:
        """The piece placed last is gone again; if it does not come back, it had fallen."""
        self.odd = replace(self._remembered(moved=False), same_as_last=True)

    def _remembered(self, *, moved: bool) -> Suspicion:
        scene, balance = self._scene, self._scene.balance
        return Suspicion(balance.run_began_s, balance.touch, moved, scene.expected_at_contact)

    def to_blame(self) -> Suspicion | None:
        """The contact to blame: the last odd one, or after the roll the last one at all.

        Nobody clears a board after the roll unless something fell, however little was felt; and
        what was felt before the roll did not keep the players from rolling. Shocked players do
        not touch the board, so it happened at the last contact.
        """
        odd, brush = self.odd, self.brush
        if self._scene.expectation.may_place and brush is not None:
            before_roll = odd is not None and not odd.expected.may_place
            if odd is None or (before_roll and brush.expected.may_place):
                odd = brush
        if odd is None or brush is None:
            return odd
        return replace(odd, t_s=max(odd.t_s, brush.t_s))

    def stared_at(self, last: Placement, suspicion: Suspicion | None) -> bool:
        """Whether the players have neither rolled nor been bumped since the last placement."""
        scene = self._scene
        bumped = suspicion is not None and (
            suspicion.same_as_last or self._causes.bumped(suspicion.touch)
        )
        began_s = scene.balance.touch.began_s
        quiet = not scene.rolled_since_last and not scene.expected_at_contact.may_place
        return quiet and not bumped and began_s - last.released_s > STARED_S

    def was_odd(self, last: Placement) -> bool:
        """Whether the last placement may have been a fall: nobody clears a board for nothing."""
        if not last.legal or last.fit > ODD_FIT or last.confidence < ODD_CONFIDENCE:
            return True
        since_s = self._scene.balance.touch.began_s - last.released_s
        return not self._scene.rolled_since_last and since_s > STARED_S

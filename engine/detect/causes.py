"""Who made pieces fall, a hand that was placing or a bump, and what falls with them.

By the rules' state first: between two turns nobody places. Then by the inertial sensor, which
feels the table that is pushed and the board that is hit. The weight alone is a poor judge of
both; it is asked when the inertial sensor is silent.
"""

from engine.detect.contact import Touch
from engine.detect.scene import Placement, Scene
from engine.events import ToppleCause

STILL_THE_SAME_TURN_S = 1.0
"""A tower that comes down sooner than this after a release takes the placement with it: on the
public set those that did began to fall within 0.85 s, those that did not 1.5 s after it or more."""

TIPS_OVER_S = 1.2
"""A tower that a placement brings down begins to fall within this time of the release (0.4 to
0.57 s, once 1.03 s, on 66 twin games); a bump as soon as that shakes the table, this does not."""

UP_AGAIN_G = 20.0
"""A table that was shaken presses on the cells as hard as it leaves them. Pieces that fall leave
them by 18 to 94 g and press, when they bounce, with 11 g at most (5 collapses on twin tables)."""


class Causes:
    """Judges the cause of a topple."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def cause(self, touch: Touch, *, same: bool) -> tuple[ToppleCause, float]:
        """A hand that was placing, or a bump? By the rules' state first, then by the touch."""
        scene = self._scene
        if not scene.expected_at_contact.may_place:
            if same:
                return ToppleCause.PLACING, 0.8
            if self._tipped_over(touch):
                return ToppleCause.PLACING, 0.7
            return ToppleCause.BUMP, 0.9
        if self.bumped(touch):
            return ToppleCause.BUMP, 0.9
        return ToppleCause.PLACING, 0.9

    def bumped(self, touch: Touch) -> bool:
        """Whether the table or the board was hit, by the inertial sensor and by the weight.

        The weight alone takes pieces that fall by themselves for a table that goes up; a table
        goes down as well. Without the inertial sensor there is no better evidence.
        """
        shocks = self._scene.shocks
        if shocks.jolted(touch.began_s, touch.felt_s) or shocks.struck(touch.began_s):
            return True
        if shocks.heard:
            up_again = touch.shaken and touch.highest_g > UP_AGAIN_G
            return up_again and shocks.trembled(touch.began_s, touch.felt_s)
        return touch.shaken or touch.knocked

    def _tipped_over(self, touch: Touch) -> bool:
        """Whether it began by itself, right after a piece was let go."""
        last = self._scene.last
        if last is None or self._scene.rolled_since_last or self.bumped(touch):
            return False
        return touch.began_s - last.released_s < TIPS_OVER_S

    def takes_along(
        self, cause: ToppleCause, since_s: float, last: Placement, *, same: bool
    ) -> bool:
        """Whether the placement before the topple did not stand either.

        Once the next player has rolled it stands, unless a bump knocked down that very piece.
        Before that, a bump takes it as long as the board has not come to rest, and so does every
        topple so soon that it is the same turn.
        """
        bump = cause is ToppleCause.BUMP
        if self._scene.rolled_since_last:
            return bump and same
        return same or since_s < STILL_THE_SAME_TURN_S or (bump and not last.rested)

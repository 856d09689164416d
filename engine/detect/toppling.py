"""Topples, pieces taken back, and clearing the board: everything that is not a placement.

What can be told apart, and by what:

* pieces that fell off: weight is gone and nobody takes more pieces away soon after;
* a piece taken back: the piece placed last is gone again, by a hand, within two seconds;
* clearing: pieces go one after another;
* a fall that leaves weight and moment as they were (the piece slid straight off, or moved on the
  board by less than can be seen): only the contact itself was unusual. It is remembered as a
  suspicion, and when the players then clear a board that was not full, it was a topple.
"""

from dataclasses import dataclass, replace
from math import hypot

from engine.detect.causes import Causes
from engine.detect.contact import Touch
from engine.detect.moment import Moment
from engine.detect.placing import HAND_MISFIT, Placing
from engine.detect.scene import Placement, Scene
from engine.detect.suspicion import STARED_S, Suspicion, Suspicions
from engine.events import Cleared, Expectation, ToppleCause, Toppled, ToppleKind

LOSS_PIECES = 0.65
QUIET_AFTER_FALL_S = 1.2
"""Hands that clear a board come back within 0.4-0.9 s; after a topple everybody is shocked."""

QUIET_WHILE_PLACING_S = 2.0
"""A hand that lifted its piece once more comes back within two seconds; hands that clear the
board after a fall come after 2.5-3 s (public set)."""

TAKEN_BACK_S = 2.0
FELL_AT_ONCE_S = 0.3
"""A piece that slides off does so within 0.2 s of being let go, and no hand presses meanwhile."""
FRACTION_S = 1.0
"""A weight that is no whole number of pieces for so long is not going to become one."""

HOLD_PIECES = 2.5
HOLD_S = 2.0
"""A weight of several pieces for so long is a hand that holds the board to clear it."""

MOVED = 0.46
"""A piece that fell to another cell moves the moment by at least half a cell's worth."""

SAME_PLACE = 0.26
"""A loss this near to where the last piece lay (in cells' worth) took that piece."""

VERY_PLACE = 0.15
"""The same once the next player has rolled. Two bumps felled the newest piece and no other then
(0.02 and 0.07 cells' worth apart), one felled four that together looked like it (0.24)."""

AS_BEFORE = 0.2
"""A change of less than this is none."""

SHIFTED_MM = 6.0
"""A shaken table shifts every piece a little (3 mm seen on the public set); that is no topple."""

HIDES = 1.5
"""A board that sticks hides up to twice its friction, whatever the statistics say."""

MOVED_SDS = 4.5
MOVED_REST_S = 0.5
DOUBTED_S = 2.0
"""While gyroscope and accelerometer contradict each other, a moment says little; they agree again
within a second, or the gyroscope's bias is learned anew. On a pivot that has not swung yet and may
be a bad one, a hand about to place has moved the board; it places within a second."""

BOUNCES = 3
ARMFUL = 4

TOLD = 0.98
"""People who name the one who bumped the table know that something fell."""

QUICKLY_S = 3.0
"""Nobody clears a board so fast; taking three pieces at a time lasts 5-10 s (public set)."""


@dataclass(slots=True)
class Loss:
    """Weight that went, waiting for what happens next."""

    t_s: float
    settled_s: float
    pieces: int
    touch: Touch
    same_as_last: bool
    bumped: bool
    expected: Expectation

    @property
    def like_a_fall(self) -> bool:
        """Whether pieces bounced or the table was bumped: a hand takes pieces smoothly."""
        return self.bumped or self.touch.impacts >= BOUNCES


class Toppling:
    """Decides about losses, topples and clearing."""

    def __init__(self, scene: Scene, placing: Placing) -> None:
        self._scene = scene
        self._placing = placing
        self._causes = Causes(scene)
        self._loss: Loss | None = None
        self._suspicions = Suspicions(scene, self._causes)
        self._unexplained: Suspicion | None = None
        self._pressed = False
        self._held_since_s: float | None = None

    # -- the weight is what it was ------------------------------------------------------------

    def consider_unchanged(self) -> bool:
        """A contact ended with the weight of before. True when the board counts as free again."""
        scene = self._scene
        run_s = scene.balance.run_s
        if run_s < 0.2:
            return False
        moment = scene.measure()
        if moment.misfit > HAND_MISFIT and run_s < 1.5:
            scene.moment.drop_first(2)
            return False
        sticking = HIDES * scene.moment.friction_gmm
        limit = max(MOVED * scene.cell_gmm + sticking, MOVED_SDS * moment.sd_gmm)
        if scene.balance.touch.shaken or scene.balance.touch.knocked:
            limit = max(limit, SHIFTED_MM * scene.body.mass_g)
        # A piece that moves on the board leaves the load cells' offset alone; somebody who leans on
        # the table, or a sensor that came loose and turned, does not.
        moved = moment.size_gmm > max(limit, moment.offset_shift_gmm)
        perhaps_stuck = HIDES * scene.moment.friction_at_most_gmm - sticking
        doubtful = scene.tilt_doubtful or moment.size_gmm < limit + perhaps_stuck
        if moved and run_s < (DOUBTED_S if doubtful else MOVED_REST_S):
            return False
        if moved and self._loss is not None:
            self._fell(self._loss, self._loss.pieces)
            return False
        if moved and self._placing.lay_elsewhere(moment):
            scene.accept()
            return True
        if moved and len(scene.stacks):
            self._piece_moved(moment)
            return True
        self._suspicions.note(
            moved=moment.size_gmm > 3 * moment.sd_gmm + AS_BEFORE / 2 * scene.cell_gmm
        )
        if moment.size_gmm < AS_BEFORE * scene.cell_gmm + 3 * moment.sd_gmm:
            scene.moment.nothing_changed()
        scene.accept()
        return True

    def _piece_moved(self, moment: Moment) -> None:
        scene = self._scene
        touch = scene.balance.touch
        confidence = 0.9 if moment.size_gmm > 1.5 * MOVED * scene.cell_gmm else 0.75
        self._topple(ToppleKind.OFF_STACK, scene.balance.arrived_s, touch, confidence, 1)
        scene.accept()

    @property
    def in_shock(self) -> bool:
        """Whether pieces fell a moment ago: what comes now is no placement.

        Unless it was the piece being placed: the hand may put it down once more.
        """
        return self._loss is not None and not self._loss.same_as_last

    def weight_returned(self) -> None:
        """Weight was lost and something came back at once: pieces are still rolling about."""
        if self._loss is not None:
            self._fell(self._loss, self._loss.pieces)

    def placed(self) -> None:
        """A placement went well: what was odd before it did not matter."""
        self.forget()

    def forget(self) -> None:
        """Nothing seen so far is evidence of a topple any more."""
        self._suspicions.forget()
        self._loss = None

    def consider_fraction(self) -> bool:
        """The weight changed by half a piece for good: the cells crept, or a fall is not over."""
        scene = self._scene
        if scene.balance.run_s < FRACTION_S:
            return False
        if self._loss is not None:
            self._fell(self._loss, self._loss.pieces)
            return False
        self._suspicions.note(moved=False)
        scene.accept()
        return True

    # -- weight is gone -----------------------------------------------------------------------

    def consider_loss(self) -> bool:
        """Weight is gone. True when the board counts as free again."""
        scene = self._scene
        balance = scene.balance
        if balance.run_s < 0.2:
            return False
        left_g = balance.run_mean_g - (scene.zero_g or 0.0)
        if abs(left_g) < 0.5 * scene.piece_g and len(scene.stacks) > 2:
            self._emptied(round(-scene.step))
            return False
        touch, pieces = balance.touch, max(1, round(-scene.step))
        same = pieces == 1 and self._is_last_piece(scene.measure())
        last = scene.last
        since_s = touch.began_s - last.released_s if last else float("inf")
        if self._loss is not None and not (same and since_s < TAKEN_BACK_S):
            return self._second_loss(self._loss, pieces)
        # Without the die nobody knows whether it was anybody's turn: more likely a hand, then.
        if same and since_s < FELL_AT_ONCE_S and touch.pressed_s == 0.0 and scene.told:
            # It slid off, or the hand had not let go: a fall only if it does not come again.
            self._placing.retract_last("did not stand")
            self._loss = self._lost(1, same_as_last=True)
            scene.accept()
            return True
        if same and since_s < TAKEN_BACK_S:
            self._placing.retract_last("taken back")
            self._suspicions.taken_back()
            scene.accept()
            return True
        self._loss = self._lost(pieces, same_as_last=same)
        tipped = scene.tipping.since(touch.began_s)
        if tipped or (pieces >= ARMFUL and self._loss.like_a_fall):
            self._fell(self._loss, pieces)
            return False
        scene.accept()
        return True

    def _lost(self, pieces: int, *, same_as_last: bool) -> Loss:
        scene, balance = self._scene, self._scene.balance
        bumped = self._causes.bumped(balance.touch)
        return Loss(
            balance.arrived_s,
            scene.now_s,
            pieces,
            balance.touch,
            same_as_last,
            bumped,
            scene.expected_at_contact,
        )

    def _second_loss(self, first: Loss, pieces: int) -> bool:
        """More weight is gone soon after: a collapse goes on, or hands clear the board."""
        bounced = self._scene.balance.touch.impacts >= BOUNCES
        if first.like_a_fall or (bounced and pieces >= ARMFUL):
            self._fell(first, first.pieces + pieces)
        else:
            self._clearing_by_hand()
        return False

    def _is_last_piece(self, moment: Moment) -> bool:
        last = self._scene.last
        if last is None:
            return False
        gap_gmm = hypot(*(moment.change_gmm + last.change_gmm))
        if self._scene.rolled_since_last:
            # A bump fells any piece: it is the newest only if it leaves no doubt.
            return gap_gmm < VERY_PLACE * self._scene.cell_gmm + moment.sd_gmm
        return gap_gmm < SAME_PLACE * self._scene.cell_gmm + 3 * moment.sd_gmm

    def while_free(self) -> None:
        """Nobody touches: a loss that nobody followed up was a topple."""
        scene, loss = self._scene, self._loss
        if loss is None:
            return
        quiet_s = QUIET_WHILE_PLACING_S if loss.same_as_last else QUIET_AFTER_FALL_S
        if scene.now_s - loss.settled_s < quiet_s:
            return
        self._fell(loss, loss.pieces)

    def _fell(self, loss: Loss, pieces: int) -> None:
        last = self._scene.last
        if last is not None and self._fell_unseen(last, loss):
            self._last_fell(last)
            return
        cause, _ = self._causes.cause(loss.touch, same=loss.same_as_last)
        kind = self._kind(pieces, cause)
        self._topple(kind, loss.t_s, loss.touch, 0.95, pieces, same=loss.same_as_last)

    @staticmethod
    def _kind(fallen: int, cause: ToppleCause) -> ToppleKind:
        several = 2 if cause is ToppleCause.BUMP else 3
        return ToppleKind.COLLAPSE if fallen >= several else ToppleKind.OFF_BOARD

    # -- topples ------------------------------------------------------------------------------

    def _topple(
        self,
        kind: ToppleKind,
        t_s: float,
        touch: Touch,
        confidence: float,
        fallen: int | None,
        *,
        same: bool = False,
        told: tuple[ToppleCause, float] | None = None,
    ) -> None:
        scene, last = self._scene, self._scene.last
        if t_s == scene.fell_s:
            # The rules did not take it; it is no news all the same.
            self._start_clearing()
            return
        scene.fell_s = t_s
        cause, sure = told or self._causes.cause(touch, same=same)
        since_s = touch.began_s - last.released_s if last is not None else 0.0
        if last is not None and self._causes.takes_along(cause, since_s, last, same=same):
            self._placing.retract_last("toppled while placing")
        scene.emit(
            Toppled(
                id=scene.new_id(),
                t_s=t_s,
                decided_s=scene.now_s,
                kind=kind,
                cause=cause,
                confidence=confidence,
                cause_confidence=sure,
                fallen=fallen,
            )
        )
        self._start_clearing()

    # -- clearing -----------------------------------------------------------------------------

    def note_weight(self) -> None:
        """Remember since when a heavy hand has rested on the board."""
        scene = self._scene
        if scene.step < HOLD_PIECES:
            self._held_since_s = None
        elif self._held_since_s is None:
            self._held_since_s = scene.now_s

    def hold(self) -> None:
        """A heavy hand rests on the board: have the players begun to clear it?"""
        scene, since_s = self._scene, self._held_since_s
        if since_s is not None and scene.now_s - since_s > HOLD_S and len(scene.stacks):
            self._clearing_by_hand()

    def _clearing_by_hand(self) -> None:
        """The players clear the board though no topple was seen: was there one?"""
        scene = self._scene
        last = scene.last
        suspicion = self._suspicions.to_blame()
        if self._loss is not None and self._loss.same_as_last:
            self._fell(self._loss, 1)
        elif scene.tipping.began_with(scene.balance.touch.began_s):
            # It all came down at once, and hands followed before the weight was steady.
            touch = scene.balance.touch
            self._topple(ToppleKind.COLLAPSE, touch.began_s, touch, 0.9, None)
        elif last is not None and self._suspicions.stared_at(last, suspicion):
            self._last_fell(last)
        elif suspicion is not None:
            kind = ToppleKind.OFF_STACK if suspicion.moved else ToppleKind.OFF_BOARD
            scene.expected_at_contact = suspicion.expected
            same = suspicion.same_as_last
            self._topple(kind, suspicion.t_s, suspicion.touch, 0.85, 1, same=same)
        elif last is not None and self._suspicions.was_odd(last):
            self._last_fell(last)
        else:
            first = self._loss.touch if self._loss else scene.balance.touch
            self._start_clearing()
            self._unexplained = Suspicion(first.began_s, first, False, scene.expected_at_contact)

    def _last_fell(self, last: Placement) -> None:
        touch = Touch(last.released_s)
        self._topple(ToppleKind.OFF_STACK, last.released_s, touch, 0.7, 1, same=True)

    def _fell_unseen(self, last: Placement, loss: Loss) -> bool:
        """Whether the last piece had fallen long before: hands have taken pieces away now."""
        if self._scene.rolled_since_last or loss.bumped:
            return False
        since_s = loss.touch.began_s - last.released_s
        if not loss.expected.may_place and since_s > STARED_S:
            return True
        return loss.same_as_last and since_s > TAKEN_BACK_S and self._suspicions.was_odd(last)

    def fell_beside(self) -> None:
        """The piece being placed lies on the base plate."""
        balance = self._scene.balance
        self._topple(ToppleKind.OFF_BOARD, balance.arrived_s, balance.touch, 0.9, 1)

    def _emptied(self, pieces: int) -> None:
        """All weight is gone: everything fell, or hands that held the board have emptied it."""
        balance, began_s = self._scene.balance, self._scene.balance.touch.began_s
        if balance.run_began_s - began_s > QUICKLY_S and self._loss is None:
            self._clearing_by_hand()
            return
        first = self._loss or replace(
            self._lost(0, same_as_last=False), t_s=began_s, settled_s=began_s
        )
        self._fell(first, first.pieces + pieces)

    def _start_clearing(self) -> None:
        self.forget()
        self._unexplained = None
        self._scene.clearing = True

    def press_cleared(self) -> None:
        """The players say that the board is clear."""
        scene = self._scene
        # On an empty board only the first piece of a round can have fallen, after the roll.
        first_fell = scene.expectation.may_place and self._suspicions.odd is not None
        if not scene.clearing and (len(scene.stacks) or first_fell):
            self._clearing_by_hand()
        self._pressed = scene.clearing

    def press_blame(self) -> None:
        """The players say that a bump made pieces fall, and nothing of it had been seen."""
        scene, balance = self._scene, self._scene.balance
        loss, unexplained = self._loss, self._unexplained
        if not len(scene.stacks) or (scene.clearing and unexplained is None):
            return
        if loss is not None:
            t_s, touch, fallen = loss.t_s, loss.touch, loss.pieces
        elif unexplained is not None:
            t_s, touch, fallen = unexplained.t_s, unexplained.touch, None
        else:
            # Shocked players do not touch the board: it was the last contact.
            t_s, touch, fallen = max(balance.touch.began_s, balance.arrived_s), balance.touch, None
        same = loss is not None and loss.same_as_last
        kind = ToppleKind.OFF_STACK if fallen is None else self._kind(fallen, ToppleCause.BUMP)
        told = ToppleCause.BUMP, TOLD
        self._topple(kind, t_s, touch, TOLD, fallen, same=same, told=told)

    def while_clearing(self) -> bool:
        """Is the board empty now? True when it counts as free again."""
        scene, balance = self._scene, self._scene.balance
        left_g = balance.run_mean_g - (scene.zero_g or 0.0)
        # Less than an empty board cannot be: then the board was not empty when it was tared.
        empty = left_g < 0.4 * scene.piece_g and balance.run_s > 1.0
        if not empty and not (self._pressed and balance.run_s > 0.3):
            return False
        scene.emit(Cleared(balance.run_began_s, scene.now_s))
        scene.zero_g = balance.run_mean_g
        scene.stacks.clear()
        scene.rebuild()
        scene.clearing = self._pressed = False
        scene.last = None
        scene.accept()
        return True

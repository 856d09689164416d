"""Placements: when to say so, how sure, and second thoughts.

A placement is announced as soon as it is certain enough: after 0.12 s of steady weight when the
cell is beyond doubt, later when it is not. The longer the board swings or rests untouched, the
better its moment is known; until the next contact an announced cell may be corrected.
"""

from dataclasses import replace
from enum import Enum

from engine.detect.location import Location
from engine.detect.moment import Moment
from engine.detect.scene import MOST_CERTAIN, Placement, Scene
from engine.detect.ticks import TICK_S, Tick
from engine.events import Corrected, Placed, Retracted

LIKE_ONE_PIECE = 0.35
"""A step within this share of a piece's weight is that piece (pieces vary by 3 %, scales by 5)."""

HAND_MISFIT = 3.0
"""Mean square residual of the swing of a board that somebody still holds (a free one: 0.05-1)."""

PATIENCE_S = 1.2
"""However doubtful, a placement is announced (and asked about) after this long at rest."""

# Certain enough to speak after so long: (probability, seconds of steady weight).
CERTAIN_ENOUGH = ((0.998, 0.12), (0.99, 0.25), (0.95, 0.6))

OUT_OF_TURN_S = 1.2
"""A piece that nobody could place now is a hand that weighs like one, which soon goes away; none
of 856 placements was made before the roll was told (six public and six twin games)."""

SOFT = 1.35
SOFT_S = 0.25
"""A hand that puts a piece down presses more than the piece weighs. One in seven is so gentle that
it does not; but so does a palm that comes to rest, and a palm goes away. Longer would help no more
(6 silent errors in 1416 rough placements with 0.25 and 0.45 s, 8 without) and would miss pieces
that fall meanwhile."""

BROKEN_TICKS = 6
BROKEN_CERTAIN = 0.9
"""A rest of 0.15 s that a tap or the next hand interrupts says nearly as much as a longer one."""

SURELY_ONE_TICKS = 20
"""After half a second of one piece's weight there is a piece, wherever; people are asked where. A
bump may be next, and what fell then would hide that it was placed (3 of 3214 on rough tables)."""

SECOND_LOOKS_S = 0.5

BLIND_S = 0.3
"""Without the inertial sensor a steady weight is all there is; it is given a little longer."""

BOTH_HANDS_S = 1.2
"""A hand that rests on the board while another one places is gone within so long (0.8 s seen)."""

ELSEWHERE = 0.9
ELSEWHERE_FIT = 9.0
ELSEWHERE_UNTOLD = 0.79
"""Without the die a piece that fell onto another cell explains the same, so people are asked."""

BESIDE_SHIFT = 1.0
"""A piece beside the board moves the cells' moment by at least this many cells' worth."""

BESIDE_FIT = 9.0
SURELY_BESIDE_FIT = 3.0
"""A piece on the base plate fits a board that did not change (0.05 to 0.3 seen); a table that was
bumped before the piece came fits nothing well (7 and 9)."""

PERHAPS_BESIDE = 0.6
MUCH_WORSE = 6.0
BESIDE_S = 0.5


class Verdict(Enum):
    """What a board that weighs one piece more means."""

    WAIT = "not certain enough yet"
    PLACED = "a piece was placed"
    BESIDE = "the piece lies beside the board"


class Placing:
    """Decides about placements."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def is_one_piece(self) -> bool:
        """Whether the present weight is that of one more piece."""
        return abs(self._scene.step - 1.0) < LIKE_ONE_PIECE

    def is_two_pieces(self) -> bool:
        """Whether the present weight is that of two more pieces."""
        return abs(self._scene.step - 2.0) < LIKE_ONE_PIECE

    def consider_two(self) -> bool:
        """Two pieces at once, untouched since: placed, but the sensors cannot tell where."""
        scene = self._scene
        moment = scene.measure()
        if scene.balance.run_s < PATIENCE_S or moment.misfit > HAND_MISFIT:
            return False
        for _ in range(2):
            self._announce_somewhere()
        return True

    def _announce_somewhere(self) -> None:
        """A placement without a cell: the players will be asked."""
        scene = self._scene
        ref, t_s = scene.new_id(), scene.balance.arrived_s
        scene.accept()
        scene.last = None
        scene.emit(Placed(ref, t_s, scene.now_s, None, 0.0, (), scene.piece_g))

    def consider(self) -> Verdict:
        """Look at a board that weighs one piece more; announce when certain enough."""
        scene = self._scene
        run_s = scene.balance.run_s
        if run_s < CERTAIN_ENOUGH[0][1]:
            return Verdict.WAIT
        if scene.moment.deaf:
            if run_s < max(BLIND_S, self._wait_s()):
                return Verdict.WAIT
            self._announce_somewhere()
            return Verdict.PLACED
        place, moment, mass = scene.locate_new()
        held = moment.misfit > HAND_MISFIT
        if held and moment.ticks > 5 and run_s < PATIENCE_S:
            scene.moment.drop_first(2)
            return Verdict.WAIT
        confidence = self._confidence(place.probability, held=held)
        expected_cells = scene.expected_at(scene.balance.arrived_s).legal_cells
        if self._may_lie_beside(place, moment):
            if run_s < BESIDE_S:
                return Verdict.WAIT
            against_rules = place.cell not in (expected_cells or (place.cell,))
            impossible = against_rules or place.fit > place.fit_nothing + MUCH_WORSE
            if impossible and place.fit_nothing < SURELY_BESIDE_FIT:
                return Verdict.BESIDE
            confidence = min(confidence, PERHAPS_BESIDE)
        enough = not held and any(
            place.probability > sure and run_s >= max(after_s, self._wait_s())
            for sure, after_s in CERTAIN_ENOUGH
        )
        if not (enough or run_s > PATIENCE_S):
            return Verdict.WAIT
        self._announce(place, moment, mass, confidence)
        scene.accept()
        return Verdict.PLACED

    def _wait_s(self) -> float:
        """How long this weight must be steady before it can be a piece, for all we felt."""
        scene = self._scene
        if scene.out_of_turn:
            return OUT_OF_TURN_S
        return SOFT_S if scene.balance.touch.highest_g < SOFT * scene.piece_g else 0.0

    def consider_broken(self, run_ticks: int) -> bool:
        """The board is touched again before it was certain enough: take it for what it was.

        Args:
            run_ticks: how long the weight had been steady.

        Returns:
            Whether a placement was announced; the board is in contact all the same.
        """
        scene = self._scene
        if run_ticks < BROKEN_TICKS or scene.moment.deaf or not self.is_one_piece():
            return False
        if run_ticks * TICK_S < self._wait_s():
            return False
        place, moment, mass = scene.locate_new()
        doubtful = place.probability < BROKEN_CERTAIN
        if moment.misfit > HAND_MISFIT or (doubtful and run_ticks < SURELY_ONE_TICKS):
            return False
        if self._may_lie_beside(place, moment):
            return False
        self._announce(place, moment, mass, self._confidence(place.probability, held=False))
        last = scene.last
        if last is not None:
            # Who is in doubt may look again when the hand has gone.
            last.open = doubtful
            last.carried_gmm = moment.change_gmm.copy()
            last.rested = scene.at_rest
        return True

    def _announce(
        self, place: Location, moment: Moment, mass: tuple[float, float], confidence: float
    ) -> None:
        scene = self._scene
        balance = scene.balance
        scene.announce(
            Placement(
                ref=scene.new_id(),
                released_s=balance.arrived_s,
                cell=place.cell,
                confidence=confidence,
                mass=mass,
                expectation=scene.expected_at(balance.arrived_s),
                change_gmm=moment.change_gmm.copy(),
                fit=place.fit,
                next_look_s=balance.run_began_s + balance.run_s + SECOND_LOOKS_S / 2,
            ),
            place,
        )

    def look_again(self, tick: Tick | None) -> None:
        """Second thoughts about the last placement; `tick` None: the last chance for them."""
        scene, last = self._scene, self._scene.last
        if last is None or not last.open:
            return
        if tick is None:
            last.open = False
        elif tick.t_s < last.next_look_s:
            return
        else:
            last.next_look_s = tick.t_s + SECOND_LOOKS_S
        place, moment = scene.locate_again(last)
        last.change_gmm, last.fit = moment.change_gmm.copy(), place.fit
        confidence = self._confidence(place.probability, held=False)
        moved = place.cell != last.cell and place.probability > 0.6
        settled = place.cell == last.cell and last.confidence < 0.95 <= confidence
        if moved or settled:
            self._correct(last, place, confidence)

    def lay_elsewhere(self, moment: Moment) -> bool:
        """The board moved right after a placement: was it announced under another hand's weight?

        Then what changed since before it is one piece on one cell that the rules allow. True when
        the placement was corrected, or will be: what was doubtful when the contact was interrupted
        may turn out to be anywhere.
        """
        scene, last = self._scene, self._scene.last
        if last is not None and last.open and last.carried_gmm is not None:
            return scene.locate_again(last)[0].fit < ELSEWHERE_FIT
        if last is None or scene.balance.touch.began_s - last.released_s > BOTH_HANDS_S:
            return False
        total = replace(moment, change_gmm=last.change_gmm + moment.change_gmm)
        place = scene.locate_change(total, last)
        allowed = last.expectation.legal_cells
        sure = place.probability > ELSEWHERE and place.fit < ELSEWHERE_FIT
        if not sure or place.cell == last.cell or place.cell not in (allowed or (place.cell,)):
            return False
        last.change_gmm, last.fit, last.open = total.change_gmm, place.fit, False
        confidence = place.probability if allowed else ELSEWHERE_UNTOLD
        self._correct(last, place, self._confidence(confidence, held=False))
        return True

    def _correct(self, last: Placement, place: Location, confidence: float) -> None:
        scene = self._scene
        if place.cell != last.cell:
            scene.stacks.take(last.ref)
            scene.stacks.put(last.ref, place.cell)
            scene.rebuild()
        last.cell, last.confidence = place.cell, confidence
        scene.emit(Corrected(last.ref, scene.now_s, last.cell, last.confidence, place.alternatives))

    def retract_last(self, reason: str) -> None:
        """The last placement did not stand."""
        scene, last = self._scene, self._scene.last
        if last is None:
            return
        scene.stacks.take(last.ref)
        scene.rebuild()
        scene.last = None
        scene.emit(Retracted(last.ref, scene.now_s, reason))

    @staticmethod
    def _confidence(probability: float, *, held: bool) -> float:
        limit = 0.9 if held else MOST_CERTAIN
        return round(min(probability, limit), 4)

    def _may_lie_beside(self, place: Location, moment: Moment) -> bool:
        """Whether the piece weighs without weighing on the board: it may lie on the base plate.

        Or it lies on c3 and somebody has begun to lean on the table; then the fit to c3 decides,
        or the players are asked.
        """
        shifted = moment.offset_shift_gmm > BESIDE_SHIFT * self._scene.cell_gmm
        return shifted and place.fit_nothing < BESIDE_FIT

"""What is believed of the board, and what rules and people say: dice, buttons, answers.

The half of the back end that no observation comes to; the other is `engine.detect.back.scene`.
"""

from dataclasses import replace
from math import exp, inf, log

from engine.detect.back.account import Account, Gmm, Sighting
from engine.detect.back.ending import how_often_stopped
from engine.detect.back.expected import Expected
from engine.detect.back.explaining import unseen_bump
from engine.detect.back.parameters import (
    BLAMED,
    CLEARED_AFTER_FALL,
    CLEARED_UNSEEN,
    HARDLY_ERR,
    HIGH_TOWER,
    HURRY_S,
    LATE_BLAME_S,
    LATE_PRESS_S,
    LIKELY,
    MASS_SHARE,
    PERHAPS,
    PRESS_ON_NOTHING,
    PRESS_TELLS,
    SOMETHING_LIES_THERE,
    TARE_SD_G,
    TWICE_PRESSED_S,
    UNSEEN_BUMP,
    Priors,
)
from engine.detect.back.telling import Teller
from engine.detect.back.tracker import Tracker
from engine.detect.back.zero import Zero
from engine.detect.body import Body, Stacks
from engine.events import ANYTHING, Expectation
from engine.tabletop import Tabletop


class Belief:
    """What is believed of the board, and what others say of it.

    Attributes:
        now_s: table time.
        in_contact: whether the board is touched now, or its weight is not steady.
        touched_s: when the latest contact began; `jolted_s` when the table was pushed last.
        handed_s: when an event was handed out last.
        tracker: the hypotheses; None before the first weight.
        teller: what has been said; `stacks` what of it lies on the board, `body` how that swings.
        expected: what the rules expect.
        zero: the empty board.
    """

    def __init__(self, tabletop: Tabletop, priors: Priors) -> None:
        self.tabletop, self.priors = tabletop, priors
        self.now_s = self.touched_s = 0.0
        self.jolted_s = self.handed_s = -inf
        self.in_contact = True
        self.stacks = Stacks(tabletop)
        self.body: Body = self.stacks.body()
        self.teller = Teller(self.stacks)
        self.tracker: Tracker | None = None
        self.expected = Expected()
        self.zero = Zero((tabletop.empty_moment_gmm[0], tabletop.empty_moment_gmm[1]))
        self._contact = 0
        self._compared_gmm: Gmm | None = None
        self._began_g = self._mean_g = 0.0
        self._expected_at_contact = ANYTHING
        self._rolled_s = self._cleared_s = -inf
        self._restored: tuple[int, ...] = ()
        self._rules_over = self._press_due = self._ahead_due = False
        self._stopped = self._fallen = 0.0

    @property
    def piece_g(self) -> float:
        """Mean mass of a piece."""
        return self.tabletop.piece.mass_mean_g

    @property
    def clearing(self) -> bool:
        """Whether pieces are being taken off because the round is over."""
        return self.tracker is not None and self.tracker.best.account.over

    @property
    def _waiting(self) -> bool:
        """Whether a piece that may well stand has not been told yet."""
        tracker, sightings = self.tracker, self.teller.sightings.values()
        return tracker is not None and any(
            s.ref is None and tracker.standing(s.contact) > LIKELY for s in sightings
        )

    # -- rules ---------------------------------------------------------------------------------

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior for what comes next."""
        if expectation.colours and expectation.colours != self.tabletop.piece.colours:
            piece = self.tabletop.piece.of_colours(expectation.colours)
            self.tabletop = replace(self.tabletop, piece=piece)
        before = self.expected.tell(self.now_s, expectation)
        if self.tracker is None:
            return
        if self.now_s > self.handed_s and expectation.may_place and expectation != before:
            last = self.teller.last
            released_s, busy = -inf if last is None else last.released_s, self.in_contact
            self.expected.die_told(self.now_s, released_s, busy=busy or self._waiting)
            if not before.may_place:
                self._rolled()
        if expectation.ahead and not before.ahead:
            self._ahead_due = True
            if not self.in_contact:
                self._rolled_ahead()
        if expectation.fallen and not before.fallen:
            self._fall_told(self.tracker)
        if expectation.pieces_left == 0:
            # The present rest may be the last piece's: from the next contact on it is so.
            # What falls later has not ended the round.
            self._rules_over = self._rules_over or self.teller.fall is None
        elif expectation.pieces_left is not None and before.pieces_left == 0:
            self._reopened()
        self.teller.closed = self._rules_over

    def _rolled(self) -> None:
        """Somebody has rolled: hardly a board on which pieces have fallen."""
        self._rolled_s, tracker = self.now_s, self.tracker
        for sighting in self.teller.sightings.values():
            # A piece that was put down before its own roll was told is settled by the next one.
            in_turn = self.expected.then(sighting.released_s).may_place
            if in_turn and sighting.released_s < self.now_s:
                sighting.settled = True
        if tracker is None:
            return
        if self.teller.pressed and abs(self._mean_g - (self.zero.g or 0.0)) < self.piece_g / 2:
            self._clear_by_word(tracker)
        goes_on = self.priors.rolled_after_fall
        turn_began = self._expected_at_contact.may_place

        def heard(account: Account) -> float:
            just_fell = account.fall is not None and account.fall.contact >= self._contact
            return goes_on if account.over and (turn_began or not just_fell) else 1.0

        tracker.reweigh(heard)

    def _clear_by_word(self, tracker: Tracker) -> None:
        """People have said that the board is clear, and roll: it weighs so, however it may hang."""
        clears, empty_g = self.teller.clears, self.zero.g or 0.0
        carried_gmm = (0.0, 0.0)
        if self._compared_gmm is not None:
            # What comes next is compared with the empty board, wherever this one hangs.
            (x_gmm, y_gmm), (bare_x, bare_y) = self._compared_gmm, self.zero.moment_gmm
            carried_gmm = x_gmm - bare_x, y_gmm - bare_y

        def emptied(account: Account) -> Account:
            if account.emptied > clears:
                return account.but(over=False, taking=False)
            return Account(
                account.log_p, empty_g, emptied=clears + 1, last_fall=account.fall,
                carried_gmm=carried_gmm,
            )  # fmt: skip

        tracker.amend(emptied)
        self._say(0.0)

    def _rolled_ahead(self) -> None:
        """The next player has rolled: the piece of this turn lies there, though none was seen.

        One that is put down in this very contact is known at its first rest.
        """
        assert self.tracker is not None  # noqa: S101 - asked before
        self._ahead_due = False
        sightings, goes_on = self.teller.sightings, self.priors.rolled_after_fall
        unseen = {n for n, s in sightings.items() if s.ref is None}
        for contact in unseen:
            sightings[contact].settled = True

        def heard(account: Account) -> float:
            if account.over:
                return goes_on
            return 1.0 if unseen.intersection(account.stands) else self.priors.rolled_unplaced

        self.tracker.reweigh(heard)

    def _reopened(self) -> None:
        """The rules count on the pieces again: nobody had fallen, or a press has cleared."""
        if self.teller.pressed:
            return
        self._rules_over = False
        if self.tracker is None or not len(self.stacks):
            return
        self.teller.fall = None
        seen, clears = self.teller.sightings, self.teller.clears

        def reopened(account: Account) -> Account:
            # By others the round before is not cleared yet, though that has been said: for them
            # nothing begins again.
            return account.resumed(seen) if account.emptied >= clears else account

        self.tracker.amend(reopened)

    # -- people --------------------------------------------------------------------------------

    def press_cleared(self, t_s: float) -> bool:
        """People say that the board is clear; false when that was known before.

        A press that comes after the table has seen the board empty says nothing new, and must not
        end the round that has begun meanwhile.
        """
        limit_s = LATE_PRESS_S if self._press_due else TWICE_PRESSED_S
        told = self.expected.now.shares is None
        # Where nobody tells rolls, a touch must do.
        since_s = min(self._rolled_s if told else inf, self.touched_s)
        played = since_s > self._cleared_s and not self._press_due
        if t_s - self._cleared_s < limit_s and not (self.clearing or played):
            self._press_due = False
            return False
        if self.tracker is None:
            return True
        clears = self.teller.clears

        def ended(account: Account) -> bool:
            return account.fall_since(clears) is not None or account.emptied > clears

        # What fell is no longer counted, so a board may be full of falls and have no piece on it.
        counted = len(self.stacks) or self.teller.fall is not None
        if not counted and self.tracker.probability(ended) < PERHAPS:
            self._slid_off_unseen(self.tracker)
            return True
        self.teller.pressed = True
        self.tracker.reweigh(lambda account: PRESS_TELLS if ended(account) else 1.0)
        self.tracker.amend(lambda account: account.but(over=True))
        self._say(0.0, told=True)
        return True

    def _slid_off_unseen(self, tracker: Tracker) -> None:
        """An empty board is said to be clear: the first piece of the round has perhaps slid off."""
        clears = self.teller.clears
        if self._rolled_s <= self._cleared_s:
            return  # it may be said of the round before
        fall, fell = tracker.likeliest_fall(clears), tracker.fallen(clears)
        fell = PRESS_ON_NOTHING * fell / (PRESS_ON_NOTHING * fell + 1.0 - fell)
        if fall is None or fell < CLEARED_AFTER_FALL:
            return
        self.teller.topple(fall, fell, self.now_s)
        self.teller.fall = None
        tracker.amend(lambda a: a.but(fall=None, over=False, taking=False))

    def _fall_told(self, tracker: Tracker) -> None:
        """People have said that a topple ended the round, perhaps because they were asked."""
        clears = self.teller.clears
        if self.teller.fall is not None or tracker.likeliest_fall(clears) is None:
            return
        tracker.reweigh(lambda account: 1.0 if account.fall_since(clears) else HARDLY_ERR)
        self._say(0.0, told=True)

    def press_blame(self) -> None:
        """People say that a bump made pieces fall."""
        tracker, teller = self.tracker, self.teller
        if tracker is None or teller.fall is not None or not len(self.stacks):
            return
        clears = teller.clears
        unseen = unseen_bump(self._contact, max(self.touched_s, 0.0), self._pushed_s())
        released_s = -inf if teller.last is None else teller.last.released_s

        def blamed(account: Account) -> Account:
            if account.emptied > clears and len(account.stands) <= 1:
                return account  # it is said of the round before
            fall, log_p = account.fall, account.log_p
            if fall is None:
                fall, log_p = unseen, log_p + log(UNSEEN_BUMP)
            along = teller.taken_along(fall, self.now_s)
            stands = account.stands
            if along is None and fall.takes is not None and fall.takes not in stands:
                stands = (*stands, fall.takes)  # it had lain still
            # What was put down meanwhile had not fallen before its hand let go.
            fell_s = fall.t_s if along is None else max(fall.t_s, released_s)
            fall = replace(fall, takes=along, bumped=BLAMED, t_s=fell_s)
            return account.but(log_p=log_p, fall=fall, over=True, stands=stands)

        tracker.hear(blamed)
        self._say(0.0, told=True)

    def _pushed_s(self) -> float:
        """When the table was pushed, if that can be what people speak of; inf otherwise.

        Nobody puts a piece down on what has fallen; what fell about may look like one, though.
        Where no push is remembered, it was what the table has felt since.
        """
        jolted_s, last = self._felt_push_s(), self.teller.last
        felt = last is not None and self._contact > abs(last.contact)
        return self.touched_s if felt and jolted_s == inf else jolted_s

    def _felt_push_s(self) -> float:
        """The same, if the inertial sensor has felt the push."""
        jolted_s, last = self.jolted_s, self.teller.last
        played_on = last is not None and last.released_s - HURRY_S > jolted_s
        late = played_on or self.now_s - jolted_s >= LATE_BLAME_S
        return inf if late else jolted_s

    def amend(self, ref: int, cell: str | None) -> None:
        """People said where piece `ref` really lies; None: it is not on the board."""
        self.stacks.take(ref)
        if cell is not None:
            self.stacks.put(ref, cell)
        for sighting in self.teller.sightings.values():
            if sighting.ref == ref:
                sighting.known = True
                sighting.cell = cell
                self._amend_standing(sighting.contact, stands=cell is not None)
        self.body = self.stacks.body()

    def _amend_standing(self, contact: int, *, stands: bool) -> None:
        if self.tracker is None:
            return

        def known(account: Account) -> Account:
            if stands and contact in account.stands:
                return account
            others = tuple(n for n in account.stands if n != contact)
            return account.but(stands=(*others, contact) if stands else others)

        # What explains the present rest puts its piece down whenever that is looked at again.
        change = self.tracker.hear if abs(contact) == self._contact else self.tracker.amend
        change(known)

    def restore(self, placements: tuple[tuple[int, str], ...]) -> None:
        """Take up a game: pieces on the board, in the order in which they were placed."""
        self.stacks.clear()
        self.teller.sightings.clear()
        for contact, (ref, cell) in enumerate(placements, start=1):
            self.stacks.put(ref, cell)
            self.teller.continue_ids(ref)
            self.teller.sightings[contact] = Sighting(
                contact, -inf, (self.piece_g, 1.0), ANYTHING, None, None,
                ref=ref, cell=cell, confidence=1.0, open=False,
            )  # fmt: skip
        self._contact = len(placements)
        self._restored = tuple(self.teller.sightings)
        # The tare was taken with an empty board, so that is what an empty board weighs.
        self.zero.g = 0.0 if placements else self.zero.g
        self.body = self.stacks.body()

    def _cleared_meanwhile(self, weight_g: float) -> float:
        """Probability that pieces of which the game knows were taken off while nobody watched."""
        if not self._restored:
            return 0.0
        pieces = len(self._restored)
        spread_g = TARE_SD_G + MASS_SHARE * pieces * self.piece_g

        def fits(mass_g: float) -> float:
            return exp(-0.5 * ((weight_g - mass_g) / spread_g) ** 2) + SOMETHING_LIES_THERE

        cleared = CLEARED_UNSEEN * fits(0.0)
        return cleared / (cleared + (1.0 - CLEARED_UNSEEN) * fits(pieces * self.piece_g))

    # -- what is said --------------------------------------------------------------------------

    def _say(self, steady_s: float, *, broken: bool = False, told: bool = False) -> None:
        tracker, teller = self.tracker, self.teller
        if tracker is None:
            return
        clears, high = teller.clears, len(self.stacks) >= HIGH_TOWER
        pressed = teller.pressed
        fall, teller.pushed_s = teller.fall, self._felt_push_s()
        teller.light_g = (self.zero.g or 0.0) + self.piece_g / 2
        teller.tell(tracker, self.now_s, steady_s, broken=broken, told=told)
        if teller.fall is not None and fall is None:
            # From now on it was not only hands.
            tracker.forget_certain()
        self.body = self.stacks.body()
        if teller.clears > clears:
            if high and not self._rules_over:
                self._learn_how_rounds_end(tracker)
            self._cleared(tracker)
            self._press_due = not pressed

    def _learn_how_rounds_end(self, tracker: Tracker) -> None:
        """How often the people of this table agree to stop."""
        before = how_often_stopped(self._stopped, self._fallen)
        stopped = tracker.probability(lambda account: account.last_fall is None)
        self._stopped += stopped
        self._fallen += 1.0 - stopped
        often = how_often_stopped(self._stopped, self._fallen) / before
        self.priors = replace(self.priors, agreed=often * self.priors.agreed)

    def _cleared(self, tracker: Tracker) -> None:
        """A new round has begun."""
        self._cleared_s, self._rules_over = self.teller.cleared_s, False
        tracker.forget_certain()
        clears = self.teller.clears

        def told(account: Account) -> Account:
            """How often it was cleared is known now, and how the round ended is said."""
            counted = account.emptied > clears or not account.stands
            emptied = clears if counted else account.emptied
            return account.but(last_fall=None, emptied=emptied)

        tracker.hear(told)
        best = tracker.best.account
        if not best.stands and not best.plate_g and best.free_g == self._began_g:
            self.zero.seen(self._mean_g, self.now_s)

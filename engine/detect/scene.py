"""The scene: what the sensors say about the board, rest by rest, and what is made of it.

The detector's ticks come in here. A contact ends with a rest; the rest is explained for as long as
it lasts (`engine.detect.tracker`), and what has become certain is told (`engine.detect.telling`).
"""

from collections import deque
from dataclasses import replace
from math import exp, hypot, inf, log

import numpy as np

from engine.detect.account import Account, Explained, Gmm, Sighting
from engine.detect.body import Body, Stacks
from engine.detect.causes import SAME_TURN_S, bump_probability, fall_log_odds
from engine.detect.clearing import IN_THE_AIR_S
from engine.detect.contact import Balance, Phase
from engine.detect.densities import BROAD_GMM, Densities
from engine.detect.expected import REMEMBERED, Expected
from engine.detect.explaining import HIGH_TOWER, Explaining
from engine.detect.lasting import SETTLED_S, ends_now
from engine.detect.moment import Moment, MomentEstimator
from engine.detect.pressing import Press, Pressing
from engine.detect.priors import Priors
from engine.detect.rest import MOST_PRESSED_G, Contact, Rest
from engine.detect.shocks import Shocks
from engine.detect.stillness import Stillness
from engine.detect.telling import PERHAPS, Teller
from engine.detect.ticks import TICK_S
from engine.detect.tipping import Tipping
from engine.detect.tracker import Tracker
from engine.events import ANYTHING, SURE, Expectation
from engine.samples import Floats
from engine.tabletop import Tabletop

LOOKS = (5, 7, 10, 16, 24, 36, 50, 64, 80, 140, 240)
"""Ticks of rest after which it is explained (anew); then every `LATER_LOOKS`."""

LATER_LOOKS = 200

LIKELY = 0.1
"""A piece that stands with this probability is waited for."""

FEW_LOOKS, AGREED = (24, 80, 240), 0.995
"""So often only, once all that people are told is so certain."""

FEWEST_SAMPLES = 3.5
"""A rest of fewer conversions is none: between two of them a straight line looks steady."""

ZERO_SD_G, ZERO_CREEP_G_S = 0.2, 0.01
"""How well an empty board's weight is known, and how that fades: gain and temperature of cells
that carry a kilogram wander by a gram in some minutes."""

START_S = 0.3
"""So long must the weight be steady at the start to be taken for the empty board's."""

EMPTY_S = 2.0
"""So long must an empty board be left alone before its weight is taken for the new zero."""

TRUSTED_S = 0.6
"""Hands that hesitate come back sooner, and must not teach the table's swing."""

BRIEF_S, LET_GO = 0.25, 0.8
"""A hand that rests on the board keeps still for so long now and then: that says nothing, unless
it is clear that nobody touches."""

UNSTEADY_TICKS = 12
"""0.3 s: longer than a shaken table takes to swing back (4-11 Hz)."""

LOST = 0.65
"""A weight below this share of a piece, all the time, is a piece that is gone."""

CLEARED_UNSEEN = 0.1
"""Once in ten times somebody packs up while the table is off. Its weight decides: already a single
piece more or less changes the odds a hundredfold."""

TARE_SD_G, MASS_SHARE = 0.5, 0.05
"""A tare of days ago has crept, and the room was warmer; and the pieces of this set differ."""

SOMETHING_LIES_THERE = 1e-3
"""A hand or a cup on the table as it is switched on: then the weight says nothing."""

NOTHING_CHANGED_GMM = 20.0
"""A fifth of a cell, or three standard deviations: the board hangs as it did."""

HURRY_S = 1.0
"""Between telling the die and touching the board: nobody takes a piece and puts it down sooner."""

LATE_PRESS_S = 60.0
"""Who says after so long that the board is clear means another clearing."""

TWICE_PRESSED_S = 15.0
"""So soon after a clearing nobody ends another round: the button was pressed twice."""

PLATE_REACH_MM = 100.0
UNKNOWN_GMM = 1e4
"""A moment with such an error has not been measured at all."""

UNWATCHED_GMM = 800.0
"""Nor has a change with this one: the inertial sensor was lost before, or is only just back. It
may be that of several pieces, and says of none where it lies."""

SHAKEN_SD_MM, TREMBLED_SD_MM = 1.5, 0.4
"""A shaken table shifts all pieces together by a millimetre or two, and hardly ever by five: a
piece that slid further has left its stack. A push in which nothing slides moves the pivot's seat
(`SLIDE_G`)."""

WEIGHED_WITHIN_S = 10.0
"""A piece is weighed again in rests so soon after it was let go: later the cells have crept."""

HANDS_APART = 0.35
"""Under a resting hand a piece is a step of its weight within this share."""

CLEARLY_MM = 4.0
"""A contact whose press is known less well than a finger works says nothing about the next one."""

STOPPED_AT_FIRST = 0.4, 2.0
"""Rounds that people agreed to stop, of so many: assumed before a table has shown any. Few, since
some people do it in every other round and others never: a single one shows which. Every high
tower that comes down counts; who never stops a round is believed less and less to have."""

PRESSED_S = 0.04
"""A hand that puts a piece down presses for longer: two ticks at least."""

PLAYED_ON = 0.75
"""So surely the next player has rolled that the piece before is settled."""

QUICKEST_TURN_S, QUICKEST_ROUND_S = 0.9, 2.5
"""Hardly ever does the next hand come sooner after a piece was let go, for its player has to take a
piece and roll; nor after a clearing, for all pieces have to be gathered."""

LATE_BLAME_S = 10.0
"""So soon after a bump people name who it was: they look, say a word and press."""

UNSEEN_BUMP, PRESSED = 0.02, 20.0
"""People who name a culprit know that something fell, and hardly ever has no sensor noticed it; who
says that the board is clear often knows, too."""


class Scene:
    """The table as the detector sees it."""

    def __init__(self, tabletop: Tabletop, priors: Priors) -> None:
        self.tabletop, self.priors = tabletop, priors
        self.now_s = 0.0
        self.balance = Balance(tabletop.piece.mass_mean_g)
        self.moment = MomentEstimator(tabletop)
        self.pressing = Pressing()
        self._pressed_before: tuple[Press | None, float] = None, -inf
        self.shocks = Shocks()
        self.tipping = Tipping(believed=tabletop.weight_only)
        self.stacks = Stacks(tabletop)
        self.body: Body = self.stacks.body()
        self._bare = self.body
        self.teller = Teller(self.stacks)
        self.tracker: Tracker | None = None
        self.expected = Expected()
        self.zero_g: float | None = None
        self.first_zero_g: float | None = None
        self.tilt_doubtful = False
        self.scale_hz = tabletop.scale_rate_hz
        self._empty_gmm: Gmm = (tabletop.empty_moment_gmm[0], tabletop.empty_moment_gmm[1])
        self._expected_at_contact = ANYTHING
        self._in_turn = True
        self._seen: Contact | None = None
        self._handled: Sighting | None = None
        self._rolled_s = self.handed_s = -inf
        self._dice: deque[tuple[float, bool]] = deque(maxlen=REMEMBERED)
        self._contact = 0
        self._restored: tuple[int, ...] = ()
        self._held: list[tuple[float, float]] = []
        self._recent: deque[float] = deque(maxlen=UNSTEADY_TICKS)
        self._felt_ticks = 0
        self.stillness = Stillness()
        self._shifts: list[tuple[float, float]] = []
        self._shifted_s = -inf
        self._tied = self._rules_over = False
        self._began_g = self._rested_s = 0.0
        self._cleared_s = -inf
        self._zero_s = 0.0
        self._press_due = self._ahead_due = False
        self._stopped, self._ended = STOPPED_AT_FIRST

    @property
    def piece_g(self) -> float:
        """Mean mass of a piece."""
        return self.tabletop.piece.mass_mean_g

    @property
    def zero_drift_g(self) -> float:
        """How far the empty board's weight has wandered since the start."""
        if self.zero_g is None or self.first_zero_g is None:
            return 0.0
        return self.zero_g - self.first_zero_g

    @property
    def clearing(self) -> bool:
        """Whether pieces are being taken off because the round is over."""
        return self.tracker is not None and self.tracker.best.account.over

    # -- what is known from others ---------------------------------------------------------------

    def expect(self, expectation: Expectation) -> None:
        """The rules' prior for what comes next."""
        if expectation.colours and expectation.colours != self.tabletop.piece.colours:
            piece = self.tabletop.piece.of_colours(expectation.colours)
            self.tabletop = replace(self.tabletop, piece=piece)
        before = self.expected.tell(self.now_s, expectation)
        if self.tracker is None:
            return
        if self.now_s > self.handed_s and expectation.may_place and expectation != before:
            self._die_told()
            if not before.may_place:
                self._rolled()
        if expectation.ahead and not before.ahead:
            self._ahead_due = True
            if self.balance.phase is not Phase.CONTACT:
                self._rolled_ahead()
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
        goes_on = self.priors.rolled_after_fall
        turn_began = self._expected_at_contact.may_place

        def heard(account: Account) -> float:
            just_fell = account.fall is not None and account.fall.contact >= self._contact
            return goes_on if account.over and (turn_began or not just_fell) else 1.0

        tracker.reweigh(heard)

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
        seen = self.teller.sightings
        self.tracker.amend(lambda account: account.resumed(seen))

    def press_cleared(self, t_s: float) -> bool:
        """People say that the board is clear; false when that was known before.

        A press that comes after the table has seen the board empty says nothing new, and must not
        end the round that has begun meanwhile.
        """
        limit_s = LATE_PRESS_S if self._press_due else TWICE_PRESSED_S
        told = self.expected.now.shares is None
        # Where nobody tells rolls, a touch must do.
        since_s = min(self._rolled_s if told else inf, self.balance.touch.began_s)
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
            return True
        self.teller.pressed = True
        self.tracker.reweigh(lambda account: PRESSED if ended(account) else 1.0)
        self.tracker.amend(lambda account: replace(account, over=True))
        self._say(0.0, told=True)
        return True

    def press_blame(self) -> None:
        """People say that a bump made pieces fall."""
        tracker, teller = self.tracker, self.teller
        if tracker is None or teller.fall is not None or not len(self.stacks):
            return
        clears, began_s = teller.clears, max(self.balance.touch.began_s, 0.0)
        unseen = self._explaining().unseen_bump(began_s, self._pushed_s())

        def blamed(account: Account) -> Account:
            if account.emptied > clears:
                return account
            fall, log_p = account.fall, account.log_p
            if fall is None:
                fall, log_p = unseen, log_p + log(UNSEEN_BUMP)
            along = teller.taken_along(fall, self.now_s)
            stands = account.stands
            if along is None and fall.takes is not None and fall.takes not in stands:
                stands = (*stands, fall.takes)  # it had lain still
            fall = replace(fall, takes=along, bumped=0.98)
            return replace(account, log_p=log_p, fall=fall, over=True, stands=stands)

        tracker.hear(blamed)
        self._say(0.0, told=True)

    def _pushed_s(self) -> float:
        """When the table was pushed, if that can be what people speak of; inf otherwise.

        Nobody puts a piece down on what has fallen; what fell about may look like one, though.
        Where no push is remembered, it was what the table has felt since.
        """
        jolted_s, last = self._jolted_s(), self.teller.last
        felt = last is not None and self._contact > abs(last.contact)
        return self.balance.touch.began_s if felt and jolted_s == inf else jolted_s

    def _jolted_s(self) -> float:
        """The same, if the inertial sensor has felt the push."""
        jolted_s, last = self.shocks.jolted_s, self.teller.last
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
            others = tuple(n for n in account.stands if n != contact)
            return replace(account, stands=(*others, contact) if stands else others)

        if stands:
            self.tracker.amend(lambda a: a if contact in a.stands else known(a))
        else:
            self.tracker.amend(known)

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
        self.zero_g = 0.0 if placements else self.zero_g
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

    # -- contacts and rests ----------------------------------------------------------------------

    def begin(self) -> bool:
        """The first steady weight, or the first after the scale was lost: true when it is known."""
        balance = self.balance
        self._rest_on()
        if balance.run_s < START_S:
            return False
        if self.zero_g is None:
            self.zero_g = self.first_zero_g = balance.run_mean_g
        if self.tracker is None:
            self.tracker = Tracker(
                balance.run_mean_g, self._restored, self._cleared_meanwhile(balance.run_mean_g)
            )
        else:
            weight_g = balance.run_mean_g
            self.tracker.amend(
                lambda a: replace(a, free_g=weight_g, carried_gmm=(0.0, 0.0), lifted=False)
            )
        self._contact += 1
        # There is nothing before it to compare it with.
        self._tied = True
        balance.accept()
        return True

    def settle(self) -> bool:
        """One more tick of a steady weight; true when the board counts as free."""
        balance, tracker = self.balance, self.tracker
        self._rest_on()
        if not _due(balance.run_ticks) or tracker is None or self._too_short:
            return False
        self._look()
        if not tracker.best.free or tracker.free < 0.9 or (self._waiting and balance.run_s < 1.3):
            return False
        balance.accept()
        return True

    @property
    def _too_short(self) -> bool:
        """Whether the present rest is not more than a few conversions of the load cells."""
        return self._rested_s * self.scale_hz < FEWEST_SAMPLES

    @property
    def _waiting(self) -> bool:
        """Whether a piece that may well stand has not been told yet."""
        tracker, sightings = self.tracker, self.teller.sightings.values()
        return tracker is not None and any(
            s.ref is None and tracker.standing(s.contact) > LIKELY for s in sightings
        )

    def _tie(self, best: Explained) -> None:
        """The board hangs as it did: its moment is the one of before."""
        moment = self.moment.measure(self.body)
        limit = NOTHING_CHANGED_GMM + 3 * moment.sd_gmm
        unchanged = not best.moves or abs(best.account.free_g - self.balance.run_mean_g) < 1e-9
        same = unchanged and not best.placed and best.location is None and best.account.fall is None
        self._tied = same and moment.size_gmm < limit and abs(self.balance.gained_g) < 0.5
        if self._tied:
            self.moment.nothing_changed()

    def rest_on(self) -> None:
        """One more tick of a free board."""
        balance = self.balance
        self._rest_on()
        if _due(balance.run_ticks) and not self._tied and not self._agreed_until(balance.run_ticks):
            self._look()
            if self._rested_s >= SETTLED_S and self.tracker is not None:
                self._tie(self.tracker.best)
        elif _due(balance.run_ticks):
            self._say(balance.run_s)
        tracker = self.tracker
        if tracker is None or balance.run_s < EMPTY_S or len(self.stacks):
            return
        if tracker.best.account.stands:
            return  # people have not said yet where they lie
        if not tracker.best.account.over and not tracker.best.account.plate_g:
            # Nothing lies there, so this is what nothing weighs now: cells wander all evening.
            self.zero_g, self._zero_s = balance.before_g, self.now_s
            self._empty_gmm = self.moment.now_gmm

    def _agreed_until(self, ticks: int) -> bool:
        """Whether nothing that is in doubt could be decided by one more look."""
        tracker, teller = self.tracker, self.teller
        if (
            tracker is None
            or ticks in FEW_LOOKS
            or ticks > LOOKS[-1]
            or teller.suspicion is not None
        ):
            return False
        doubtful = any(s.open and s.confidence < SURE for s in teller.sightings.values())
        return not doubtful and not self._waiting and tracker.agreed > AGREED

    def _look(self) -> None:
        assert self.tracker is not None  # noqa: S101 - a rest was begun
        self.moment.plate_gmm = PLATE_REACH_MM * abs(self.balance.gained_g)
        if self._shifted_s != self.balance.arrived_s:
            self._shifted_s = self.balance.arrived_s
            self._shifts.clear()
        explaining = self._explaining()
        self._seen = explaining.rest.contact
        self.tracker.explain(explaining)
        self._sight(explaining)
        if self._ahead_due:
            self._rolled_ahead()
        self._say(self._rested_s)
        moment = explaining.rest.moment
        if moment is not None and len(self._shifts) < len(LOOKS):
            self._shifts.append((moment.offset_shift_gmm, moment.offset_sd_gmm))

    def _explaining(self, rest: Rest | None = None) -> Explaining:
        density = Densities(
            self.tabletop, self.stacks, self.teller.sightings, rest or self._rest(),
            friction_gmm=self.moment.friction_gmm, shaken_gmm=self.body.mass_g * self._shaken_mm(),
            empty_gmm=self._empty_gmm,
        )  # fmt: skip
        return Explaining(density, self.priors)

    def _shaken(self) -> bool:
        """Whether the table was pushed in this contact: by the weight alone if nothing else tells.

        Who takes a heavy thing off the plate makes all lighter, too.
        """
        touch, shocks = self.balance.touch, self.shocks
        if shocks.jolted_since(touch.began_s, touch.felt_s):
            return True
        return touch.shaken and (not shocks.heard or shocks.trembled(touch.began_s, touch.felt_s))

    def _shaken_mm(self) -> float:
        """How far a push in this contact may have shifted the pieces together, in the mean."""
        if not self._shaken():
            return 0.0
        touch, shocks = self.balance.touch, self.shocks
        slid = not shocks.heard or shocks.slid_since(touch.began_s, touch.felt_s)
        return SHAKEN_SD_MM if slid else TREMBLED_SD_MM

    def _rest(self) -> Rest:
        balance = self.balance
        return Rest(
            contact=self._felt(),
            mass_g=self._began_g,
            noise_g=1.3 * balance.noise_g / max(self._rested_s / TICK_S, 6.0) ** 0.5,
            arrived_s=balance.arrived_s,
            steady_s=self._rested_s,
            moment=self._measured(self.body),
            bare=self._measured(self._bare) if self._may_be_bare else None,
            expectation=self.expected.due(balance.touch.began_s, balance.arrived_s),
            zero_g=self.zero_g or 0.0,
            zero_sd_g=hypot(ZERO_SD_G, ZERO_CREEP_G_S * (self.now_s - self._zero_s)),
            rolled=self._rolled_since_last(),
            against_rules=self._against_rules(balance.arrived_s),
            closed=self._rules_over,
            shifts=tuple(self._shifts),
            handled=self._handled is not None and self._handled is self.teller.last,
            turns=tuple(
                known for _, known in self.expected.turns(balance.touch.began_s, balance.arrived_s)
            ),
        )

    def _rest_on(self) -> None:
        """The rest goes on; its weight is that of its beginning: the cells creep all evening."""
        self._rested_s = self.balance.run_s
        if self._rested_s < EMPTY_S:
            self._began_g = self.balance.run_mean_g

    @property
    def _may_be_bare(self) -> bool:
        """Whether the board may have been cleared: only then is it worth the measuring."""
        tracker = self.tracker
        over = tracker is not None and tracker.probability(lambda a: a.over or a.lifted) > 0.001
        return over and len(self.stacks) > 0

    def _measured(self, body: Body) -> Moment | None:
        if self.moment.deaf or self.tabletop.weight_only:
            return None
        moment = self.moment.measure(body)
        if moment.sd_gmm > UNKNOWN_GMM:
            return None
        if self.balance.phase is Phase.FREE:
            # It was let go. Who holds it now touches it anew, or else the sensor lies.
            moment = replace(moment, misfit=moment.usual_misfit)
        if self.tilt_doubtful:
            moment = replace(moment, change_cov=moment.change_cov + np.eye(2) * BROAD_GMM**2)
        return moment

    def _against_rules(self, arrived_s: float) -> float:
        """Probability that the die in force does not allow the cell that a piece is put on.

        A die told out of step was told late, or it is the next player's, told early; and then the
        one told next may be of this turn.
        """
        dice = [die for die in self._dice if die[0] <= arrived_s]
        in_step = not any(out_of_step for _, out_of_step in dice[-2:])
        in_time = not dice or dice[-1][0] < self.balance.touch.began_s - HURRY_S
        told = self.expected.then(arrived_s).may_place
        return self.priors.against_rules if told and in_step and in_time else self.priors.other_turn

    def _hurried(self, rest: Rest) -> None:
        """A piece is being placed; if its die was told just before, that one is out of step."""
        if self._dice:
            told_s, _ = self._dice[-1]
            if rest.contact.began_s - HURRY_S < told_s <= rest.arrived_s:
                self._dice[-1] = told_s, True

    def _die_told(self) -> None:
        """Note whether a die was told while somebody placed, or hardly after."""
        last = self.teller.last
        released_s = -inf if last is None else last.released_s
        busy = self._waiting or self.balance.phase is Phase.CONTACT
        self._dice.append((self.now_s, busy or self.now_s < released_s + HURRY_S / 2))

    def _rolled_since_last(self) -> bool:
        last, began_s = self.teller.last, self.balance.touch.began_s
        return last is not None and last.released_s < self._rolled_s < began_s

    def _felt(self) -> Contact:
        touch, last = self.balance.touch, self.teller.last
        # What the rules say once a piece has been announced is no evidence for or against it.
        self._in_turn = self._in_turn or self.expected.now.may_place
        in_turn = self._in_turn and self._turn_has_come(touch.began_s)
        since_s = touch.began_s - last.released_s if last is not None else inf
        before, ended_s = self._pressed_before
        landing = touch.began_s - ended_s < IN_THE_AIR_S
        return Contact(
            self._contact, touch.began_s, touch, in_turn,
            bump_probability(touch, self.shocks, in_turn=in_turn, since_release_s=since_s),
            fall_log_odds(touch, self.shocks, tipped=self.tipping.since(touch.began_s)),
            press=self._press(),
            stirred=self.stillness.stirred,
            before=before if landing else None,
            landing=landing,
            foreseen=self.expected.then(self.balance.arrived_s).may_place,
        )  # fmt: skip

    def _only_left(self, seen: Contact | None) -> bool:
        """Whether a contact was but a piece that left its stack: its hand had pressed before."""
        return seen is not None and seen.landing and seen.touch.highest_g < self.piece_g / 2

    def _turn_has_come(self, t_s: float) -> bool:
        """Whether the next player can be placing by then; known by time where no die is told."""
        if self.expected.now.shares is None:
            return True
        return not self._just_let_go(t_s) and t_s - self._cleared_s > QUICKEST_ROUND_S

    def _just_let_go(self, t_s: float) -> bool:
        """Whether the piece placed last was let go so shortly before that its own hand is there."""
        last = self.teller.last
        return last is not None and 0.0 <= t_s - last.released_s < QUICKEST_TURN_S

    def _put_nothing_down(self, best: Explained) -> bool:
        """Whether the contact that is over was a hand at the board that has left nothing there."""
        seen = self._seen
        if seen is None or self._contact in best.account.stands:
            return False
        felt = seen.touch.pressed_s > PRESSED_S and not seen.touch.shaken
        return felt and seen.in_turn and not self._just_let_go(seen.began_s)

    def _press(self) -> Press | None:
        """Where this contact pressed, if the tilt can be relied on.

        A shaken table weighs on the cells and turns no board: it would seem to press in the middle.
        """
        if self.tilt_doubtful or self.tabletop.weight_only or self._shaken():
            return None
        return self.pressing.where(self.moment.table(), self.body)

    # -- pieces ----------------------------------------------------------------------------------

    def _sight(self, explaining: Explaining) -> None:
        """Keep what the present rest says about the piece being placed, and the one before."""
        assert self.tracker is not None  # noqa: S101 - a rest is explained
        placed = next((w.explained for w in self.tracker.now if w.explained.placed), None)
        if placed is not None:
            self._sight_new(explaining, placed)
        best, last = self.tracker.best, self.teller.last
        if last is not None and self.now_s - last.released_s < WEIGHED_WITHIN_S:
            self._weigh_again(explaining, last)
        for sighting in self.teller.sightings.values():
            sighting.moved = None
        if last is None or last.contact == self._contact or last.change_gmm is None:
            return
        moved = best.account.moved
        if moved is not None and moved.contact == last.contact and moved.location != last.location:
            last.moved, last.open, last.moved_s = moved.location, True, moved.released_s
            last.moved_gmm = np.array(moved.change_gmm)
        elif last.open and best.free and not best.placed and best.account.fall is None:
            last.moved, last.moved_gmm = explaining.density.relocated(last, best.account)

    def _weigh_again(self, explaining: Explaining, last: Sighting) -> None:
        """The piece placed last, if nobody bears on the board and none has come or gone since."""
        assert self.tracker is not None  # noqa: S101 - a rest is explained
        alone = [w for w in self.tracker.now if w.explained.free and _lies_last(w.explained, last)]
        steady_s = explaining.rest.steady_s
        if steady_s >= last.weighed_for_s and sum(each.p for each in alone) > SURE:
            gained_g = _on_board_g(explaining, alone[0].explained) - last.before_g
            last.weighed = gained_g, explaining.density.weighed_sd_g()
            last.weighed_for_s = steady_s

    def _sight_new(self, explaining: Explaining, placed: Explained) -> None:
        number, rest, both = self._contact, explaining.rest, placed.both
        for k, contact in enumerate((number,) if placed.placed == 1 else (-number, number)):
            released_s = self._arrived_s() if k else self._released_s()
            expectation = rest.expectation if both is None else rest.turns[k]
            sighting = self.teller.sightings.setdefault(
                contact, Sighting(contact, released_s, (self.piece_g, 1.0), expectation, None, None)
            )
            if sighting.ref is None:
                self._hurried(rest)
                sighting.released_s, sighting.expectation = released_s, expectation
                sighting.against_rules = rest.against_rules
            # Of two at once only the dice tell which lies where.
            sighting.change_gmm = None
            sighting.location = None if both is None else both[k]
            if placed.placed == 1:
                _measure(sighting, explaining, placed)

    def _released_s(self) -> float:
        """When the piece was let go."""
        return self.expected.released_s(self.balance.touch.began_s, self._arrived_s())

    def _arrived_s(self) -> float:
        """When its weight came: also under another hand that rested on the board meanwhile."""
        if len(self._held) > 1:
            (_, before_g), (arrived_s, mass_g) = self._held[-2:]
            if abs(mass_g - before_g - self.piece_g) < HANDS_APART * self.piece_g:
                return arrived_s
        return self.balance.arrived_s

    def _say(self, steady_s: float, *, broken: bool = False, told: bool = False) -> None:
        tracker, teller = self.tracker, self.teller
        if tracker is None:
            return
        clears, high = teller.clears, len(self.stacks) >= HIGH_TOWER
        pressed = teller.pressed
        fall, teller.pushed_s = teller.fall, self._jolted_s()
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
        before = self._stopped / self._ended
        self._ended += 1.0
        self._stopped += tracker.probability(lambda account: account.last_fall is None)
        often = self._stopped / self._ended / before
        self.priors = replace(self.priors, agreed=often * self.priors.agreed)

    def _cleared(self, tracker: Tracker) -> None:
        """A new round has begun."""
        self._cleared_s, self._rules_over = self.now_s, False
        tracker.forget_certain()
        clears = self.teller.clears

        def told(account: Account) -> Account:
            """How often it was cleared is known now, and how the round ended is said."""
            counted = account.emptied > clears or not account.stands
            emptied = clears if counted else account.emptied
            return replace(account, last_fall=None, emptied=emptied)

        tracker.hear(told)
        best = tracker.best.account
        if not best.stands and not best.plate_g and best.free_g == self._began_g:
            self.zero_g, self._zero_s = self.balance.run_mean_g, self.now_s

    # -- the board is touched --------------------------------------------------------------------

    def touched(self, *, was_free: bool) -> None:  # noqa: C901, PLR0912 - one thing after the other, in this order
        """The rest is over: go on with what it left, and begin the next contact."""
        tracker, balance = self.tracker, self.balance
        if tracker is None or balance.before_g is None:
            self.moment.touch_again()
            return
        if not was_free and self._too_short:
            self.moment.touch_again()
            return
        if not was_free and not self._tied and self.moment.ticks:
            self._look()
        rested_s, priors = self._rested_s, self.priors
        tracker.weigh(lambda each: ends_now(priors, rested_s, each))
        if not was_free and rested_s < BRIEF_S and tracker.free < LET_GO:
            tracker.forget_rest()
            self.moment.touch_again()
            return
        self._say(rested_s, broken=True)
        best = tracker.best
        advance = best.free and best.moves and (was_free or tracker.free > 0.8)
        change = np.zeros(2)
        moment = self._measured(self.body)
        hung_gmm = self.moment.now_gmm if moment is None else moment.now_gmm
        self._keep_hand(best, advance=advance)
        self.pressing.begin(balance.run_mean_g, (float(hung_gmm[0]), float(hung_gmm[1])))
        if moment is not None and not self._tied:
            change = moment.change_gmm
        self._commit(tracker, change, advance=advance)
        if advance:
            self.moment.fold(self.body, learn=was_free and self._rested_s > TRUSTED_S)
            self.moment.contact()
            self._held.clear()
            if not was_free:
                balance.rebase(self.now_s)
        else:
            if best.free:
                self._held.clear()
            else:
                self._held.append((balance.arrived_s, balance.run_mean_g))
            if was_free and balance.rejoin():
                self.moment.rejoin()
            else:
                self.moment.touch_again()
        self._contact += 1
        if was_free:
            self.stillness.touched()
            self._settle_by_time(tracker)
        self._tied = False
        self._recent.clear()
        self._expected_at_contact = self.expected.now
        self._in_turn = self.expected.now.may_place

    def _settle_by_time(self, tracker: Tracker) -> None:
        """Where no die is told, the next hand says what a roll does elsewhere: its piece stood."""
        last = self.teller.last
        if last is None or last.confidence < SURE or last.played_on(self.now_s) < PLAYED_ON:
            return
        last.settled = True

        def heard(account: Account) -> float:
            fell = account.fall is not None and account.fall.contact == last.contact
            return self.priors.rolled_after_fall if fell else 1.0

        def goes_on(account: Account) -> Account:
            """A clearing before this piece that was not believed enough to be told is past."""
            unheard = account.emptied > clears and last.contact in account.stands
            return replace(account, emptied=clears, last_fall=None) if unheard else account

        clears = self.teller.clears
        tracker.reweigh(heard)
        tracker.amend(goes_on)

    def _keep_hand(self, best: Explained, *, advance: bool) -> None:
        """What the next contacts will be asked about this one, which is over."""
        if advance and self._put_nothing_down(best):
            self._handled = self.teller.last
        press = self._press()
        if press is not None and (press.sd_mm > CLEARLY_MM or press.highest_g > MOST_PRESSED_G):
            press = None
        if press is None and self._only_left(self._seen):
            press = self._pressed_before[0]
        self._pressed_before = press, self.balance.arrived_s

    def _commit(self, tracker: Tracker, change: Floats, *, advance: bool) -> None:
        last = self.teller.last
        if last is not None and last.moved is not None:
            last.location, last.change_gmm, last.moved = last.moved, last.moved_gmm, None
        for sighting in self.teller.sightings.values():
            sighting.open = sighting.open and (
                sighting.contact == self._contact and sighting.confidence < SURE
            )
        step = float(change[0]), float(change[1])

        def shift(explained: Explained) -> Gmm:
            x, y = explained.account.carried_gmm
            if explained.moves:
                return (0.0, 0.0) if advance else (-step[0], -step[1])
            return (x + step[0], y + step[1]) if advance else (x, y)

        crept_g = self.balance.run_mean_g - self._began_g
        tracker.commit(shift, crept_g)
        # What the cells creep under a board that rests, they creep under an empty one.
        self.zero_g = None if self.zero_g is None else self.zero_g + crept_g
        if self._rules_over and not self._last_may_fall():
            clears = self.teller.clears
            tracker.amend(lambda a: replace(a, over=a.over or a.emptied == clears))
        known = {n for each in tracker.now for n in each.account.stands}
        for contact in [n for n, s in self.teller.sightings.items() if s.ref is None]:
            if contact not in known:
                del self.teller.sightings[contact]

    def _last_may_fall(self) -> bool:
        """Whether the contact began when the piece placed last was only just let go."""
        last = self.teller.last
        return last is not None and self.balance.touch.began_s - last.released_s < SAME_TURN_S

    def swing(self, rate_rad_s: float) -> None:
        """The board turns so fast in this tick."""
        phase, rested_s = self.balance.phase, self._rested_s
        self.stillness.turns(rate_rad_s, free=phase is Phase.FREE, rested_s=rested_s)
        if phase is Phase.CONTACT:
            return
        still_s = self.stillness.since_s(self.now_s, rested_s)
        if still_s is not None:
            self.teller.came_to_rest(still_s)

    def while_touched(self, mass_g: float) -> None:
        """One more tick of a contact: is weight gone, though it is not steady?"""
        tracker, balance = self.tracker, self.balance
        if tracker is None or balance.before_g is None:
            return
        self._recent.append(mass_g - balance.before_g)
        self._felt_ticks += 1
        if len(self._recent) < UNSTEADY_TICKS or self._felt_ticks % 4:
            return
        highest_g = max(self._recent)
        best = tracker.best.account
        if best.over or not best.stands or highest_g > -LOST * self.piece_g:
            return
        # Not steady, but less than before all the time: as good as a short rest of the mean.
        mean_g = balance.before_g + sum(self._recent) / len(self._recent)
        spread_g = (highest_g - min(self._recent)) / 4
        rest = replace(
            self._rest(), mass_g=mean_g, noise_g=spread_g, steady_s=0.1, moment=None, bare=None,
            arrived_s=self.now_s - UNSTEADY_TICKS * TICK_S,
        )  # fmt: skip
        tracker.explain(self._explaining(rest))
        self._say(0.0)


def _due(ticks: int) -> bool:
    return ticks in LOOKS or (ticks > LOOKS[-1] and ticks % LATER_LOOKS == 0)


def _lies_last(explained: Explained, last: Sighting) -> bool:
    """Whether a piece is the latest on the board, by an account: its own contact or the next's."""
    account = explained.account
    return len(account.stands) == last.pieces and account.fall is None and not account.over


def _on_board_g(explaining: Explaining, explained: Explained) -> float:
    """Weight of a rest, without what lies on the base plate."""
    return explaining.rest.mass_g - sum(explained.account.plate_g)


def _measure(sighting: Sighting, explaining: Explaining, placed: Explained) -> None:
    """Keep what weight and moment say about a piece that was put down alone."""
    density, moment = explaining.density, explaining.rest.moment
    gained_g = placed.gained_g - placed.beside_g
    sighting.mass = density.fused(gained_g, placed.beside_g)
    sighting.weighed = gained_g, density.weighed_sd_g(placed.beside_g)
    sighting.before_g = _on_board_g(explaining, placed) - gained_g
    sighting.pieces, sighting.weighed_for_s = len(placed.account.stands), explaining.rest.steady_s
    sighting.location = placed.location
    if moment is None:
        return
    if moment.sd_gmm < UNWATCHED_GMM:
        sighting.change_gmm = moment.change_gmm + np.array(placed.account.carried_gmm)
    sighting.spread_gmm2 = density.spread(placed.account)
    sighting.hung_gmm2 = density.hung_gmm2
    sighting.pressed = density.put_at_cells

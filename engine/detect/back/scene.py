"""The back end: what is made of the board, observation by observation.

A contact ends with a rest; the rest is explained for as long as it lasts
(`engine.detect.back.tracker`), and what has become certain is told (`engine.detect.back.telling`).
What rules and people say comes in by `engine.detect.back.belief`.
"""

from math import inf

import numpy as np

from engine.detect.back.account import Account, Explained, Gmm, Sighting
from engine.detect.back.belief import Belief
from engine.detect.back.causes import bump_probability, fall_log_odds
from engine.detect.back.densities import Densities
from engine.detect.back.explaining import Explaining
from engine.detect.back.lasting import ends_now
from engine.detect.back.location import agreed, mixed
from engine.detect.back.masses import Masses
from engine.detect.back.parameters import (
    BRIEF_S,
    FREE_ENOUGH,
    LET_GO,
    NEW_ZERO_S,
    PLACING_PRESSED_S,
    QUICKEST_ROUND_S,
    QUICKEST_TURN_S,
    SAME_TURN_S,
    SETTLED_BY_TIME,
    SHAKEN_SD_MM,
    TREMBLED_SD_MM,
    UNWATCHED_GMM,
    WAITED_S,
    WEIGHED_WITHIN_S,
    Priors,
)
from engine.detect.back.rest import Rest
from engine.detect.back.tracker import Tracker
from engine.detect.front.observation import Left, Look, Rested
from engine.detect.front.shocks import Pushes
from engine.events import SURE, Placed
from engine.tabletop import Tabletop

FEW_LOOKS, LAST_LOOK, AGREED = (24, 80), 240, 0.995
"""Ticks of rest at which is looked, and from which on always, once all that people are told is so
certain."""


class Scene(Belief):
    """Weighs what the front end sees of one table."""

    def __init__(self, tabletop: Tabletop, priors: Priors) -> None:
        super().__init__(tabletop, priors)
        self._in_turn = True
        self._seen: Rest | None = None
        self._handled: Sighting | None = None
        self._hangs_anyhow = False

    # -- rests -----------------------------------------------------------------------------------

    @property
    def begun(self) -> bool:
        """Whether a first weight is known."""
        return self.tracker is not None

    @property
    def may_be_bare(self) -> bool:
        """Whether the board may have been cleared: only then is it worth measuring it bare."""
        tracker = self.tracker
        over = tracker is not None and tracker.probability(lambda a: a.over or a.lifted) > 0.001
        return over and len(self.stacks) > 0

    def begin(self, mass_g: float) -> None:
        """The first steady weight, or the first after the scale was lost."""
        self.zero.begin(mass_g)
        if self.tracker is None:
            self.tracker = Tracker(mass_g, self._restored, self._cleared_meanwhile(mass_g))
        else:
            self.tracker.amend(lambda a: a.but(free_g=mass_g, carried_gmm=(0.0, 0.0), lifted=False))
        self._contact += 1

    def look(self, look: Look) -> bool:
        """One more look at the present rest; true when the board counts as free."""
        tracker, explaining = self._begun, self._explaining(look)
        self._began_g, self._mean_g = look.mass_g, look.mean_g
        self._seen = explaining.rest
        if look.moment is not None:
            x_gmm, y_gmm = look.moment.now_gmm - look.moment.change_gmm
            self._compared_gmm = float(x_gmm), float(y_gmm)
        self._hangs_anyhow = explaining.density.hangs_anyhow
        tracker.explain(explaining)
        self._sight(explaining, look.came_s)
        if self._ahead_due:
            self._rolled_ahead()
        self._say(look.steady_s)
        if look.let_go:
            self._learn_zero(look)
        waiting = self._waiting and look.steady_s < WAITED_S
        return tracker.best.free and tracker.free >= FREE_ENOUGH and not waiting

    def lighter(self, look: Look) -> None:
        """Weight is gone, though it is not steady: as good as a short rest."""
        best = self._begun.best.account
        if best.over or not best.stands:
            return
        self._begun.explain(self._explaining(look))
        self._say(0.0)

    def agreed(self, ticks: int) -> bool:
        """Whether nothing in doubt could be decided by a look after so many ticks of rest."""
        tracker, teller = self._begun, self.teller
        if ticks in FEW_LOOKS or ticks >= LAST_LOOK or teller.suspicion is not None:
            return False
        doubtful = any(s.open and s.confidence < SURE for s in teller.sightings.values())
        return not doubtful and not self._waiting and tracker.agreed > AGREED

    def wait(self, rested: Rested) -> None:
        """The rest goes on as it was."""
        self._say(rested.steady_s)
        self._learn_zero(rested)

    def unchanged(self, mean_g: float) -> bool:
        """Whether the contact has left the board as it was, for all that is believed."""
        best = self._begun.best
        as_before = not best.moves or abs(best.account.free_g - mean_g) < 1e-9
        account = best.account
        decided = not (account.fall or account.in_hand)
        return as_before and decided and not best.placed and best.location is None

    def hung_still(self, since_s: float) -> None:
        """The board has not moved since then."""
        self.teller.came_to_rest(since_s)

    @property
    def _begun(self) -> Tracker:
        assert self.tracker is not None  # noqa: S101 - nothing is looked at before it began
        return self.tracker

    def _learn_zero(self, seen: Look | Rested) -> None:
        """What an empty board weighs that is left alone."""
        best = self._begun.best.account
        if seen.steady_s < NEW_ZERO_S or len(self.stacks) or best.stands:
            return  # people have not said yet where they lie
        if not best.over and not best.plate_g:
            self.zero.seen(seen.mean_g, self.now_s)
            self.zero.moment_gmm = seen.hung_gmm

    def _explaining(self, look: Look) -> Explaining:
        density = Densities(
            self.tabletop, Masses(self.tabletop.piece, self.teller.weighed), self.stacks,
            self.teller.sightings, self._rest(look),
            shaken_gmm=self.body.mass_g * shaken_mm(look.felt.pushes),
            empty_gmm=self.zero.moment_gmm,
        )  # fmt: skip
        return Explaining(density, self.priors)

    def _rest(self, look: Look) -> Rest:
        felt, arrived_s, last = look.felt, look.arrived_s, self.teller.last
        began_s = felt.touch.began_s
        # What the rules say once a piece has been announced is no evidence for or against it.
        self._in_turn = self._in_turn or self.expected.now.may_place
        in_turn = self._in_turn and self._turn_has_come(began_s)
        since_s = began_s - last.released_s if last is not None else inf
        in_step = self.expected.in_step(began_s, arrived_s)
        return Rest(
            look=look,
            number=self._contact,
            in_turn=in_turn,
            foreseen=self.expected.then(arrived_s).may_place,
            bumped=bump_probability(felt, in_turn=in_turn, since_release_s=since_s),
            fall_odds=fall_log_odds(felt),
            expectation=self.expected.due(began_s, arrived_s),
            zero_g=self.zero.g or 0.0,
            zero_sd_g=self.zero.sd_g(self.now_s),
            rolled=last is not None and last.released_s < self._rolled_s < began_s,
            against_rules=self.priors.against_rules if in_step else self.priors.other_turn,
            closed=self._rules_over,
            handled=last is not None and self._handled is last,
            turns=tuple(known for _, known in self.expected.turns(began_s, arrived_s)),
            since_s=self.now_s - look.steady_s,
        )

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
        touch = seen.look.felt.touch
        felt = touch.pressed_s > PLACING_PRESSED_S and not touch.shaken
        return felt and seen.in_turn and not self._just_let_go(touch.began_s)

    # -- pieces ----------------------------------------------------------------------------------

    def _sight(self, explaining: Explaining, came_s: float) -> None:
        """Keep what the present rest says about the piece being placed, and the one before."""
        now = self._begun.now
        placed = next((w.explained for w in now if w.explained.placed), None)
        if placed is not None:
            self._sight_new(explaining, placed, came_s)
        best, last = now[0].explained, self.teller.last
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
        alone = [w for w in self._begun.now if w.explained.free and _lies_last(w.explained, last)]
        steady_s = explaining.look.steady_s
        if not alone or sum(alone[0].account.plate_g) != last.plate_g:
            return
        if steady_s >= last.weighed_for_s and sum(each.p for each in alone) > SURE:
            gained_g = _on_board_g(explaining, alone[0].explained) - last.before_g
            last.weighed = gained_g, explaining.density.weighed_sd_g()
            last.weighed_for_s = steady_s

    def _sight_new(self, explaining: Explaining, placed: Explained, came_s: float) -> None:
        number, rest, both = self._contact, explaining.rest, placed.both
        began_s = explaining.felt.touch.began_s
        for k, contact in enumerate((number,) if placed.placed == 1 else (-number, number)):
            released_s = came_s if k else self.expected.released_s(began_s, came_s)
            expectation = rest.expectation if both is None else rest.turns[k]
            sighting = self.teller.sightings.setdefault(
                contact, Sighting(contact, released_s, (self.piece_g, 1.0), expectation, None, None)
            )
            if sighting.ref is None:
                self.expected.hurried(began_s, rest.look.arrived_s)
                sighting.released_s, sighting.expectation = released_s, expectation
                sighting.against_rules = rest.against_rules
            # Of two at once only the dice tell which lies where.
            sighting.change_gmm = None
            sighting.location = None if both is None else both[k]
            if placed.placed == 1:
                _measure(sighting, explaining, placed)
                each = ((w.p, w.explained) for w in self._begun.now)
                places = [(p, e.location) for p, e in each if e.placed == 1 and e.location]
                sighting.location, sighting.agreed = mixed(places), agreed(places)

    # -- the board is touched --------------------------------------------------------------------

    def end(self, rested: Rested) -> Left:
        """The rest is over: go on with what it left, and wait for the next one."""
        tracker, priors, steady_s = self._begun, self.priors, rested.steady_s
        self._began_g, self._mean_g = rested.mass_g, rested.mean_g
        if rested.let_go:
            self._learn_zero(rested)
        tracker.weigh(lambda each: ends_now(priors, steady_s, each))
        says_nothing = tracker.free < LET_GO or self._hangs_anyhow
        if not rested.let_go and steady_s < BRIEF_S and says_nothing:
            tracker.forget_rest()
            return Left(forgotten=True)
        self._say(steady_s, broken=True)
        best = tracker.best
        moves = best.free and best.moves and (rested.let_go or tracker.free > LET_GO)
        if moves and self._put_nothing_down(best):
            self._handled = self.teller.last
        self._commit(tracker, rested, moves=moves)
        self._contact += 1
        if rested.let_go:
            self._settle_by_time(tracker)
        self._expected_at_contact = self.expected.now
        # Of a piece that was announced just now the rules have not heard yet: its turn is over.
        heard = not any(isinstance(event, Placed) for event in self.teller.events)
        self._in_turn = self.expected.now.may_place and heard
        return Left(moves=moves, held=not best.free)

    def _settle_by_time(self, tracker: Tracker) -> None:
        """Where no die is told, the next hand settles the piece before, as a roll does elsewhere.

        Whether that stood it does not say: the hand may have come to clear the board.
        """
        last = self.teller.last
        if last is None or last.confidence < SURE or last.played_on(self.now_s) < SETTLED_BY_TIME:
            return
        last.settled = True

        def goes_on(account: Account) -> Account:
            """A clearing before this piece that was not believed enough to be told is past."""
            unheard = account.emptied > clears and last.contact in account.stands
            return account.but(emptied=clears, last_fall=None) if unheard else account

        clears = self.teller.clears
        tracker.amend(goes_on)

    def _commit(self, tracker: Tracker, rested: Rested, *, moves: bool) -> None:
        last = self.teller.last
        if last is not None and last.moved is not None:
            last.location, last.change_gmm, last.moved = last.moved, last.moved_gmm, None
        for sighting in self.teller.sightings.values():
            sighting.open = sighting.open and (
                sighting.contact == self._contact and sighting.confidence < SURE
            )
        step = rested.change_gmm

        def shift(explained: Explained) -> Gmm:
            x, y = explained.account.carried_gmm
            if explained.moves:
                return (0.0, 0.0) if moves else (-step[0], -step[1])
            return (x + step[0], y + step[1]) if moves else (x, y)

        crept_g = rested.mean_g - rested.mass_g
        tracker.commit(shift, crept_g)
        self.zero.creep(crept_g)
        if self._rules_over and not self._last_may_fall():
            clears = self.teller.clears
            tracker.amend(lambda a: a.but(over=a.over or a.emptied == clears))
        known = {n for each in tracker.now for n in each.account.stands}
        for contact in [n for n, s in self.teller.sightings.items() if s.ref is None]:
            if contact not in known:
                del self.teller.sightings[contact]

    def _last_may_fall(self) -> bool:
        """Whether the contact began when the piece placed last was only just let go."""
        last = self.teller.last
        return last is not None and self.touched_s - last.released_s < SAME_TURN_S


def shaken_mm(pushes: Pushes) -> float:
    """How far a push may have shifted the pieces together, in the mean."""
    if not pushes.shaken:
        return 0.0
    return SHAKEN_SD_MM if pushes.slid or not pushes.heard else TREMBLED_SD_MM


def _lies_last(explained: Explained, last: Sighting) -> bool:
    """Whether a piece is the latest on the board, by an account: its own contact or the next's."""
    account = explained.account
    # By accounts that differ in what lies beside, another number of pieces stands with it.
    latest = account.stands[-1:] == (last.contact,) or len(account.stands) == last.pieces
    return latest and account.fall is None and not account.over


def _on_board_g(explaining: Explaining, explained: Explained) -> float:
    """Weight of a rest, without what lies on the base plate."""
    return explaining.look.mass_g - sum(explained.account.plate_g)


def _measure(sighting: Sighting, explaining: Explaining, placed: Explained) -> None:
    """Keep what weight and moment say about a piece that was put down alone."""
    density, look = explaining.density, explaining.look
    gained_g = placed.gained_g - placed.beside_g
    sighting.mass = density.fused(gained_g, placed.beside_g)
    sighting.weighed = gained_g, density.weighed_sd_g(placed.beside_g)
    sighting.before_g = _on_board_g(explaining, placed) - gained_g
    sighting.plate_g = sum(placed.account.plate_g)
    sighting.pieces, sighting.weighed_for_s = len(placed.account.stands), look.steady_s
    if look.moment is None:
        return
    if look.moment.sd_gmm < UNWATCHED_GMM:
        sighting.change_gmm = look.moment.change_gmm + np.array(placed.account.carried_gmm)
    sighting.spread_gmm2 = density.spread(placed.account)
    sighting.hung_gmm2 = density.hung_gmm2
    sighting.pressed = density.put_at_cells

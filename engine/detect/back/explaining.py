"""How a new rest can be explained: the branches of an account, each with its likelihood.

A rest is a steady weight with the moment that the board shows meanwhile. What it is compared with
is the last time at which nobody touched the board, by the account in question. How likely what is
seen would be comes from `engine.detect.back.densities`, what people are likely to do from
`engine.detect.back.parameters`.
"""

from dataclasses import replace
from math import exp, inf, log, nan

import numpy as np

from engine.detect.back.account import Account, Fall, Moved
from engine.detect.back.clearing import Clearing
from engine.detect.back.lasting import come_by
from engine.detect.back.parameters import (
    AT_MOST_G,
    AT_ONCE,
    BARE,
    BLAMED,
    BROAD_GMM,
    BUMPED_BESIDE,
    BUMPED_IN_HAND,
    CAME_DOWN,
    CARRIED_SD_GMM,
    COLLAPSE_BUMPED_PIECES,
    COLLAPSE_PIECES,
    FALLS_ON_S,
    FELL_ABOUT,
    FEWEST_TO_COLLAPSE,
    HAND_AND_BACK_S,
    HANDLED,
    HANDS_AT_ONCE,
    HIGH_TOWER,
    HOLDING_G,
    JUST_THEN,
    LEAST_LOAD_G,
    NEXT_PIECE_S,
    NO_TIME,
    OTHERS_FELL,
    REACH_MM,
    SAME_TURN_S,
    STOPPED_S,
    TWO_BROAD,
    UNDER_HANDS_PIECES,
    UNNOTICED,
)
from engine.detect.front.contact import HOVERING_S
from engine.events import ToppleKind
from engine.samples import Floats


def unseen_bump(contact: int, t_s: float, jolted_s: float = inf) -> Fall:
    """A bump that made something fall, though nothing of that was seen.

    Args:
        contact: number of the latest one.
        t_s: when the board was touched last.
        jolted_s: when the table was pushed; inf if nobody felt it.
    """
    # What falls from a hand while the board still swings falls later than the push.
    fell_s = t_s if jolted_s == inf or 0.0 < t_s - jolted_s < FALLS_ON_S else jolted_s
    return Fall(contact, fell_s, ToppleKind.OFF_STACK, BLAMED, None, began_s=jolted_s)


class Explaining(Clearing):
    """Explains one rest under one account after the other."""

    def explain(self, account: Account) -> None:
        """Find every way in which this rest may have come about under an account."""
        if account.lifted:
            self._put_back(account)
        elif account.over:
            self._cleared_on(account)
        else:
            self._played_on(account)

    def _played_on(self, account: Account) -> None:
        gained_g = self.look.mass_g - account.free_g
        net, may_be = round(gained_g / self._piece_g), self.density.masses.may_be
        self._same(account, gained_g)
        self._held(account, gained_g)
        self._fell_under_hands(account, gained_g)
        self._stopped_under_hands(account, gained_g)
        if may_be(gained_g, 1):
            self._one_more(account, gained_g)
            self._fell_about(account, gained_g)
        if may_be(gained_g, 2):
            self._two_more(account, gained_g)
        if gained_g > LEAST_LOAD_G:
            self._load_came(account, gained_g)
        if account.plate_g or gained_g < -LEAST_LOAD_G:
            self._load_went(account, gained_g)
        if net == 0:
            self._moved(account, gained_g)
        if gained_g < self.density.masses.differ_g + self._piece_g / 2:
            self._fell_while_placing(account, gained_g, min(net, 0))
        for gone in range(1, min(len(account.stands), 1 - net) + 1):
            if may_be(-gained_g, gone):
                self._fewer(account, gained_g, gone)
        self._lifted(account, self._priors.lifted)
        self._unexplained(account, gained_g)

    def _same(self, account: Account, gained_g: float) -> None:
        likelihood = self.density.weight(gained_g, 0) + self.density.still_unmoved(account)
        likelihood += self.density.touched
        # A hand that hovers comes back soon: compare with the time before it came.
        moves = self.look.steady_s >= HOVERING_S
        strayed = None if moves else self.density.strayed(account)
        kept = self._kept_in_hand if account.in_hand and moves else 1.0
        prior = self._priors.nothing * kept
        self._branch(account, prior, likelihood, moves=moves, strayed_gmm=strayed)

    def _fell_under_hands(self, account: Account, gained_g: float) -> None:
        """Pieces fell, and hands are on the board already: how many, nobody can tell yet."""
        rest = self.rest
        lighter = gained_g < -UNDER_HANDS_PIECES * self._piece_g
        if not (lighter or rest.fall_odds > 0.0) or not account.stands or gained_g > HOLDING_G:
            return
        fall = self._fall(ToppleKind.COLLAPSE, None, rest.bumped, self._taken_along(account))
        likelihood = self._at_pieces(account, gained_g) + rest.fall_odds + self._paused
        self._branch(
            account, self._falls(account) * HANDS_AT_ONCE, likelihood, free=False,
            fall=fall, over=True, taking=True,
        )  # fmt: skip

    def _stopped_under_hands(self, account: Account, gained_g: float) -> None:
        """People have agreed to stop: a hand holds the board, and pieces are taken already."""
        if not self._may_stop(account) or gained_g > HOLDING_G:
            return
        likelihood = self._at_pieces(account, gained_g) + self._paused
        self._branch(
            account, self._stopped(account), likelihood, free=False, over=True, taking=True
        )

    def _unexplained(self, account: Account, gained_g: float) -> None:
        """Nothing that is known here: what follows is compared with this rest all the same.

        No table is deaf for longer than a hand can stay steady, whatever has happened to it.
        """
        size = abs(gained_g)
        likelihood = -log(2.0 * AT_MOST_G + size)
        likelihood += self.density.anywhere(BROAD_GMM + REACH_MM * size)
        plate = (*account.plate_g, gained_g) if size > LEAST_LOAD_G else account.plate_g
        self._branch(account, self._priors.unexplained, likelihood, plate_g=plate)

    def _one_more(self, account: Account, gained_g: float) -> None:
        priors, number = self._priors, self.rest.number
        weight, turn = self.density.next_weight(account, gained_g), self._turn(account)
        again_s = account.taken_s + HAND_AND_BACK_S
        if self.look.arrived_s < max(again_s, self._let_go_s(account) + NEXT_PIECE_S):
            turn *= NO_TIME
        somewhere, place = self.density.somewhere(account, gained_g)
        self._branch(
            account, priors.placed * turn, weight + somewhere,
            placed=1, location=place, stands=(*account.stands, number),
        )  # fmt: skip
        beside = weight + self.density.on_plate(account, gained_g)
        if self.felt.landing:
            beside += self.density.pressed_beside
        weighed = gained_g, self.density.weighed_sd_g()
        self._branch(
            account, priors.fell_beside * turn, beside,
            fall=self._fall(ToppleKind.OFF_BOARD, 1, BUMPED_BESIDE, weighed=weighed), over=True,
            plate_g=(*account.plate_g, gained_g),
        )  # fmt: skip
        if self.look.moment is None:
            return
        bumped = min(self.rest.bumped, BUMPED_IN_HAND)
        fall = self._fall(ToppleKind.OFF_STACK, 1, bumped, weighed=weighed)
        fall = replace(fall, lies=True)
        likelihood = weight + self.density.onto(account, gained_g)
        if self.density.came_down(account, gained_g):
            legal = self.density.came_to_lie(account, gained_g)
            likelihood = weight + CAME_DOWN + float(np.logaddexp(likelihood - weight, legal))
        elif self.density.one_left_its_stack(account, gained_g) and account.stands:
            loose = self.density.anywhere(BROAD_GMM)
            likelihood = weight + CAME_DOWN + float(np.logaddexp(somewhere, loose)) - log(2.0)
        prior = priors.fell_onto * (1.0 if account.stands else BARE)
        self._branch(account, prior * turn, likelihood, fall=fall, over=True)
        if account.stands:
            knocked = weight + self.density.knocked(account, gained_g)
            self._branch(account, priors.knocked * turn, knocked, fall=fall, over=True)

    def _fell_about(self, account: Account, gained_g: float) -> None:
        """The tower came down as a piece was put on it, and every piece lies on board or plate."""
        if self.look.moment is None or len(account.stands) < FEWEST_TO_COLLAPSE:
            return
        rest, density = self.rest, self.density
        fall = self._fall(
            ToppleKind.COLLAPSE, None, rest.bumped, self._taken_along(account),
            weighed=(gained_g, density.weighed_sd_g()),
        )  # fmt: skip
        likelihood = density.next_weight(account, gained_g)
        likelihood += density.anywhere(BROAD_GMM * FELL_ABOUT**0.5) - density.offset_here
        likelihood += density.strewn(FELL_ABOUT) + rest.fall_odds + density.put_down()
        prior = self._priors.fell * self._turn() / (FELL_ABOUT + 1)
        self._branch(account, prior, likelihood, fall=fall, over=True)

    def _let_go_s(self, account: Account) -> float:
        """When the piece placed last was let go."""
        last = self._sightings.get(account.stands[-1]) if account.stands else None
        return -inf if last is None else last.released_s

    def _two_more(self, account: Account, gained_g: float) -> None:
        if self.look.steady_s < HOVERING_S:
            return  # a hand that presses passes this weight on its way
        number, prior = self.rest.number, self._priors.two_placed
        likelihood, both = self.density.weight(gained_g - 2 * self._piece_g, 2), None
        if len(self.rest.turns) > 1 and self.look.moment is not None:
            # Two have rolled since the board was left alone.
            moments, both = self.density.of_two_turns(account)
            likelihood, prior = likelihood + moments, self._priors.placed * AT_ONCE
        else:
            likelihood += self.density.anywhere(TWO_BROAD * BROAD_GMM)
        self._branch(
            account, prior * self._turn(), likelihood,
            placed=2, both=both, stands=(*account.stands, -number, number),
        )  # fmt: skip

    def _moved(self, account: Account, gained_g: float) -> None:
        """The weight is what it was, and the board hangs otherwise: a piece lies elsewhere."""
        if self.look.moment is None or not account.stands:
            return
        weight, change = self.density.weight(gained_g, 0), self.density.change(account)
        moved = self.density.moved(account, change)
        if moved > -inf:
            takes = self._taken_along(account)
            fall = self._fall(ToppleKind.OFF_STACK, 1, self.rest.bumped, takes)
            likelihood = weight + moved + self.density.airborne(account)
            likelihood += self.rest.fall_odds
            self._branch(account, self._priors.fell, likelihood, fall=fall, over=True)
        self._elsewhere(account, weight, change)

    def _elsewhere(self, account: Account, weight: float, change: Floats) -> None:
        """The piece placed last lies on another cell now: its own hand slid or lifted it."""
        last = self._sightings.get(account.stands[-1])
        if last is None or last.change_gmm is None or last.known:
            return
        counted = last.settled and last.expectation.shares is not None
        if counted or self.rest.rolled:  # a told roll may be early, and its hand still there
            return
        moved, total = account.moved, last.change_gmm + change
        location = last.location
        if moved is not None and moved.contact == last.contact:
            total, location = np.array(moved.change_gmm) + change, moved.location
        place = self.density.locate(
            total, self.density.spread(account, CARRIED_SD_GMM), last.mass, last.expectation,
            last.against_rules,
        )  # fmt: skip
        if location is None or place.cell != location.cell:
            likelihood = weight + place.log_density + self.density.offset_here
            there = Moved(last.contact, place, (total[0], total[1]), self.look.arrived_s)
            prior = self._priors.elsewhere * (1.0 - last.played_on(self._began_s))
            self._branch(account, prior, likelihood, location=place, moved=there)

    def _fell_while_placing(self, account: Account, gained_g: float, net: int) -> None:
        """A piece was put down, and it or others fell off: so many less than there should be."""
        rest, priors, turn = self.rest, self._priors, self._turn()
        fallen = 1 - net
        fall = self._fall(_kind(fallen, several=COLLAPSE_PIECES), fallen, rest.bumped)
        if net == 0:
            unseen = self.density.weight(gained_g, 0) + self.density.unmoved(account)
            unseen += self.density.put_down()
            unseen += self.density.pressed_legally
            # A bump throws nothing down that nobody had put there.
            turn *= max(1.0 - rest.bumped, JUST_THEN)
            # A roll told afterwards makes no piece of a hand by which nothing has changed.
            turn *= 1.0 if rest.foreseen or not rest.in_turn else priors.out_of_turn
            own = replace(fall, bumped=min(fall.bumped, BUMPED_IN_HAND))
            # All weighs what it weighed: compare with the time before, as after a hand that hovers.
            moves = self.look.steady_s >= HOVERING_S
            self._branch(
                account, priors.fell_unseen * turn, unseen, fall=own, over=True, moves=moves
            )
        if len(account.stands) >= fallen:
            likelihood = self.density.exchanged(gained_g, fallen) + rest.fall_odds
            likelihood += self.density.anywhere(BROAD_GMM * fallen**0.5)
            likelihood += self.density.put_down() + self.density.pressed_legally
            likelihood += self.density.scattered(fallen)
            prior = priors.fell * turn / (fallen + 1)
            self._branch(account, prior, likelihood, fall=fall, over=True)

    def _fewer(self, account: Account, gained_g: float, gone: int) -> None:
        """Pieces are gone: they fell, or were taken."""
        rest = self.rest
        weight = self.density.weight(-gained_g - gone * self._piece_g, gone)
        if gone == 1:
            self._last_gone(account, weight)
        if gone == len(account.stands) == 1:
            return
        last = account.stands[-1]
        several = COLLAPSE_BUMPED_PIECES if rest.bumped > 0.5 else COLLAPSE_PIECES
        kind = _kind(gone, several=several)
        fall = self._fall(kind, gone, rest.bumped, self._taken_along(account))
        prior = 2 * self._falls(account) / (gone + 1)
        likelihood = weight + rest.fall_odds + self.density.scattered(gone)
        likelihood += self.density.gone(account, gone, last, OTHERS_FELL)
        if gone == len(account.stands) and not account.plate_g:
            # Everything came down: the board is clear already.
            self._emptied(account, prior, likelihood, (), fall)
        else:
            self._branch(account, prior, likelihood, fall=fall, over=True)
        left = account.stands[: len(account.stands) - gone]
        # One grip takes a piece or a stack, hardly ever half the tower.
        prior = self._stopped(account) / gone
        # Who stops a round takes the last piece as well as any other.
        kept = 0 if self._may_stop(account) else last
        taken = weight + self.density.gone(account, gone, kept)
        if left:
            self._branch(account, prior, taken, over=True, taking=True, stands=left)
        else:
            self._emptied(account, prior, taken, ())

    def _falls(self, account: Account) -> float:
        """Share of contacts in which pieces fall: what hangs still does not fall by itself."""
        last = self._sightings.get(account.stands[-1])
        if self.rest.in_turn or last is None:
            return self._priors.fell
        still = (1.0 - self.rest.bumped) * last.rested(self._began_s)
        return self._priors.fell * (1.0 - still * (1.0 - UNNOTICED))

    def _may_stop(self, account: Account) -> bool:
        """Whether it is a time at which people stop a round."""
        between = not self.rest.rolled and len(account.stands) >= HIGH_TOWER
        return between or self.rest.closed

    def _stopped(self, account: Account) -> float:
        """Share of contacts in which hands take pieces because people agree to stop.

        They do between two turns, and when the tower has become high; or all pieces are played.
        """
        priors = self._priors
        if not self._may_stop(account):
            return priors.taken
        come = come_by(self._began_s - self._let_go_s(account), STOPPED_S)
        if self.rest.closed:
            return come * priors.clearing
        return come * priors.agreed * (HANDLED if self.rest.handled else 1.0)

    def _taken_along(self, account: Account) -> int | None:
        """The placement that did not stand because a tower came down in the same turn."""
        last = self._sightings.get(account.stands[-1]) if account.stands else None
        if last is None or self.rest.rolled:
            return None
        if self.rest.bumped > 0.5:
            counted = self.rest.closed or last.counts(self._began_s) > 0.5
            return None if counted else last.contact
        since_s = self._began_s - last.released_s
        return last.contact if since_s < SAME_TURN_S else None

    def _last_gone(self, account: Account, weight: float) -> None:
        """The very piece placed last is gone: it slid off, or its hand took it back."""
        rest, priors = self.rest, self._priors
        last = self._sightings.get(account.stands[-1])
        if last is None:
            return
        moment, since_s = self.density.gone(account, 1), max(self._began_s - last.released_s, 0.0)
        if self.look.moment is not None and last.change_gmm is not None:
            change = self.density.change(account) + last.change_gmm
            moment = self.density.at_rest_at(account, change, CARRIED_SD_GMM)
        stands, slipped = account.stands[:-1], priors.fell / len(account.stands)
        if not rest.rolled:
            recent = exp(-since_s / priors.second_thought_s)
            recent *= 1.0 - last.played_on(self._began_s)
            slipped += priors.slipped_off * exp(-since_s / SAME_TURN_S)
            # A hand that has not let go for so long has the piece still, and puts it down at once.
            taken_s = -inf if since_s < HAND_AND_BACK_S else self.look.arrived_s
            self._branch(
                account, priors.taken_back * recent * self._kept_in_hand, weight + moment,
                stands=stands, taken_s=taken_s, in_hand=True,
            )  # fmt: skip
        stood = rest.rolled or since_s >= SAME_TURN_S
        counted = rest.closed or last.counts(self._began_s) > 0.5
        stood = stood or (rest.bumped > 0.5 and counted)
        takes = None if stood else last.contact
        self._branch(
            account, slipped, weight + moment + rest.fall_odds,
            fall=self._fall(ToppleKind.OFF_BOARD, 1, rest.bumped, takes), over=True,
            stands=account.stands if takes is None else stands,
        )  # fmt: skip

    @property
    def _kept_in_hand(self) -> float:
        """How likely a hand that has taken a piece has not put it down again in this rest."""
        return exp(-self.look.steady_s / self._priors.put_elsewhere_s)

    def _fall(
        self,
        kind: ToppleKind,
        fallen: int | None,
        bumped: float,
        takes: int | None = None,
        weighed: tuple[float, float] = (nan, nan),
    ) -> Fall:
        # Before anything fell a hand may have made the weight for a moment what it is now.
        fell_s = self._fell_s(self.look.arrived_s)
        return Fall(
            self.rest.number, fell_s, kind, bumped, fallen, takes, self._began_s,
            weighed=weighed,
        )  # fmt: skip


def _kind(fallen: int, *, several: int) -> ToppleKind:
    """What so many fallen pieces are called."""
    return ToppleKind.COLLAPSE if fallen >= several else ToppleKind.OFF_BOARD

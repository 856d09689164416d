"""How a new rest can be explained: the branches of an account, each with its likelihood.

A rest is a steady weight with the moment that the board shows meanwhile. What it is compared with
is the last time at which nobody touched the board, by the account in question. How likely what is
seen would be comes from `engine.detect.densities`, what people are likely to do from
`engine.detect.priors`.
"""

from collections.abc import Mapping
from dataclasses import replace
from heapq import nlargest
from itertools import combinations
from math import exp, hypot, inf, isfinite, log, log1p
from operator import itemgetter
from typing import Any

import numpy as np

from engine.detect.account import Account, Explained, Fall, Moved
from engine.detect.causes import SAME_TURN_S
from engine.detect.densities import BROAD_GMM, CARRIED_SD_GMM, LOAD_SHARE, Densities
from engine.detect.distributions import AT_MOST_G, LEAST_LOAD_G, any_load, wide_normal
from engine.detect.lasting import SETTLED_S, held_steady, left_alone
from engine.detect.location import Location
from engine.detect.priors import Priors
from engine.events import ToppleKind
from engine.samples import Floats

PULLED = 10.0
"""Hands press on a board; that they hold it up is rarer than that they press as much."""

LIFTED_SHARE = 0.3
"""A board whose weight is gone by more than this share of it is off its tip."""

EMPTY_ALREADY = -4.0
"""Log share of rests with an empty board's weight in which pieces are left all the same."""

UNSTIRRED = 0.02
"""A piece that is put down, and one that falls off, moves the board; so gently hardly ever."""

BOTH_TOUCHED = 0.2
"""Who lays something on the plate may touch the board with the sleeve."""

AT_ONCE = 0.2
"""Contacts last half a second, turns some seconds: so many pieces are put down while something
else comes or goes."""

LOAD_LEAVES = 0.0005
"""What a load leaves in the cells when it goes: a half per mille of it for a minute (creep)."""

JUST_THEN = 0.02
"""Of the bumps: a hand lets a piece go in the third of a second in which the table shakes."""

HANDS_AT_ONCE = 0.3
"""Once in three topples somebody has a hand on the board before it is at rest."""

NOBODY_LEAVES = -10.0
"""Log share of cleared boards beside which pieces were laid down that had not fallen there."""

UNKNOWN_LEFT = 20.0
"""Once in so many clearings something lies on the plate that nobody has explained."""

CAME_EARLIER = -3.0
"""Log share of them that came there in an earlier contact, whose shift nobody noticed either."""

UNSEEN_LOAD = 0.2
"""Of the things that are taken from the plate, so many came there unseen."""

HOPELESS = 16.0
"""A branch e^16 times less likely than the best comes back only if all others are wrong."""

HAND_AND_BACK_S, NO_TIME = 0.4, 0.02
"""Nobody takes a piece off and puts one down in less time; only a second hand does."""

GRIP_S = 0.1
"""The quickest hands take a stack of four every 0.4 s."""

CAME_DOWN = 6.5
"""Log odds of a piece that came down through the air: 11 of 14 falls against 3 of 1,962 placements
(`HITS`); and of one that left its stack meanwhile, so that the board was lighter and was hit then.
On 29 games of twin tables 2 that fell felt so and one placement; without the hit 3 falls and 21
placements more, most of them tapped or pushed."""

BARE = 0.05
"""Pieces slide off the pieces below them; off a bare board hardly ever."""

IN_THE_AIR_S, LANDED, LANDED_ON_BOARD = 0.5, 0.5, 0.5
"""What falls comes down within so long or is gone, on the board as often as on the plate."""

PURSUED = 48
"""Twice as many explanations as accounts are kept: many of them agree and are merged."""

FEWEST_TO_COLLAPSE, FELL_ABOUT = 4, 3
"""A tower of fewer pieces only loses one; of those that come down so many move far."""

BUMPED_IN_HAND = 0.3
"""Of the pieces that fell off as they were put down, about when the table was pushed, so many were
bumped off: 4 of 12 on twin tables. The others had slipped, and the push came by chance."""

HOLDING_G = 120.0
"""With more than this nobody holds a board down to clear it."""

KEEPING_STILL = -1.0
"""Log share of moments at which a hand on the board weighs the same for a tenth of a second."""

HOLDING_UP_G = 30.0
"""Nor does a hand that takes pieces lift the board by more."""

PUSHED_WHILE_CLEARING = 0.1
"""Share of grips of hands that clear in which somebody pushes the table besides."""

LONGEST_HELD = 5
"""Who has rested on the board for some rests on end steadies it, and goes on doing so; how many
rests that takes differs from table to table, so the odds grow with their number, not their time."""

UNNOTICED = 0.3
"""Of the falls from a board that hung still and that nobody pushed: it was touched all the same.
With 0.1 a scenario misses one (rule_bonus_to_passer); with 0.3 agreed stops are told apart."""

HIGH_TOWER = 8
"""Nobody stops a round with fewer pieces: there is nothing to be afraid of yet."""

STOPPED_S = 3.0
"""Between the last release and the first piece that is taken, in the middle: people watch the
board swing, and say that they stop. What falls by itself does so within a swing or two."""

DRUMMED = 2.8
"""Fingers that drum come back as soon as hands that hover: so much sooner than others after a rest
of a fifth of a second (`Priors.hovering`, `lasting.ends_now`)."""

FINGER_G, FINGER_SHARE = 0.5, 0.05
"""A finger that steadies the board presses as it did a moment ago, within so much."""

Both = tuple[Location, Location] | None
Draft = tuple[bool, bool, int, Location | None, float, Both, dict[str, Any]]
"""Of a branch: free, moves, placed, location, beside_g, both, and what its account changes."""


class Explaining:
    """Explains one rest under one account after the other.

    Args:
        density: how likely what was seen of the rest is.
        priors: what people are likely to do.

    Attributes:
        density: as given.
        rest: to be explained.
    """

    def __init__(self, density: Densities, priors: Priors) -> None:
        self.density, self._priors = density, priors
        self.rest, self._sightings = density.rest, density.sightings
        self._tabletop, self._piece_g = density.tabletop, density.piece_g
        self._sure_free = density.free_fit(density.rest.moment)
        self._sure_bare = density.free_fit(density.rest.bare)
        self._drafts: list[tuple[float, Account, Draft]] = []
        self._best = -inf

    def unseen_bump(self, t_s: float, jolted_s: float = inf) -> Fall:
        """A bump that made something fall, though nothing of that was seen.

        Args:
            t_s: about when, if nobody felt it.
            jolted_s: when the table was pushed; inf if nobody felt it.
        """
        kind, number = ToppleKind.OFF_STACK, self.rest.contact.number
        fell_s = jolted_s if jolted_s < inf else t_s
        return Fall(number, fell_s, kind, 0.98, None, began_s=jolted_s)

    def explain(self, account: Account) -> None:
        """Find every way in which this rest may have come about under an account."""
        if account.lifted:
            self._put_back(account)
        elif account.over:
            self._cleared_on(account)
        else:
            self._played_on(account)

    def _branch(
        self,
        account: Account,
        prior: float,
        likelihood: float,
        *,
        free: bool = True,
        moves: bool = True,
        placed: int = 0,
        location: Location | None = None,
        beside_g: float = 0.0,
        both: Both = None,
        bare: bool = False,
        **changes: Any,
    ) -> None:
        """Keep a branch, unless a better one leaves it no hope."""
        log_p = account.log_p + log(max(prior, 1e-12)) + likelihood
        changes["held"] = 0 if free else account.held + 1
        if not free:
            log_p += log1p(min(account.held, LONGEST_HELD))
        else:
            log_p += self._sure_bare if bare else self._sure_free
            over = bool(changes.get("over", account.over))
            fell = changes.get("fall", account.fall) is not None
            log_p += left_alone(self._priors, self.rest.steady_s, over=over, fell=fell)[0]
        if log_p < self._best - HOPELESS:
            return
        self._best = max(self._best, log_p)
        if moves:
            changes.setdefault("free_g", self.rest.mass_g)
            changes["strayed_gmm"] = None
            changes |= self._clean(account, changes)
        if placed:
            changes["moved"] = None
        if changes.get("over") and not account.over:
            changes["over_s"] = self.rest.contact.began_s
        draft = free, moves, placed, location, beside_g, both, changes
        self._drafts.append((log_p, account, draft))

    def _clean(self, account: Account, changes: Mapping[str, Any]) -> dict[str, Any]:
        """What a rest with nothing on the plate is for those with something there."""
        if changes.get("over", account.over):
            return {"clean_g": inf}
        if changes.get("plate_g", account.plate_g):
            return {}
        stands = changes.get("stands", account.stands)
        return {"clean_g": self.rest.mass_g, "clean_pieces": len(stands)}

    @property
    def found(self) -> list[Explained]:
        """The explanations that are not hopeless beside the best."""
        hopeful = nlargest(PURSUED, self._drafts, key=itemgetter(0))
        return [
            Explained(
                replace(account, log_p=log_p, **changes),
                free, moves, placed, location, self.rest.mass_g - account.free_g, beside_g, both,
            )
            for log_p, account, (free, moves, placed, location, beside_g, both, changes) in hopeful
            if log_p > self._best - HOPELESS
        ]  # fmt: skip

    def _played_on(self, account: Account) -> None:
        rest = self.rest
        gained_g = rest.mass_g - account.free_g
        net = round(gained_g / self._piece_g)
        self._same(account, gained_g)
        self._held(account, gained_g)
        self._fell_under_hands(account, gained_g)
        self._stopped_under_hands(account, gained_g)
        if net == 1:
            self._one_more(account, gained_g)
            self._fell_about(account, gained_g)
        if net == 2:
            self._two_more(account, gained_g)
        if gained_g > LEAST_LOAD_G:
            self._load_came(account, gained_g)
        if account.plate_g or gained_g < -LEAST_LOAD_G:
            self._load_went(account, gained_g)
        if net == 0:
            self._moved(account, gained_g)
        if net <= 0:
            self._fell_while_placing(account, gained_g, net)
        if net < 0 and len(account.stands) >= -net:
            self._fewer(account, gained_g, -net)
        self._lifted(account, self._priors.lifted)
        self._unexplained(account, gained_g)

    def _same(self, account: Account, gained_g: float) -> None:
        likelihood = self.density.weight(gained_g, 0) + self.density.still_unmoved(account)
        likelihood += self.density.touched
        # A hand that hovers comes back soon: compare with the time before it came.
        moves = self.rest.steady_s >= SETTLED_S
        strayed = None if moves else self.density.strayed(account)
        self._branch(account, self._priors.nothing, likelihood, moves=moves, strayed_gmm=strayed)

    def _held(self, account: Account, gained_g: float) -> None:
        """Somebody rests on the board: any weight, any moment, never steady for long."""
        size = gained_g if gained_g > 0 else -PULLED * gained_g
        weight = log(0.7 * exp(-size / 15.0) / 30.0 + 0.3 * exp(-size / 150.0) / 300.0)
        if account.held:
            same = wide_normal(gained_g - account.held_g, FINGER_G + FINGER_SHARE * size)
            weight = float(np.logaddexp(weight, same)) - log(2.0)
        steady = held_steady(self.rest.steady_s, self._priors.hand_steady_s)
        likelihood = weight + self.density.pressed(account, gained_g) + steady + KEEPING_STILL
        likelihood += self.density.touched
        self._branch(
            account, self._priors.hand, likelihood, free=False, moves=False, held_g=gained_g
        )

    def _fell_under_hands(self, account: Account, gained_g: float) -> None:
        """Pieces fell, and hands are on the board already: how many, nobody can tell yet."""
        rest, contact = self.rest, self.rest.contact
        lighter = gained_g < -1.5 * self._piece_g
        if not (lighter or contact.fall_odds > 0.0) or not account.stands or gained_g > HOLDING_G:
            return
        fall = self._fall(ToppleKind.COLLAPSE, None, contact.bumped, self._taken_along(account))
        range_g = max(account.free_g - rest.zero_g, 0.0) + HOLDING_G
        likelihood = -log(range_g) + self.density.by_hand(gained_g) + contact.fall_odds
        likelihood += held_steady(rest.steady_s, self._priors.clearing_pause_s)
        self._branch(
            account, self._falls(account) * HANDS_AT_ONCE, likelihood, free=False,
            fall=fall, over=True,
        )  # fmt: skip

    def _stopped_under_hands(self, account: Account, gained_g: float) -> None:
        """People have agreed to stop: a hand holds the board, and pieces are taken already."""
        rest = self.rest
        if not self._may_stop(account) or gained_g > HOLDING_G:
            return
        range_g = max(account.free_g - rest.zero_g, 0.0) + HOLDING_G
        likelihood = -log(range_g) + self.density.by_hand(gained_g)
        likelihood += held_steady(rest.steady_s, self._priors.clearing_pause_s)
        self._branch(account, self._stopped(account), likelihood, free=False, over=True)

    def _unexplained(self, account: Account, gained_g: float) -> None:
        """Nothing that is known here: what follows is compared with this rest all the same.

        No table is deaf for longer than a hand can stay steady, whatever has happened to it.
        """
        size = abs(gained_g)
        likelihood = -log(2.0 * AT_MOST_G + size) + self.density.anywhere(BROAD_GMM + 30.0 * size)
        plate = (*account.plate_g, gained_g) if size > LEAST_LOAD_G else account.plate_g
        self._branch(account, self._priors.unexplained, likelihood, plate_g=plate)

    def _turn(self, account: Account | None = None) -> float:
        """How likely somebody was placing: by the rules, and by a board that was touched.

        Args:
            account: for a piece that stays where it was put: in the middle it moves nothing.
        """
        contact = self.rest.contact
        turn = 1.0 if contact.in_turn else self._priors.out_of_turn
        central = account is not None and self.density.central(account)
        # A hand that lets go in two steps has moved the board in the first.
        stirred = contact.stirred or contact.landing
        return turn if stirred or central else turn * UNSTIRRED

    def _one_more(self, account: Account, gained_g: float) -> None:
        priors, number = self._priors, self.rest.contact.number
        weight, turn = self.density.weight(gained_g - self._piece_g, 1), self._turn(account)
        if self.rest.arrived_s - max(account.taken_s, self._let_go_s(account)) < HAND_AND_BACK_S:
            turn *= NO_TIME
        somewhere, place = self.density.somewhere(account, gained_g)
        self._branch(
            account, priors.placed * turn, weight + somewhere,
            placed=1, location=place, stands=(*account.stands, number),
        )  # fmt: skip
        beside = weight + self.density.on_plate(account, gained_g)
        if self.rest.contact.landing:
            beside += self.density.pressed_beside
        self._branch(
            account, priors.fell_beside * turn, beside,
            fall=self._fall(ToppleKind.OFF_BOARD, 1, bumped=0.1), over=True,
            plate_g=(*account.plate_g, gained_g),
        )  # fmt: skip
        if self.rest.moment is None:
            return
        bumped = min(self.rest.contact.bumped, BUMPED_IN_HAND)
        fall = replace(self._fall(ToppleKind.OFF_STACK, 1, bumped), lies=True)
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
        if self.rest.moment is None or len(account.stands) < FEWEST_TO_COLLAPSE:
            return
        contact, density = self.rest.contact, self.density
        fall = self._fall(ToppleKind.COLLAPSE, None, contact.bumped, self._taken_along(account))
        likelihood = density.weight(gained_g - self._piece_g, 1)
        likelihood += density.anywhere(BROAD_GMM * FELL_ABOUT**0.5) - density.offset_here
        likelihood += density.strewn(FELL_ABOUT) + contact.fall_odds + density.put_down()
        prior = self._priors.fell * self._turn() / (FELL_ABOUT + 1)
        self._branch(account, prior, likelihood, fall=fall, over=True)

    def _let_go_s(self, account: Account) -> float:
        """When the piece placed last was let go."""
        last = self._sightings.get(account.stands[-1]) if account.stands else None
        return -inf if last is None else last.released_s

    def _two_more(self, account: Account, gained_g: float) -> None:
        if self.rest.steady_s < SETTLED_S:
            return  # a hand that presses passes this weight on its way
        number, prior = self.rest.contact.number, self._priors.two_placed
        likelihood, both = self.density.weight(gained_g - 2 * self._piece_g, 2), None
        if len(self.rest.turns) > 1 and self.rest.moment is not None:
            # Two have rolled since the board was left alone.
            moments, both = self.density.of_two_turns(account)
            likelihood, prior = likelihood + moments, self._priors.placed * AT_ONCE
        else:
            likelihood += self.density.anywhere(3.0 * BROAD_GMM)
        self._branch(
            account, prior * self._turn(), likelihood,
            placed=2, both=both, stands=(*account.stands, -number, number),
        )  # fmt: skip

    def _load_came(self, account: Account, gained_g: float) -> None:
        if gained_g > AT_MOST_G:
            return
        both = BOTH_TOUCHED if self.rest.contact.stirred else 1.0
        if self.rest.contact.landing:
            both = min(both, AT_ONCE)
        prior, plate = self._priors.plate_load * both, account.plate_g
        self._branch(
            account, prior, any_load(gained_g, self.density.a_piece(gained_g))
            + self.density.on_plate(account, gained_g) + self.density.pressed_beside,
            plate_g=(*plate, gained_g),
        )  # fmt: skip
        load_g = gained_g - self._piece_g
        if load_g > LEAST_LOAD_G and not account.over:
            weight = any_load(load_g, self.density.a_piece(load_g))
            self._placed_beside(account, self._priors.plate_load, weight, load_g, (*plate, load_g))

    def _load_went(self, account: Account, gained_g: float) -> None:
        priors, plate = self._priors, account.plate_g
        for gone in _some_of(plate):
            load_g, others = sum(gone), _without(plate, gone)
            left_g, pieces, known_sd_g = gained_g + load_g, 0, LOAD_SHARE * abs(load_g)
            if not others and isfinite(account.clean_g):
                # What the board weighed before the thing came is known better than the thing.
                pieces = max(len(account.stands) - account.clean_pieces, 0)
                left_g = self.rest.mass_g - account.clean_g - pieces * self._piece_g
                known_sd_g = LOAD_LEAVES * abs(load_g)
            weight = self.density.weight(left_g, pieces, known_sd_g)
            prior = priors.plate_relief if len(gone) == 1 else priors.plate_relief**2
            moment = self.density.on_plate(account, abs(load_g)) + self.density.pressed_beside
            self._branch(account, prior, weight + moment, plate_g=others)
            left_g -= self._piece_g
            near_g = self._piece_g / 2 + 2.0 * known_sd_g
            if not account.over and abs(left_g) < near_g:
                weight = self.density.weight(left_g, pieces + 1, known_sd_g)
                self._placed_beside(account, prior, weight, -load_g, others)
        if gained_g > -LEAST_LOAD_G:
            return
        # What nobody saw come, because much happened just then, goes too.
        weight = any_load(-gained_g, self.density.a_piece(-gained_g))
        moment = self.density.on_plate(account, -gained_g)
        self._branch(account, priors.plate_load * UNSEEN_LOAD, weight + moment)

    def _placed_beside(
        self, account: Account, prior: float, weight: float, load_g: float,
        plate_g: tuple[float, ...],
    ) -> None:  # fmt: skip
        """A piece was put down in the same contact in which a load came or went."""
        if self.rest.moment is None:
            return
        place = self.density.beside_a_load(account)
        likelihood = weight + place.log_density + self.density.plate_shift(abs(load_g))
        likelihood += self.density.pressed_beside
        self._branch(
            account, prior * AT_ONCE * self._priors.placed * self._turn(account), likelihood,
            placed=1, location=place, beside_g=load_g, plate_g=plate_g,
            stands=(*account.stands, self.rest.contact.number),
        )  # fmt: skip

    def _moved(self, account: Account, gained_g: float) -> None:
        """The weight is what it was, and the board hangs otherwise: a piece lies elsewhere."""
        if self.rest.moment is None or not account.stands:
            return
        weight, change = self.density.weight(gained_g, 0), self.density.change(account)
        moved = self.density.moved(account, change)
        if moved > -inf:
            takes = self._taken_along(account)
            fall = self._fall(ToppleKind.OFF_STACK, 1, self.rest.contact.bumped, takes)
            likelihood = weight + moved + self.density.airborne(account)
            likelihood += self.rest.contact.fall_odds
            self._branch(account, self._priors.fell, likelihood, fall=fall, over=True)
        self._elsewhere(account, weight, change)

    def _elsewhere(self, account: Account, weight: float, change: Floats) -> None:
        """The piece placed last lies on another cell now: its own hand slid or lifted it."""
        last = self._sightings.get(account.stands[-1])
        if last is None or last.change_gmm is None or last.known or self.rest.rolled:
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
            there = Moved(last.contact, place, (total[0], total[1]), self.rest.arrived_s)
            self._branch(account, self._priors.elsewhere, likelihood, location=place, moved=there)

    def _fell_while_placing(self, account: Account, gained_g: float, net: int) -> None:
        """A piece was put down, and it or others fell off: so many less than there should be."""
        contact, priors, turn = self.rest.contact, self._priors, self._turn()
        fallen = 1 - net
        fall = self._fall(_kind(fallen, several=3), fallen, contact.bumped)
        weight = self.density.weight(gained_g - net * self._piece_g, abs(net))
        if net == 0:
            unseen = weight + self.density.unmoved(account) + self.density.put_down()
            unseen += self.density.pressed_legally
            # A bump throws nothing down that nobody had put there.
            turn *= max(1.0 - contact.bumped, JUST_THEN)
            # A roll told afterwards makes no piece of a hand by which nothing has changed.
            turn *= 1.0 if contact.foreseen or not contact.in_turn else priors.out_of_turn
            own = replace(fall, bumped=min(fall.bumped, BUMPED_IN_HAND))
            self._branch(account, priors.fell_unseen * turn, unseen, fall=own, over=True)
        if len(account.stands) >= fallen:
            likelihood = weight + self.density.anywhere(BROAD_GMM * fallen**0.5) + contact.fall_odds
            likelihood += self.density.put_down() + self.density.pressed_legally
            prior = priors.fell * turn / (fallen + 1)
            self._branch(account, prior, likelihood, fall=fall, over=True)

    def _fewer(self, account: Account, gained_g: float, gone: int) -> None:
        """Pieces are gone: they fell, or were taken."""
        contact = self.rest.contact
        weight = self.density.weight(gained_g + gone * self._piece_g, gone)
        if gone == 1:
            self._last_gone(account, weight)
        if gone == len(account.stands) == 1:
            return
        moved = self.density.gone(account, gone, but=account.stands[-1])
        kind = _kind(gone, several=2 if contact.bumped > 0.5 else 3)
        fall = self._fall(kind, gone, contact.bumped, self._taken_along(account))
        prior = 2 * self._falls(account) / (gone + 1)
        likelihood = weight + moved + contact.fall_odds
        if gone == len(account.stands) and not account.plate_g:
            # Everything came down: the board is clear already.
            self._emptied(account, prior, likelihood, (), fall)
        else:
            self._branch(account, prior, likelihood, fall=fall, over=True)
        left = account.stands[: len(account.stands) - gone]
        # One grip takes a piece or a stack, hardly ever half the tower.
        prior = self._stopped(account) / gone
        # Who stops a round takes the last piece as well as any other.
        taken = weight + (self.density.gone(account, gone) if self._may_stop(account) else moved)
        if left:
            self._branch(account, prior, taken, over=True, stands=left)
        else:
            self._emptied(account, prior, taken, ())

    def _falls(self, account: Account) -> float:
        """Share of contacts in which pieces fall: what hangs still does not fall by itself."""
        contact, last = self.rest.contact, self._sightings.get(account.stands[-1])
        if contact.in_turn or last is None:
            return self._priors.fell
        still = (1.0 - contact.bumped) * last.rested(contact.began_s)
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
        waited_s = self.rest.contact.began_s - self._let_go_s(account)
        come = 1.0 - exp(-log(2.0) * (max(waited_s, 0.0) / STOPPED_S) ** 2)
        return come * (priors.clearing if self.rest.closed else priors.agreed)

    def _taken_along(self, account: Account) -> int | None:
        """The placement that did not stand because a tower came down in the same turn."""
        last = self._sightings.get(account.stands[-1]) if account.stands else None
        if last is None or self.rest.rolled:
            return None
        if self.rest.contact.bumped > 0.5:
            counted = self.rest.closed or last.rested(self.rest.contact.began_s) > 0.5
            return None if counted else last.contact
        since_s = self.rest.contact.began_s - last.released_s
        return last.contact if since_s < SAME_TURN_S else None

    def _last_gone(self, account: Account, weight: float) -> None:
        """The very piece placed last is gone: it slid off, or its hand took it back."""
        priors, contact = self._priors, self.rest.contact
        last = self._sightings.get(account.stands[-1])
        if last is None:
            return
        moment, since_s = self.density.gone(account, 1), max(contact.began_s - last.released_s, 0.0)
        if self.rest.moment is not None and last.change_gmm is not None:
            change = self.density.change(account) + last.change_gmm
            moment = self.density.at_rest_at(account, change, CARRIED_SD_GMM)
        stands, slipped = account.stands[:-1], priors.fell / len(account.stands)
        if not self.rest.rolled:
            recent = exp(-since_s / priors.second_thought_s)
            slipped += priors.slipped_off * exp(-since_s / SAME_TURN_S)
            in_hand = exp(-self.rest.steady_s / priors.put_elsewhere_s)
            self._branch(
                account, priors.taken_back * recent * in_hand, weight + moment,
                stands=stands, taken_s=self.rest.arrived_s,
            )  # fmt: skip
        stood = self.rest.rolled or since_s >= SAME_TURN_S
        counted = self.rest.closed or last.rested(contact.began_s) > 0.5
        stood = stood or (contact.bumped > 0.5 and counted)
        takes = None if stood else last.contact
        self._branch(
            account, slipped, weight + moment + contact.fall_odds,
            fall=self._fall(ToppleKind.OFF_BOARD, 1, contact.bumped, takes), over=True,
            stands=account.stands if takes is None else stands,
        )  # fmt: skip

    def _fall(
        self, kind: ToppleKind, fallen: int | None, bumped: float, takes: int | None = None
    ) -> Fall:
        contact = self.rest.contact
        began_s = contact.began_s
        return Fall(contact.number, self.rest.arrived_s, kind, bumped, fallen, takes, began_s)

    def _cleared_on(self, account: Account) -> None:
        rest, priors = self.rest, self._priors
        self._empty(account, priors.emptied)
        self._lifted(account, priors.lifted_over)
        left_g = rest.mass_g - rest.zero_g
        if left_g < -LIFTED_SHARE * self._tabletop.empty_mass_g:
            return
        paused = held_steady(rest.steady_s, priors.clearing_pause_s)
        self._landed(account)
        # Where nothing weighs nothing is left to clear, unless a hand keeps the board up.
        lighter = 0.0 if left_g > self._piece_g / 2 else EMPTY_ALREADY
        gained_g = rest.mass_g - account.free_g
        self._held(account, gained_g)
        if gained_g < HOLDING_G:
            self._cleared_by_hands(account, gained_g, paused + lighter)
        if lighter:
            return
        gone = -round(gained_g / self._piece_g)
        if gone > 0:
            taken = self.density.weight(gained_g + gone * self._piece_g, gone)
            taken += self.density.gone(account, gone) + paused
            self._branch(account, self._clearing / gone**2, taken, free=False)
        self._stared(account, gained_g)
        if gained_g > LEAST_LOAD_G:
            self._load_came(account, gained_g)
        elif account.plate_g and gained_g < -LEAST_LOAD_G:
            self._load_went(account, gained_g)
        if round(gained_g / self._piece_g) == 1:
            self._goes_on(account, gained_g)

    @property
    def _clearing(self) -> float:
        """Share of contacts in which hands clear: they hardly push the table meanwhile."""
        return self._priors.clearing * max(1.0 - self.rest.contact.bumped, PUSHED_WHILE_CLEARING)

    def _stared(self, account: Account, gained_g: float) -> None:
        """Nobody does anything yet; the table is tapped and pushed as in play.

        Where no piece was seen to lie that fell, a hand that hovers speaks for play as before.
        """
        likelihood = self.density.weight(gained_g, 0) + self.density.unmoved(account)
        prior, rest, fall = self._priors.stared, self.rest, account.fall
        ended = rest.closed or (fall is not None and fall.lies)
        if ended and self.density.pressed_beside >= 0.0:
            prior = self._priors.nothing * (DRUMMED if rest.contact.landing else 1.0)
        self._branch(account, prior, likelihood + self.density.touched)

    def _goes_on(self, account: Account, gained_g: float) -> None:
        """A piece is placed on a board that was to be cleared: people saw nothing fall."""
        somewhere, place = self.density.somewhere(account, gained_g)
        self._branch(
            account, self._priors.play_goes_on * self._turn(account),
            self.density.weight(gained_g - self._piece_g, 1) + somewhere,
            placed=1, location=place, fall=None, over=False,
            stands=(*account.resumed(self._sightings).stands, self.rest.contact.number),
        )  # fmt: skip

    def _cleared_by_hands(self, account: Account, gained_g: float, paused: float) -> None:
        """Hands are at it: of the pieces nobody knows how many are left."""
        rest, prior, known_g = self.rest, self._clearing, sum(account.plate_g)
        range_g = max(account.free_g - rest.zero_g, 0.0) + HOLDING_G
        likelihood = -log(range_g) + self.density.by_hand(gained_g) + paused
        if rest.mass_g - rest.zero_g > known_g - HOLDING_UP_G:
            self._branch(account, prior, likelihood, free=False)
        if known_g and rest.moment is not None:
            offset = self.density.plate_shift(known_g) - self.density.offset_by_hand(gained_g)
            prior *= self._priors.plate_relief
            self._branch(account, prior, likelihood + offset, free=False, plate_g=())

    def _landed(self, account: Account) -> None:
        """What was in the air has come down, on the board or beside it."""
        rest, fall = self.rest, account.fall
        gained_g = rest.mass_g - account.free_g
        pieces = round(gained_g / self._piece_g)
        if fall is None or not 1 <= pieces <= (fall.fallen or 3):
            return
        if rest.arrived_s - fall.t_s > IN_THE_AIR_S:
            return
        weight = self.density.weight(gained_g - pieces * self._piece_g, pieces)
        board = log(LANDED_ON_BOARD) + self.density.landed(account, fall)
        beside = log1p(-LANDED_ON_BOARD) + self.density.on_plate(account, gained_g)
        kept = (
            fall
            if fall.fallen is None or pieces < fall.fallen
            else replace(fall, kind=ToppleKind.OFF_STACK)
        )
        self._branch(account, LANDED, weight + board, fall=kept)
        self._branch(
            account, LANDED, weight + beside,
            plate_g=(*account.plate_g, gained_g),
        )  # fmt: skip

    def _empty(self, account: Account, prior: float) -> None:
        """Nothing is left on the board, on the plate there may be: a new round begins."""
        self._empty_but(account, prior, sum(account.plate_g), self.density.offset_here)
        if account.plate_g and self.rest.moment is not None:
            # What lay there has been taken away, too.
            taken = self.density.plate_shift(sum(account.plate_g))
            self._empty_but(account, prior * self._priors.plate_relief, 0.0, taken)

    def _empty_but(self, account: Account, prior: float, known_g: float, offset: float) -> None:
        """The same, when so much of what lies on the plate is known."""
        rest, left_g = self.rest, self.rest.mass_g - self.rest.zero_g
        prior *= self._had_time(account)
        bare = self.density.weight(left_g, 0, rest.zero_sd_g) + offset
        self._emptied(account, prior, bare + self.density.empty(strict=False), ())
        if left_g < LEAST_LOAD_G or rest.moment is None:
            return
        extra_g, known_sd_g = left_g - known_g, LOAD_SHARE * known_g
        pieces = max(1, round(extra_g / self._piece_g))
        # Pieces that lie on the plate lie somewhere round the board, and weigh there.
        strewn = self.density.strewn(pieces) - self.density.offset_here
        strewn += self.density.weight(extra_g - pieces * self._piece_g, pieces, known_sd_g)
        strewn += self._left_lying(account, pieces)
        # Whatever came to lie there has shifted the plate's moment, now or unnoticed before.
        shifted = self.density.plate_shift(left_g) - self.density.offset_here
        came = float(np.logaddexp(min(shifted, 0.0), CAME_EARLIER))
        ways = [
            strewn - log(4.0 * pieces * (pieces + 1)),
            any_load(left_g, -inf) - log(UNKNOWN_LEFT) + came,
        ]
        if known_g:
            ways.append(self.density.weight(extra_g, 0, hypot(0.3, known_sd_g)) - log(2.0))
        left = float(np.logaddexp.reduce(ways)) + self.density.empty(strict=True) + offset
        self._emptied(account, prior, left, (left_g,))

    def _had_time(self, account: Account) -> float:
        """How likely hands had time for all pieces that had not fallen; who pours them out has."""
        fallen = 0 if account.fall is None else account.fall.fallen or len(account.stands)
        weighed = round((account.free_g - self.rest.zero_g) / self._piece_g)
        least_s = GRIP_S * min(len(account.stands) - fallen, weighed)
        since_s = account.over_s
        if not account.held:
            # What was weighed lay there when this contact began.
            since_s = max(since_s, self.rest.contact.began_s)
        return 1.0 if account.lifted or self.rest.arrived_s - since_s > least_s else NO_TIME

    def _left_lying(self, account: Account, pieces: int) -> float:
        """Log probability that so many lie on the plate: of those that fell, and hardly others."""
        fallen = 0 if account.fall is None else account.fall.fallen or len(account.stands)
        return 0.0 if pieces <= fallen + 1 else NOBODY_LEAVES

    def _emptied(
        self,
        account: Account,
        prior: float,
        likelihood: float,
        plate_g: tuple[float, ...],
        fall: Fall | None = None,
    ) -> None:
        # A board that was empty and is taken off its tip and put back has not been cleared again.
        played = account.over or account.fall is not None or len(account.stands) > 0
        self._branch(
            account, prior, likelihood, bare=True,
            plate_g=plate_g, emptied=account.emptied + played, stands=(),
            fall=None, last_fall=fall or account.fall, over=False, lifted=False,
        )  # fmt: skip

    def _lifted(self, account: Account, prior: float) -> None:
        """The board's own weight is gone, or a good part of it."""
        board_g = self._tabletop.empty_mass_g
        missing_g = self.rest.zero_g + sum(account.plate_g) - self.rest.mass_g
        if missing_g < LIFTED_SHARE * board_g:
            return
        gone = wide_normal(missing_g - board_g, 0.05 * board_g)
        weight = float(np.logaddexp(gone - 0.2, -log(board_g) - 1.7))
        likelihood = weight + self.density.anywhere(BROAD_GMM)
        self._branch(account, prior, likelihood, free=False, moves=False, lifted=True)

    def _put_back(self, account: Account) -> None:
        """Lifted still, or on its tip again: empty, or as it was."""
        rest, priors = self.rest, self._priors
        self._lifted(account, priors.hand)
        if rest.mass_g < rest.zero_g - self._piece_g:
            self._branch(
                account, priors.hand, -log(200.0) + self.density.anywhere(BROAD_GMM),
                free=False, moves=False,
            )  # fmt: skip
            return
        pressed = -log(200.0) + self.density.anywhere(BROAD_GMM)
        pressed += held_steady(rest.steady_s, priors.hand_steady_s)
        self._branch(account, priors.hand, pressed, free=False, moves=False)
        self._empty(account, priors.emptied)
        back = self.density.weight(rest.mass_g - account.free_g, 0, 0.3) + self.density.anywhere(
            BROAD_GMM
        )
        self._branch(account, priors.hand / 10, back, lifted=False)


def _kind(fallen: int, *, several: int) -> ToppleKind:
    """What so many fallen pieces are called."""
    return ToppleKind.COLLAPSE if fallen >= several else ToppleKind.OFF_BOARD


def _some_of(plate_g: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Each thing that lies on the plate, and each two of them."""
    return [gone for count in (1, 2) for gone in combinations(plate_g, count)]


def _without(plate_g: tuple[float, ...], gone: tuple[float, ...]) -> tuple[float, ...]:
    left = list(plate_g)
    for load_g in gone:
        left.remove(load_g)
    return tuple(left)

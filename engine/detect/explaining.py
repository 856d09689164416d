"""How a new rest can be explained: the branches of an account, each with its likelihood.

A rest is a steady weight with the moment that the board shows meanwhile. What it is compared with
is the last time at which nobody touched the board, by the account in question. Everything here is
physics: what a piece weighs and where it weighs, what the pivot's friction hides, what stands on
the cells but not on the board. What people are likely to do comes from `engine.detect.priors`.

All likelihoods are logarithms of densities of the same three observations (weight, moment of the
board, moment of the plate), so that they can be compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nlargest
from itertools import combinations
from math import exp, hypot, inf, log, log1p, pi
from operator import itemgetter

import numpy as np

from engine.detect.account import Account, Explained, Fall, Gmm, Sighting
from engine.detect.body import Stacks
from engine.detect.contact import Touch
from engine.detect.location import LOG_TWO_PI, Location, fused_mass_g, locate, log_normal
from engine.detect.moment import Moment
from engine.detect.priors import Priors
from engine.events import Expectation, ToppleKind
from engine.samples import Floats
from engine.tabletop import CELLS, Tabletop, level

MASS_SD_G = 0.045
"""Error of a weight step however long it is measured: the converter's own (real recordings of an
HX711: 0.03 to 0.05 g between means of a second)."""

GAIN_SD = 0.01
"""Share by which a calibrated scale is off: a kitchen scale of 1 g against 100 g of pieces."""

CREPT_SD_G = 0.1
"""What a contact leaves in the cells: half a per cent of the load while a hand pressed."""

WIDE_SHARE, WIDE_SDS = 0.03, 4.0
"""Three in a hundred steps are four times as far off: heavier pieces, hands not quite gone."""

SEAT_SD_GMM = 6.0
"""The pivot's seat and the cable shift a little with every contact (0.04 mm times the board)."""

SHAKEN_SD_MM = 1.5
"""A shaken table shifts all pieces together by a millimetre or two, and hardly ever by five: a
piece that slid further has left its stack."""

STICKING_SHARE = 0.3
"""Share of the pivot's friction that its model (one constant, always against the motion) misses."""

CARRIED_SD_GMM = 20.0
"""Error of a change added up over two rests: the cells' offset and the friction of both."""

PLATE_MM = (50.0, 150.0)
"""How far from the tip things lie on the base plate: beside the board, and not off the plate."""

ARM_MM = 40.0
"""Where the load of a hand and its arm seems to lie: between the board's middle and the plate."""

STREWN_MM = 70.0
"""The same along one axis, in the mean."""

PLATE_SHARE = 0.1
"""A heavy load bends the plate, and the cells' gains differ by a per cent or so."""

OFFSET_SD_GMM, LEAN_SD_GMM, LEAN_SHARE = 30.0, 150.0, 0.1
"""What a contact leaves in the plate's moment, and what leaning on the table does."""

BROAD_GMM = 300.0
"""A hand of a few grams anywhere on the board."""

HAND_MISFIT = 1.0
"""Mean square residual from which a swing fits a held board better than a free one."""

PULLED = 10.0
"""Hands press on a board; that they hold it up is rarer than that they press as much."""

EMPTY_SD_GMM = 70.0
"""How far the empty board's moment wanders over an evening: seat, cable, a board put back."""

LIFTED_SHARE = 0.3
"""A board whose weight is gone by more than this share of it is off its tip."""

AT_MOST_G = 500.0
"""Heavier things than a full cup nobody puts beside the tower."""

EMPTY_ALREADY = -4.0
"""Log share of rests with an empty board's weight in which pieces are left all the same."""

UNSTIRRED = 0.02
"""A piece that is put down, and one that falls off, moves the board; so gently hardly ever."""

LITTLE_FELT, NOTHING_FELT = -2.0, -6.0
"""Log share of placements and falls that the scale has hardly felt, and not at all."""

BOTH_TOUCHED = 0.2
"""Who lays something on the plate may touch the board with the sleeve."""

HANDS_AT_ONCE = 0.3
"""Once in three topples somebody has a hand on the board before it is at rest."""

UNKNOWN_LEFT = 20.0
"""Once in so many clearings something lies on the plate that nobody has explained."""

UNSEEN_LOAD = 0.2
"""Of the things that are taken from the plate, so many came there unseen."""

SETTLED_S = 0.6
"""A hand that hovers comes back sooner (two thirds of a swing)."""

HOPELESS = 16.0
"""A branch e^16 times less likely than the best comes back only if all others are wrong."""

HAND_AND_BACK_S, NO_TIME = 0.4, 0.02
"""Nobody takes a piece off and puts one down in less time; only a second hand does."""

IN_THE_AIR_S, LANDED, LANDED_ON_BOARD = 0.5, 0.5, 0.5
"""What falls comes down within so long or is gone, on the board as often as on the plate."""

_ROUND = np.eye(2)

PURSUED = 48
"""Twice as many explanations as accounts are kept: many of them agree and are merged."""

A_FEW_HANDS, SOME_THINK = (0.03, 4.0), (0.1, 12.0)
"""Share of hands that keep steady, and of boards that are left alone, so many times as long."""

HOLDING_G = 120.0
"""With more than this nobody holds a board down to clear it."""

WEIGHTLESS, NEVER_WEIGHTLESS = 0.3, 0.05
"""A fall of a level takes 0.08 s, more than the cells' averaging; then some of the weight of a
piece is missing, unless a hand presses at that moment or the piece rolls down."""

PIECES_SHARE = 0.3
"""Of things that come to lie on the plate, how many are pieces that somebody put there."""

LOAD_SHARE = 0.02
"""A load on the plate weighs otherwise than at its coming by this share: gain, a hand on it."""

LEAST_LOAD_G = 0.8
"""Lighter things than a quarter of a piece are not told from a cell that crept."""

SAME_TURN_S = 1.2
"""A tower that a placement brings down begins to fall within two swings of it (0.7 s each)."""


Draft = tuple[bool, bool, int, Location | None, dict[str, object]]
"""Of a branch: free, moves, placed, location, and what it changes of its account."""


@dataclass(frozen=True, slots=True)
class Contact:
    """What was felt before a rest.

    Attributes:
        number: of the contact.
        began_s: when it did.
        in_turn: whether the rules expected a piece while it lasted.
        bumped: probability that pieces that fell in it were bumped.
        fall_odds: how much likelier it feels like a fall than like a hand that takes pieces (log).
        stirred: whether the board began to move in it: what only touches the plate never does that.
    """

    number: int
    began_s: float
    touch: Touch
    in_turn: bool
    bumped: float
    fall_odds: float
    stirred: bool = True


@dataclass(frozen=True, slots=True)
class Rest:
    """A steady weight, and the board meanwhile.

    Attributes:
        contact: what came before it.
        arrived_s: since when the weight has been this one.
        steady_s: for how long without a break.
        moment: of the board; None when no inertial sensor was heard.
        expectation: what the rules expected when the weight arrived.
        zero_g: weight of the empty board and plate; `zero_sd_g` its standard deviation.
        rolled: whether somebody has rolled since the piece placed last.
        against_rules: probability that a piece lies on another cell than the die allows.
        bare: the moment, had the board no pieces on it: another mass swings otherwise.
    """

    contact: Contact
    mass_g: float
    noise_g: float
    arrived_s: float
    steady_s: float
    moment: Moment | None
    expectation: Expectation
    zero_g: float
    zero_sd_g: float
    rolled: bool
    against_rules: float
    bare: Moment | None = None


class Explaining:
    """Explains one rest under one account after the other.

    Args:
        tabletop: geometry and masses.
        priors: what people are likely to do.
        stacks: what has been said to lie on the board.
        sightings: every piece of this round by the number of its contact.
        friction_gmm: of the pivot.
        shaken_g: weight of the pieces that a shaken table may have shifted.
        rest: to be explained.
        empty_gmm: moment of the empty board.
    """

    def __init__(
        self,
        tabletop: Tabletop,
        priors: Priors,
        stacks: Stacks,
        sightings: Mapping[int, Sighting],
        rest: Rest,
        *,
        friction_gmm: float,
        shaken_g: float,
        empty_gmm: Gmm,
    ) -> None:
        self._tabletop, self._priors, self._stacks = tabletop, priors, stacks
        self._sightings, self.rest = sightings, rest
        self._empty_gmm = empty_gmm
        self._piece_g = tabletop.piece.mass_mean_g
        self._spread_g = 1.5 * tabletop.piece.mass_std_g + GAIN_SD * self._piece_g
        self._unmodelled_gmm = hypot(shaken_g * SHAKEN_SD_MM, STICKING_SHARE * friction_gmm)
        self._drafts: list[tuple[float, Account, Draft]] = []
        self._best = -inf
        self._unmoved_at: dict[Gmm, float] = {}
        self._pressed_at: dict[tuple[Gmm, float], float] = {}
        self._located: dict[tuple[Gmm, float], Location] = {}
        moment = rest.moment
        self._sure_free, self._sure_bare = self._free_fit(moment), self._free_fit(rest.bare)
        if moment is not None:
            seat = SEAT_SD_GMM**2 + self._unmodelled_gmm**2
            self._cov = moment.change_cov + _ROUND * seat
            self._offset_here = _offset_density(moment)
            self._change_sd_gmm = moment.sd_gmm

    # -- parts of the likelihood ---------------------------------------------------------------

    @staticmethod
    def _free_fit(moment: Moment | None) -> float:
        """How well the swing is that of a board nobody holds."""
        if moment is None or moment.ticks < 6:
            return 0.0
        return -min(max(moment.misfit - HAND_MISFIT, 0.0), 12.0)

    def _weight(self, gap_g: float, pieces: int, least_g: float = 0.0) -> float:
        """Log density of a weight that differs by `gap_g` from that of so many pieces."""
        own = hypot(MASS_SD_G, CREPT_SD_G, self.rest.noise_g, least_g)
        sd = hypot(own, pieces**0.5 * self._spread_g, GAIN_SD * pieces * self._piece_g)
        return _wide_normal(gap_g, sd)

    def _change(self, account: Account) -> Floats:
        assert self.rest.moment is not None  # noqa: S101 - asked for by those who looked
        return np.asarray(self.rest.moment.change_gmm + np.array(account.carried_gmm))

    def _spread(self, account: Account, extra_gmm: float = 0.0) -> Floats:
        carried = CARRIED_SD_GMM if any(account.carried_gmm) else 0.0
        return np.asarray(self._cov + _ROUND * (carried**2 + extra_gmm**2))

    def _at_rest_at(self, account: Account, change_gmm: Floats, extra_gmm: float = 0.0) -> float:
        """Log density of a change that should be none, with a fat tail."""
        if self.rest.moment is None:
            return 0.0
        cov = self._spread(account, extra_gmm)
        near = float(log_normal(change_gmm, cov))
        far = float(log_normal(change_gmm, 9.0 * cov))
        return float(np.logaddexp(near - 0.05, far - 3.0)) + self._offset_here

    def _unmoved(self, account: Account) -> float:
        if self.rest.moment is None:
            return 0.0
        known = self._unmoved_at.get(account.carried_gmm)
        if known is None:
            known = self._at_rest_at(account, self._change(account))
            self._unmoved_at[account.carried_gmm] = known
        return known

    def _anywhere(self, loose_gmm: float) -> float:
        """Log density of a moment about which nothing is known."""
        if self.rest.moment is None:
            return 0.0
        spread_gmm = hypot(loose_gmm, self._change_sd_gmm)
        return -LOG_TWO_PI - 2.0 * log(spread_gmm) + self._offset_here

    def _by_hand(self, gained_g: float) -> float:
        """Log density of both moments while a hand makes the board heavier or lighter."""
        if self.rest.moment is None:
            return 0.0
        anywhere = self._anywhere(BROAD_GMM + 30.0 * abs(gained_g))
        return anywhere - self._offset_here + self._offset_by_hand(gained_g)

    def _offset_by_hand(self, gained_g: float) -> float:
        """Log density of the plate's moment: a hand rests on the board, an arm often beside it."""
        assert self.rest.moment is not None  # noqa: S101 - asked for by those who looked
        sd_gmm = hypot(ARM_MM * gained_g, LEAN_SD_GMM, self.rest.moment.offset_sd_gmm)
        shift_sds = self.rest.moment.offset_shift_gmm / sd_gmm
        beside = -LOG_TWO_PI - 2 * log(sd_gmm) - 0.5 * min(shift_sds, 6.0) ** 2
        return float(np.logaddexp(self._offset_here, beside)) - log(2.0)

    def _on_plate(self, account: Account, load_g: float) -> float:
        """Log density of both moments when a load lies on the base plate."""
        if self.rest.moment is None:
            return 0.0
        # A heavy load leaves the plate's moment, and so the board's, known by the swing alone.
        return self._unmoved(account) - self._offset_here + self._plate_shift(load_g)

    def _plate_shift(self, load_g: float) -> float:
        """Log density of the plate's moment when a load comes to lie on it, or is taken away."""
        assert self.rest.moment is not None  # noqa: S101 - asked for by those who looked
        near_mm, far_mm = PLATE_MM
        shift = self.rest.moment.offset_shift_gmm
        outside = max(near_mm * load_g - shift, shift - far_mm * load_g, 0.0)
        sd = hypot(OFFSET_SD_GMM, PLATE_SHARE * near_mm * load_g, self.rest.moment.offset_sd_gmm)
        area = pi * load_g**2 * (far_mm**2 - near_mm**2)
        return -log(area) - 0.5 * (outside / sd) ** 2

    def _somewhere(self, account: Account, gained_g: float) -> tuple[float, Location | None]:
        """Log density of the moment of one more piece, whichever cell it lies on."""
        if self.rest.moment is None:
            return 0.0, None
        key = account.carried_gmm, round(gained_g, 1)
        place = self._located.get(key)
        if place is None:
            place = self._locate(
                self._change(account), self._spread(account), self.fused(gained_g),
                self.rest.expectation, self.rest.against_rules,
            )  # fmt: skip
            self._located[key] = place
        return place.log_density + self._offset_here, place

    def _locate(
        self,
        change_gmm: Floats,
        cov: Floats,
        mass: tuple[float, float],
        expectation: Expectation,
        against_rules: float,
    ) -> Location:
        return locate(
            change_gmm, cov, mass, self._stacks.centres_mm, expectation.legal_cells, against_rules
        )

    def fused(self, gained_g: float) -> tuple[float, float]:
        """Mass of a piece that made the weight grow so much, and its standard deviation."""
        sd = hypot(MASS_SD_G, self.rest.noise_g)
        return fused_mass_g(self._tabletop.piece, gained_g, sd)

    def relocated(self, last: Sighting, account: Account) -> Location | None:
        """Where the piece placed last lies by both rests together."""
        if self.rest.moment is None or last.change_gmm is None:
            return last.location
        total = last.change_gmm + self._change(account)
        return self._locate(
            total, self._spread(account), last.mass, last.expectation, last.against_rules
        )

    def unseen_bump(self, t_s: float) -> Fall:
        """A bump that made something fall, though nothing of it was seen."""
        return Fall(self.rest.contact.number, t_s, ToppleKind.OFF_STACK, 0.98, None)

    # -- branches ------------------------------------------------------------------------------

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
        bare: bool = False,
        **changes: object,
    ) -> None:
        """Keep a branch, unless a better one leaves it no hope."""
        log_p = account.log_p + log(max(prior, 1e-12)) + likelihood
        if free:
            log_p += self._sure_bare if bare else self._sure_free
            over = bool(changes.get("over", account.over))
            fell = changes.get("fall", account.fall) is not None
            log_p += _alone(self._priors, self.rest.steady_s, over=over, fell=fell)[0]
        if log_p < self._best - HOPELESS:
            return
        self._best = max(self._best, log_p)
        if moves:
            changes.setdefault("free_g", self.rest.mass_g)
        self._drafts.append((log_p, account, (free, moves, placed, location, changes)))

    @property
    def found(self) -> list[Explained]:
        """The explanations that are not hopeless beside the best."""
        hopeful = nlargest(PURSUED, self._drafts, key=itemgetter(0))
        return [
            Explained(
                replace(account, log_p=log_p, **changes),  # type: ignore[arg-type]
                free, moves, placed, location,
            )
            for log_p, account, (free, moves, placed, location, changes) in hopeful
            if log_p > self._best - HOPELESS
        ]  # fmt: skip

    def _played_on(self, account: Account) -> None:
        rest = self.rest
        gained_g = rest.mass_g - account.free_g
        net = round(gained_g / self._piece_g)
        self._same(account, gained_g)
        self._held(account, gained_g)
        self._fell_under_hands(account, gained_g)
        if net == 1:
            self._one_more(account, gained_g)
        if net == 2:
            self._two_more(account, gained_g)
        if gained_g > LEAST_LOAD_G:
            self._load_came(account, gained_g)
        elif gained_g < -LEAST_LOAD_G:
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
        likelihood = self._weight(gained_g, 0) + self._unmoved(account)
        # A hand that hovers comes back soon: compare with the time before it came.
        self._branch(
            account, self._priors.nothing, likelihood, moves=self.rest.steady_s >= SETTLED_S
        )

    def _held(self, account: Account, gained_g: float) -> None:
        """Somebody rests on the board: any weight, any moment, never steady for long."""
        size = gained_g if gained_g > 0 else -PULLED * gained_g
        weight = log(0.7 * exp(-size / 15.0) / 30.0 + 0.3 * exp(-size / 150.0) / 300.0)
        steady = _held_steady(self.rest.steady_s, self._priors.hand_steady_s)
        likelihood = weight + self._pressed_moment(account, gained_g) + steady - 1.0
        self._branch(account, self._priors.hand, likelihood, free=False, moves=False)

    def _fell_under_hands(self, account: Account, gained_g: float) -> None:
        """Pieces fell, and hands are on the board already: how many, nobody can tell yet."""
        rest, contact = self.rest, self.rest.contact
        lighter = gained_g < -1.5 * self._piece_g
        if not (lighter or contact.fall_odds > 0.0) or not account.stands or gained_g > HOLDING_G:
            return
        fall = self._fall(ToppleKind.COLLAPSE, None, contact.bumped, self._taken_along(account))
        range_g = max(account.free_g - rest.zero_g, 0.0) + HOLDING_G
        likelihood = -log(range_g) + self._by_hand(gained_g) + contact.fall_odds
        likelihood += _held_steady(rest.steady_s, self._priors.clearing_pause_s)
        self._branch(
            account, self._priors.fell * HANDS_AT_ONCE, likelihood, free=False,
            fall=fall, over=True,
        )  # fmt: skip

    def _pressed_moment(self, account: Account, gained_g: float) -> float:
        """Log density of the moment of a hand: anywhere, or on the piece that it puts down."""
        broad = self._by_hand(gained_g)
        if self.rest.moment is None or gained_g < LEAST_LOAD_G:
            return broad
        key = account.carried_gmm, round(gained_g, 1)
        on_piece = self._pressed_at.get(key)
        if on_piece is None:
            on_piece = locate(
                self._change(account), self._spread(account), (gained_g, 0.1 * gained_g),
                self._stacks.centres_mm, self.rest.expectation.legal_cells, 0.1,
            ).log_density  # fmt: skip
            self._pressed_at[key] = on_piece
        on_piece += self._offset_by_hand(gained_g)
        return float(np.logaddexp(broad, on_piece)) - log(2.0)

    def _unexplained(self, account: Account, gained_g: float) -> None:
        """Nothing that is known here: what follows is compared with this rest all the same.

        No table is deaf for longer than a hand can stay steady, whatever has happened to it.
        """
        size = abs(gained_g)
        likelihood = -log(2.0 * AT_MOST_G + size) + self._anywhere(BROAD_GMM + 30.0 * size)
        plate = (*account.plate_g, gained_g) if size > LEAST_LOAD_G else account.plate_g
        self._branch(account, self._priors.unexplained, likelihood, plate_g=plate)

    def _turn(self, account: Account | None = None) -> float:
        """How likely somebody was placing: by the rules, and by a board that was touched.

        Args:
            account: for a piece that stays where it was put: in the middle it moves nothing.
        """
        turn = 1.0 if self.rest.contact.in_turn else self._priors.out_of_turn
        central = account is not None and self._central(account)
        return turn if self.rest.contact.stirred or central else turn * UNSTIRRED

    def _central(self, account: Account) -> bool:
        """Whether the board hangs as before, within what a piece on the next cell would do."""
        if self.rest.moment is None:
            return True
        return hypot(*self._change(account)) < self._piece_g * self._tabletop.cell_pitch_mm / 2

    def _one_more(self, account: Account, gained_g: float) -> None:
        priors, number = self._priors, self.rest.contact.number
        weight, turn = self._weight(gained_g - self._piece_g, 1), self._turn(account)
        if self.rest.arrived_s - account.taken_s < HAND_AND_BACK_S:
            turn *= NO_TIME
        somewhere, place = self._somewhere(account, gained_g)
        self._branch(
            account, priors.placed * turn, weight + somewhere,
            placed=1, location=place, stands=(*account.stands, number),
        )  # fmt: skip
        self._branch(
            account, priors.fell_beside * turn, weight + self._on_plate(account, gained_g),
            fall=self._fall(ToppleKind.OFF_BOARD, 1, bumped=0.1), over=True,
            plate_g=(*account.plate_g, gained_g),
        )  # fmt: skip
        legal = self.rest.expectation.legal_cells
        onto = _below(legal) if legal and self.rest.moment is not None else ()
        if onto:
            bumped = min(self.rest.contact.bumped, 0.3)
            self._branch(
                account, priors.fell_onto * turn, weight + self._onto(account, gained_g, onto),
                fall=self._fall(ToppleKind.OFF_STACK, 1, bumped), over=True,
            )  # fmt: skip

    def _onto(self, account: Account, gained_g: float, cells: tuple[str, ...]) -> float:
        """Log density of a piece on one of some cells, other than where it was put."""
        place = locate(
            self._change(account), self._spread(account, 10.0), self.fused(gained_g),
            self._stacks.centres_mm, cells, 0.03,
        )  # fmt: skip
        return place.log_density + self._offset_here

    def _two_more(self, account: Account, gained_g: float) -> None:
        if self.rest.steady_s < SETTLED_S:
            return  # a hand that presses passes this weight on its way
        weight = self._weight(gained_g - 2 * self._piece_g, 2)
        number = self.rest.contact.number
        self._branch(
            account, self._priors.two_placed * self._turn(),
            weight + self._anywhere(3.0 * BROAD_GMM),
            placed=2, stands=(*account.stands, number, -number),
        )  # fmt: skip

    def _load_came(self, account: Account, gained_g: float) -> None:
        if gained_g > AT_MOST_G:
            return
        both = BOTH_TOUCHED if self.rest.contact.stirred else 1.0
        prior, plate = self._priors.plate_load * both, account.plate_g
        self._branch(
            account, prior, _any_load(gained_g, self._piece(gained_g))
            + self._on_plate(account, gained_g), plate_g=(*plate, gained_g),
        )  # fmt: skip
        load_g = gained_g - self._piece_g
        if load_g > LEAST_LOAD_G:
            weight = _any_load(load_g, self._piece(load_g))
            self._placed_beside(account, self._priors.plate_load, weight, load_g, (*plate, load_g))

    def _load_went(self, account: Account, gained_g: float) -> None:
        priors, plate = self._priors, account.plate_g
        for gone in _some_of(plate):
            load_g, others = sum(gone), _without(plate, gone)
            weight = self._weight(gained_g + load_g, 0, LOAD_SHARE * abs(load_g))
            prior = priors.plate_relief if len(gone) == 1 else priors.plate_relief**2
            moment = self._on_plate(account, abs(load_g))
            self._branch(account, prior, weight + moment, plate_g=others)
            left_g = gained_g + load_g - self._piece_g
            if not account.over and abs(left_g) < self._piece_g / 2:
                weight = self._weight(left_g, 1, LOAD_SHARE * abs(load_g))
                self._placed_beside(account, prior, weight, abs(load_g), others)
        # What nobody saw come, because much happened just then, goes too.
        weight = _any_load(-gained_g, self._piece(-gained_g))
        self._branch(
            account, priors.plate_load * UNSEEN_LOAD, weight + self._on_plate(account, -gained_g),
        )  # fmt: skip

    def _piece(self, load_g: float) -> float:
        """Log density of a load's weight if it is a piece: those lie about at this table."""
        return self._weight(load_g - self._piece_g, 1)

    def _placed_beside(
        self, account: Account, prior: float, weight: float, load_g: float,
        plate_g: tuple[float, ...],
    ) -> None:  # fmt: skip
        """A piece was put down in the same contact in which a load came or went."""
        if self.rest.moment is None:
            return
        gained_g = self._piece_g
        somewhere, place = self._somewhere(account, gained_g)
        likelihood = weight + somewhere - self._offset_here + self._plate_shift(load_g)
        self._branch(
            account, prior * self._priors.placed * self._turn(account), likelihood,
            placed=1, location=place, plate_g=plate_g,
            stands=(*account.stands, self.rest.contact.number),
        )  # fmt: skip

    def _moved(self, account: Account, gained_g: float) -> None:
        """The weight is what it was, and the board hangs otherwise: a piece lies elsewhere."""
        if self.rest.moment is None or not account.stands:
            return
        weight, change = self._weight(gained_g, 0), self._change(account)
        moved = self._moved_density(account, change)
        if moved > -inf:
            takes = self._taken_along(account)
            fall = self._fall(ToppleKind.OFF_STACK, 1, self.rest.contact.bumped, takes)
            likelihood = weight + moved + self._airborne() + self.rest.contact.fall_odds
            self._branch(account, self._priors.fell, likelihood, fall=fall, over=True)
        self._elsewhere(account, weight, change)

    def _airborne(self) -> float:
        """A piece that falls from one cell to another weighs nothing on its way."""
        if not self._felt:
            return NOTHING_FELT
        lightest_g = self.rest.contact.touch.lowest_g
        return 0.0 if lightest_g < -WEIGHTLESS * self._piece_g else log(NEVER_WEIGHTLESS)

    def _elsewhere(self, account: Account, weight: float, change: Floats) -> None:
        """The piece placed last lies on another cell now: its own hand slid or lifted it."""
        last = self._sightings.get(account.stands[-1])
        if last is None or last.change_gmm is None or last.known or self.rest.rolled:
            return
        place = self._locate(
            last.change_gmm + change, self._spread(account, CARRIED_SD_GMM), last.mass,
            last.expectation, last.against_rules,
        )  # fmt: skip
        if last.location is None or place.cell != last.location.cell:
            likelihood = weight + place.log_density + self._offset_here
            self._branch(account, self._priors.elsewhere, likelihood, location=place)

    def _moved_density(self, account: Account, change: Floats) -> float:
        """Log density of a change by any top piece that came to lie on any other cell."""
        pitch_mm = self._tabletop.cell_pitch_mm
        tops = [k for k, cell in enumerate(CELLS) if self._stacks.height(cell)]
        if not tops or hypot(*change) < 0.3 * self._piece_g * pitch_mm:
            return -inf
        centres = self._stacks.centres_mm
        steps = (centres[None, :, :] - centres[tops][:, None, :]).reshape(-1, 2)
        far = np.hypot(*steps.T) / pitch_mm
        share = np.where(far > 0.1, np.exp(-far), 0.0)
        densities = np.exp(log_normal(change - self._piece_g * steps, self._spread(account, 30.0)))
        return log(float(share @ densities) / float(share.sum()) + 1e-30) + self._offset_here

    def _fell_while_placing(self, account: Account, gained_g: float, net: int) -> None:
        """A piece was put down, and it or others fell off: so many less than there should be."""
        contact, priors = self.rest.contact, self._priors
        fallen = 1 - net
        fall = self._fall(_kind(fallen, several=3), fallen, contact.bumped)
        weight = self._weight(gained_g - net * self._piece_g, abs(net))
        if net == 0:
            unseen = weight + self._unmoved(account) + self._pressed()
            self._branch(account, priors.fell_unseen * self._turn(), unseen, fall=fall, over=True)
        if len(account.stands) >= fallen:
            likelihood = weight + self._anywhere(BROAD_GMM * fallen**0.5) + contact.fall_odds
            likelihood += self._pressed()
            prior = priors.fell * self._turn() / (fallen + 1)
            self._branch(account, prior, likelihood, fall=fall, over=True)

    def _pressed(self) -> float:
        """A contact in which a piece was put down presses."""
        if self.rest.contact.touch.pressed_s > 0.05:
            return 0.0
        return LITTLE_FELT if self._felt else NOTHING_FELT

    @property
    def _felt(self) -> bool:
        """Whether the scale felt the contact at all."""
        touch = self.rest.contact.touch
        return max(touch.highest_g, -touch.lowest_g) > self._piece_g / 2

    def _fewer(self, account: Account, gained_g: float, gone: int) -> None:
        """Pieces are gone: they fell, or were taken."""
        priors, contact = self._priors, self.rest.contact
        weight = self._weight(gained_g + gone * self._piece_g, gone)
        if gone == 1:
            self._last_gone(account, weight)
        if gone == len(account.stands) == 1:
            return
        moved = self._gone_density(account, gone, but=account.stands[-1])
        kind = _kind(gone, several=2 if contact.bumped > 0.5 else 3)
        fall = self._fall(kind, gone, contact.bumped, self._taken_along(account))
        prior, likelihood = 2 * priors.fell / (gone + 1), weight + moved + contact.fall_odds
        if gone == len(account.stands) and not account.plate_g:
            # Everything came down: the board is clear already.
            self._emptied(account, prior, likelihood, (), fall)
        else:
            self._branch(account, prior, likelihood, fall=fall, over=True)
        left = account.stands[: len(account.stands) - gone]
        # One grip takes a piece or a stack, hardly ever half the tower.
        self._branch(account, priors.taken / gone, weight + moved, over=True, stands=left)

    def _taken_along(self, account: Account) -> int | None:
        """The placement that did not stand because a tower came down in the same turn."""
        last = self._sightings.get(account.stands[-1]) if account.stands else None
        if last is None or self.rest.rolled:
            return None
        if self.rest.contact.bumped > 0.5:
            return None if last.rested else last.contact
        since_s = self.rest.contact.began_s - last.released_s
        return last.contact if since_s < SAME_TURN_S else None

    def _last_gone(self, account: Account, weight: float) -> None:
        """The very piece placed last is gone: it slid off, or its hand took it back."""
        priors, contact = self._priors, self.rest.contact
        last = self._sightings.get(account.stands[-1])
        if last is None:
            return
        moment = 0.0
        if self.rest.moment is not None and last.change_gmm is not None:
            change = self._change(account) + last.change_gmm
            moment = self._at_rest_at(account, change, CARRIED_SD_GMM)
        stands, slipped = account.stands[:-1], priors.fell / len(account.stands)
        if not self.rest.rolled:
            since_s = max(contact.began_s - last.released_s, 0.0)
            recent = exp(-since_s / priors.second_thought_s)
            slipped += priors.slipped_off * exp(-since_s / SAME_TURN_S)
            in_hand = exp(-self.rest.steady_s / priors.put_elsewhere_s)
            self._branch(
                account, priors.taken_back * recent * in_hand, weight + moment,
                stands=stands, taken_s=self.rest.arrived_s,
            )  # fmt: skip
        stood = self.rest.rolled or (contact.bumped > 0.5 and last.rested)
        takes = None if stood else last.contact
        self._branch(
            account, slipped, weight + moment + contact.fall_odds,
            fall=self._fall(ToppleKind.OFF_BOARD, 1, contact.bumped, takes), over=True,
            stands=account.stands if takes is None else stands,
        )  # fmt: skip

    def _gone_density(self, account: Account, gone: int, but: int = 0) -> float:
        """Log density of the moment that any so many pieces take with them.

        Args:
            account: what lay where.
            gone: how many.
            but: number of the contact whose piece a single one is not.
        """
        anywhere = self._anywhere(BROAD_GMM * gone**0.5)
        last = self._sightings.get(but)
        other = None if last is None else last.cell
        tops = [k for k, cell in enumerate(CELLS) if self._stacks.height(cell) and cell != other]
        if self.rest.moment is None or gone > 1 or not tops:
            return anywhere
        gaps = self._change(account) + self._piece_g * self._stacks.centres_mm[tops]
        densities = np.exp(log_normal(gaps, self._spread(account, 20.0)))
        one = log(float(densities.mean()) + 1e-30) + self._offset_here
        return float(np.logaddexp(one, anywhere - 4.0))

    def _fall(
        self, kind: ToppleKind, fallen: int | None, bumped: float, takes: int | None = None
    ) -> Fall:
        contact = self.rest.contact
        return Fall(contact.number, self.rest.arrived_s, kind, bumped, fallen, takes)

    # -- the round is over -----------------------------------------------------------------------

    def _cleared_on(self, account: Account) -> None:
        rest, priors = self.rest, self._priors
        self._empty(account, priors.emptied)
        self._lifted(account, priors.lifted_over)
        left_g = rest.mass_g - rest.zero_g
        if left_g < -LIFTED_SHARE * self._tabletop.empty_mass_g:
            return
        paused = _held_steady(rest.steady_s, priors.clearing_pause_s)
        self._landed(account)
        # Where nothing weighs nothing is left to clear, unless a hand keeps the board up.
        lighter = 0.0 if left_g > self._piece_g / 2 else EMPTY_ALREADY
        gained_g = rest.mass_g - account.free_g
        self._held(account, gained_g)
        if gained_g < HOLDING_G:
            range_g = max(account.free_g - rest.zero_g, 0.0) + HOLDING_G
            likelihood = -log(range_g) + self._by_hand(gained_g) + paused + lighter
            self._branch(account, priors.clearing, likelihood, free=False)
        if lighter:
            return
        gone = -round(gained_g / self._piece_g)
        if gone > 0:
            taken = self._weight(gained_g + gone * self._piece_g, gone)
            taken += self._gone_density(account, gone) + _held_steady(
                rest.steady_s, priors.clearing_pause_s
            )
            self._branch(account, priors.clearing / gone**2, taken, free=False)
        stared = self._weight(gained_g, 0) + self._unmoved(account)
        self._branch(account, priors.stared, stared)
        if account.plate_g and gained_g < -LEAST_LOAD_G:
            self._load_went(account, gained_g)
        if round(gained_g / self._piece_g) == 1:
            somewhere, place = self._somewhere(account, gained_g)
            self._branch(
                account, priors.play_goes_on * self._turn(account),
                self._weight(gained_g - self._piece_g, 1) + somewhere,
                placed=1, location=place, fall=None, over=False,
                stands=(*account.stands, rest.contact.number),
            )  # fmt: skip

    def _landed(self, account: Account) -> None:
        """What was in the air has come down, on the board or beside it."""
        rest, fall = self.rest, account.fall
        gained_g = rest.mass_g - account.free_g
        pieces = round(gained_g / self._piece_g)
        if fall is None or not 1 <= pieces <= (fall.fallen or 3):
            return
        if rest.arrived_s - fall.t_s > IN_THE_AIR_S:
            return
        weight = self._weight(gained_g - pieces * self._piece_g, pieces)
        board = log(LANDED_ON_BOARD) + self._near_where_it_stood(account, fall)
        beside = log1p(-LANDED_ON_BOARD) + self._on_plate(account, gained_g)
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

    def _near_where_it_stood(self, account: Account, fall: Fall) -> float:
        """Log density of the moment of what has landed: a cell or so from where it fell."""
        last = self._sightings.get(fall.takes or 0)
        if self.rest.moment is None or last is None or last.change_gmm is None:
            return self._anywhere(BROAD_GMM)
        gap = self._change(account) - last.change_gmm
        spread = self._spread(account, self._piece_g * self._tabletop.cell_pitch_mm)
        return float(log_normal(gap, spread)) + self._offset_here

    def _empty(self, account: Account, prior: float) -> None:
        """Nothing is left on the board, on the plate there may be: a new round begins."""
        rest = self.rest
        left_g, known_g = rest.mass_g - rest.zero_g, sum(account.plate_g)
        bare = self._weight(left_g, 0, rest.zero_sd_g) + self._empty_moment(strict=False)
        self._emptied(account, prior, bare, ())
        if left_g < LEAST_LOAD_G or rest.moment is None:
            return
        extra_g, known_sd_g = left_g - known_g, LOAD_SHARE * known_g
        pieces = max(1, round(extra_g / self._piece_g))
        # Pieces that lie on the plate lie somewhere round the board, and weigh there.
        ways = [
            self._weight(extra_g - pieces * self._piece_g, pieces, known_sd_g)
            + self._strewn(pieces) - self._offset_here - log(4.0 * pieces * (pieces + 1)),
            _any_load(left_g, -inf) - log(UNKNOWN_LEFT),
        ]  # fmt: skip
        if known_g:
            ways.append(self._weight(extra_g, 0, hypot(0.3, known_sd_g)) - log(2.0))
        strict = self._empty_moment(strict=True)
        self._emptied(account, prior, float(np.logaddexp.reduce(ways)) + strict, (left_g,))

    def _strewn(self, pieces: int) -> float:
        """Log density of the plate's moment when so many pieces came to lie on it."""
        assert self.rest.moment is not None  # noqa: S101 - asked for by those who looked
        sd_gmm = hypot(
            STREWN_MM * self._piece_g * pieces**0.5, OFFSET_SD_GMM, self.rest.moment.offset_sd_gmm
        )
        return (
            -LOG_TWO_PI - 2 * log(sd_gmm) - 0.5 * (self.rest.moment.offset_shift_gmm / sd_gmm) ** 2
        )

    def _emptied(
        self,
        account: Account,
        prior: float,
        likelihood: float,
        plate_g: tuple[float, ...],
        fall: Fall | None = None,
    ) -> None:
        self._branch(
            account, prior, likelihood, bare=True,
            plate_g=plate_g, emptied=account.emptied + 1, stands=(),
            fall=None, last_fall=fall or account.fall, over=False, lifted=False,
        )  # fmt: skip

    def _empty_moment(self, *, strict: bool) -> float:
        """Log density of the board's moment when nothing lies on it."""
        moment = self.rest.bare or self.rest.moment
        if moment is None:
            return 0.0
        cov = self._cov + _ROUND * EMPTY_SD_GMM**2
        near = float(log_normal(moment.now_gmm - np.array(self._empty_gmm), cov))
        near += self._offset_here
        if strict:
            return near
        return float(np.logaddexp(near - 0.1, self._anywhere(BROAD_GMM) - 2.3))

    # -- the board in somebody's hands -----------------------------------------------------------

    def _lifted(self, account: Account, prior: float) -> None:
        """The board's own weight is gone, or a good part of it."""
        board_g = self._tabletop.empty_mass_g
        missing_g = self.rest.zero_g + sum(account.plate_g) - self.rest.mass_g
        if missing_g < LIFTED_SHARE * board_g:
            return
        gone = _wide_normal(missing_g - board_g, 0.05 * board_g)
        weight = float(np.logaddexp(gone - 0.2, -log(board_g) - 1.7))
        likelihood = weight + self._anywhere(BROAD_GMM)
        self._branch(account, prior, likelihood, free=False, moves=False, lifted=True)

    def _put_back(self, account: Account) -> None:
        """Lifted still, or on its tip again: empty, or as it was."""
        rest, priors = self.rest, self._priors
        self._lifted(account, priors.hand)
        if rest.mass_g < rest.zero_g - self._piece_g:
            self._branch(
                account, priors.hand, -log(200.0) + self._anywhere(BROAD_GMM),
                free=False, moves=False,
            )  # fmt: skip
            return
        pressed = -log(200.0) + self._anywhere(BROAD_GMM)
        pressed += _held_steady(rest.steady_s, priors.hand_steady_s)
        self._branch(account, priors.hand, pressed, free=False, moves=False)
        self._empty(account, priors.emptied)
        back = self._weight(rest.mass_g - account.free_g, 0, 0.3) + self._anywhere(BROAD_GMM)
        self._branch(account, priors.hand / 10, back, lifted=False)


def _kind(fallen: int, *, several: int) -> ToppleKind:
    """What so many fallen pieces are called."""
    return ToppleKind.COLLAPSE if fallen >= several else ToppleKind.OFF_BOARD


def _any_load(load_g: float, as_a_piece: float) -> float:
    """Log density of a thing's weight: any on a scale of its own size, often that of a piece."""
    thing = log(1.0 - PIECES_SHARE) - log(load_g * log(AT_MOST_G / LEAST_LOAD_G))
    return float(np.logaddexp(thing, log(PIECES_SHARE) + as_a_piece))


def _some_of(plate_g: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Each thing that lies on the plate, and each two of them."""
    return [gone for count in (1, 2) for gone in combinations(plate_g, count)]


def _without(plate_g: tuple[float, ...], gone: tuple[float, ...]) -> tuple[float, ...]:
    left = list(plate_g)
    for load_g in gone:
        left.remove(load_g)
    return tuple(left)


def _wide_normal(gap: float, sd: float) -> float:
    """Log density of a normal error with a few wild ones."""
    square = (gap / sd) ** 2
    near = log1p(-WIDE_SHARE) - 0.5 * square
    far = log(WIDE_SHARE / WIDE_SDS) - 0.5 * square / WIDE_SDS**2
    return max(near, far) + log1p(exp(-abs(near - far))) - log(sd) - LOG_TWO_PI / 2


def _held_steady(steady_s: float, mean_s: float) -> float:
    """Log probability that a hand keeps a weight steady for so long; a few manage for seconds."""
    return _lasts(steady_s, mean_s, *A_FEW_HANDS)[0]


def _lasts(t_s: float, mean_s: float, share: float, stretch: float) -> tuple[float, float]:
    """What lasts `mean_s`, but for a share of a longer kind: log probability to last, and rate.

    Returns:
        (logarithm of the probability that it lasts longer than `t_s`, rate of its end then, 1/s).
    """
    near = (1.0 - share) * exp(-min(t_s / mean_s * (1.0 - 1.0 / stretch), 700.0))
    lasting = log(near + share) - t_s / mean_s / stretch
    return lasting, (near + share / stretch) / (near + share) / mean_s


def _alone(priors: Priors, t_s: float, *, over: bool, fell: bool) -> tuple[float, float]:
    """The same for a board that is left alone: who clears without a fall has no reason to stop."""
    mean_s = priors.clearing_pause_s if over and not fell else priors.turn_s
    return _lasts(t_s, mean_s, *SOME_THINK)


def ends_now(priors: Priors, steady_s: float, explained: Explained) -> float:
    """Rate (1/s) at which a rest that has lasted so long ends: a hand is never steady for long."""
    if not explained.free:
        return _lasts(steady_s, priors.hand_steady_s, *A_FEW_HANDS)[1]
    over, fell = explained.account.over, explained.account.fall is not None
    hovering = 0.0 if over else priors.hovering * exp(-steady_s / SETTLED_S)
    return _alone(priors, steady_s, over=over, fell=fell)[1] + hovering


def _offset_density(moment: Moment) -> float:
    """Log density of a shift of the plate's moment though nothing lies on the plate."""
    shift_gmm, known_gmm = moment.offset_shift_gmm, moment.offset_sd_gmm
    usual_gmm, lean_gmm = hypot(OFFSET_SD_GMM, known_gmm), hypot(LEAN_SD_GMM, known_gmm)
    near = log1p(-LEAN_SHARE) - 0.5 * (shift_gmm / usual_gmm) ** 2 - 2 * log(usual_gmm)
    far = log(LEAN_SHARE) - 0.5 * min(shift_gmm / lean_gmm, 6.0) ** 2 - 2 * log(lean_gmm)
    return max(near, far) + log1p(exp(-abs(near - far))) - LOG_TWO_PI


@lru_cache(maxsize=8)
def _below(legal: tuple[str, ...]) -> tuple[str, ...]:
    """Cells, not legal themselves, where a piece put on a legal one could come to lie."""
    return tuple(
        cell for cell in CELLS if cell not in legal and any(_reaches(at, cell) for at in legal)
    )


def _reaches(at: str, cell: str) -> bool:
    """Whether a piece that falls from a cell can come to lie on another: near, and not higher."""
    steps = max(abs(ord(cell[0]) - ord(at[0])), abs(ord(cell[1]) - ord(at[1])))
    return steps == 1 and level(cell) >= level(at)

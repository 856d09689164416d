"""How likely weight and moments are: the physics of a piece, a hand, a thing on the plate.

All are logarithms of densities of the same three observations of a rest (weight, moment of the
board, moment of the plate), so that they can be compared.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import exp, hypot, inf, isfinite, log, log1p, pi
from typing import Any

import numpy as np

from engine.detect.back.account import Account, Fall, Gmm, Sighting
from engine.detect.back.distributions import any_load, round_normal, wide_normal
from engine.detect.back.location import (
    LOG_TWO_PI,
    Location,
    cell_densities,
    locate,
    locate_two,
    log_legal,
    log_normal,
    log_normal_at,
    log_prior,
)
from engine.detect.back.masses import Masses
from engine.detect.back.parameters import (
    ALOFT_S,
    ARM_MM,
    BROAD_GMM,
    CAME_EARLIER,
    CARRIED_SD_GMM,
    COMES_TO_LIE_S,
    CREPT_SD_G,
    EMPTY_AS_EVER,
    EMPTY_ELSEWHERE,
    EMPTY_SD_GMM,
    FARTHER,
    FELL_ABOUT,
    FINGER_SD_MM,
    GAIN_SD,
    GONE_SD_GMM,
    GONE_UNKNOWN,
    HAND_AGAINST_RULES,
    HAND_MISFITS,
    HAND_ON_PIECE_SHARE,
    HITS,
    LAY_STILL_SD_G,
    LEAN_SD_GMM,
    LEAN_SDS,
    LEAN_SHARE,
    LEAST_LEFT,
    LEAST_LOAD_G,
    LEFT_STREWN,
    LIGHTER_BY_ONE,
    LITTLE_FELT,
    LOAD_SHARE,
    MASS_SD_G,
    NEVER_WEIGHTLESS,
    NOBODY_LEAVES,
    NOTHING_FELT,
    OFFSET_SD_GMM,
    ONTO_SD_GMM,
    PIECE_SPREAD,
    PLATE_MM,
    PLATE_SHARE,
    PRESS_FIT,
    PRESS_SD_MM,
    PRESS_SHARES,
    PRESSED_ANYWHERE_CELLS,
    PUT_DOWN_PRESSED_S,
    REACH_MM,
    RESTLESS_AT_MOST,
    RESTLESS_MISFIT,
    RESTLESS_SHARE,
    SEAT_SD_GMM,
    SHAKEN_PIECES,
    SLID_CELLS,
    SLID_SD_GMM,
    STREWN_MM,
    UNKNOWN_LEFT,
    UNMOVED_FAR,
    UNMOVED_FAR_VARIANCES,
    UNMOVED_NEAR,
    WEIGHTLESS,
)
from engine.detect.back.remembered import remembered, remembered_by_moment
from engine.detect.back.rest import Rest
from engine.detect.body import Stacks
from engine.detect.front.contact import IMPACT_G
from engine.detect.front.moment import STICKING_SHARE, Moment
from engine.detect.front.pressing import Press
from engine.events import Expectation
from engine.samples import Floats
from engine.tabletop import CELLS, Tabletop, level

_ROUND = np.eye(2)


class Densities:
    """Of one rest, compared with the last one that moves by an account.

    Attributes:
        rest, tabletop, masses, sightings: as given; `look` what was seen of the rest, `felt`
            before it.
        piece_g: mean mass of a piece.
        offset_here: log density of the plate's moment when nothing lies on it.
        known: what has been computed (`engine.detect.back.remembered`).

    Args:
        tabletop: geometry.
        masses: what a piece may weigh.
        stacks: what has been said to lie on the board.
        sightings: every piece of this round by the number of its contact.
        rest: what is looked at.
        shaken_gmm: what pieces that a shaken table has shifted may have changed.
        empty_gmm: moment of the empty board.
    """

    def __init__(
        self,
        tabletop: Tabletop,
        masses: Masses,
        stacks: Stacks,
        sightings: Mapping[int, Sighting],
        rest: Rest,
        *,
        shaken_gmm: float,
        empty_gmm: Gmm,
    ) -> None:
        self.tabletop, self.masses, self._stacks = tabletop, masses, stacks
        self.sightings, self.rest = sightings, rest
        self.look, self.felt = rest.look, rest.look.felt
        self._empty_gmm = empty_gmm
        self.piece_g, self._spread_g = masses.mean_g
        self._shaken_gmm = shaken_gmm
        self._unmodelled_gmm = hypot(shaken_gmm, STICKING_SHARE * self.look.friction_gmm)
        self.known: dict[tuple[Any, ...], Any] = {}
        self.offset_here = 0.0
        moment = self.look.moment
        if moment is not None:
            seat = SEAT_SD_GMM**2 + self._unmodelled_gmm**2
            self._cov = moment.change_cov + _ROUND * seat
            self.offset_here = _offset_density(moment)
            self._change_sd_gmm = moment.sd_gmm

    @staticmethod
    def free_fit(moment: Moment | None) -> float:
        """How much likelier the swing is that of a board nobody holds (log)."""
        if moment is None or moment.ticks < 1:
            return 0.0
        least, most = HAND_MISFITS
        misfit, usual = max(moment.misfit, least), moment.usual_misfit
        near = (1.0 - RESTLESS_SHARE) * exp(-min(misfit / usual, 700.0)) / usual
        usual *= RESTLESS_MISFIT
        far = RESTLESS_SHARE * exp(-min(misfit / usual, RESTLESS_AT_MOST)) / usual
        return log((near + far) * misfit * log(most / least))

    @remembered
    def weight(self, gap_g: float, pieces: int, least_g: float = 0.0) -> float:
        """Log density of a weight that differs by `gap_g` from that of so many pieces."""
        own = hypot(MASS_SD_G, CREPT_SD_G, self.look.noise_g, least_g)
        if pieces == 1:
            return self.masses.log_density(gap_g + self.piece_g, own)
        sd = hypot(own, pieces**0.5 * self._spread_g, GAIN_SD * pieces * self.piece_g)
        return wide_normal(gap_g, sd)

    @remembered
    def exchanged(self, gained_g: float, fallen: int) -> float:
        """Log density of the weight gained as a piece was put down and so many others fell."""
        colours = self.tabletop.piece.colours
        if fallen > 1 or not colours:
            return self.weight((1 - fallen) * self.piece_g - gained_g, fallen - 1)
        own = hypot(MASS_SD_G, CREPT_SD_G, self.look.noise_g)
        ways = [
            wide_normal(
                gained_g - put.mass_mean_g + fell.mass_mean_g,
                hypot(own, PIECE_SPREAD * put.mass_std_g, PIECE_SPREAD * fell.mass_std_g),
            )
            for put in colours
            for fell in colours
        ]
        return float(np.logaddexp.reduce(ways)) - log(len(ways))

    def next_weight(self, account: Account, gained_g: float) -> float:
        """Log density of the weight of the next piece of the round, by whose turn it is then."""
        follows, before = self.rest.expectation.follows, self._colour_before(account)
        # Where nothing tells a press from a piece, the order alone would invent pieces for passes.
        unseen = self.look.moment is None
        if unseen or before is None or len(follows) != len(before):
            return self.weight(gained_g - self.piece_g, 1)
        own = hypot(MASS_SD_G, CREPT_SD_G, self.look.noise_g)
        turn = before @ np.array(follows) * (len(before) - 1)
        return float(np.logaddexp.reduce(self.masses.of_colours(gained_g, own) + np.log(turn)))

    def _colour_before(self, account: Account) -> Floats | None:
        """Probability of each colour for the piece placed last, and that there is none yet.

        Returns:
            (colours + 1,); None if that piece was not weighed.
        """
        colours = self.tabletop.piece.colours
        if not account.stands:
            return np.asarray(np.eye(len(colours) + 1)[-1])
        last = self.sightings.get(account.stands[-1])
        if last is None or not isfinite(last.weighed[0]) or not colours:
            return None
        found = self.masses.of_colours(*last.weighed)
        weights = np.exp(found - found.max())  # a weight may be far from that of any piece
        return np.append(weights / weights.sum(), 0.0)

    @remembered_by_moment
    def change(self, account: Account) -> Floats:
        """Moment gained since the last rest that moves, by an account."""
        assert self.look.moment is not None  # noqa: S101 - asked for by those who looked
        return np.asarray(self.look.moment.change_gmm + np.array(account.carried_gmm))

    @remembered_by_moment
    def spread(self, account: Account, extra_gmm: float = 0.0) -> Floats:
        """Its covariance."""
        carried = CARRIED_SD_GMM if any(account.carried_gmm) else 0.0
        return np.asarray(self._cov + _ROUND * (carried**2 + extra_gmm**2))

    def at_rest_at(self, account: Account, change_gmm: Floats, extra_gmm: float = 0.0) -> float:
        """Log density of a change that should be none, with a fat tail."""
        if self.look.moment is None:
            return 0.0
        cov = self.spread(account, extra_gmm)
        near = log_normal_at(change_gmm, cov)
        far = log_normal_at(change_gmm, cov, UNMOVED_FAR_VARIANCES)
        return float(np.logaddexp(near + UNMOVED_NEAR, far + UNMOVED_FAR)) + self.offset_here

    @remembered_by_moment
    def unmoved(self, account: Account) -> float:
        """Log density of the board hanging as it did."""
        if self.look.moment is None:
            return 0.0
        return self.at_rest_at(account, self.change(account))

    def still_unmoved(self, account: Account) -> float:
        """The same, or as after a push or a tap before: what is off once is off twice, not anew."""
        unmoved = self.unmoved(account)
        if self.look.moment is None or account.strayed_gmm is None:
            return unmoved
        gap = self.change(account) - np.array(account.strayed_gmm)
        return float(np.logaddexp(unmoved, self.at_rest_at(account, gap))) - log(2.0)

    def strayed(self, account: Account) -> Gmm | None:
        """How far off the board hangs after a push or a tap, where nothing fell; as before else."""
        pushed = self._shaken_gmm > 0.0 or self.pressed_beside >= 0.0
        if self.look.moment is None or not pushed:
            return account.strayed_gmm
        x_gmm, y_gmm = self.change(account)
        return float(x_gmm), float(y_gmm)

    def anywhere(self, loose_gmm: float) -> float:
        """Log density of a moment about which nothing is known."""
        if self.look.moment is None:
            return 0.0
        spread_gmm = hypot(loose_gmm, self._change_sd_gmm)
        return -LOG_TWO_PI - 2.0 * log(spread_gmm) + self.offset_here

    @remembered
    def by_hand(self, gained_g: float) -> float:
        """Log density of both moments while a hand makes the board heavier or lighter."""
        if self.look.moment is None:
            return 0.0
        anywhere = self.anywhere(BROAD_GMM + REACH_MM * abs(gained_g))
        return anywhere - self.offset_here + self.offset_by_hand(gained_g)

    @remembered
    def offset_by_hand(self, gained_g: float) -> float:
        """Log density of the plate's moment: a hand rests on the board, an arm often beside it."""
        assert self.look.moment is not None  # noqa: S101 - asked for by those who looked
        sd_gmm = hypot(ARM_MM * gained_g, LEAN_SD_GMM, self.look.moment.offset_sd_gmm)
        beside = round_normal(self.look.moment.offset_shift_gmm, sd_gmm, LEAN_SDS)
        return float(np.logaddexp(self.offset_here, beside)) - log(2.0)

    @remembered_by_moment
    def on_plate(self, account: Account, load_g: float) -> float:
        """Log density of both moments when a load lies on the base plate."""
        if self.look.moment is None:
            return 0.0
        # A heavy load leaves the plate's moment, and so the board's, known by the swing alone.
        return self.unmoved(account) - self.offset_here + self.plate_shift(load_g)

    @remembered
    def plate_shift(self, load_g: float, *, strewn: bool = False) -> float:
        """Log density of the plate's moment when a load comes to lie on it, or is taken away.

        It has moved from the first: what moves later, while nobody touches, is a lean. What is
        `strewn` may lie on all sides, and part of it elsewhere.
        """
        moment = self.look.moment
        assert moment is not None  # noqa: S101 - asked for by those who looked
        near_mm, far_mm = (0.0, PLATE_MM[1]) if strewn else PLATE_MM
        own_gmm = hypot(OFFSET_SD_GMM, PLATE_SHARE * near_mm * load_g)
        looks = (*self.look.shifts, (moment.offset_shift_gmm, moment.offset_sd_gmm))
        worst = max(
            max(near_mm * load_g - shift, shift - far_mm * load_g, 0.0) / hypot(own_gmm, sd)
            for shift, sd in looks
        )
        area = pi * load_g**2 * (far_mm**2 - near_mm**2)
        return -log(area) - 0.5 * worst**2

    def somewhere(self, account: Account, gained_g: float) -> tuple[float, Location | None]:
        """Log density of the moment of one more piece, whichever cell it lies on."""
        if self.look.moment is None:
            return 0.0, None
        place = self._one_more(account, gained_g, beside=False)
        return place.log_density + self.offset_here, place

    def beside_a_load(self, account: Account) -> Location:
        """Where a piece lies that was put down as a load came to the plate or went.

        Such a load seems to press in the middle of the board.
        """
        return self._one_more(account, self.piece_g, beside=True)

    @remembered_by_moment
    def _one_more(self, account: Account, gained_g: float, *, beside: bool) -> Location:
        """Where one more piece lies; `beside` a load nothing is known of where a hand pressed."""
        return self.locate(
            self.change(account), self.spread(account), self.fused(gained_g),
            self.rest.expectation, self.rest.against_rules,
            pressed=None if beside else self.put_at_cells,
        )  # fmt: skip

    def of_two_turns(self, account: Account) -> tuple[float, tuple[Location, Location]]:
        """Log density of both moments for a piece of each of the first two turns that were told.

        Returns:
            (it, where each of them lies).
        """
        one, other = (
            log_prior(turn.legal_cells, self.rest.against_rules, turn.shares)
            for turn in self.rest.turns[:2]
        )
        places = locate_two(
            self.change(account), self.spread(account), (self.piece_g, self._spread_g),
            self._stacks.centres_mm, (one, other),
        )  # fmt: skip
        return places[0].log_density + self.offset_here, places

    def came_to_lie(self, account: Account, gained_g: float) -> float:
        """The same for one that came down through the air.

        Where the hand had pressed harder than the piece hit the board, it pressed where it put the
        piece, and so not where that lies. Else the press was the piece's.
        """
        somewhere, hand = self.somewhere(account, gained_g)[0], self.felt.hand or self.felt.before
        if hand is None or hand.highest_g < self.felt.touch.after_g + self.piece_g / 2:
            return somewhere
        found = self.locate(
            self.change(account), self.spread(account), self.fused(gained_g),
            self.rest.expectation, self.rest.against_rules,
        )  # fmt: skip
        return min(somewhere, found.log_density + self.offset_here)

    def locate(
        self,
        change_gmm: Floats,
        cov: Floats,
        mass: tuple[float, float],
        expectation: Expectation,
        against_rules: float,
        *,
        pressed: Floats | None = None,
    ) -> Location:
        """Where a piece lies that makes such a change."""
        return locate(
            change_gmm, cov, mass, self._stacks.centres_mm, expectation.legal_cells, against_rules,
            shares=expectation.shares, pressed=pressed,
        )  # fmt: skip

    @cached_property
    def pressed_at_cells(self) -> Floats:
        """How much likelier it pressed where it did than anywhere, for each cell (log), (25,)."""
        return self._press_gain(self.felt.hand, self._stacks.centres_mm)

    @cached_property
    def put_at_cells(self) -> Floats:
        """The same of the hand that put a piece down: who lets go in a second step hardly presses.

        The first step, which has only just ended, says where then.
        """
        if self.felt.hand is not None:
            return self.pressed_at_cells
        return self._press_gain(self.felt.before, self._stacks.centres_mm)

    @cached_property
    def pressed_beside(self) -> float:
        """The same for a load on the plate, which turns no board: the middle."""
        return float(self._press_gain(self.felt.press, np.zeros((1, 2)))[0])

    @cached_property
    def pressed_legally(self) -> float:
        """The same for a piece that was put where the rules allow it."""
        return float(np.logaddexp.reduce(self.pressed_at_cells + self._log_legal))

    @cached_property
    def touched(self) -> float:
        """The same for a hand that changes nothing: often it hovers where its piece belongs.

        Between two turns nobody has one; then the table was knocked, which seems to press on c3.
        """
        if not self.rest.in_turn:
            return 0.0
        return float(np.logaddexp(self.pressed_legally, 0.0)) - log(2.0)

    @property
    def _log_legal(self) -> Floats:
        expected = self.rest.expectation
        return log_legal(expected.legal_cells, expected.shares)

    def _press_gain(self, press: Press | None, at_mm: Floats, off_mm: float = 0.0) -> Floats:
        """How much likelier a hand presses there than anywhere (log), (n,).

        Args:
            press: where it pressed; None when nothing tells.
            at_mm: places at which it may have worked, (n, 2).
            off_mm: so far off them it may have been besides.
        """
        if press is None:
            return np.zeros(len(at_mm))
        area_mm2 = (PRESSED_ANYWHERE_CELLS * self.tabletop.cell_pitch_mm) ** 2
        sd_mm = hypot(PRESS_SD_MM, PRESS_FIT * press.sd_mm, off_mm)
        squares = ((at_mm - np.array(press.at_mm)) ** 2).sum(axis=1)
        found = np.full(len(at_mm), 1.0 - sum(share for share, _ in PRESS_SHARES))
        for share, stretch in PRESS_SHARES:
            variance = (stretch * sd_mm) ** 2
            found += share * area_mm2 / (2 * pi * variance) * np.exp(-0.5 * squares / variance)
        return np.asarray(np.log(found))

    @remembered
    def fused(self, gained_g: float, beside_g: float = 0.0) -> tuple[float, float]:
        """Mass of a piece that made the weight grow so much, and its standard deviation."""
        return self.masses.fused(gained_g, self.weighed_sd_g(beside_g))

    def weighed_sd_g(self, beside_g: float = 0.0) -> float:
        """Standard deviation of a weight that was gained in this rest, beside such a load."""
        return hypot(MASS_SD_G, self.look.noise_g, LOAD_SHARE * beside_g)

    @property
    def hung_gmm2(self) -> float:
        """Variance of the board's moment in this rest, the same in all directions."""
        assert self.look.moment is not None  # noqa: S101 - asked for by those who looked
        return float(np.trace(self.look.moment.now_cov) / 2) + self._unmodelled_gmm**2

    def relocated(self, last: Sighting, account: Account) -> tuple[Location | None, Floats | None]:
        """Where the piece placed last lies by both rests together, and the change of moment.

        Nothing has moved since, so both have measured the same moment: the better counts for more.
        """
        spread = last.spread_gmm2
        if self.look.moment is None or last.change_gmm is None or spread is None:
            return last.location, last.change_gmm
        share = last.hung_gmm2 / (last.hung_gmm2 + self.hung_gmm2)
        total = last.change_gmm + share * self.change(account)
        better = share * last.hung_gmm2 / (np.trace(spread) / 2)
        place = self.locate(
            total, spread * max(1.0 - better, LEAST_LEFT), last.mass, last.expectation,
            last.against_rules, pressed=last.pressed,
        )  # fmt: skip
        # What this rest measures says nothing of hypotheses by which it was put elsewhere.
        return replace(place, probability=last.agreed * place.probability), total

    @remembered_by_moment
    def pressed(self, account: Account, gained_g: float) -> float:
        """Log density of a hand's moment: anywhere, where it pressed, or on its piece."""
        broad = self.by_hand(gained_g)
        if self.look.moment is None or gained_g < LEAST_LOAD_G:
            return broad
        mass = gained_g, HAND_ON_PIECE_SHARE * gained_g
        on_piece = self.locate(
            self.change(account), self.spread(account), mass,
            self.rest.expectation, HAND_AGAINST_RULES,
        ).log_density  # fmt: skip
        on_piece = self._or_where_it_pressed(on_piece, account, gained_g)
        on_piece += self.offset_by_hand(gained_g)
        return float(np.logaddexp(broad, on_piece)) - log(2.0)

    def _or_where_it_pressed(self, on_piece: float, account: Account, gained_g: float) -> float:
        """Log density of the board's moment: as given, or of a hand that is where it was."""
        press = self.felt.hand
        if press is None:
            return on_piece
        gap = self.change(account) - gained_g * np.array(press.at_mm)
        sd_mm = hypot(FINGER_SD_MM, PRESS_FIT * press.sd_mm)
        stayed = log_normal_at(gap, self.spread(account, gained_g * sd_mm))
        return float(np.logaddexp(on_piece, stayed)) - log(2.0)

    @property
    def hangs_anyhow(self) -> bool:
        """Whether this rest does not tell where a piece lies, of which a later one will."""
        moment, cell_gmm = self.look.moment, self.piece_g * self.tabletop.cell_pitch_mm
        return moment is not None and moment.sd_gmm > cell_gmm

    def central(self, account: Account) -> bool:
        """Whether the board hangs as before, within what a piece on the next cell would do."""
        if self.look.moment is None:
            return True
        return hypot(*self.change(account)) < self.piece_g * self.tabletop.cell_pitch_mm / 2

    @cached_property
    def _put(self) -> Floats:
        """Log density of where it pressed, for a piece put on each legal cell that fell, (25,)."""
        # Over the edge of the piece below: that is why it fell.
        gains = self._press_gain(
            self.felt.before or self.felt.hand, self._stacks.centres_mm,
            self.tabletop.piece.diameter_mm / 2,
        )  # fmt: skip
        return gains + self._log_legal

    @remembered_by_moment
    def onto(self, account: Account, gained_g: float) -> float:
        """Log density of a piece put on a legal cell that came to lie on another one.

        It was put where this contact pressed, or the one before, if that has only just ended: then
        this one is its landing. Unless either was felt, it counts as put there if that is allowed.
        """
        before, press = self.felt.before, self.felt.hand
        found = cell_densities(
            self.change(account), self.spread(account, ONTO_SD_GMM), self.fused(gained_g),
            self._stacks.centres_mm,
        )  # fmt: skip
        if before is None and press is None:
            found = np.where(self._log_legal > -inf, -inf, found)
        if before is not None:
            found += self.pressed_at_cells
        ways = self._put[:, None] + _LOG_ONTO + found
        return float(np.logaddexp.reduce(ways, axis=None)) + self.offset_here

    def a_piece(self, load_g: float) -> float:
        """Log density of a load's weight if it is a piece: those lie about at this table."""
        return self.weight(load_g - self.piece_g, 1)

    def airborne(self, account: Account) -> float:
        """A piece that falls from one cell to another weighs nothing on its way."""
        if not self._scale_felt_it:
            return NOTHING_FELT
        lightest_g = self._lightest_g(account)
        return 0.0 if lightest_g < -WEIGHTLESS * self.piece_g else log(NEVER_WEIGHTLESS)

    def _lightest_g(self, account: Account) -> float:
        """Least weight during the contact, against that of the board left alone.

        A hand that rested on the board before, and its piece, are no part of that.
        """
        lightest_g = self.felt.touch.lightest_g - account.free_g
        return min(lightest_g, 0.0) if isfinite(lightest_g) else self.felt.touch.lowest_g

    def came_down(self, account: Account, gained_g: float) -> bool:
        """Whether the piece was in the air after the hand had let go, and hit the board.

        Who puts a piece down presses it until it stands; who drops it hits the board harder.
        """
        touch = self.felt.touch
        # How much of the weight was a hand's, or a shaken table's, nobody knows.
        if account.held or touch.lowest_g < -SHAKEN_PIECES * self.piece_g:
            return False
        shortest_s, longest_s = ALOFT_S
        aloft = shortest_s < touch.back_s < longest_s
        since_s = self.look.arrived_s - touch.began_s - touch.back_until_s
        # What comes down makes nothing lighter; a tap on the table does, and presses as hard.
        aloft = aloft and touch.after_least_g > -IMPACT_G
        return aloft and since_s < COMES_TO_LIE_S and self._hit(gained_g)

    def _hit(self, gained_g: float) -> bool:
        """Whether the board was hit, last of all, as by a piece that comes down on it."""
        masses = [each.mass_mean_g for each in self.tabletop.piece.colours] or [self.piece_g]
        own_g = min(masses, key=lambda mass_g: abs(mass_g - gained_g))
        least, most = (times * own_g for times in HITS)
        return least < self.felt.touch.after_g < most

    def one_left_its_stack(self, account: Account, gained_g: float) -> bool:
        """Whether the board was lighter by one of its pieces for a moment, and was hit by it.

        Fingers that tap on the table make it lighter as well, and hit it harder or not at all.
        """
        lightest = self._lightest_g(account) / self.piece_g
        least, most = LIGHTER_BY_ONE
        lighter = least < -lightest < most and self.rest.bumped < 0.5
        return lighter and self._hit(gained_g)

    def moved(self, account: Account, change: Floats) -> float:
        """Log density of a change by any top piece that came to lie on any other cell."""
        pitch_mm = self.tabletop.cell_pitch_mm
        tops = [k for k, cell in enumerate(CELLS) if self._stacks.height(cell)]
        if not tops or hypot(*change) < SLID_CELLS * self.piece_g * pitch_mm:
            return -inf
        centres = self._stacks.centres_mm
        steps = (centres[None, :, :] - centres[tops][:, None, :]).reshape(-1, 2)
        far = np.hypot(*steps.T) / pitch_mm
        share = np.where(far > 0.1, np.exp(-far), 0.0)
        gaps = change - self.piece_g * steps
        densities = np.exp(log_normal(gaps, self.spread(account, SLID_SD_GMM)))
        return log(float(share @ densities) / float(share.sum()) + 1e-30) + self.offset_here

    @remembered_by_moment
    def knocked(self, account: Account, gained_g: float) -> float:
        """Log density of a piece on a legal cell, and of another that it pushed off its stack.

        That one comes to lie about a diameter from where it stood, in any direction.
        """
        moment = self.fused(gained_g)[0] * self._stacks.centres_mm
        spread = self.spread(account, self.piece_g * self.tabletop.piece.diameter_mm)
        ways = log_normal(self.change(account) - moment, spread) + self.pressed_at_cells
        return float(np.logaddexp.reduce(ways + self._log_legal)) + self.offset_here

    def put_down(self) -> float:
        """A contact in which a piece was put down presses."""
        if self.felt.touch.pressed_s > PUT_DOWN_PRESSED_S:
            return 0.0
        return LITTLE_FELT if self._scale_felt_it else NOTHING_FELT

    @property
    def _scale_felt_it(self) -> bool:
        """Whether the scale felt the contact at all."""
        touch = self.felt.touch
        return max(touch.highest_g, -touch.lowest_g) > self.piece_g / 2

    @remembered_by_moment
    def gone(
        self, account: Account, gone: int, but: int = 0, unknown: float = GONE_UNKNOWN
    ) -> float:
        """Log density of the moment that any so many pieces take with them.

        Args:
            account: what lay where.
            gone: how many.
            but: number of the contact whose piece a single one is not.
            unknown: log share of single ones whose moment is not that of a piece known to stand.
        """
        anywhere = self.anywhere(BROAD_GMM * gone**0.5)
        last = self.sightings.get(but)
        other = None if last is None else last.cell
        tops = [k for k, cell in enumerate(CELLS) if self._stacks.height(cell) and cell != other]
        if self.look.moment is None or gone > 1 or not tops:
            return anywhere
        gaps = self.change(account) + self.piece_g * self._stacks.centres_mm[tops]
        densities = np.exp(log_normal(gaps, self.spread(account, GONE_SD_GMM)))
        one = log(float(densities.mean()) + 1e-30) + self.offset_here
        return float(np.logaddexp(one, anywhere + unknown))

    def landed(self, account: Account, fall: Fall) -> float:
        """Log density of the moment of what has landed: a cell or so from where it fell."""
        if self.look.moment is None:
            return 0.0
        change, last = self.change(account), self.sightings.get(fall.takes or 0)
        at_mm = (change / self.piece_g)[None, :]
        pressed = float(self._press_gain(self.felt.hand, at_mm)[0])
        if last is None or last.change_gmm is None:
            return self.anywhere(BROAD_GMM) + pressed
        gap, cell_gmm = change - last.change_gmm, self.piece_g * self.tabletop.cell_pitch_mm
        away = 2.0 * exp(log_normal_at(gap, self.spread(account, cell_gmm)))
        # What has left its stack lies beside it: the density is none where it had been put.
        away -= exp(log_normal_at(gap, self.spread(account, cell_gmm / 2.0**0.5)))
        return log(max(away, 1e-30)) + self.offset_here + pressed

    @remembered
    def strewn(self, pieces: int) -> float:
        """Log density of the plate's moment when so many pieces came to lie on it."""
        assert self.look.moment is not None  # noqa: S101 - asked for by those who looked
        sd_gmm = hypot(
            STREWN_MM * self.piece_g * pieces**0.5, OFFSET_SD_GMM, self.look.moment.offset_sd_gmm
        )
        return round_normal(self.look.moment.offset_shift_gmm, sd_gmm)

    @remembered
    def left_lying(self, left_g: float, known_g: float, offset: float, fallen: int) -> float:
        """Log odds of a load on the plate when the board is empty, against none there.

        Args:
            left_g: what is left in all.
            known_g: how much of it is known to lie there.
            offset: log density of the plate's moment without it.
            fallen: pieces that have fallen at most; hardly others are left lying.
        """
        extra_g, known_sd_g = left_g - known_g, LOAD_SHARE * known_g
        pieces = max(1, round(extra_g / self.piece_g))
        # Pieces that lie on the plate lie somewhere round the board, and weigh there.
        strewn = self.strewn(pieces) - offset
        strewn += self.weight(extra_g - pieces * self.piece_g, pieces, known_sd_g)
        strewn += 0.0 if pieces <= fallen + 1 else NOBODY_LEAVES
        # Whatever came to lie there has shifted the plate's moment, now or unnoticed before.
        came = float(np.logaddexp(min(self.plate_shift(left_g) - offset, 0.0), CAME_EARLIER))
        ways = [
            strewn - log(LEFT_STREWN * pieces * (pieces + 1)),
            any_load(left_g, -inf) - log(UNKNOWN_LEFT) + came,
        ]
        if known_g:
            still_sd_g = hypot(LAY_STILL_SD_G, known_sd_g)
            ways.append(self.weight(extra_g, 0, still_sd_g) - log(2.0))
        return float(np.logaddexp.reduce(ways))

    @remembered
    def scattered(self, pieces: int) -> float:
        """Log odds of the plate's moment after so many pieces fell: some may lie on it, or none."""
        if self.look.moment is None or pieces < 2:
            return 0.0
        on_plate = self.strewn(min(pieces, FELL_ABOUT)) - self.offset_here
        return float(np.logaddexp(0.0, on_plate)) - log(2.0)

    @remembered
    def empty(self, *, strict: bool) -> float:
        """Log density of the board's moment when nothing lies on it.

        Args:
            strict: whether it must hang as it always does then.
        """
        moment = self.look.bare or self.look.moment
        if moment is None:
            return 0.0
        cov = moment.now_cov + _ROUND * EMPTY_SD_GMM**2
        near = log_normal_at(moment.now_gmm - np.array(self._empty_gmm), cov)
        if strict:
            return near
        anywhere = self.anywhere(BROAD_GMM) - self.offset_here
        return float(np.logaddexp(near + EMPTY_AS_EVER, anywhere + EMPTY_ELSEWHERE))


def _offset_density(moment: Moment) -> float:
    """Log density of a shift of the plate's moment though nothing lies on the plate."""
    shift_gmm, known_gmm = moment.offset_shift_gmm, moment.offset_sd_gmm
    usual_gmm, lean_gmm = hypot(OFFSET_SD_GMM, known_gmm), hypot(LEAN_SD_GMM, known_gmm)
    near = log1p(-LEAN_SHARE) + round_normal(shift_gmm, usual_gmm)
    far = log(LEAN_SHARE) + round_normal(shift_gmm, lean_gmm, LEAN_SDS)
    return max(near, far) + log1p(exp(-abs(near - far)))


def _reach(at: str, cell: str) -> float:
    """How likely a piece that falls from a cell comes to lie on another: near, and not higher."""
    steps = max(abs(ord(cell[0]) - ord(at[0])), abs(ord(cell[1]) - ord(at[1])))
    return FARTHER ** (steps - 1) if steps and level(cell) >= level(at) else 0.0


def _log_onto() -> Floats:
    """Log probability that a piece that falls from a cell (row) comes to lie on another."""
    near = np.array([[_reach(at, cell) for cell in CELLS] for at in CELLS])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(near / np.maximum(near.sum(axis=1, keepdims=True), 1.0)))


_LOG_ONTO = _log_onto()

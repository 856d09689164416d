"""How a rest can be explained when the round is over, or the board is off its tip."""

from dataclasses import replace
from math import log, log1p

from engine.detect.back.account import Account
from engine.detect.back.lasting import come_by, held_steady
from engine.detect.back.parameters import (
    BROAD_GMM,
    COLLAPSE_PIECES,
    EMPTY_ALREADY,
    FALL_LASTS_S,
    FALLS_ON_S,
    GRIP_S,
    HANDS_COME_S,
    HOLDING_G,
    HOLDING_UP_G,
    LANDED,
    LANDED_AT_MOST,
    LANDED_ON_BOARD,
    LEAST_LOAD_G,
    LIFTED_SHARE,
    NO_TIME,
    PRESSED_DOWN_G,
    PUSHED_WHILE_CLEARING,
    PUT_BACK_FULL,
    PUT_BACK_SD_G,
)
from engine.detect.back.things import Things
from engine.detect.front.contact import HOVERING_S
from engine.detect.front.observation import IN_THE_AIR_S
from engine.events import ToppleKind


class Clearing(Things):
    """Branches of accounts by which the round is over, or the board was lifted."""

    def _cleared_on(self, account: Account) -> None:
        priors, left_g = self._priors, self.look.mass_g - self.rest.zero_g
        self._empty(account, priors.emptied)
        self._lifted(account, priors.lifted_over)
        if left_g < -LIFTED_SHARE * self._tabletop.empty_mass_g:
            return
        self._landed(account)
        # Where nothing weighs nothing is left to clear, unless a hand keeps the board up.
        lighter = 0.0 if left_g > self._piece_g / 2 else EMPTY_ALREADY
        gained_g = self.look.mass_g - account.free_g
        self._held(account, gained_g)
        if gained_g < HOLDING_G:
            self._cleared_by_hands(account, gained_g, self._paused + lighter)
        if lighter:
            return
        gone = -round(gained_g / self._piece_g)
        if gone > 0:
            taken = self.density.weight(-gained_g - gone * self._piece_g, gone)
            taken += self.density.gone(account, gone) + self._paused
            self._branch(account, self._clearing(account) / gone**2, taken, free=False, taking=True)
        self._stared(account, gained_g)
        self._some_left(account)
        if gained_g > LEAST_LOAD_G:
            self._load_came(account, gained_g)
        elif account.plate_g and gained_g < -LEAST_LOAD_G:
            self._load_went(account, gained_g)
        if self.density.masses.may_be(gained_g, 1):
            self._goes_on(account, gained_g)

    def _clearing(self, account: Account) -> float:
        """Share of contacts in which hands clear: they hardly push the table meanwhile."""
        share, fall = self._priors.clearing, account.fall
        # Where only the weight is known, what seems to have slid off may have been a press.
        reached = account.taking or self.look.moment is None
        if fall is not None and fall.fallen == 1 and not reached:
            # People look at the piece, and reach for the others then.
            share *= max(come_by(self.look.arrived_s - fall.t_s, HANDS_COME_S), NO_TIME)
        return share * max(1.0 - self.rest.bumped, PUSHED_WHILE_CLEARING)

    @property
    def _paused(self) -> float:
        """Log probability that hands which take pieces pause for so long."""
        return held_steady(self.look.steady_s, self._priors.clearing_pause_s)

    def _at_pieces(self, account: Account, gained_g: float) -> float:
        """Log density of weight and moments while hands take pieces: how many are left?"""
        range_g = max(account.free_g - self.rest.zero_g, 0.0) + HOLDING_G
        return -log(range_g) + self.density.by_hand(gained_g)

    def _stared(self, account: Account, gained_g: float) -> None:
        """Nobody does anything yet; the table is tapped and pushed as in play.

        Where no piece was seen to lie that fell, a hand that hovers speaks for play as before.
        """
        likelihood = self.density.weight(gained_g, 0) + self.density.unmoved(account)
        prior, fall = self._priors.stared, account.fall
        ended = self.rest.closed or (fall is not None and fall.lies and not account.taking)
        if ended and self.density.pressed_beside >= 0.0:
            prior = self._priors.nothing
        moves = account.taking or self.look.steady_s >= HOVERING_S
        self._branch(account, prior, likelihood + self.density.touched, moves=moves)

    def _some_left(self, account: Account) -> None:
        """The tower came down, and what seemed to be hands was pieces that came to rest.

        Or else what had begun to fall has gone on.
        """
        left_g = self.look.mass_g - self.rest.zero_g - sum(account.plate_g)
        pieces, fall = round(left_g / self._piece_g), account.fall
        if fall is None or not 0 < pieces <= len(account.stands):
            return
        # By the weight alone a hand that presses may have looked like the fall.
        falls_on = self.look.arrived_s - fall.t_s < FALLS_ON_S and self.look.moment is not None
        if not account.held and not falls_on:
            return
        gone = len(account.stands) - pieces
        likelihood = self.density.weight(left_g - pieces * self._piece_g, pieces)
        likelihood += self.density.anywhere(BROAD_GMM * pieces**0.5) + self.density.touched
        likelihood += self.density.scattered(gone)
        if gone >= COLLAPSE_PIECES and fall.kind is not ToppleKind.COLLAPSE:
            # What may have fallen before was a piece, and perhaps none: the tower fell only now,
            # and by what is felt now.
            fall = replace(
                fall, kind=ToppleKind.COLLAPSE, fallen=None, t_s=self._fell_s(fall.t_s),
                began_s=self._began_s, bumped=self.rest.bumped,
            )  # fmt: skip
        self._branch(account, self._priors.stared, likelihood, taking=False, fall=fall)

    def _fell_s(self, seen_s: float) -> float:
        """When something fell: as seen, but not long before the weight was steady."""
        return max(seen_s, self.rest.since_s - FALL_LASTS_S)

    def _goes_on(self, account: Account, gained_g: float) -> None:
        """A piece is placed on a board that was to be cleared: people saw nothing fall."""
        somewhere, place = self.density.somewhere(account, gained_g)
        self._branch(
            account, self._priors.play_goes_on * self._turn(account),
            self.density.weight(gained_g - self._piece_g, 1) + somewhere,
            placed=1, location=place, fall=None, over=False, taking=False,
            stands=(*account.resumed(self._sightings).stands, self.rest.number),
        )  # fmt: skip

    def _cleared_by_hands(self, account: Account, gained_g: float, paused: float) -> None:
        """Hands are at it: of the pieces nobody knows how many are left."""
        prior, known_g = self._clearing(account), sum(account.plate_g)
        likelihood = self._at_pieces(account, gained_g) + paused
        if self.look.mass_g - self.rest.zero_g > known_g - HOLDING_UP_G:
            self._branch(account, prior, likelihood, free=False, taking=True)
        if known_g and self.look.moment is not None:
            offset = self.density.plate_shift(known_g) - self.density.offset_by_hand(gained_g)
            prior *= self._priors.plate_relief
            self._branch(account, prior, likelihood + offset, free=False, plate_g=(), taking=True)

    def _landed(self, account: Account) -> None:
        """What was in the air has come down, on the board or beside it."""
        fall, gained_g = account.fall, self.look.mass_g - account.free_g
        pieces = round(gained_g / self._piece_g)
        if fall is None or not 1 <= pieces <= (fall.fallen or LANDED_AT_MOST):
            return
        if self.look.arrived_s - fall.t_s > IN_THE_AIR_S:
            return
        weight = self.density.weight(gained_g - pieces * self._piece_g, pieces)
        board = log(LANDED_ON_BOARD) + self.density.landed(account, fall)
        beside = log1p(-LANDED_ON_BOARD) + self.density.on_plate(account, gained_g)
        kept = replace(fall, kind=ToppleKind.OFF_STACK) if pieces == fall.fallen else fall
        self._branch(account, LANDED, weight + board, fall=kept)
        self._branch(account, LANDED, weight + beside, plate_g=(*account.plate_g, gained_g))

    def _empty(self, account: Account, prior: float) -> None:
        """Nothing is left on the board, on the plate there may be: a new round begins."""
        self._empty_but(account, prior, sum(account.plate_g), self.density.offset_here)
        if self.look.moment is None:
            return
        if account.plate_g:
            # What lay there has been taken away, too.
            taken = self.density.plate_shift(sum(account.plate_g))
        else:
            # Pieces fell there unseen, now or as hands took them, and went with the others.
            unseen_g = max(len(account.stands), 1) * self._piece_g
            taken = self.density.plate_shift(unseen_g, strewn=True)
        self._empty_but(account, prior * self._priors.plate_relief, 0.0, taken)

    def _empty_but(self, account: Account, prior: float, known_g: float, offset: float) -> None:
        """The same, when so much of what lies on the plate is known."""
        left_g = self.look.mass_g - self.rest.zero_g
        prior *= self._had_time(account)
        bare = self.density.weight(left_g, 0, self.rest.zero_sd_g) + offset
        self._emptied(account, prior, bare + self.density.empty(strict=False), ())
        if left_g < LEAST_LOAD_G or self.look.moment is None:
            return
        left = self.density.left_lying(left_g, known_g, offset, _fallen(account))
        self._emptied(account, prior, left + self.density.empty(strict=True) + offset, (left_g,))

    def _had_time(self, account: Account) -> float:
        """How likely hands had time for all pieces that had not fallen; who pours them out has."""
        weighed = round((account.free_g - self.rest.zero_g) / self._piece_g)
        least_s = GRIP_S * min(len(account.stands) - _fallen(account), weighed)
        since_s = account.over_s
        if not account.held:
            # What was weighed lay there when this contact began.
            since_s = max(since_s, self._began_s)
        return 1.0 if account.lifted or self.look.arrived_s - since_s > least_s else NO_TIME

    def _put_back(self, account: Account) -> None:
        """Lifted still, or on its tip again: empty, or as it was."""
        look, priors = self.look, self._priors
        self._lifted(account, priors.hand)
        off = look.mass_g < self.rest.zero_g - self._piece_g
        pressed = -log(PRESSED_DOWN_G) + self.density.anywhere(BROAD_GMM)
        pressed += 0.0 if off else held_steady(look.steady_s, priors.hand_steady_s)
        self._branch(account, priors.hand, pressed, free=False, moves=False)
        if off:
            return
        self._empty(account, priors.emptied)
        back = self.density.weight(look.mass_g - account.free_g, 0, PUT_BACK_SD_G)
        back += self.density.anywhere(BROAD_GMM)
        self._branch(account, priors.hand / PUT_BACK_FULL, back, lifted=False)


def _fallen(account: Account) -> int:
    """How many pieces have fallen at most."""
    return 0 if account.fall is None else account.fall.fallen or len(account.stands)

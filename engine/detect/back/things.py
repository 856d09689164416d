"""Things that come to the base plate or go from there, also as a piece is put down."""

from itertools import combinations
from math import isfinite

from engine.detect.back.account import Account
from engine.detect.back.branching import Branching
from engine.detect.back.distributions import any_load
from engine.detect.back.parameters import (
    AT_MOST_G,
    AT_ONCE,
    BOTH_TOUCHED,
    CLEARED_EARLY,
    LEAST_LOAD_G,
    LOAD_LEAVES,
    LOAD_SHARE,
    UNSEEN_LOAD,
)


class Things(Branching):
    """Branches in which a load came or went."""

    def _load_came(self, account: Account, gained_g: float) -> None:
        if gained_g > AT_MOST_G:
            return
        both = BOTH_TOUCHED if self.felt.stirred else 1.0
        if self.felt.landing:
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
            if not others and not account.stands:
                left_g, known_sd_g = self.look.mass_g - self.rest.zero_g, self.rest.zero_sd_g
            elif not others and isfinite(account.clean_g):
                # What the board weighed before the thing came is known better than the thing.
                pieces = max(len(account.stands) - account.clean_pieces, 0)
                left_g = self.look.mass_g - account.clean_g - pieces * self._piece_g
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
        self._piece_went(account, gained_g)
        self._bare_after_all(account)
        # What nobody saw come, because much happened just then, goes too.
        weight = any_load(-gained_g, self.density.a_piece(-gained_g))
        moment = self.density.on_plate(account, -gained_g)
        self._branch(account, priors.plate_load * UNSEEN_LOAD, weight + moment)

    def _piece_went(self, account: Account, gained_g: float) -> None:
        """Of several pieces that lie on the plate together, one was taken."""
        weight = self.density.a_piece(-gained_g) + self.density.pressed_beside
        weight += self.density.on_plate(account, -gained_g)
        for load_g in account.plate_g:
            left_g = load_g + gained_g
            if left_g > LEAST_LOAD_G:
                others = _without(account.plate_g, (load_g,))
                self._branch(account, self._priors.plate_relief, weight, plate_g=(*others, left_g))

    def _bare_after_all(self, account: Account) -> None:
        """All is gone: some of what was taken to lie on the plate had been on the board still."""
        if account.stands or not account.plate_g or self.look.moment is None:
            return
        load_g = sum(account.plate_g)
        likelihood = self.density.weight(
            self.look.mass_g - self.rest.zero_g, 0, self.rest.zero_sd_g
        )
        likelihood += self.density.empty(strict=True)
        likelihood += self.density.plate_shift(load_g, strewn=True)
        prior = self._priors.plate_relief * CLEARED_EARLY
        self._branch(account, prior, likelihood, plate_g=())

    def _placed_beside(
        self, account: Account, prior: float, weight: float, load_g: float,
        plate_g: tuple[float, ...],
    ) -> None:  # fmt: skip
        """A piece was put down in the same contact in which a load came or went."""
        if self.look.moment is None:
            return
        place = self.density.beside_a_load(account)
        likelihood = weight + place.log_density + self.density.plate_shift(abs(load_g))
        likelihood += self.density.pressed_beside
        self._branch(
            account, prior * AT_ONCE * self._priors.placed * self._turn(account), likelihood,
            placed=1, location=place, beside_g=load_g, plate_g=plate_g,
            stands=(*account.stands, self.rest.number),
        )  # fmt: skip


def _some_of(plate_g: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Each thing that lies on the plate, and each two of them."""
    return [gone for count in (1, 2) for gone in combinations(plate_g, count)]


def _without(plate_g: tuple[float, ...], gone: tuple[float, ...]) -> tuple[float, ...]:
    left = list(plate_g)
    for load_g in gone:
        left.remove(load_g)
    return tuple(left)

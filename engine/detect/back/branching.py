"""Branches of an account: ways in which a new rest can be explained, each with its likelihood."""

from collections.abc import Mapping
from heapq import nlargest
from math import exp, inf, log, log1p
from operator import itemgetter
from typing import Any

import numpy as np

from engine.detect.back.account import Account, Explained, Fall
from engine.detect.back.densities import Densities
from engine.detect.back.distributions import wide_normal
from engine.detect.back.lasting import held_steady, left_alone
from engine.detect.back.location import Location
from engine.detect.back.parameters import (
    BROAD_GMM,
    FINGER_G,
    FINGER_SHARE,
    HEAVY_HAND_G,
    HEAVY_HANDS,
    KEEPING_STILL,
    LIFTED_PARTLY,
    LIFTED_SD_SHARE,
    LIFTED_SHARE,
    LIFTED_WHOLE,
    LIGHT_HAND_G,
    LONGEST_HELD,
    PULLED,
    UNSTIRRED,
    Priors,
)

HOPELESS = 16.0
"""A branch e^16 times less likely than the best comes back only if all others are wrong."""

PURSUED = 48
"""Twice as many explanations as accounts are kept: many of them agree and are merged."""

Both = tuple[Location, Location] | None
Draft = tuple[bool, bool, int, Location | None, float, Both, dict[str, Any]]
"""Of a branch: free, moves, placed, location, beside_g, both, and what its account changes."""


class Branching:
    """Collects the branches of accounts in one rest, and keeps those that are not hopeless.

    Args:
        density: how likely what was seen of the rest is.
        priors: what people are likely to do.

    Attributes:
        density: as given.
        rest: to be explained; `look` what was seen of it, `felt` of the contact before.
    """

    def __init__(self, density: Densities, priors: Priors) -> None:
        self.density, self._priors = density, priors
        self.rest, self._sightings = density.rest, density.sightings
        self.look, self.felt = density.look, density.felt
        self._began_s = self.felt.touch.began_s
        self._tabletop, self._piece_g = density.tabletop, density.piece_g
        self._sure_free = density.free_fit(self.look.moment)
        self._sure_bare = density.free_fit(self.look.bare)
        self._drafts: list[tuple[float, Account, Draft]] = []
        self._best = -inf

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
        if not free:
            log_p += log1p(min(account.held, LONGEST_HELD))
        else:
            log_p += self._sure_bare if bare else self._sure_free
            taking = bool(changes.get("taking", account.taking))
            log_p += left_alone(self._priors, self.look.steady_s, taking=taking)[0]
        if log_p < self._best - HOPELESS:
            return
        self._best = max(self._best, log_p)
        changes["held"] = 0 if free else account.held + 1
        if moves:
            changes.setdefault("free_g", self.look.mass_g)
            changes["strayed_gmm"] = None
            changes |= self._clean(account, changes)
        if placed:
            changes |= {"moved": None, "in_hand": False}
        if changes.get("over") and not account.over:
            changes["over_s"] = self._began_s
        draft = free, moves, placed, location, beside_g, both, changes
        self._drafts.append((log_p, account, draft))

    def _clean(self, account: Account, changes: Mapping[str, Any]) -> dict[str, Any]:
        """What a rest with nothing on the plate is for those with something there."""
        if changes.get("over", account.over):
            return {"clean_g": inf}
        if changes.get("plate_g", account.plate_g):
            return {}
        stands = changes.get("stands", account.stands)
        return {"clean_g": self.look.mass_g, "clean_pieces": len(stands)}

    @property
    def found(self) -> list[Explained]:
        """The explanations that are not hopeless beside the best."""
        hopeful = nlargest(PURSUED, self._drafts, key=itemgetter(0))
        return [
            Explained(
                account.but(log_p=log_p, **changes),
                free, moves, placed, location, self.look.mass_g - account.free_g, beside_g, both,
            )
            for log_p, account, (free, moves, placed, location, beside_g, both, changes) in hopeful
            if log_p > self._best - HOPELESS
        ]  # fmt: skip

    def _held(self, account: Account, gained_g: float) -> None:
        """Somebody rests on the board: any weight, any moment, never steady for long."""
        size = gained_g if gained_g > 0 else -PULLED * gained_g
        light = (1.0 - HEAVY_HANDS) * exp(-size / LIGHT_HAND_G) / (2.0 * LIGHT_HAND_G)
        heavy = HEAVY_HANDS * exp(-size / HEAVY_HAND_G) / (2.0 * HEAVY_HAND_G)
        weight = log(light + heavy)
        if account.held:
            same = wide_normal(gained_g - account.held_g, FINGER_G + FINGER_SHARE * size)
            weight = float(np.logaddexp(weight, same)) - log(2.0)
        steady = held_steady(self.look.steady_s, self._priors.hand_steady_s)
        likelihood = weight + self.density.pressed(account, gained_g) + steady + KEEPING_STILL
        likelihood += self.density.touched
        self._branch(
            account, self._priors.hand, likelihood, free=False, moves=False, held_g=gained_g
        )

    def _turn(self, account: Account | None = None) -> float:
        """How likely somebody was placing: by the rules, and by a board that was touched.

        Args:
            account: for a piece that stays where it was put: in the middle it moves nothing.
        """
        turn = 1.0 if self.rest.in_turn else self._priors.out_of_turn
        central = account is not None and self.density.central(account)
        # A hand that lets go in two steps has moved the board in the first.
        stirred = self.felt.stirred or self.felt.landing
        return turn if stirred or central else turn * UNSTIRRED

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
            fall=None, last_fall=fall or account.fall, over=False, taking=False, lifted=False,
            in_hand=False,
        )  # fmt: skip

    def _lifted(self, account: Account, prior: float) -> None:
        """The board's own weight is gone, or a good part of it."""
        board_g = self._tabletop.empty_mass_g
        missing_g = self.rest.zero_g + sum(account.plate_g) - self.look.mass_g
        if missing_g < LIFTED_SHARE * board_g:
            return
        gone = wide_normal(missing_g - board_g, LIFTED_SD_SHARE * board_g)
        weight = float(np.logaddexp(gone + LIFTED_WHOLE, -log(board_g) + LIFTED_PARTLY))
        likelihood = weight + self.density.anywhere(BROAD_GMM)
        self._branch(account, prior, likelihood, free=False, moves=False, lifted=True)

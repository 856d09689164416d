"""Rests written out by hand: what the sensors would say of a board on which something happened."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import cast

import numpy as np

from engine.detect.back.account import Account, Explained, Gmm, Sighting
from engine.detect.back.densities import Densities
from engine.detect.back.explaining import Explaining
from engine.detect.back.location import Location
from engine.detect.back.masses import Masses, Weighing
from engine.detect.back.parameters import BEHAVIOUR, Priors
from engine.detect.back.rest import Rest
from engine.detect.back.tracker import Tracker
from engine.detect.body import Stacks
from engine.detect.front.contact import Touch
from engine.detect.front.moment import Moment
from engine.detect.front.observation import Felt, Look
from engine.detect.front.pressing import Press
from engine.detect.front.shocks import Pushes
from engine.events import ANYTHING, Expectation
from engine.samples import Floats
from engine.tabletop import cell_xy_mm
from tests.engine.detect.tables import TABLETOP, pressed, shaken

PIECE_G = TABLETOP.piece.mass_mean_g
EMPTY_GMM = (TABLETOP.empty_moment_gmm[0], TABLETOP.empty_moment_gmm[1])
SEEN = ((PIECE_G, 0.07),) * 8
"""Pieces that were weighed before, and that weigh as told."""
TOUCHED_S = 20.0


def pull_gmm(*cells: str) -> Floats:
    """What pieces on these cells do to the moment."""
    return np.sum([PIECE_G * np.array(cell_xy_mm(TABLETOP, c)) for c in cells], axis=0)


def moment(
    change: Floats | Gmm = (0.0, 0.0), now: Floats | Gmm = (0.0, 0.0), **other: float
) -> Moment:
    """A moment measured well; `other` its `offset_shift_gmm` and `misfit`."""
    given = {
        "offset_shift_gmm": 0.0, "offset_sd_gmm": 5.0, "misfit": 0.1, "usual_misfit": 0.1,
    } | other  # fmt: skip
    cov = np.eye(2) * 4.0**2
    return Moment(np.array(now), cov, np.array(change), cov, ticks=30, **given)


@dataclass(frozen=True)
class Board:
    """Pieces on cells, the last of them put down `since_s` ago, and what the rules expect now."""

    cells: tuple[str, ...] = ()
    expectation: Expectation = ANYTHING
    rolled: bool = False
    in_turn: bool = True
    since_s: float = 5.0
    touch: Touch | None = None
    bumped: float = 0.1
    fall_odds: float = 0.0
    stirred: bool = True
    rested: bool = True
    press: Press | None = None
    before: Press | None = None
    landing: bool = False
    foreseen: bool = True
    priors: Priors = BEHAVIOUR
    seen: tuple[Weighing, ...] = SEEN

    @property
    def mass_g(self) -> float:
        """Of the pieces."""
        return PIECE_G * len(self.cells)

    @property
    def account(self) -> Account:
        """All of them stand, and nothing else is known."""
        return Account(0.0, self.mass_g, tuple(range(1, len(self.cells) + 1)))

    @property
    def next(self) -> int:
        """Number of the contact now."""
        return len(self.cells) + 1

    def sightings(self) -> dict[int, Sighting]:
        """Every piece, announced and known well."""
        last = len(self.cells)
        return {
            number: Sighting(
                number, TOUCHED_S - self.since_s - (last - number), (PIECE_G, 0.1),
                self.expectation, pull_gmm(cell), Location(cell, 0.999, (), 0.0),
                ref=number, cell=cell, confidence=0.999, still_s=-inf if self.rested else inf,
                against_rules=self.priors.against_rules,
            )
            for number, cell in enumerate(self.cells, start=1)
        }  # fmt: skip

    def rest(self, gained_g: float, seen: Moment | None, steady_s: float) -> Rest:
        """A weight that came after the contact."""
        felt = Felt(
            replace(self.touch or pressed(), began_s=TOUCHED_S), Pushes(),
            stirred=self.stirred, press=self.press, before=self.before, landing=self.landing,
        )  # fmt: skip
        mass_g, arrived_s = self.mass_g + gained_g, TOUCHED_S + 0.3
        look = Look(
            felt, let_go=False, mass_g=mass_g, noise_g=0.05, mean_g=mass_g, arrived_s=arrived_s,
            came_s=arrived_s, steady_s=steady_s, moment=seen, bare=None, shifts=(),
            friction_gmm=5.0, hung_gmm=(0.0, 0.0),
        )  # fmt: skip
        return Rest(
            look, self.next, in_turn=self.in_turn, foreseen=self.foreseen, bumped=self.bumped,
            fall_odds=self.fall_odds, expectation=self.expectation, zero_g=0.0, zero_sd_g=0.2,
            rolled=self.rolled, against_rules=self.priors.against_rules,
        )  # fmt: skip

    def explaining(self, rest: Rest) -> Explaining:
        """Of a rest on this board."""
        stacks = Stacks(TABLETOP)
        for ref, cell in enumerate(self.cells, start=1):
            stacks.put(ref, cell)
        density = Densities(
            TABLETOP, Masses(TABLETOP.piece, self.seen), stacks, self.sightings(), rest,
            shaken_gmm=0.0, empty_gmm=EMPTY_GMM,
        )  # fmt: skip
        return Explaining(density, self.priors)

    def then(
        self,
        gained_g: float,
        seen: Moment | None,
        *,
        steady_s: float = 1.0,
        account: Account | None = None,
    ) -> Tracker:
        """What is believed once so much weight came, and the board hung so."""
        tracker = Tracker(0.0)
        tracker.amend(lambda _: account or self.account)
        tracker.explain(self.explaining(self.rest(gained_g, seen, steady_s)))
        return tracker

    def bumped_hard(self) -> "Board":
        """The table was pushed between two turns."""
        return replace(self, touch=shaken(), bumped=0.98, fall_odds=1.5, in_turn=False)


def many(cells: Sequence[str]) -> Floats:
    """Moment that these pieces take with them."""
    return -pull_gmm(*cells)


class Told:
    """Branches every account as it is told to."""

    def __init__(self, branches: Callable[[Account], Sequence[Explained]]) -> None:
        self._branches = branches
        self.found: list[Explained] = []

    def explain(self, account: Account) -> None:
        """As `Explaining` does."""
        self.found += self._branches(account)


def explained(tracker: Tracker, branches: Callable[[Account], Sequence[Explained]]) -> Tracker:
    """The tracker once it has seen a rest that is explained so."""
    tracker.explain(cast("Explaining", Told(branches)))
    return tracker


def believing(*accounts: Account | Explained) -> Tracker:
    """A tracker that believes these, by their `log_p`."""
    found = [each if isinstance(each, Explained) else Explained(each) for each in accounts]
    return explained(Tracker(0.0), lambda _: found)


THREE = Board(("c3", "d4", "b4"), Expectation(("c2", "b3", "d3", "c4")))
TOWER = Board(("c3", "d4", "b4", "c2", "e5", "a1"), Expectation(None, may_place=False))
OVER = THREE.account.but(over=True)
LIFTED = THREE.account.but(lifted=True)
BOARD_G = 182.0
PHONE_G, PHONE_GMM = 180.0, 15000.0


def fell(tracker: Tracker) -> float:
    return tracker.probability(lambda account: account.fall is not None)


def standing(tracker: Tracker, contact: int) -> float:
    """Probability that a piece counts as placed."""
    return tracker.probability(
        lambda each: contact in each.stands and (each.fall is None or each.fall.takes != contact)
    )

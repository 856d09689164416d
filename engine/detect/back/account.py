"""Accounts: what may lie where. Each is one way in which everything seen so far could be true.

Values only. `engine.detect.back.explaining` says how a new rest can be explained under an account,
and `engine.detect.back.tracker` keeps the accounts that explain the evening best.
"""

from collections.abc import Container
from dataclasses import dataclass
from math import exp, inf, nan
from typing import Any

import msgspec

from engine.detect.back.location import Location
from engine.detect.back.parameters import (
    NEVER_STILL,
    ROLLED_S,
    ROLLED_STEEPNESS,
    STILL_FOR_S,
    STILL_SD_S,
)
from engine.events import Expectation, ToppleKind
from engine.samples import Floats

Gmm = tuple[float, float]
"""A horizontal moment, g mm."""


@dataclass(frozen=True, slots=True)
class Fall:
    """Pieces that fell, by one account.

    Attributes:
        contact: number of the contact in which they did.
        t_s: when the first of them began to.
        bumped: probability that a bump made them fall, and not the hand that was placing.
        fallen: how many; None when nobody can tell.
        takes: number of the placement that did not stand because of it.
        began_s: when the contact began in which they did.
        lies: whether the piece that was being placed fell, and lies on the board.
        weighed: mass of that piece and its standard deviation, g, if it lies on board or plate.
    """

    contact: int
    t_s: float
    kind: ToppleKind
    bumped: float
    fallen: int | None
    takes: int | None = None
    began_s: float = inf
    lies: bool = False
    weighed: tuple[float, float] = (nan, nan)

    @property
    def same_as(self) -> tuple[object, ...]:
        """Falls that agree in this are told as one."""
        return self.contact, self.kind, self.takes


@dataclass(frozen=True, slots=True)
class Moved:
    """The piece placed last was slid or lifted to another cell by its hand, by one account.

    Attributes:
        contact: of its placement.
        location: where it lies now.
        change_gmm: moment that it has there.
        released_s: when its hand let go of it there.
    """

    contact: int
    location: Location
    change_gmm: Gmm
    released_s: float


class Account(msgspec.Struct, frozen=True):
    """What lies where.

    A struct, since each look makes dozens of them from others, and a dataclass takes ten times as
    long for it.

    Attributes:
        log_p: logarithm of its probability, up to a constant that all accounts share.
        stands: numbers of the contacts whose piece stands on the board, oldest first.
        free_g: weight when nobody touched the board last.
        plate_g: of it, each thing that lies on the base plate.
        clean_g: weight when nothing lay there last; infinite when that says nothing.
        clean_pieces: how many stood then.
        fall: the topple that has ended this round.
        last_fall: the topple that ended the round before.
        over: hands take the pieces off: the round has ended, by a topple or by the rules.
        over_s: since when.
        taking: they have begun to: who has once begun does not stop.
        lifted: the board is off its tip.
        emptied: how many times the board was cleared.
        taken_s: when a hand took a piece back last.
        in_hand: it has not put that piece down again.
        held: rests since the board was left alone in which somebody rested on it.
        held_g: weight of that hand in the last of them.
        carried_gmm: moment gained between the board's last rest by this account and the one from
            which the estimator measures the next change.
        strayed_gmm: how far off the board has hung after a push or a tap since then.
        moved: where the piece placed last lies, if not where it was put down.
    """

    log_p: float
    free_g: float
    stands: tuple[int, ...] = ()
    plate_g: tuple[float, ...] = ()
    clean_g: float = inf
    clean_pieces: int = 0
    fall: Fall | None = None
    last_fall: Fall | None = None
    over: bool = False
    over_s: float = -inf
    taking: bool = False
    lifted: bool = False
    emptied: int = 0
    taken_s: float = -inf
    in_hand: bool = False
    held: int = 0
    held_g: float = 0.0
    carried_gmm: Gmm = (0.0, 0.0)
    strayed_gmm: Gmm | None = None
    moved: Moved | None = None

    def but(self, **changes: Any) -> "Account":
        """The same, otherwise in these attributes."""
        return msgspec.structs.replace(self, **changes)

    def resumed(self, seen: Container[int]) -> "Account":
        """Play goes on, so nothing has fallen: what lies on another cell was placed there.

        Args:
            seen: contacts in which a piece may have been placed.
        """
        stands, fall, lies = self.stands, self.fall, None
        if fall is not None and fall.kind is ToppleKind.OFF_STACK:
            # Or else it seemed to be in the air for a moment, as a hand pressed less.
            lies = fall.contact if fall.lies else fall.takes
        if lies is not None and lies in seen and lies not in stands:
            stands = (*stands, lies)
        return self.but(over=False, taking=False, fall=None, stands=stands)

    def cleared(self) -> "Account":
        """The board is empty, and a new round begins."""
        ended, emptied = self.fall, self.emptied + 1
        return self.but(
            stands=(), fall=None, last_fall=ended, over=False, taking=False, emptied=emptied,
            in_hand=False,
        )  # fmt: skip

    def fall_since(self, clears: int) -> Fall | None:
        """The topple of the round that followed so many clearings, if there was one."""
        if self.emptied > clears:
            return self.last_fall
        return self.fall if self.emptied == clears else None

    @property
    def same_as(self) -> tuple[object, ...]:
        """Accounts that agree in this cannot be told apart any more."""
        return (
            self.stands,
            tuple(map(round, self.plate_g)),
            None if self.fall is None else self.fall.same_as,
            None if self.last_fall is None else self.last_fall.same_as,
            self.over,
            self.lifted,
            self.emptied,
            round(self.free_g),
            round(self.carried_gmm[0]),
            round(self.carried_gmm[1]),
            None if self.moved is None else self.moved.location.cell,
        )


class Explained(msgspec.Struct, frozen=True):
    """An account with the rest that it has just explained.

    Attributes:
        free: nobody touches the board in this rest.
        moves: what it is compared with from now on is this rest.
        placed: pieces put down in it.
        location: where, if one was.
        gained_g: weight gained since the board was left alone last, by the account before.
        beside_g: of it, what came to the base plate or went from there (negative).
        both: where each of two pieces lies, the one put down first before the other.
    """

    account: Account
    free: bool = True
    moves: bool = True
    placed: int = 0
    location: Location | None = None
    gained_g: float = nan
    beside_g: float = 0.0
    both: tuple[Location, Location] | None = None

    def by(self, account: Account) -> "Explained":
        """The same explanation by another account."""
        return msgspec.structs.replace(self, account=account)


@dataclass(slots=True)
class Sighting:
    """A piece that may have been put down, and what has been said about it.

    Attributes:
        contact: number of the contact in which it was.
        released_s: when the hand let go.
        against_rules: probability that it lies where the die in `expectation` allows none.
        mass: of the piece, and its standard deviation, g; what is known of all pieces included.
        weighed: the same as the load cells alone tell it, by the longest rest, of `weighed_for_s`.
        before_g: weight before it was put down, without what lies on the base plate.
        plate_g: weight of what lay on the base plate then.
        pieces: how many stand with it.
        told: its weight as announced, and the standard deviation.
        change_gmm: moment gained by it.
        location: where it lies; None when no sensor can tell.
        agreed: share of the hypotheses by which it lies on the same cell as by the likeliest.
        spread_gmm2: covariance of the change, (2, 2); `hung_gmm2` the variance of the board's
            moment in that rest, the same in all directions.
        pressed: how much likelier the hand pressed where it did for each cell (log), (25,).
        id: its number in events; None before it is announced.
        ref: the same, while it is announced to stand.
        cell, confidence: as announced.
        open: second thoughts are possible still.
        settled: its turn is over: somebody has rolled since it was let go. Nothing that falls or
            is taken later makes it a piece that was never placed.
        still_s: since when the board has hung still after it was let go; inf while it has not.
        known: people said where it lies.
        moved: where it lies by the present rest, if that says something new, with `moved_gmm` as
            the change.
        moved_s: when its hand let go of it there.
    """

    contact: int
    released_s: float
    mass: tuple[float, float]
    expectation: Expectation
    change_gmm: Floats | None
    location: Location | None
    weighed: tuple[float, float] = (nan, nan)
    weighed_for_s: float = 0.0
    before_g: float = nan
    plate_g: float = 0.0
    pieces: int = 0
    told: tuple[float, float] = (nan, nan)
    spread_gmm2: Floats | None = None
    hung_gmm2: float = inf
    pressed: Floats | None = None
    agreed: float = 1.0
    against_rules: float = 0.0
    id: int | None = None
    ref: int | None = None
    cell: str | None = None
    confidence: float = 0.0
    open: bool = True
    settled: bool = False
    still_s: float = inf
    known: bool = False
    moved: Location | None = None
    moved_gmm: Floats | None = None
    moved_s: float = -inf

    def rested(self, before_s: float) -> float:
        """Probability that the board had come to rest with it by then."""
        if self.still_s == inf:
            return NEVER_STILL
        sds = (before_s - self.still_s - STILL_FOR_S) / STILL_SD_S
        return 1.0 / (1.0 + exp(-min(max(sds, -40.0), 40.0)))

    def counts(self, before_s: float) -> float:
        """Probability that it counts, whoever bumps the table then (T16).

        It does if the board had come to rest with it, or if the next player had rolled. Where the
        die is told that is known elsewhere; where it is not, time tells something.
        """
        return 1.0 - (1.0 - self.rested(before_s)) * (1.0 - self.played_on(before_s))

    def played_on(self, by_s: float) -> float:
        """Probability that the next player has rolled by then though nobody tells rolls."""
        if self.expectation.shares is None:
            return 0.0
        odds: float = (max(by_s - self.released_s, 0.0) / ROLLED_S) ** ROLLED_STEEPNESS
        return odds / (1.0 + odds)

"""The tracker: the accounts of the evening that explain everything seen so far, with their weights.

Every contact branches every account (`engine.detect.back.explaining`); accounts that agree are
merged, the best few dozen are kept. While a rest lasts it is explained again and again, the longer
the better; only when the board is touched again are the accounts that it left committed. What
people do meanwhile, a roll, a press, weighs the accounts anew, and so do the next rest and the one
after: a correction, a piece that did not stand, a topple that was none are all the same thing,
another account that has become the likelier one.
"""

from collections.abc import Callable, Iterable, Sequence
from math import exp, log

import msgspec

from engine.detect.back.account import Account, Explained, Fall
from engine.detect.back.branching import HOPELESS
from engine.detect.back.explaining import Explaining
from engine.detect.back.parameters import CERTAIN, DOUBTED_RESTS, ONLY_HANDS

KEPT = 24
"""Accounts that are kept; the twenty-fifth has never been the true one."""


class Weighed(msgspec.Struct, frozen=True):
    """An explained rest with its probability."""

    explained: Explained
    p: float

    @property
    def account(self) -> Account:
        """What lies where."""
        return self.explained.account


class Tracker:
    """Keeps the accounts.

    Args:
        free_g: weight at the start.
        stands: numbers of the pieces that stand already.
        cleared: probability that they were taken off while nobody watched.
    """

    def __init__(self, free_g: float, stands: tuple[int, ...] = (), cleared: float = 0.0) -> None:
        self._accounts: tuple[Account, ...] = (Account(log(1.0 - cleared), free_g, stands),)
        if cleared:
            self._accounts += (Account(log(cleared), free_g, emptied=1),)
        self.now: tuple[Weighed, ...] = _weighed(map(Explained, self._accounts))
        self._looked = False
        self._certain: Account | None = None
        self._doubted = 0
        self._heard: list[Callable[[Account], Account]] = []

    # -- asking --------------------------------------------------------------------------------

    def probability(self, holds: Callable[[Account], bool]) -> float:
        """Probability that something holds now."""
        return sum(each.p for each in self.now if holds(each.account))

    def standing(self, contact: int) -> float:
        """Probability that the piece of a contact stands on the board."""
        return sum(each.p for each in self.now if contact in each.account.stands)

    def standing_both(self, one: int, other: int) -> float:
        """Probability that the pieces of two contacts stand."""
        return self.probability(lambda account: {one, other} <= set(account.stands))

    def fallen(self, clears: int) -> float:
        """Probability that pieces have fallen in the round that followed so many clearings."""
        return self.probability(lambda account: account.fall_since(clears) is not None)

    @property
    def undisputed(self) -> frozenset[int]:
        """Contacts whose piece stands by every account."""
        first, *others = (each.account.stands for each in self.now)
        return frozenset(first).intersection(*others)

    def taken_along(self, clears: int) -> frozenset[int]:
        """Contacts whose piece does not count, by some account, for what fell since."""
        falls = (each.account.fall_since(clears) for each in self.now)
        return frozenset(
            fall.takes for fall in falls if fall is not None and fall.takes is not None
        )

    @property
    def best(self) -> Explained:
        """The likeliest explanation of the present rest."""
        return self.now[0].explained

    @property
    def free(self) -> float:
        """Probability that nobody touches the board in the present rest."""
        return sum(each.p for each in self.now if each.explained.free)

    @property
    def agreed(self) -> float:
        """Probability of all that people would be told the same about as of the likeliest."""
        best = self.best
        told = best.account.stands, best.account.fall, best.account.emptied, best.free
        return sum(
            each.p
            for each in self.now
            if told
            == (each.account.stands, each.account.fall, each.account.emptied, each.explained.free)
        )

    def ended_by_fall(self, clears: int) -> float:
        """Probability that a fall has ended the round, of a board that was cleared since."""
        fell = self.probability(lambda a: a.emptied > clears and a.last_fall is not None)
        return fell / self.probability(lambda a: a.emptied > clears)

    def likeliest_fall(self, clears: int) -> Fall | None:
        """The topple since so many clearings in which most accounts agree; None without one."""
        weights: dict[tuple[object, ...], float] = {}
        falls: dict[tuple[object, ...], Fall] = {}
        for each in self.now:
            fall = each.account.fall_since(clears)
            if fall is not None:
                key = fall.contact, fall.kind
                weights[key] = weights.get(key, 0.0) + each.p
                falls.setdefault(key, fall)
        return falls[max(weights, key=weights.__getitem__)] if weights else None

    # -- seeing --------------------------------------------------------------------------------

    def explain(self, explaining: Explaining) -> None:
        """Look at the present rest, for the first time or for longer."""
        for account in self._accounts:
            explaining.explain(account)
        found = explaining.found
        for heard in self._heard:
            found = [each.by(heard(each.account)) for each in found]
        self.now = _weighed(_merged(found))
        self._looked = True

    def forget_rest(self) -> None:
        """The present rest was none; what was heard in it was said of what lay there before."""
        for heard in self._heard:
            self._accounts = tuple(map(heard, self._accounts))
        self._go_on_with(self._accounts)

    def _go_on_with(self, accounts: tuple[Account, ...]) -> None:
        """From now on the next rest is waited for."""
        self._accounts = accounts
        self.now = _weighed(map(Explained, accounts))
        self._looked = False
        self._heard.clear()

    def weigh(self, factor: Callable[[Explained], float]) -> None:
        """Something was seen of the present rest that is so likely under each explanation."""
        self.now = _weighed(
            each.explained.by(
                each.account.but(log_p=log(max(each.p * factor(each.explained), 1e-12)))
            )
            for each in self.now
        )  # fmt: skip

    def commit(self, shift_gmm: Callable[[Explained], tuple[float, float]], crept_g: float) -> None:
        """The rest is over: go on with the accounts that explained it.

        Args:
            shift_gmm: moment between what each is compared with from now on and the estimator's.
            crept_g: by how much the free board's weight has drifted since it was explained.
        """
        accounts = tuple(
            each.account.but(
                log_p=log(max(each.p, 1e-12)),
                carried_gmm=shift_gmm(each.explained),
                free_g=each.account.free_g + crept_g * each.explained.moves,
            )
            for each in self.now
        )
        self._go_on_with(accounts + self._only_hands(accounts, shift_gmm))

    def _only_hands(
        self,
        accounts: tuple[Account, ...],
        shift_gmm: Callable[[Explained], tuple[float, float]],
    ) -> tuple[Account, ...]:
        """What was certain last, as if only hands had been at the board since; none if it is kept.

        A weight that returns to what it was, after whatever a finger made of it, finds it again.
        """
        best, certain = self.now[0], self._certain
        told = best.p > CERTAIN and best.explained.free and best.explained.moves
        playing = told and not (best.account.over or best.account.lifted)
        same_plate = certain is None or best.account.plate_g == certain.plate_g
        if playing and (same_plate or self._doubted >= DOUBTED_RESTS):
            self._certain, self._doubted = accounts[0], 0
            return ()
        if certain is None or len(best.account.stands) > len(certain.stands) + 1:
            self._certain = None  # who has placed pieces since was not only hands
            return ()
        carried = shift_gmm(Explained(certain, free=False, moves=False))
        self._certain = certain.but(log_p=log(ONLY_HANDS), carried_gmm=carried)
        self._doubted += 1
        kept = any(each.same_as == certain.same_as for each in accounts)
        return () if kept else (self._certain,)

    def forget_certain(self) -> None:
        """The board has been cleared, or people say otherwise: it was not only hands."""
        self._certain = None

    def reweigh(self, factor: Callable[[Account], float]) -> None:
        """Something was heard that is so likely under each account.

        In a rest it weighs what explains that rest, now and whenever it is looked at again.
        """

        def heard(account: Account) -> Account:
            return account.but(log_p=account.log_p + log(max(factor(account), 1e-9)))

        self.hear(heard)

    def doubt_clearing(self, clears: int, for_nothing: float) -> None:
        """The board was cleared since; if nothing had fallen that would be so likely."""
        self.reweigh(lambda a: for_nothing if a.emptied > clears and a.last_fall is None else 1.0)

    def hear(self, change: Callable[[Account], Account]) -> None:
        """Change every account, those that explain the present rest whenever it is looked at."""
        if self._looked:
            self._heard.append(change)
        else:
            self._accounts = tuple(map(change, self._accounts))
        self._change_now(change)

    def amend(self, change: Callable[[Account], Account]) -> None:
        """Change every account, also those that explain the present rest."""
        self._accounts = tuple(map(change, self._accounts))
        self._certain = None if self._certain is None else change(self._certain)
        self._change_now(change)

    def _change_now(self, change: Callable[[Account], Account]) -> None:
        self.now = _weighed(
            each.explained.by(change(each.account.but(log_p=log(each.p + 1e-12))))
            for each in self.now
        )


def _merged(found: Iterable[Explained]) -> Sequence[Explained]:
    """Those that agree as one, the likeliest of them, with their weights added up."""
    groups: dict[tuple[object, ...], list[Explained]] = {}
    for each in found:
        key = (*each.account.same_as, each.free, each.moves, each.placed)
        groups.setdefault(key, []).append(each)
    merged = []
    for group in groups.values():
        if len(group) == 1:
            merged += group
            continue
        best = max(group, key=lambda each: each.account.log_p)
        top = best.account.log_p
        total = top + log(sum(exp(each.account.log_p - top) for each in group))
        merged.append(best.by(best.account.but(log_p=total)))
    return merged


def _weighed(found: Iterable[Explained]) -> tuple[Weighed, ...]:
    """The best of them, with probabilities that add up to one."""
    ordered = sorted(found, key=lambda each: -each.account.log_p)[:KEPT]
    top = ordered[0].account.log_p
    kept = [each for each in ordered if each.account.log_p > top - HOPELESS]
    total = sum(exp(each.account.log_p - top) for each in kept)
    return tuple(Weighed(each, exp(each.account.log_p - top) / total) for each in kept)

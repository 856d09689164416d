"""Densities of one rest are computed once, whoever asks."""

import inspect

import numpy as np
import pytest

from engine.detect.back.account import Account, Fall
from engine.detect.back.densities import Densities
from engine.detect.back.remembered import remembered, remembered_by_moment
from engine.events import ToppleKind
from tests.engine.detect.rests import PIECE_G, Board, moment, pull_gmm

BOARD = Board(("c3", "d4", "b2"))
ARGUMENTS = {"gained_g": PIECE_G, "load_g": PIECE_G, "gone": 1, "but": 2, "beside": False}
BY_MOMENT = [
    name
    for name, method in inspect.getmembers(Densities, inspect.isfunction)
    if method.__code__.co_qualname.startswith("remembered_by_moment")
]


class Counting:
    """Counts how often it computes."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], object] = {}
        self.computed = 0

    @remembered
    def doubled(self, number: float, *, less: float = 0.0) -> float:
        """Twice a number."""
        self.computed += 1
        return 2.0 * number - less

    @remembered_by_moment
    def heavier(self, account: Account, by_g: float) -> float:
        """A moment's first part and some."""
        self.computed += 1
        return account.carried_gmm[0] + by_g


def test_the_same_is_computed_once() -> None:
    counting = Counting()

    assert [counting.doubled(n) for n in (1.0, 2.0, 1.0)] == [2.0, 4.0, 2.0]
    assert counting.computed == 2
    assert counting.doubled(1.0, less=1.0) == 1.0


def test_accounts_that_are_compared_with_the_same_moment_share_it() -> None:
    counting, one = Counting(), Account(0.0, 20.0, carried_gmm=(3.0, 0.0))

    assert counting.heavier(one, 1.0) == counting.heavier(one.but(free_g=30.0), 1.0) == 4.0
    assert counting.computed == 1
    assert counting.heavier(one.but(carried_gmm=(5.0, 0.0)), 1.0) == 6.0


@pytest.mark.parametrize("name", BY_MOMENT)
def test_what_is_shared_uses_nothing_else_of_an_account(name: str) -> None:
    def asked(account: Account) -> object:
        density = BOARD.explaining(BOARD.rest(PIECE_G, moment(pull_gmm("c4")), 1.0)).density
        wanted = inspect.signature(getattr(Densities, name)).parameters
        named = {key: value for key, value in ARGUMENTS.items() if key in wanted}
        return getattr(density, name)(account, **named)

    fall = Fall(2, 1.0, ToppleKind.OFF_STACK, 0.1, 1, takes=2)
    other = Account(
        -3.0, 99.0, (7,), (12.0,), 4.0, 2, fall, fall, True, 1.0, True, True, 4, 2.0, True, 3,
        8.0,
        BOARD.account.carried_gmm, (9.0, 9.0),
    )  # fmt: skip

    np.testing.assert_equal(asked(other), asked(BOARD.account))


def test_most_densities_of_an_account_are_shared() -> None:
    assert len(BY_MOMENT) >= 9

"""A piece that its hand slides to another cell: by which account it lies where."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from engine.detect.back.account import Moved, Sighting
from engine.detect.back.location import Location
from engine.events import ANYTHING, Expectation
from tests.engine.detect.back.test_scene import scene_at_rest
from tests.engine.detect.rests import PIECE_G, Board, believing, moment, pull_gmm

BOARD = Board(
    ("c3", "d4", "b4", "c2", "e5", "a1"), Expectation(("a1", "a2", "a3", "e5")), since_s=1.0
)
UNTOLD = (0.04,) * 25
PUT = 6
"""The contact in which the last piece was put down."""


def slid_to(cell: str) -> Moved:
    x_gmm, y_gmm = pull_gmm(cell)
    return Moved(PUT, Location(cell, 0.9, (), 0.0), (float(x_gmm), float(y_gmm)), 9.0)


def test_an_account_keeps_where_a_piece_was_slid_to_whatever_comes_then() -> None:
    slid = BOARD.then(0.0, moment(pull_gmm("a2") - pull_gmm("a1"))).best.account

    assert slid.moved is not None
    assert (slid.moved.contact, slid.moved.location.cell) == (PUT, "a2")
    assert slid.moved.change_gmm == pytest.approx(tuple(pull_gmm("a2")))
    hovered = BOARD.then(0.0, moment(np.zeros(2)), account=slid).best.account
    assert hovered.moved == slid.moved


def test_a_piece_that_is_slid_on_is_measured_from_where_it_lay() -> None:
    account = BOARD.account.but(moved=slid_to("a2"))
    on = BOARD.then(0.0, moment(pull_gmm("a3") - pull_gmm("a2")), account=account).best.account

    assert on.moved is not None
    assert on.moved.location.cell == "a3"


def test_the_next_piece_put_down_is_where_it_was_put() -> None:
    account = BOARD.account.but(moved=slid_to("a2"))
    next_one = BOARD.then(PIECE_G, moment(pull_gmm("e5")), account=account).best

    assert next_one.placed == 1
    assert next_one.account.moved is None


def test_a_slide_that_is_believed_only_later_is_told_all_the_same() -> None:
    """It came in two steps, half a cell each (second thoughts, seed 1400101)."""
    scene = scene_at_rest()
    scene.teller.last = last = Sighting(
        PUT, 1.0, (PIECE_G, 0.1), ANYTHING, pull_gmm("a1"), Location("a1", 0.99, (), 0.0), cell="a1"
    )
    scene.teller.sightings[PUT] = last
    slid = BOARD.account.but(moved=slid_to("a2"), log_p=log(0.9))
    scene.tracker = believing(slid, BOARD.account.but(log_p=log(0.1)))
    explaining = BOARD.explaining(BOARD.rest(0.0, moment(np.zeros(2)), 1.0))
    scene._sight(explaining, 0.0)

    assert last.moved is not None
    assert (last.moved.cell, last.moved_s) == ("a2", 9.0)
    assert last.moved_gmm == pytest.approx(pull_gmm("a2"))


@pytest.mark.parametrize(("since_s", "shares", "slid"), [
    (1.0, None, True), (1.0, UNTOLD, True), (6.0, None, True), (6.0, UNTOLD, False),
])  # fmt: skip
def test_whose_turn_is_over_by_now_slides_no_piece(
    since_s: float, shares: tuple[float, ...] | None, slid: bool
) -> None:
    """A piece that the next hand knocked was its placer's second thought (seed 1500005)."""
    board = replace(BOARD, since_s=since_s, expectation=Expectation(shares=shares))
    tracker = board.then(0.0, moment(pull_gmm("a2") - pull_gmm("a1")))

    assert (tracker.probability(lambda a: a.moved is not None) > 0.6) is slid


class Settled(Board):
    """A board whose last piece has counted: where no die is told the next hand says so."""

    def sightings(self) -> dict[int, Sighting]:
        found = super().sightings()
        found[len(self.cells)].settled = True
        return found


@pytest.mark.parametrize(("kind", "slid"), [(Board, True), (Settled, False)])
def test_a_piece_that_has_counted_is_slid_by_no_second_thought(
    kind: type[Board], slid: bool
) -> None:
    """The next hand knocked it off, and its placer was charged (normal, seed 1700009)."""
    board = kind(BOARD.cells, since_s=1.0, expectation=Expectation(shares=UNTOLD))
    tracker = board.then(0.0, moment(pull_gmm("a2") - pull_gmm("a1")))

    assert (tracker.probability(lambda a: a.moved is not None) > 0.6) is slid

"""What a pushed table made fall, and what would have fallen without it."""

from dataclasses import replace

import numpy as np
import pytest

from engine.detect.back.tracker import Tracker
from engine.events import Expectation, ToppleKind
from tests.engine.detect.rests import PIECE_G, Board, many, moment
from tests.engine.detect.tables import shaken

BOARD = Board(("c3", "d4", "b4", "c2", "e5", "a1"))
PUSHED = replace(BOARD, touch=shaken(), bumped=0.97, fall_odds=1.5)


def test_a_piece_that_slips_off_as_it_is_put_down_was_hardly_bumped_off() -> None:
    """Seeds 770002, 990001 and 990003: somebody pushed the table a moment before or after."""
    falls = [each.account.fall for each in PUSHED.then(0.0, moment()).now if each.account.fall]

    assert falls
    assert all(fall.kind is ToppleKind.OFF_BOARD and fall.fallen == 1 for fall in falls)
    assert falls[0].bumped < 0.5


def test_what_leaves_a_board_that_was_pushed_was_bumped_off() -> None:
    fall = PUSHED.then(-2 * PIECE_G, moment(many(("e5", "a1")))).likeliest_fall(0)

    assert fall is not None
    assert fall.bumped > 0.5


def test_a_bump_that_changes_nothing_has_thrown_down_no_piece_that_a_hand_was_putting_there() -> (
    None
):
    """A piece put over the edge falls under its own hand; the bump that follows is no cause."""

    def fell(bumped: float) -> float:
        board = Board(("c3", "d4", "b4"), Expectation(("c2", "b3", "d3", "c4")), bumped=bumped)
        tracker = board.then(0.0, moment(np.zeros(2)))
        return tracker.probability(lambda account: account.fall is not None)

    touched, bumped = (fell(share) for share in (0.05, 0.97))

    assert 0.0 < bumped < 0.1 * touched


@pytest.mark.parametrize(("closed", "counts"), [(True, True), (False, False)])
def test_the_last_piece_of_all_has_counted_whoever_bumps_it_off(closed: bool, counts: bool) -> None:
    """A round with all pieces on the board is over (rolling, seed 1400102)."""
    board = replace(BOARD.bumped_hard(), rested=False, since_s=0.7)
    tracker = Tracker(0.0)
    tracker.amend(lambda _: board.account)
    rest = replace(board.rest(-PIECE_G, moment(many(("a1",))), 1.0), closed=closed)
    tracker.explain(board.explaining(rest))
    fell = next(each.account for each in tracker.now if each.account.fall is not None)

    assert (6 in fell.stands) is counts

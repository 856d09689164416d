"""One rest after one contact: which account of it is believed."""

from dataclasses import replace
from math import inf

import pytest

from engine.detect.back.parameters import OFF
from engine.detect.back.tracker import Tracker
from engine.detect.front.contact import Touch
from engine.events import SURE, Expectation, ToppleKind
from engine.tabletop import CELLS, level
from tests.engine.detect.rests import (
    PHONE_G,
    PHONE_GMM,
    PIECE_G,
    THREE,
    TOWER,
    Board,
    fell,
    many,
    moment,
    pull_gmm,
    standing,
)

# -- one piece more -------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", CELLS)
def test_one_more_piece_on_a_legal_cell_was_placed_there(cell: str) -> None:
    expected = Expectation(tuple(each for each in CELLS if level(each) == level(cell)))
    board = replace(THREE, expectation=expected)
    tracker = board.then(PIECE_G, moment(pull_gmm(cell)))

    assert tracker.best.placed == 1
    assert tracker.best.location is not None
    assert tracker.best.location.cell == cell
    assert tracker.best.account.stands == (1, 2, 3, 4)
    assert standing(tracker, board.next) > 0.9
    assert tracker.free > 0.9


@pytest.mark.parametrize("expectation", [Expectation(), Expectation(())])
def test_without_a_told_die_any_cell_is_as_good(expectation: Expectation) -> None:
    tracker = replace(THREE, expectation=expectation).then(PIECE_G, moment(pull_gmm("e1")))

    assert tracker.best.location is not None
    assert tracker.best.location.cell == "e1"


def test_a_piece_plainly_on_a_far_cell_that_the_die_does_not_allow_was_placed_there() -> None:
    """No piece put on level 2 rolls to a corner; people do misread a die."""
    tracker = THREE.then(PIECE_G, moment(pull_gmm("e1")))

    assert fell(tracker) < 0.5
    assert standing(tracker, THREE.next) > 0.5


def test_a_piece_on_the_cell_below_a_legal_one_fell_there_or_was_put_there() -> None:
    tracker = THREE.then(PIECE_G, moment(pull_gmm("b1")))

    assert fell(tracker) + standing(tracker, THREE.next) > 0.9
    assert fell(tracker) > 0.1


def test_the_first_piece_of_a_round_slides_off_no_other() -> None:
    """Seed 760001, people who lift the board off and turn it: it was taken for a fall."""
    seen = moment(pull_gmm("b1"))
    bare = Board(expectation=Expectation(("c1", "b2")))
    one_lies_there = replace(bare, cells=("b2",))

    assert fell(bare.then(PIECE_G, seen)) < 0.3 * fell(one_lies_there.then(PIECE_G, seen))


def test_without_the_inertial_sensor_a_piece_is_placed_nobody_knows_where() -> None:
    tracker = THREE.then(PIECE_G, None)

    assert tracker.best.placed == 1
    assert tracker.best.location is None


def test_nobody_puts_down_a_second_piece_at_once() -> None:
    soon, later = (
        Board(("c3", "d4"), since_s=since_s).then(PIECE_G, moment(pull_gmm("b2")), steady_s=0.12)
        for since_s in (0.5, 3.0)
    )

    assert standing(soon, 3) < standing(later, 3)


def test_two_pieces_between_two_rests_are_two_placements() -> None:
    tracker = THREE.then(2 * PIECE_G, moment(pull_gmm("c2", "d3")), steady_s=1.5)

    assert tracker.best.placed == 2
    assert len(tracker.best.account.stands) == 5


# -- pieces gone -----------------------------------------------------------------------------------


def test_several_pieces_gone_with_a_jolt_are_a_collapse_by_a_bump() -> None:
    tracker = TOWER.bumped_hard().then(-4 * PIECE_G, moment(many(("e5", "a1", "c2", "d4"))))
    fall = tracker.likeliest_fall(0)

    assert fall is not None
    assert (fall.kind, fall.fallen) == (ToppleKind.COLLAPSE, 4)
    assert fall.bumped > 0.5
    assert fell(tracker) > 0.9


def test_after_a_bump_the_last_piece_stands_if_it_had_lain_still_whoever_rolled_since() -> None:
    """The bumper pays, nobody else."""
    lost = moment(many(("e5", "c2", "d4")))
    rested = TOWER.bumped_hard()
    loose = replace(rested, rested=False)

    assert standing(rested.then(-3 * PIECE_G, lost), 6) > 0.9
    assert standing(loose.then(-3 * PIECE_G, lost), 6) < 0.1


def test_who_brings_the_tower_down_while_placing_loses_the_piece_placed_last() -> None:
    lost = moment(many(("e5", "c2", "d4")))
    at_once = replace(TOWER, since_s=0.5, fall_odds=1.0)
    later = replace(TOWER, since_s=8.0, fall_odds=1.0)

    assert standing(at_once.then(-3 * PIECE_G, lost), 6) < 0.5
    assert standing(later.then(-3 * PIECE_G, lost), 6) > 0.5


def test_the_piece_placed_last_gone_was_taken_back_or_fell() -> None:
    tracker = TOWER.then(-PIECE_G, moment(many(("a1",))))
    back = tracker.probability(lambda each: each.fall is None and 6 not in each.stands)

    assert back > 0.1
    assert fell(tracker) > 0.1
    assert back + fell(tracker) > 0.9


def test_what_feels_like_a_fall_is_one() -> None:
    gone = moment(many(("a1",)))
    gently = fell(TOWER.then(-PIECE_G, gone))
    hard = fell(replace(TOWER, fall_odds=2.2).then(-PIECE_G, gone))

    assert hard > gently
    assert hard > 0.8


def test_nobody_takes_a_piece_back_after_the_next_roll() -> None:
    tracker = replace(TOWER, rolled=True).then(-PIECE_G, moment(many(("a1",))))

    assert fell(tracker) > 0.9
    assert standing(tracker, 6) > 0.9


def test_another_piece_than_the_last_gone_fell_and_the_last_stands() -> None:
    tracker = TOWER.then(-PIECE_G, moment(many(("e5",))))
    fall = tracker.likeliest_fall(0)

    assert fall is not None
    assert (fall.kind, fall.fallen, fall.takes) == (ToppleKind.OFF_BOARD, 1, None)
    assert standing(tracker, 6) > 0.8


@pytest.mark.parametrize("gone", range(1, 7))
def test_no_more_pieces_fall_than_stood(gone: int) -> None:
    tracker = TOWER.then(-gone * PIECE_G, moment(many(TOWER.cells[-gone:])))

    assert all(
        each.account.fall is None or (each.account.fall.fallen or 0) <= 7 for each in tracker.now
    )
    assert all(len(each.account.stands) <= 7 for each in tracker.now)


def test_an_empty_board_cannot_lose_a_piece() -> None:
    tracker = Board().then(-PIECE_G, moment())

    assert fell(tracker) < 0.05
    assert tracker.best.account.stands == ()


# -- nothing, and pieces moved ---------------------------------------------------------------------


@pytest.mark.parametrize("board", [Board(), THREE, TOWER])
def test_a_board_that_weighs_and_hangs_as_it_did_is_as_it_was(board: Board) -> None:
    tracker = board.then(0.02, moment((3.0, -2.0)))
    best = tracker.best

    assert (best.placed, best.location, best.account.stands) == (0, None, board.account.stands)
    assert best.account.plate_g == ()
    assert best.free
    assert fell(tracker) < 0.1


def test_a_top_piece_on_another_cell_with_the_weight_unchanged_fell_there() -> None:
    weightless = Touch(0.0)
    for excess_g in (-2.0, -2.5, 4.0, 1.0):
        weightless.feel(excess_g)
    board = replace(TOWER, rolled=True, touch=weightless)
    moved = board.then(0.0, moment(pull_gmm("e4") - pull_gmm("e5")))
    fall = moved.likeliest_fall(0)

    assert fall is not None
    assert fall.kind is ToppleKind.OFF_STACK
    assert fell(moved) > 0.8


def test_the_piece_placed_last_slid_to_a_legal_cell_lies_there_and_fell_nowhere() -> None:
    board = replace(TOWER, expectation=Expectation(("a1", "a2", "e5")), since_s=1.0)
    tracker = board.then(0.0, moment(pull_gmm("a2") - pull_gmm("a1")))

    assert tracker.best.location is not None
    assert tracker.best.location.cell == "a2"
    assert tracker.best.account.fall is None
    assert standing(tracker, 6) > 0.5


def test_after_the_roll_nobody_slides_it_any_more() -> None:
    board = replace(TOWER, expectation=Expectation(("a1", "a2", "e5")), rolled=True)
    tracker = board.then(0.0, moment(pull_gmm("a2") - pull_gmm("a1")))

    assert fell(tracker) > 0.8


def test_half_a_piece_less_is_no_fall() -> None:
    """A cell creeps by a tenth of a gram, and crumbs are taken from the plate; no piece is."""
    tracker = THREE.then(-PIECE_G / 2, moment())

    assert fell(tracker) < 0.1
    assert all(standing(tracker, number) > 0.9 for number in (1, 2, 3))


# -- priors off ------------------------------------------------------------------------------------


def test_plain_physics_decides_with_nothing_assumed_about_people() -> None:
    three, tower = replace(THREE, priors=OFF), replace(TOWER, priors=OFF)
    placed = three.then(PIECE_G, moment(pull_gmm("c2")))
    load = three.then(PHONE_G, moment(offset_shift_gmm=PHONE_GMM))
    same = tower.then(0.0, moment())
    collapse = tower.then(-4 * PIECE_G, moment(many(("e5", "a1", "c2", "d4"))))

    assert (placed.best.placed, placed.best.location and placed.best.location.cell) == (1, "c2")
    assert load.best.account.plate_g == (PHONE_G,)
    assert same.best.account.stands == tower.account.stands
    assert same.best.account.fall is None
    assert fell(collapse) > 0.5


def test_a_piece_that_fell_unseen_left_a_weight_that_a_short_rest_tells_badly() -> None:
    """A tenth of a second told 0.2 g too much, and ruled the fall out (calm, seed 1800024)."""
    tracker = THREE.then(0.2, moment(), steady_s=0.12)

    assert fell(tracker) > 0.001
    fallen = next(each.account for each in tracker.now if each.account.fall is not None)
    assert fallen.free_g == THREE.mass_g


def test_what_fell_did_so_not_long_before_the_weight_was_steady() -> None:
    """A hand had made the weight for a moment what it was after the fall (26400198)."""
    rest = THREE.rest(-PIECE_G, moment(many(["c3"])), 0.3)
    since_s = rest.look.arrived_s + 1.2
    tracker = Tracker(0.0)
    tracker.amend(lambda _: THREE.account)
    tracker.explain(THREE.explaining(replace(rest, since_s=since_s)))
    fall = tracker.likeliest_fall(0)

    assert fall is not None
    assert since_s - 0.6 < fall.t_s < since_s


@pytest.mark.parametrize(("lay_s", "at_once"), [(0.15, True), (2.0, False)])
def test_a_hand_that_has_not_let_go_yet_puts_its_piece_down_again_at_once(
    lay_s: float, at_once: bool
) -> None:
    """It bore its piece for a tenth of a second; that was taken for a fall (26400201)."""
    board = replace(THREE, since_s=lay_s)
    tracker = board.then(-PIECE_G, moment(many(board.cells[-1:])), steady_s=0.12)
    (back,) = (
        each.account
        for each in tracker.now
        if each.account.stands == (1, 2) and not each.account.over
    )

    assert (back.taken_s == -inf) == at_once


def test_a_piece_that_stays_away_has_fallen_also_where_the_board_stirred_meanwhile() -> None:
    """It swung once more 0.2 s after the fall, and the time in the hand was forgotten."""
    board = replace(THREE, since_s=0.5)
    tracker = board.then(-PIECE_G, moment(many(board.cells[-1:])), steady_s=0.12)
    tracker.commit(lambda _: (0.0, 0.0), 0.0)
    believed = []
    for steady_s in (0.2, 6.0):
        rest = replace(board.rest(-PIECE_G, moment(), steady_s), number=board.next + 1)
        tracker.explain(board.explaining(rest))
        believed.append(fell(tracker))

    assert believed[0] < 0.8
    assert believed[1] > SURE


def test_a_hand_that_took_a_piece_has_it_no_longer_once_it_is_put_down() -> None:
    taken = THREE.account.but(stands=(1, 2), in_hand=True, free_g=2 * PIECE_G)
    board = replace(THREE, cells=THREE.cells[:-1])
    put_down = board.then(PIECE_G, moment(pull_gmm("c2")), account=taken).best

    assert put_down.placed == 1
    assert not put_down.account.in_hand
    assert not taken.cleared().in_hand

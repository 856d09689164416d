"""One rest after one contact: which account of it is believed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.account import Account, Fall
from engine.detect.contact import Touch
from engine.detect.pressing import Press
from engine.detect.priors import OFF
from engine.detect.tracker import Tracker
from engine.events import Expectation, ToppleKind
from engine.tabletop import CELLS, level
from tests.engine.detect.rests import EMPTY_GMM, PIECE_G, Board, many, moment, pull_gmm

THREE = Board(("c3", "d4", "b4"), Expectation(("c2", "b3", "d3", "c4")))
TOWER = Board(("c3", "d4", "b4", "c2", "e5", "a1"), Expectation(None, may_place=False))
OVER = replace(THREE.account, over=True)
LIFTED = replace(THREE.account, lifted=True)
BOARD_G = 182.0
PHONE_G, PHONE_GMM = 180.0, 15000.0


def fell(tracker: Tracker) -> float:
    return tracker.probability(lambda account: account.fall is not None)


def standing(tracker: Tracker, contact: int) -> float:
    """Probability that a piece counts as placed."""
    return tracker.probability(
        lambda each: contact in each.stands and (each.fall is None or each.fall.takes != contact)
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
        for since_s in (0.05, 3.0)
    )

    assert standing(soon, 3) < standing(later, 3)


def test_two_pieces_between_two_rests_are_two_placements() -> None:
    tracker = THREE.then(2 * PIECE_G, moment(pull_gmm("c2", "d3")), steady_s=1.5)

    assert tracker.best.placed == 2
    assert len(tracker.best.account.stands) == 5


# -- the base plate and hands ----------------------------------------------------------------------


def test_the_weight_of_a_piece_that_leaves_the_board_as_it_hung_lies_on_the_plate() -> None:
    beside = replace(THREE, expectation=Expectation(("e5", "a1")), stirred=False)
    tracker = beside.then(PIECE_G, moment(offset_shift_gmm=90.0 * PIECE_G))

    assert tracker.best.account.plate_g == pytest.approx((PIECE_G,))
    assert standing(tracker, beside.next) < 0.1


def test_a_board_that_stirred_before_a_piece_lay_on_the_plate_speaks_for_one_that_slid_off() -> (
    None
):
    seen = moment(offset_shift_gmm=90.0 * PIECE_G)
    outside = replace(THREE, expectation=Expectation(("e5", "a1")))
    still = replace(outside, stirred=False)

    assert fell(outside.then(PIECE_G, seen)) > fell(still.then(PIECE_G, seen))


def test_what_lands_on_the_plate_as_a_hand_leaves_the_board_has_slid_off() -> None:
    """Its landing turns no board: it presses where a thing that is laid there does."""
    seen = moment(offset_shift_gmm=90.0 * PIECE_G)
    middle = Press((0.0, 0.0), 1.0)
    laid = replace(THREE, expectation=Expectation(("e5", "a1")), stirred=False, press=middle)
    landed = replace(laid, landing=True)

    assert fell(landed.then(PIECE_G, seen)) > 0.5
    assert fell(laid.then(PIECE_G, seen)) < 0.1


@pytest.mark.parametrize("stirred", [True, False])
def test_a_heavy_thing_on_the_plate_is_a_load_and_takes_nothing_off_the_board(
    stirred: bool,
) -> None:
    board = replace(THREE, stirred=stirred)
    tracker = board.then(PHONE_G, moment(offset_shift_gmm=PHONE_GMM))

    assert tracker.best.account.plate_g == (PHONE_G,)
    assert tracker.best.account.stands == board.account.stands
    assert tracker.best.free
    assert tracker.best.account.free_g == pytest.approx(board.mass_g + PHONE_G)


def test_what_lay_on_the_plate_is_taken_away_again_and_nothing_fell() -> None:
    loaded = replace(THREE.account, free_g=THREE.mass_g + PHONE_G, plate_g=(PHONE_G,))
    tracker = THREE.then(0.0, moment(offset_shift_gmm=PHONE_GMM), account=loaded)

    assert tracker.best.account.plate_g == ()
    assert fell(tracker) < 0.05


def test_the_weight_of_a_piece_gone_while_the_board_hangs_as_it_did_left_the_plate() -> None:
    """Nobody had seen it come; nothing fell."""
    tracker = THREE.then(-PIECE_G, moment(offset_shift_gmm=90.0 * PIECE_G), steady_s=3.0)

    assert fell(tracker) < 0.2
    assert tracker.best.account.stands == (1, 2, 3)


def test_a_piece_is_seen_beside_what_lies_on_the_plate() -> None:
    loaded = replace(THREE.account, free_g=THREE.mass_g + PHONE_G, plate_g=(PHONE_G,))
    tracker = THREE.then(PHONE_G + PIECE_G, moment(pull_gmm("c2")), account=loaded)

    assert tracker.best.location is not None
    assert tracker.best.location.cell == "c2"
    assert tracker.best.account.plate_g == (PHONE_G,)


@pytest.mark.parametrize(
    ("gained_g", "change"),
    [(7.3, (120.0, 40.0)), (1.4, (60.0, -20.0)), (47.0, (900.0, -300.0)), (-4.4, (-80.0, 150.0))],
)
def test_any_other_weight_is_a_hand_for_the_time_being(
    gained_g: float, change: tuple[float, float]
) -> None:
    tracker = THREE.then(gained_g, moment(change, misfit=3.0), steady_s=0.2)

    assert not tracker.best.free
    best = tracker.best.account
    assert best == replace(THREE.account, log_p=best.log_p, held=1, held_g=best.held_g)
    assert best.held_g == pytest.approx(gained_g)


def test_a_hand_that_keeps_its_weight_steady_for_long_is_less_and_less_likely_one() -> None:
    shares = [
        1.0 - THREE.then(47.0, moment((30.0, 20.0), misfit=0.5), steady_s=steady_s).free
        for steady_s in (0.2, 1.0, 4.0, 15.0)
    ]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9


@given(
    gained_g=st.floats(-150, 3000), x=st.floats(-3000, 3000), y=st.floats(-3000, 3000)
)  # fmt: skip
def test_whatever_came_a_minute_later_it_is_what_the_next_step_is_compared_with(
    gained_g: float, x: float, y: float
) -> None:
    """No weight makes the table deaf for good, but that of a board in somebody's hands."""
    tracker = THREE.then(gained_g, moment((x, y), now=(x, y)), steady_s=60.0)
    lifted = tracker.probability(lambda each: each.lifted)

    assert sum(each.p for each in tracker.now) == pytest.approx(1.0)
    assert tracker.free + lifted > 0.5


# -- the board in somebody's hands -----------------------------------------------------------------


@pytest.mark.parametrize("account", [THREE.account, OVER])
def test_a_board_whose_weight_is_gone_was_lifted_and_stands_nowhere_yet(account: Account) -> None:
    tracker = THREE.then(-THREE.mass_g - BOARD_G, moment((800.0, 100.0)), account=account)

    assert tracker.best.account.lifted
    assert not tracker.best.free
    assert tracker.best.account.free_g == THREE.mass_g
    assert tracker.probability(lambda each: each.emptied > 0) < 0.01


def test_a_board_put_back_with_nothing_on_it_was_emptied() -> None:
    seen = moment(many(THREE.cells), now=EMPTY_GMM)
    tracker = THREE.then(-THREE.mass_g, seen, account=LIFTED)

    assert tracker.best.account.emptied == 1
    assert not tracker.best.account.lifted
    assert tracker.best.free


def test_a_board_put_back_as_it_was_still_carries_its_pieces() -> None:
    cells = ("c3", "d4", "e4")
    tower = replace(THREE, cells=cells)
    seen = moment(now=np.array(EMPTY_GMM) + pull_gmm(*cells))
    tracker = tower.then(0.0, seen, account=replace(tower.account, lifted=True))

    assert not tracker.best.account.lifted
    assert tracker.best.account.emptied == 0
    assert tracker.best.account.stands == (1, 2, 3)


@pytest.mark.parametrize("pressed_g", [7.4, 20.0, 55.0])
def test_a_board_put_back_under_a_hand_is_not_empty_yet(pressed_g: float) -> None:
    seen = moment((300.0, 200.0), now=(300.0, 200.0), misfit=3.0)
    tracker = THREE.then(pressed_g, seen, steady_s=0.3, account=LIFTED)

    assert not tracker.best.free
    assert tracker.probability(lambda each: each.emptied > 0) < 0.5


def test_a_board_held_somewhere_in_between_is_lifted_still() -> None:
    tracker = THREE.then(-THREE.mass_g - 40.0, moment((200.0, 0.0)), account=LIFTED)

    assert tracker.best.account.lifted
    assert not tracker.best.free


@given(below_g=st.floats(5.0, 400.0), lifted=st.booleans(), steady_s=st.floats(0.1, 3.0))
def test_less_than_nothing_is_never_an_empty_board(
    below_g: float, lifted: bool, steady_s: float
) -> None:
    """A board off its tip must not become the new zero, or its return would be 60 pieces."""
    account = LIFTED if lifted else OVER
    seen = moment((50.0, 20.0), now=EMPTY_GMM)
    tracker = THREE.then(-THREE.mass_g - below_g, seen, steady_s=steady_s, account=account)

    assert tracker.probability(lambda each: each.emptied > 0) < 0.1


def test_a_phone_may_be_taken_while_the_board_is_cleared() -> None:
    """Else the plate is believed to carry what is heavier than all that is left."""
    loaded = replace(OVER, free_g=THREE.mass_g + PHONE_G, plate_g=(PHONE_G,))
    seen = moment(pull_gmm("c2"), now=(300.0, 200.0), offset_shift_gmm=95.0 * PHONE_G)
    tracker = THREE.then(-PIECE_G, seen, steady_s=0.4, account=loaded)
    emptied = THREE.then(
        -THREE.mass_g, moment(now=EMPTY_GMM, offset_shift_gmm=95.0 * PHONE_G), account=loaded
    )

    assert tracker.best.account.plate_g == ()
    assert emptied.best.account.emptied == 1
    assert emptied.best.account.plate_g == ()


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


# -- the round is over -----------------------------------------------------------------------------


def test_a_board_that_is_being_cleared_weighs_anything_meanwhile() -> None:
    seen = moment((60.0, 40.0), now=np.array(EMPTY_GMM) + pull_gmm("d4", "b4"))
    tracker = THREE.then(-1.3 * PIECE_G, seen, account=OVER, steady_s=0.3)

    assert tracker.probability(lambda each: each.over) > 0.9
    assert fell(tracker) < 0.01


def test_a_board_with_nothing_left_is_empty() -> None:
    seen = moment(many(THREE.cells), now=EMPTY_GMM)
    tracker = THREE.then(-THREE.mass_g, seen, account=OVER)

    assert tracker.probability(lambda each: each.emptied == 1) > 0.9
    assert tracker.best.account.stands == ()
    assert not tracker.best.account.over


def test_an_emptied_board_begins_a_round_and_remembers_how_the_last_one_ended() -> None:
    over = TOWER.bumped_hard().then(-4 * PIECE_G, moment(many(("e5", "a1", "c2", "d4"))))
    fallen = replace(over.best.account, log_p=0.0)
    change = many(("c3", "b4"))
    emptied = TOWER.then(-TOWER.mass_g, moment(change, now=EMPTY_GMM), account=fallen).best.account

    assert emptied.emptied == 1
    assert emptied.fall is None
    assert emptied.fall_since(0) == fallen.fall


def test_fallen_pieces_that_stay_on_the_plate_do_not_keep_the_board_from_being_empty() -> None:
    seen = moment(many(THREE.cells), now=EMPTY_GMM, offset_shift_gmm=2 * PIECE_G * 70.0)
    fell = Fall(2, 5.0, ToppleKind.OFF_BOARD, 0.1, 2)
    two_fell = replace(OVER, fall=fell)
    tracker = THREE.then(2 * PIECE_G - THREE.mass_g, seen, account=two_fell)

    assert tracker.probability(lambda each: each.emptied == 1) > 0.9
    assert tracker.best.account.plate_g == pytest.approx((2 * PIECE_G,))

    nothing_fell = THREE.then(2 * PIECE_G - THREE.mass_g, seen, account=OVER)
    assert nothing_fell.probability(lambda each: each.emptied == 1) < 0.5


def test_a_board_at_which_everybody_only_stares_is_not_empty() -> None:
    seen = moment(now=np.array(EMPTY_GMM) + pull_gmm("c3", "d4", "e4"))
    tracker = THREE.then(0.0, seen, account=OVER, steady_s=10.0)

    assert tracker.probability(lambda each: each.emptied > 0) < 0.1


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

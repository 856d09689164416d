"""Pieces that are put down while a thing or a hand lies on the base plate."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from engine.detect.back.account import Account
from engine.detect.back.tracker import Tracker
from engine.detect.front.contact import Phase
from engine.detect.front.pressing import Press
from engine.events import Expectation, Placed
from tests.engine.detect.back.test_scene import Watched, feel, weigh
from tests.engine.detect.rests import (
    EMPTY_GMM,
    PHONE_G,
    PHONE_GMM,
    PIECE_G,
    THREE,
    Board,
    fell,
    moment,
    pull_gmm,
    standing,
)

INNER, CORNERS = Expectation(("c2", "b3", "d3", "c4")), Expectation(("a1", "a5", "e1", "e5"))
BOARD = Board(("c3", "d4"), INNER)
HAND_G = 480.0
HAND_GMM = 90.0 * HAND_G


def beside_a_hand(pieces: int, error_g: float) -> Account:
    """So many were put down while a hand lay there, whose weight is known within a few grams."""
    return BOARD.account.but(
        free_g=BOARD.mass_g + pieces * PIECE_G + HAND_G + error_g,
        stands=tuple(range(1, 3 + pieces)), plate_g=(HAND_G + error_g,),
        clean_g=BOARD.mass_g, clean_pieces=2,
    )  # fmt: skip


def gone(pieces: int, *, more: bool) -> Tracker:
    """The hand is gone, and left so many pieces; `more`: and one that was put down as it went."""
    account = beside_a_hand(pieces, error_g=4.0)
    after_g = BOARD.mass_g + (pieces + more) * PIECE_G
    board = replace(BOARD, cells=("c3", "d4", *("c2",) * pieces), expectation=CORNERS)
    change = pull_gmm("e5") if more else (0.0, 0.0)
    seen = moment(change, offset_shift_gmm=HAND_GMM)
    return board.then(after_g - board.mass_g, seen, account=account)


@pytest.mark.parametrize("pieces", [0, 1])
@pytest.mark.parametrize("more", [False, True])
def test_when_a_hand_has_gone_the_board_weighs_what_it_did_and_the_pieces(
    pieces: int, *, more: bool
) -> None:
    tracker = gone(pieces, more=more)

    assert tracker.best.account.plate_g == ()
    assert len(tracker.best.account.stands) == 2 + pieces + more
    assert tracker.now[0].p > 0.8


def test_a_rest_with_nothing_on_the_plate_is_remembered_for_those_with_something() -> None:
    clean = BOARD.then(PIECE_G, moment(pull_gmm("c2"))).best.account
    laid = BOARD.then(HAND_G, moment(offset_shift_gmm=HAND_GMM), account=clean).best.account

    assert clean.clean_g == pytest.approx(BOARD.mass_g + PIECE_G)
    assert clean.clean_pieces == 3
    assert laid.plate_g
    assert (laid.clean_g, laid.clean_pieces) == (clean.clean_g, 3)


def test_a_piece_beside_a_heavy_hand_is_not_looked_for_where_that_seems_to_press() -> None:
    """What lies on the plate turns no board: it seems to press in the middle."""
    board = replace(BOARD, press=Press((0.0, 0.0), 1.0, HAND_G))
    seen = moment(pull_gmm("c4"), offset_shift_gmm=HAND_GMM)
    tracker = board.then(HAND_G + PIECE_G, seen)

    placed = next(each for each in tracker.now if each.explained.placed)
    assert placed.explained.location is not None
    assert placed.explained.location.cell == "c4"
    assert placed.p > 0.5


@pytest.mark.parametrize("steady_s", [0.7, 2.0])
def test_two_pieces_of_two_turns_lie_where_each_die_allowed(steady_s: float) -> None:
    board = replace(BOARD, expectation=CORNERS)
    rest = board.rest(2 * PIECE_G, moment(pull_gmm("c4", "e5")), steady_s)
    tracker = Tracker(0.0)
    tracker.amend(lambda _: board.account)
    tracker.explain(board.explaining(replace(rest, turns=(INNER, CORNERS))))

    assert tracker.best.placed == 2
    assert tracker.best.both is not None
    assert [place.cell for place in tracker.best.both] == ["c4", "e5"]
    assert tracker.best.account.stands == (1, 2, -3, 3)


def test_a_piece_that_was_seen_only_after_the_next_roll_was_put_down_before_it() -> None:
    """Somebody's hand lies on the plate, heavier and lighter, from before the piece until later."""
    scene = Watched()
    weigh(scene, 0.0, 3.0)
    scene.expect(INNER)
    weigh(scene, 0.0, 3.0)
    chance = Random(1)
    feel(scene, [HAND_G * chance.uniform(0.9, 1.1) for _ in range(60)])
    rolled_s = scene.now_s
    scene.expect(CORNERS)
    feel(scene, [HAND_G * chance.uniform(0.9, 1.1) for _ in range(60)])
    told = weigh(scene, PIECE_G, 3.0)

    (placed,) = [event for event in told if isinstance(event, Placed)]
    assert placed.t_s < rolled_s
    assert scene.contacts.balance.phase is Phase.FREE


def test_two_sixes_on_end_are_two_turns() -> None:
    """A six allows every cell; who rolls ahead says so (things, seed 1400103)."""
    scene = Watched()
    weigh(scene, 0.0, 3.0)
    scene.expect(Expectation(None, pieces_left=20))
    feel(scene, [HAND_G] * 9)
    scene.expect(Expectation(None, pieces_left=20))
    assert len(scene.expected.turns(scene.touched_s, scene.now_s)) == 1
    scene.expect(Expectation(None, pieces_left=20, ahead=True))

    assert len(scene.expected.turns(scene.touched_s, scene.now_s)) == 2


def test_a_thing_that_weighs_as_a_piece_is_taken_as_one_is_put_down() -> None:
    """All weighs what it weighed, and the board hangs with a piece more (things, 1400103)."""
    laid = BOARD.account.but(
        free_g=BOARD.mass_g + PIECE_G, plate_g=(PIECE_G,), clean_g=BOARD.mass_g,
        clean_pieces=2,
    )  # fmt: skip
    seen = moment(pull_gmm("c4"), offset_shift_gmm=90.0 * PIECE_G)
    tracker = BOARD.then(PIECE_G, seen, account=laid)

    assert tracker.best.location is not None
    assert tracker.best.location.cell == "c4"
    assert tracker.best.account.plate_g == ()


def test_a_phone_laid_down_before_the_board_is_cleared_is_no_hand_that_clears() -> None:
    """Then every piece that was taken seemed to be taken from an empty board (things, 1400101)."""
    over = BOARD.account.but(over=True)
    board = replace(BOARD, press=Press((0.0, 0.0), 0.5, HAND_G), stirred=False)
    tracker = board.then(HAND_G, moment(offset_shift_gmm=HAND_GMM), account=over)

    assert tracker.best.account.plate_g == pytest.approx((HAND_G,))
    assert tracker.best.account.over
    assert tracker.best.account.stands == (1, 2)


def test_what_weighs_more_than_a_hand_presses_says_nothing_of_where_a_piece_was_put() -> None:
    """A hand on the plate, gone in the same contact, seemed to press on c3 (things, 1400101)."""
    board = replace(BOARD, press=Press((0.0, 0.0), 0.5, HAND_G), expectation=Expectation(None))
    place = board.then(PIECE_G, moment(0.75 * pull_gmm("c4"))).best.location
    by_hand = replace(board, press=Press((0.0, 0.0), 0.5, 20.0))
    pressed = by_hand.then(PIECE_G, moment(0.75 * pull_gmm("c4"))).best.location

    assert place is not None
    assert place.cell == "c4"
    assert pressed is not None
    assert pressed.probability < place.probability or pressed.cell == "c3"


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
    loaded = THREE.account.but(free_g=THREE.mass_g + PHONE_G, plate_g=(PHONE_G,))
    tracker = THREE.then(0.0, moment(offset_shift_gmm=PHONE_GMM), account=loaded)

    assert tracker.best.account.plate_g == ()
    assert fell(tracker) < 0.05


def test_the_weight_of_a_piece_gone_while_the_board_hangs_as_it_did_left_the_plate() -> None:
    """Nobody had seen it come; nothing fell."""
    tracker = THREE.then(-PIECE_G, moment(offset_shift_gmm=90.0 * PIECE_G), steady_s=3.0)

    assert fell(tracker) < 0.2
    assert tracker.best.account.stands == (1, 2, 3)


def test_a_piece_is_seen_beside_what_lies_on_the_plate() -> None:
    loaded = THREE.account.but(free_g=THREE.mass_g + PHONE_G, plate_g=(PHONE_G,))
    tracker = THREE.then(PHONE_G + PIECE_G, moment(pull_gmm("c2")), account=loaded)

    assert tracker.best.location is not None
    assert tracker.best.location.cell == "c2"
    assert tracker.best.account.plate_g == (PHONE_G,)


EMPTIED = Board()
LYING_G = 2 * PIECE_G


def test_of_two_pieces_that_lie_on_the_plate_one_may_be_taken() -> None:
    """Both were one thing that could only go whole; a piece was invented (normal, 2100023)."""
    account = EMPTIED.account.but(free_g=LYING_G, plate_g=(LYING_G,), clean_g=0.0, emptied=1)
    seen = moment(now=EMPTY_GMM, offset_shift_gmm=90.0 * PIECE_G)
    one_taken = EMPTIED.then(PIECE_G, seen, account=account)

    assert one_taken.probability(lambda each: each.plate_g == pytest.approx((PIECE_G,))) > 0.9
    assert one_taken.probability(lambda each: bool(each.stands)) < 0.01


def test_pieces_told_on_the_plate_may_have_been_on_the_board_still() -> None:
    """After a collapse the board chanced to hang as an empty one does (normal, 2100009)."""
    loaded_g, hung_gmm = 6 * PIECE_G, np.array([110.0, -110.0])
    account = EMPTIED.account.but(free_g=loaded_g, plate_g=(loaded_g,), clean_g=0.0, emptied=1)
    seen = moment(-hung_gmm, now=EMPTY_GMM, offset_shift_gmm=900.0)
    tracker = EMPTIED.then(0.0, seen, account=account)

    assert tracker.best.account.plate_g == ()
    assert tracker.best.account.stands == ()

"""Whether people stop a round, or something fell: the time tells, and what hands can do."""

from dataclasses import replace

import numpy as np
import pytest

from engine.detect.back.account import Account, Fall, Gmm
from engine.detect.front.contact import Touch
from engine.detect.front.pressing import Press
from engine.events import Expectation, ToppleKind
from tests.engine.detect.rests import EMPTY_GMM, PIECE_G, Board, many, moment, pull_gmm

HIGH = ("c3", "d4", "b4", "c2", "e5", "a1", "d3", "b3", "c4", "a5", "e1", "d2")


def test_what_leaves_a_high_tower_just_after_the_hand_fell_and_was_not_taken() -> None:
    """People who agree to stop watch the tower first (demo, calm, seed 208)."""

    def taken(since_s: float, *, rested: bool = False) -> float:
        nobody = Expectation(None, may_place=False)
        board = Board(HIGH, nobody, since_s=since_s, in_turn=False, rested=rested)
        tracker = board.then(-4 * PIECE_G, moment(many(HIGH[-4:])))
        return tracker.probability(lambda account: account.over and account.fall is None)

    assert taken(0.6) < 0.05
    assert taken(4.0) > 0.2
    # And a board that hangs still sheds nothing by itself (family_211).
    assert taken(4.0, rested=True) > 1.5 * taken(4.0)


def test_nobody_clears_twelve_pieces_in_a_third_of_a_second() -> None:
    """All that was weighed before the contact went in it: it fell (demo, normal, seed 211)."""
    board = Board(HIGH, Expectation(None, may_place=False))
    over = board.account.but(over=True, over_s=0.0)

    def cleared(account: Account) -> float:
        explaining = board.explaining(board.rest(-12 * PIECE_G, moment(many(HIGH)), 1.0))
        explaining.explain(account)
        return max(each.account.log_p for each in explaining.found if each.account.emptied)

    # Under a hand they may have gone one by one before.
    assert cleared(over) < cleared(over.but(held=1)) - 2.0


def test_who_stops_a_round_may_take_the_last_piece_first() -> None:
    """It neither fell nor was it taken back (family, calm, seed 503)."""
    board = Board(HIGH, Expectation(None, may_place=False), since_s=3.0, in_turn=False)
    tracker = board.then(-PIECE_G, moment(many(HIGH[-1:])))

    assert tracker.probability(lambda account: account.over and account.fall is None) > 0.05


def test_a_piece_that_bounced_lies_where_the_hand_had_pressed_harder_or_fell_from_there() -> None:
    """It bounced a little; who pressed with 12 g on c3 had put it there (seed 920001, normal)."""

    def fell(at_mm: tuple[float, float], hand_g: float = 12.0) -> float:
        touch = Touch(
            20.0, highest_g=12.0, pressed_s=0.4, back_s=0.1, back_until_s=0.2, after_g=2.0 * PIECE_G
        )
        board = Board(HIGH[:6], Expectation(), touch=touch, press=Press(at_mm, 1.0, hand_g))
        tracker = board.then(PIECE_G, moment(pull_gmm("c3")))
        return tracker.probability(lambda account: account.fall is not None)

    assert fell((0.0, 0.0)) < 0.2
    assert fell((0.0, 19.0)) > 0.7
    # The hand had let go before: what pressed then was the piece.
    assert fell((0.0, 0.0), hand_g=2.0 * PIECE_G) > 0.7


def test_an_empty_board_that_is_put_back_has_not_been_cleared_again() -> None:
    """Whose next piece was believed to fall with that clearing (lively people)."""
    empty = Board()
    carried = empty.account.but(lifted=True, emptied=1)
    tracker = empty.then(0.0, moment(now=EMPTY_GMM), account=carried)

    assert tracker.best.free
    assert tracker.probability(lambda each: each.emptied > 1) < 0.01


def test_a_tower_that_comes_down_on_the_table_with_the_new_piece_on_it_has_toppled() -> None:
    """One piece more by weight, and the board hangs as no piece makes it (seed 1200016)."""
    board = Board(HIGH, Expectation(("d5", "b5")), fall_odds=-0.3)
    seen = moment(np.array((204.0, 343.0)), offset_shift_gmm=150.0)

    def fell(each: Board) -> float:
        tracker = each.then(PIECE_G, seen, steady_s=2.0)
        return tracker.probability(
            lambda account: account.fall is not None and account.fall.kind is ToppleKind.COLLAPSE
        )

    assert fell(board) > 0.75
    assert fell(replace(board, cells=HIGH[:2])) < 0.5


def test_a_piece_pushed_off_its_stack_as_another_is_put_down_has_fallen_once_people_clear() -> None:
    """The board hangs as no piece on c3 makes it, and nobody rolls on (seeds 1200050, 1200079)."""
    board = Board(HIGH, Expectation(("c3",)))

    def fell(off_mm: float) -> float:
        tracker = board.then(PIECE_G, moment(np.array((off_mm * PIECE_G, 0.0))))
        return tracker.probability(lambda account: account.fall is not None)

    assert fell(2.0) < 0.002
    assert 0.005 < fell(17.0) < 0.3


def test_what_a_pushed_table_sheds_was_hardly_taken_by_hands_that_clear() -> None:
    """A told topple that was none took the collapse that followed with it (seed 1200036)."""
    board = Board(HIGH, Expectation(None, may_place=False))
    over = board.account.but(over=True, over_s=0.0)

    def taken(each: Board) -> float:
        explaining = each.explaining(each.rest(-5 * PIECE_G, moment(many(HIGH[:5])), 0.3))
        explaining.explain(over)
        hands = [a.account.log_p for a in explaining.found if not a.free and a.account.over]
        return max(hands)

    assert taken(replace(board, bumped=0.98)) < taken(replace(board, bumped=0.1)) - 1.5


def test_a_contact_that_changes_nothing_says_nothing_about_a_fall_before_it() -> None:
    """Fingers drum on the table before anybody clears it (seeds 1200022 and 1200044, rough)."""
    board = Board(HIGH, since_s=1.0)
    fall = Fall(board.next - 1, 19.0, ToppleKind.OFF_STACK, 0.1, 1, began_s=18.7, lies=True)
    explaining = board.explaining(board.rest(0.0, moment(), 0.3))
    explaining.explain(board.account)
    explaining.explain(board.account.but(stands=(), fall=fall, over=True))
    still = [each.account for each in explaining.found if each.free]
    fell = max(each.log_p for each in still if each.fall == fall)
    plays = max(each.log_p for each in still if not each.over)

    assert fell == pytest.approx(plays, abs=0.1)


def test_what_a_tap_or_a_push_has_shifted_is_off_twice_and_not_anew() -> None:
    """Else each further tap would make a fall of it (seeds 1200002 and 1200035, rough)."""
    off_gmm = 20.0, -40.0

    def same(strayed_gmm: Gmm | None, press: Press | None = None) -> Account:
        board = Board(HIGH, press=press)
        explaining = board.explaining(board.rest(0.0, moment(off_gmm), 0.2))
        explaining.explain(board.account.but(strayed_gmm=strayed_gmm))
        unmoved = [e for e in explaining.found if e.free and not e.moves and not e.account.over]
        return unmoved[0].account

    assert same((21.0, -38.0)).log_p > same(None).log_p + 3.0
    assert same((-20.0, 40.0)).log_p < same(None).log_p
    assert same(None, Press((0.0, 0.0), 1.0)).strayed_gmm == off_gmm
    # A hand at the board may have moved a piece: that it hangs off again says so again.
    assert same(None, Press((64.0, 64.0), 1.0)).strayed_gmm is None


def test_a_roll_told_after_a_hand_was_there_makes_no_piece_that_fell_of_it() -> None:
    """It hovered before the roll, and was charged with the next player's fall (seed 1200045)."""

    def fell(*, foreseen: bool) -> float:
        board = Board(HIGH, foreseen=foreseen)
        tracker = board.then(0.0, moment(), steady_s=0.3)
        return tracker.probability(lambda account: account.fall is not None)

    assert fell(foreseen=False) < 0.1 * fell(foreseen=True)


def test_who_lets_go_in_two_steps_has_moved_the_board_in_the_first() -> None:
    """The second is as gentle as a thing laid on the plate (seed 1200004, rough)."""

    def placed(*, landing: bool) -> float:
        board = Board(HIGH[:3], stirred=False, landing=landing)
        explaining = board.explaining(board.rest(PIECE_G, moment(pull_gmm("b3")), 1.0))
        explaining.explain(board.account)
        return max(each.account.log_p for each in explaining.found if each.placed)

    assert placed(landing=True) > placed(landing=False) + 3.0


def test_a_piece_less_on_a_board_that_hangs_as_if_others_had_moved_has_fallen() -> None:
    """Seven fell as the last one was put down, and six of them lay on the board (seed 2600006)."""
    board = Board(HIGH, Expectation(None, may_place=False, pieces_left=0), fall_odds=1.0)
    seen = moment(np.array((-281.0, 29.0)), offset_shift_gmm=45.0)
    tracker = board.then(-PIECE_G, seen, steady_s=2.0)

    assert tracker.probability(lambda account: account.fall is not None) > 0.5


def test_a_last_piece_of_which_nobody_knows_what_it_turned_is_weighed_as_any_that_is_gone() -> None:
    """Its moment was left out: no other account had a chance beside it (seed 1200022)."""
    board = Board(HIGH, Expectation(None, may_place=False), since_s=0.5)

    def gone(*, known: bool) -> float:
        explaining = board.explaining(board.rest(-PIECE_G, moment(many(HIGH[-1:])), 0.3))
        if not known:
            explaining.density.sightings[len(HIGH)].change_gmm = None
        explaining.explain(board.account)
        taken = [e for e in explaining.found if e.account.stands == board.account.stands[:-1]]
        return max(each.account.log_p for each in taken)

    assert gone(known=False) < gone(known=True)


def test_who_had_a_hand_at_the_board_and_put_nothing_down_has_rather_let_a_piece_fall() -> None:
    """No die was told; the piece slid straight off (marked, normal, seed 1500002)."""

    def agreed(*, handled: bool) -> float:
        board = Board(HIGH, since_s=4.0)
        rest = replace(
            board.rest(-4 * PIECE_G, moment(many(HIGH[-4:])), 0.4), handled=handled, rolled=False
        )
        explaining = board.explaining(rest)
        explaining.explain(board.account)
        return max(
            each.account.log_p for each in explaining.found
            if each.account.over and each.account.fall is None
        )  # fmt: skip

    assert agreed(handled=True) < agreed(handled=False) - 1.5

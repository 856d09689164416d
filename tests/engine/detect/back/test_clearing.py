"""A rest when the round is over, or the board is in somebody's hands."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.account import Account, Fall
from engine.detect.back.rest import Rest
from engine.detect.back.tracker import Tracker
from engine.events import ToppleKind
from tests.engine.detect.rests import (
    BOARD_G,
    EMPTY_GMM,
    LIFTED,
    OVER,
    PHONE_G,
    PIECE_G,
    THREE,
    TOWER,
    Board,
    fell,
    many,
    moment,
    pull_gmm,
)


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
    tracker = tower.then(0.0, seen, account=tower.account.but(lifted=True))

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
    loaded = OVER.but(free_g=THREE.mass_g + PHONE_G, plate_g=(PHONE_G,))
    seen = moment(pull_gmm("c2"), now=(300.0, 200.0), offset_shift_gmm=95.0 * PHONE_G)
    tracker = THREE.then(-PIECE_G, seen, steady_s=0.4, account=loaded)
    emptied = THREE.then(
        -THREE.mass_g, moment(now=EMPTY_GMM, offset_shift_gmm=95.0 * PHONE_G), account=loaded
    )

    assert tracker.best.account.plate_g == ()
    assert emptied.best.account.emptied == 1
    assert emptied.best.account.plate_g == ()


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
    fallen = over.best.account.but(log_p=0.0)
    change = many(("c3", "b4"))
    emptied = TOWER.then(-TOWER.mass_g, moment(change, now=EMPTY_GMM), account=fallen).best.account

    assert emptied.emptied == 1
    assert emptied.fall is None
    assert emptied.fall_since(0) == fallen.fall


def test_fallen_pieces_that_stay_on_the_plate_do_not_keep_the_board_from_being_empty() -> None:
    seen = moment(many(THREE.cells), now=EMPTY_GMM, offset_shift_gmm=2 * PIECE_G * 70.0)
    fell = Fall(2, 5.0, ToppleKind.OFF_BOARD, 0.1, 2)
    two_fell = OVER.but(fall=fell)
    tracker = THREE.then(2 * PIECE_G - THREE.mass_g, seen, account=two_fell)

    assert tracker.probability(lambda each: each.emptied == 1) > 0.9
    assert tracker.best.account.plate_g == pytest.approx((2 * PIECE_G,))

    nothing_fell = THREE.then(2 * PIECE_G - THREE.mass_g, seen, account=OVER)
    assert nothing_fell.probability(lambda each: each.emptied == 1) < 0.5


@pytest.mark.parametrize("fall", [Fall(2, 5.0, ToppleKind.COLLAPSE, 0.9, None), None])
def test_pieces_that_fell_on_the_plate_unseen_may_be_taken_from_it_with_the_others(
    fall: Fall | None,
) -> None:
    """The board was empty for five seconds, and not believed to be (calm, seed 1900015).

    Nor does it say that something fell: a hand may have dropped them (calm, seed 2000004).
    """
    shift_gmm = 2.0 * PIECE_G * 100.0
    seen = moment(many(THREE.cells), now=EMPTY_GMM, offset_shift_gmm=shift_gmm)
    tracker = THREE.then(-THREE.mass_g, seen, account=OVER.but(taking=True, fall=fall))

    assert tracker.probability(lambda account: account.emptied == 1) > 0.9


def test_a_tower_that_came_down_has_left_some_pieces_and_hands_have_not_cleared_it_yet() -> None:
    """What rocked the board was no hand (normal, seed 2100009).

    Half a second after the collapse the board was told as clear, with six pieces on the plate.
    """
    cells = ("c3", "d4", "b4", "c2", "e5", "a1", "a2", "b1", "d1", "e1")
    tower = Board(cells)
    fall = Fall(10, 20.0, ToppleKind.COLLAPSE, 0.9, None)
    held = tower.account.but(over=True, taking=True, held=1, fall=fall)
    left_gmm = np.array(EMPTY_GMM) + np.array([110.0, -110.0])
    seen = moment(left_gmm - many(cells) - EMPTY_GMM, now=left_gmm, offset_shift_gmm=600.0)
    tracker = tower.then(4 * PIECE_G - tower.mass_g, seen, account=held)

    assert tracker.probability(lambda each: each.emptied > 0) < 0.5
    assert tracker.best.account.fall is not None
    assert tracker.best.free


def test_once_hands_clear_a_pause_says_nothing_of_how_the_round_ended() -> None:
    """A piece that lies there as if it had been put down won by each pause (normal, 1800013)."""
    slid = Fall(3, 5.0, ToppleKind.OFF_STACK, 0.1, 1, lies=True)
    gone = Fall(4, 8.0, ToppleKind.OFF_BOARD, 0.1, 1)
    held_g = 90.0
    cleared = OVER.but(free_g=THREE.mass_g + held_g, taking=True)
    odds = []
    for fall in (slid, gone, None):
        heard = THREE.then(held_g, moment(), steady_s=0.1, account=cleared.but(fall=fall))
        odds.append(heard.now[0].explained.account.log_p)

    assert odds == pytest.approx([odds[0]] * 3)


def test_a_board_at_which_everybody_only_stares_is_not_empty() -> None:
    seen = moment(now=np.array(EMPTY_GMM) + pull_gmm("c3", "d4", "e4"))
    tracker = THREE.then(0.0, seen, account=OVER, steady_s=10.0)

    assert tracker.probability(lambda each: each.emptied > 0) < 0.1


@pytest.mark.parametrize(("since_s", "come"), [(0.5, False), (5.0, True)])
def test_hands_that_clear_need_time_to_come_after_a_single_piece_has_slid_off(
    since_s: float, come: bool
) -> None:
    """A tower fell 0.6 s after a hand had touched it; the touch was taken for a fall (26400198)."""
    fall = Fall(
        3, THREE.rest(0.0, None, 1.0).look.arrived_s - since_s, ToppleKind.OFF_BOARD, 0.1, 1
    )
    account = OVER.but(fall=fall)
    tracker = THREE.then(-1.4 * PIECE_G, moment((150.0, 60.0)), account=account, steady_s=0.2)

    assert (tracker.probability(lambda each: each.taking) > 0.5) == come


@pytest.mark.parametrize(("since_s", "goes_on"), [(0.8, True), (9.0, False)])
def test_a_tower_goes_on_falling_for_a_moment_and_hands_take_pieces_later(
    since_s: float, goes_on: bool
) -> None:
    """Two pieces fell, and half a second on the other 36 (26400687)."""
    arrived_s = TOWER.rest(0.0, None, 1.0).look.arrived_s
    fall = Fall(TOWER.next, arrived_s - since_s, ToppleKind.OFF_BOARD, 0.1, 2)
    account = TOWER.account.but(over=True, fall=fall)
    tracker = TOWER.then(-4 * PIECE_G, moment((400.0, 160.0)), account=account, steady_s=0.3)
    fell_on = tracker.probability(
        lambda each: each.fall is not None and each.fall.kind is ToppleKind.COLLAPSE
    )

    assert (fell_on > 0.2) == goes_on
    assert fell(tracker) > 0.99


def test_a_tower_that_falls_after_a_single_piece_falls_when_most_of_it_does() -> None:
    """A touch a second before passed for a piece that fell; the tower fell later (26500861)."""
    rest = TOWER.rest(-4 * PIECE_G, moment((400.0, 160.0)), 0.3)
    rest = replace(rest, since_s=rest.look.arrived_s + 0.8)
    fall, collapse = _goes_on_after_a_touch(rest)

    assert fall.t_s + 0.5 < collapse.t_s < rest.since_s


@pytest.mark.parametrize("bumped", [0.1, 0.9])
def test_a_tower_that_falls_after_a_single_piece_falls_by_what_is_felt_then(bumped: float) -> None:
    """A touch half a second before was no bump, and so the bump was none (golden `cell`, 74 s)."""
    rest = TOWER.rest(-4 * PIECE_G, moment((400.0, 160.0)), 0.3)
    _, collapse = _goes_on_after_a_touch(replace(rest, bumped=bumped))

    assert (collapse.bumped, collapse.began_s) == (bumped, rest.look.felt.touch.began_s)


def _goes_on_after_a_touch(rest: Rest) -> tuple[Fall, Fall]:
    """What was held to have fallen 0.4 s before a rest, and what it is held to be by that rest."""
    fall = Fall(TOWER.next, rest.look.arrived_s - 0.4, ToppleKind.OFF_BOARD, 0.4, 1)
    tracker = Tracker(0.0)
    tracker.amend(lambda _: TOWER.account.but(over=True, fall=fall))
    tracker.explain(TOWER.explaining(rest))
    collapse = tracker.best.account.fall
    assert collapse is not None
    assert collapse.kind is ToppleKind.COLLAPSE
    return fall, collapse

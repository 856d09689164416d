from dataclasses import replace

import numpy as np
import pytest

from engine.detect.scene import Scene
from engine.events import Cleared, Expectation
from tests.engine.detect.tables import TABLETOP, placement

ROLLED = Expectation(("c3",))
BETWEEN_TURNS = Expectation(None, may_place=False)
CLEAR_FIRST = Expectation(None, may_place=False, pieces_left=0)


def test_a_slow_decision_is_judged_by_the_die_that_was_valid_when_the_piece_was_let_go() -> None:
    scene = Scene(TABLETOP)
    scene.now_s = 1.0
    scene.expect(ROLLED)
    scene.now_s = 5.0
    scene.expect(Expectation(("a1", "e1")))

    assert scene.expected_at(4.0) == ROLLED
    assert scene.expected_at(6.0).legal_cells == ("a1", "e1")


def test_a_die_told_late_is_better_than_none() -> None:
    scene = Scene(TABLETOP)
    scene.expect(BETWEEN_TURNS)
    scene.now_s = 5.0
    scene.expect(ROLLED)

    assert scene.expected_at(4.0) == ROLLED


def test_the_board_is_cleared_until_the_rules_expect_a_piece_again() -> None:
    scene = Scene(TABLETOP)
    scene.expect(CLEAR_FIRST)
    assert scene.clearing
    scene.expect(BETWEEN_TURNS)
    assert scene.clearing
    scene.expect(ROLLED)
    assert not scene.clearing


def test_a_roll_told_after_a_topple_opens_the_board_again_once() -> None:
    scene = Scene(TABLETOP)
    scene.expect(BETWEEN_TURNS)
    scene.now_s = 9.0
    scene.expect(ROLLED)
    scene.clearing, scene.fell_s = True, 8.0
    scene.emit(Cleared(1.0, 1.2))
    scene.expect(ROLLED)
    assert scene.clearing, "the rules have not heard of it yet"

    scene.events.clear()
    scene.expect(ROLLED)
    assert not scene.clearing

    scene.clearing = True
    scene.expect(ROLLED)
    assert scene.clearing, "the same fall is not doubted twice"


def test_without_a_roll_a_topple_stays_one() -> None:
    scene = Scene(TABLETOP)
    scene.expect(ROLLED)
    scene.clearing, scene.fell_s = True, 8.0
    scene.expect(ROLLED)

    assert scene.clearing


@pytest.mark.parametrize(
    ("may_place", "rolled_s", "out"),
    [(True, None, False), (True, 8.0, False), (True, 9.5, True), (False, 8.0, True)],
)
def test_nobody_places_before_the_roll_or_within_a_second_of_it(
    may_place: bool, rolled_s: float | None, out: bool
) -> None:
    scene = Scene(TABLETOP)
    scene.expected_at_contact = replace(ROLLED, may_place=may_place)
    scene.balance.touch.began_s, scene.rolled_s = 10.0, rolled_s

    assert scene.out_of_turn is out


@pytest.mark.parametrize(("arrived_s", "out"), [(9.0, True), (10.5, True), (11.0, False)])
def test_a_weight_that_comes_long_after_the_roll_is_in_turn_whatever_shook_the_table_before(
    arrived_s: float, out: bool
) -> None:
    scene = Scene(TABLETOP)
    scene.expected_at_contact = BETWEEN_TURNS
    scene.balance.touch.began_s = 9.0
    scene.now_s = 9.5
    scene.expect(BETWEEN_TURNS)
    scene.expect(ROLLED)
    scene.balance.arrived_s = arrived_s

    assert scene.out_of_turn is out


def test_a_piece_seen_after_the_next_roll_is_older_than_that_roll() -> None:
    scene = Scene(TABLETOP)
    for now_s, left, cells in ((1.0, 24, ("c3",)), (5.0, 24, ("a1",)), (6.0, 23, ("a1",))):
        scene.now_s = now_s
        scene.expect(Expectation(cells, pieces_left=left))
        if left == 24:
            scene.last = placement(released_s=3.0)

    assert scene.rolled_since_last


def test_what_was_seen_before_an_interruption_is_not_lost_for_second_thoughts() -> None:
    scene = Scene(TABLETOP)
    seen = replace(
        placement(released_s=3.0), carried_gmm=np.array([0.0, 3.0 * TABLETOP.cell_pitch_mm])
    )
    place, moment = scene.locate_again(seen)

    assert place.cell == "c4"
    assert moment.change_gmm == pytest.approx(seen.carried_gmm)


def test_numbers_go_on_after_those_of_a_resumed_game() -> None:
    scene = Scene(TABLETOP)
    scene.continue_ids(41)

    assert (scene.new_id(), scene.new_id()) == (42, 43)

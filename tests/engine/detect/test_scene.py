from dataclasses import replace

import pytest

from engine.detect.scene import Scene
from engine.events import Cleared, Expectation
from tests.engine.detect.tables import TABLETOP

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


def test_numbers_go_on_after_those_of_a_resumed_game() -> None:
    scene = Scene(TABLETOP)
    scene.continue_ids(41)

    assert (scene.new_id(), scene.new_id()) == (42, 43)

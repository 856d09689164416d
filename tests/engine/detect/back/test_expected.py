"""What the rules expected when, of pieces that are seen sooner or later."""

from math import inf

import pytest

from engine.detect.back.expected import Expected
from engine.detect.back.parameters import ROLLED_AFTER_S
from engine.events import ANYTHING, Expectation

FIVE = Expectation(("a1", "a5", "e1", "e5"), pieces_left=20)
THREE = Expectation(("b1", "b2", "d1"), pieces_left=19)
WAITING = Expectation(None, may_place=False, pieces_left=19)
CLOSED = Expectation(None, may_place=False, pieces_left=0)


def told(*known: Expectation) -> Expected:
    """One a second, from the first second on."""
    expected = Expected()
    for at_s, expectation in enumerate(known, start=1):
        expected.tell(float(at_s), expectation)
    return expected


def test_what_comes_now_says_what_was_so_far() -> None:
    expected = Expected()

    assert expected.tell(1.0, FIVE) == ANYTHING
    assert expected.tell(2.0, THREE) == FIVE
    assert expected.now == THREE


@pytest.mark.parametrize(
    ("t_s", "known"), [(0.5, THREE), (1.5, FIVE), (2.5, WAITING), (9.0, THREE)]
)
def test_what_was_in_force_at_a_time(t_s: float, known: Expectation) -> None:
    assert told(FIVE, WAITING, THREE).then(t_s) == known


@pytest.mark.parametrize(
    ("known", "t_s", "of_piece"),
    [
        ((FIVE, WAITING, THREE), 1.5, FIVE),
        ((FIVE, WAITING, THREE), 2.5, THREE),
        ((CLOSED, THREE), 1.5, ANYTHING),
    ],
)
def test_a_piece_is_judged_by_the_die_in_force_or_the_one_told_after_it(
    known: tuple[Expectation, ...], t_s: float, of_piece: Expectation
) -> None:
    assert told(*known).of_piece(t_s) == of_piece


def test_a_piece_seen_after_the_next_roll_is_of_the_turn_before() -> None:
    expected = told(FIVE, FIVE, WAITING, THREE)

    assert [known for _, known in expected.turns(1.5, 5.0)] == [FIVE, THREE]
    assert expected.due(1.5, 5.0) == FIVE
    assert expected.released_s(1.5, 5.0) == 4.0 - ROLLED_AFTER_S
    assert expected.due(3.5, 5.0) == THREE
    assert expected.released_s(3.5, 5.0) == 5.0


@pytest.mark.parametrize(
    ("told_s", "busy", "released_s", "in_step"),
    [
        (2.0, False, -inf, True),
        (2.0, True, -inf, False),  # somebody was placing just then
        (2.0, False, 1.9, False),  # hardly let go
        (9.8, False, -inf, False),  # as the hand came
        (10.4, False, -inf, False),  # after it had come
    ],
)
def test_a_die_is_in_step_if_it_was_told_between_two_hands(
    told_s: float, busy: bool, released_s: float, in_step: bool
) -> None:
    expected = Expected()
    expected.tell(told_s, FIVE)
    expected.die_told(told_s, released_s, busy=busy)

    assert expected.in_step(10.0, 10.5) is in_step


@pytest.mark.parametrize(("began_s", "hurried"), [(2.1, True), (10.0, False)])
def test_a_die_told_as_its_piece_came_leaves_in_doubt_whose_the_next_one_is(
    began_s: float, hurried: bool
) -> None:
    expected = Expected()
    for told_s, known in ((2.0, FIVE), (20.0, THREE)):
        expected.tell(told_s, known)
        expected.die_told(told_s, -inf, busy=False)
        if told_s == 2.0:
            expected.hurried(began_s, began_s + 0.5)

    assert expected.in_step(30.0, 30.5) is not hurried


def test_nobody_is_in_step_while_no_piece_is_due() -> None:
    assert not told(FIVE, WAITING).in_step(30.0, 30.5)
    assert told(FIVE, WAITING, THREE).in_step(30.0, 30.5)

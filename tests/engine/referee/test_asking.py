"""What is asked: what points depend on, and no more."""

import pytest

from engine.referee.asking import is_worth_asking, worth_of
from engine.referee.ledger import Move, MoveKind, Seen
from tests.engine.referee.script import Script, begin


def row_of_four() -> Script:
    """Four cells of a row are full: the fifth completes it."""
    game = begin()
    for cell in ("a1", "b1", "c1", "d1"):
        game.turn(6, cell)
    game.say("roll", value=6)
    return game


def test_the_worth_of_a_question_is_the_difference_between_its_cells() -> None:
    position = row_of_four().state.position

    assert worth_of(position, "blue", ("e1", "e5")) == 5
    assert worth_of(position, "blue", ("e4", "e5")) == 0
    assert worth_of(position, "blue", ()) == 0


@pytest.mark.parametrize(
    ("p", "worth", "asked"), [(0.94, 0, False), (0.94, 5, True), (0.7, 0, True)]
)
def test_a_doubt_is_asked_about_when_enough_points_hang_on_it(
    p: float, worth: int, *, asked: bool
) -> None:
    position = row_of_four().state.position
    seen = Seen(9, (("e1", p), ("e2", 1.0 - p)), p)

    assert is_worth_asking(position, Move(9, 9.0, MoveKind.PLACE, seen=seen), p, worth) is asked


def test_a_piece_that_may_be_none_is_asked_about() -> None:
    position = row_of_four().state.position
    seen = Seen(9, (("e5", 0.9),), 0.9)

    assert is_worth_asking(position, Move(9, 9.0, MoveKind.PLACE, seen=seen), 0.9, 0)


def test_the_question_points_at_the_piece_and_says_what_it_is_worth() -> None:
    game = row_of_four()
    game.placed("e1", 0.6, alternatives=(("e5", 0.4),))
    (question,) = game.state.questions()

    assert (question.player, question.cell, question.worth) == ("Ann", "e1", 5)


def test_an_answer_that_it_fell_makes_it_a_topple_of_its_player() -> None:
    game = row_of_four()
    game.placed("e1", 0.6, alternatives=(("e5", 0.4),))
    game.say("answer", question=game.questions[0], value="fell")

    assert game.scores == {"Ann": -10, "Bob": 3}
    assert game.questions == []
    game.say("undo")
    assert game.scores["Ann"] == 5


def test_who_does_not_know_is_asked_no_more_and_nothing_changes() -> None:
    game = row_of_four()
    game.placed("e1", 0.6, alternatives=(("e5", 0.4),))
    before = game.scores
    game.say("answer", question=game.questions[0], value="unknown")

    assert (game.scores, game.questions) == (before, [])

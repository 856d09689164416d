"""What is asked: what points depend on, and no more."""

import pytest

from engine.referee.asking import is_worth_asking, worth_of
from engine.referee.ledger import Move, MoveKind, SensedPlacement
from tests.engine.referee.cases import assert_played, cases
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
    seen = SensedPlacement(9, (("e1", p), ("e2", 1.0 - p)), p)

    assert is_worth_asking(position, Move(9, 9.0, MoveKind.PLACE, seen=seen), p, worth) is asked


def test_a_piece_that_may_be_none_is_asked_about() -> None:
    position = row_of_four().state.position
    seen = SensedPlacement(9, (("e5", 0.9),), 0.9)

    assert is_worth_asking(position, Move(9, 9.0, MoveKind.PLACE, seen=seen), 0.9, 0)


def offered(game: Script) -> list[str]:
    (question,) = game.state.questions()
    return [choice.value for choice in question.choices]


def test_a_cell_that_the_sensors_exclude_is_not_offered_but_as_another_one() -> None:
    game = row_of_four()
    event = game.placed("e1", 0.6, alternatives=(("e5", 0.395),))
    assert offered(game) == ["e1", "e5", "another", "fell", "none", "unknown"]
    refused = game.say("answer", question=game.questions[0], value="b2").refused
    assert refused is not None
    assert refused.code == "bad_answer"

    asked = game.questions
    game.say("answer", question=game.questions[0], value="another")
    assert game.questions == asked, "a question keeps its number"
    assert len(offered(game)) == 23 + len(("fell", "none", "unknown"))
    assert {"e1", "e5", "another"}.isdisjoint(offered(game))
    assert not game.ruling.amendments

    game.say("answer", question=game.questions[0], value="b2")
    assert game.board["b2"] == ["blue"]
    assert game.ruling.amendments == ((event, "b2"),)


@cases("""
an answer that it fell makes it a topple of its player
    turns a1 b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4; answer question=cell-11 value=fell
    -> scores Ann=-10 Bob=3; asks nothing
    undo -> scores Ann=5 Bob=0
where the sensors exclude little the nearest cells are offered too
    turns a1 b1 c1 d1; roll 6; piece e1 p=0.6 e2=0.3
    -> offers e1 e2 d1 d2 c1 e3 c2 another fell none unknown
where every cell is offered there is no other one
    roll 4; piece e2 p=0.6 e4=0.2 -> offers e2 e4 d1 b1 d5 a2 b5 a4 fell none unknown
who does not know is asked no more and nothing changes
    turns a1 b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4; answer question=cell-11 value=unknown
    -> scores Ann=5 Bob=0; asks nothing
who says another cell is asked on however little hangs on it
    turns a1 b1 c1 d1 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5 e5; roll 6
    piece e1 p=0.6 e5=0.395; answer question=cell-49 value=another -> asks cell-49
    undo -> offers e1 e5 another fell none unknown; amended nothing
the question points at the piece and says what it is worth
    turns a1 b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4 -> asked.cell-11.player Ann
    -> asked.cell-11.cell e1; asked.cell-11.worth 5
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

"""Where a game stands: phases, and the names of questions."""

from engine.referee.position import Position, Question, likely
from tests.engine.referee.script import begin


def test_before_the_first_game_nothing_is_to_be_done() -> None:
    position = Position()

    assert (position.phase, position.player, position.over) == ("idle", None, False)
    assert position.scores == {}


def test_the_phase_is_that_of_the_rules_until_pieces_must_be_cleared() -> None:
    game = begin()
    assert game.state.position.phase == "roll"
    game.say("roll", value=4)
    assert game.state.position.phase == "act"
    game.toppled()
    assert game.state.position.phase == "clear"
    game.say("end")
    assert game.state.position.phase == "over"
    assert game.state.position.player is None


def test_the_round_that_is_cleared_when_the_game_is_ended_is_still_the_one_that_was_played() -> (
    None
):
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()
    assert game.state.position.round == 1
    game.say("end")

    assert game.state.position.round == 1
    assert game.state.position.phase == "over"


def test_a_question_keeps_its_name_while_it_is_about_the_same_thing() -> None:
    assert Question("cell", 7, "Where?", ()).id == "cell-7"


def test_of_ranked_cells_only_the_possible_stay_in_their_order() -> None:
    assert likely((("a1", 0.6), ("b1", 0.3), ("c3", 0.1)), ("c3", "a1")) == (
        ("a1", 0.6),
        ("c3", 0.1),
    )

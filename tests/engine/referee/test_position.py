"""Where a game stands: phases, and the names of questions."""

from engine.referee.position import Position, Question, likely
from tests.engine.referee.cases import assert_played, cases


def test_before_the_first_game_nothing_is_to_be_done() -> None:
    position = Position()

    assert (position.phase, position.player, position.over) == ("idle", None, False)
    assert position.scores == {}


def test_a_question_keeps_its_name_while_it_is_about_the_same_thing() -> None:
    assert Question("cell", 7, "Where?", ()).id == "cell-7"


def test_of_ranked_cells_only_the_possible_stay_in_their_order() -> None:
    assert likely((("a1", 0.6), ("b1", 0.3), ("c3", 0.1)), ("c3", "a1")) == (
        ("a1", 0.6),
        ("c3", 0.1),
    )


@cases("""
the phase is that of the rules until pieces must be cleared
    start -> turn Ann roll
    roll 4 -> turn Ann act
    fall placing -> turn Bob clear
    end -> turn None over
the round that is cleared when the game is ended is still the one that was played
    turn 4 e2; roll 4; fall placing -> position.round 1
    end -> position.round 1; turn None over
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

"""What the referee tells the detector, and whole stories of a table."""

import pytest

from engine.referee import expectation
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import begin
from tests.engine.referee.stories import played, stories


def test_the_detector_hears_of_a_topple_that_people_have_told_of_and_of_no_other() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()
    assert not expectation(game.state).fallen

    game.say("blame", player=1)
    assert expectation(game.state).fallen

    game.cleared()
    assert not expectation(game.state).fallen


@pytest.mark.parametrize("name", stories())
def test_a_story_is_understood_as_it_is_written(name: str) -> None:
    story = stories()[name]

    assert played(story).split("\n") == story.split("\n")


@cases("""
the detector is told what the rules expect
    start -> expects 24 anywhere
    roll 2 -> expects 24 c2 b3 d3 c4
once the round is over only clearing is expected
    turn 4 e2; roll 4; fall placing -> expects 0 anywhere
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

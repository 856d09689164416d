"""What the referee tells the detector, and whole stories of a table."""

import pytest

from engine.referee import expectation
from tests.engine.referee.script import begin
from tests.engine.referee.stories import played, stories


def test_the_detector_is_told_what_the_rules_expect() -> None:
    game = begin()
    assert not expectation(game.state).may_place
    game.say("roll", value=2)

    expected = expectation(game.state)

    assert expected.legal_cells == ("c2", "b3", "d3", "c4")
    assert expected.may_place
    assert expected.pieces_left == 24


def test_once_the_round_is_over_only_clearing_is_expected() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()

    expected = expectation(game.state)

    assert (expected.may_place, expected.pieces_left) == (False, 0)


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

"""What the referee tells the detector."""

from engine.referee import expectation
from tests.engine.referee.script import begin


def test_the_detector_is_told_what_the_rules_expect() -> None:
    game = begin()
    assert not expectation(game.state).may_place
    game.say("roll", value=2)

    expected = expectation(game.state)

    assert expected.legal_cells == ("c2", "b3", "d3", "c4")
    assert expected.may_place
    assert expected.pieces_left == 24

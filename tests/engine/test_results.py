"""How a game ended, as a league reads it."""

from engine.results import PlayerResult, result
from tests.engine.referee.script import begin


def test_a_game_that_goes_on_has_no_result() -> None:
    assert result(begin().state, "now") is None


def test_a_game_broken_off_has_points_but_no_winner() -> None:
    game = begin()
    game.turn(1, "c3")
    game.say("end")

    found = result(game.state, "")

    assert found is not None
    assert (found.broken_off, found.winners) == (True, ())
    assert found.players == (PlayerResult("Ann", 0), PlayerResult("Bob", 0))


def test_a_table_that_still_asks_says_so() -> None:
    game = begin()
    game.say("roll", value=1)
    game.placed("c3", p=0.6, alternatives=(("c2", 0.3),))
    game.say("end")

    found = result(game.state, "")

    assert found is not None
    assert found.asked

"""The small steps every judgement is made of."""

import pytest

from engine.errors import IllegalAction
from engine.referee.basics import colours_of, last_of, play, require_playing, turn_over
from engine.referee.position import Position
from tests.engine.referee.script import TWO_COLOURS, begin


def test_actions_are_played_in_order() -> None:
    position = begin().state.position
    after = play(position, {"type": "roll", "value": 2}, {"type": "pass"})

    assert after.player == "Bob"
    assert last_of(after)["type"] == "pass"
    assert position.player == "Ann"


def test_nothing_counts_without_a_running_round() -> None:
    over = begin()
    over.say("end")
    clearing = begin()
    clearing.turn(4, "e2")
    clearing.toppled()
    for position, code in (
        (Position(), "no_game"),
        (over.state.position, "game_over"),
        (clearing.state.position, "clear_first"),
    ):
        with pytest.raises(IllegalAction) as refused:
            require_playing(position)
        assert refused.value.code == code


def test_at_the_end_of_a_round_the_board_is_to_be_cleared() -> None:
    game = begin()
    game.turn(4, "e2")
    position = game.state.position
    assert not turn_over(position).clearing

    toppled = play(position, {"type": "topple", "cause": "bump", "player": "Ann"})

    assert turn_over(toppled).clearing
    assert turn_over(toppled).refs == {}


def test_colours_are_those_of_the_seat() -> None:
    position = begin(TWO_COLOURS).state.position

    assert colours_of(position, "Bob") == ("red", "yellow")
    assert colours_of(position, "Zoe") == ()
    assert colours_of(Position(), "Bob") == ()

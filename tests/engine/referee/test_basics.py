"""The small steps every judgement is made of."""

from dataclasses import replace

import pytest

from engine.errors import IllegalAction
from engine.referee.basics import colours_of, last_of, play, require_playing, turn_over
from engine.referee.ledger import Move, MoveKind
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


def test_what_belongs_to_one_turn_ends_with_it() -> None:
    position = begin(TWO_COLOURS).state.position
    move = Move(9, 1.0, MoveKind.ROLL)
    position = replace(position, colour="green", waiting=move, ahead=move, rolled_t_s=1.0)
    after = turn_over(position)

    assert (after.colour, after.waiting, after.ahead, after.rolled_t_s) == (None,) * 4


def test_an_announced_colour_is_that_of_one_piece() -> None:
    game = begin(TWO_COLOURS)
    game.say("colour", colour="green")
    game.turn(6, "a1")
    game.turn(6, "e5")
    game.turn(6, "b2")

    assert game.board == {"a1": ["green"], "e5": ["red"], "b2": ["blue"]}


def test_after_a_topple_nothing_of_the_round_is_left() -> None:
    game = begin()
    game.turn(4, "e2")
    position = replace(game.state.position, untold=((Move(9, 1.0, MoveKind.PLACE), "Ann"),))
    after = turn_over(play(position, {"type": "topple", "cause": "bump", "player": "Ann"}))

    assert after.refs == {} == after.standing
    assert after.untold == ()
    assert after.before_placement is None

"""A roll as a command, judged by the real referee."""

from typing import Any

import pytest

from controller.dice.telling import EVERYBODY, Telling, telling
from engine.events import HumanInput
from engine.referee import RefereeState, handle_input
from engine.scoreboard import Scoreboard, document

PLAYERS = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]


class Game:
    """A game to which dice tell their rolls."""

    def __init__(self) -> None:
        self.state, self.t_s = RefereeState(), 0.0
        self.say("start", players=PLAYERS, target=40, first=0)

    @property
    def board(self) -> Scoreboard:
        return document(self.state, table="t1", boot="b")

    def say(self, verb: str, **data: Any) -> None:
        self.t_s += 5.0
        ruling = handle_input(self.state, HumanInput(self.t_s, verb, data))
        assert ruling.refused is None, ruling.refused
        self.state = ruling.state

    def throw(self, owner: str, value: int) -> str:
        """The verb with which the throw was told."""
        told = telling(owner, value, self.board)
        assert told is not None
        named = {"player": told.player} if told.player and told.verb == "roll" else {}
        self.say(told.verb, **told.data, **named)
        return told.verb

    def shown(self) -> tuple[str, int | None]:
        turn = self.board.turn
        assert turn is not None
        return turn.player, turn.die


@pytest.mark.parametrize(
    ("owner", "player"),
    [("blue", "Bob"), ("Ann", "Ann"), (EVERYBODY, None), ("green", None), ("Cleo", None)],
)
def test_a_die_of_a_colour_or_a_player_tells_whose_roll_it_is(
    owner: str, player: str | None
) -> None:
    assert telling(owner, 3, Game().board) == Telling("roll", player, {"value": 3})


def test_whoever_rolls_is_believed_to_be_in_turn() -> None:
    game = Game()
    game.throw("blue", 6)

    assert game.shown() == ("Bob", 6)


def test_a_die_that_is_thrown_again_before_the_piece_replaces_the_roll_however_often() -> None:
    game = Game()
    verbs = [game.throw("red", value) for value in (4, 2, 5)]

    assert verbs == ["roll", "correct", "correct"]
    assert game.shown() == ("Ann", 5)
    # The next player's die is early and replaces nothing.
    assert game.throw("blue", 2) == "roll"


def test_after_the_piece_the_same_die_begins_a_new_turn() -> None:
    game = Game()
    game.throw("red", 6)
    game.say("place", cell="c3")

    assert telling("red", 4, game.board) == Telling("roll", "Ann", {"value": 4})


def test_without_a_game_a_throw_is_only_a_throw() -> None:
    assert telling("red", 4, document(RefereeState(), table="t1", boot="b")) is None
    game = Game()
    game.say("end")

    assert telling("red", 4, game.board) is None

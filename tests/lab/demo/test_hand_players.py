"""Simulated players of the games without sensors: in turn, in time, and never for a phone."""

import random
from itertools import pairwise

import pytest

from controller.table.pipeline import Pipeline
from engine.events import HumanInput
from engine.games.registry import DEFAULT_GAME, GAMES
from engine.scoreboard import seats
from lab.demo.hand_players import BREAK_S, FIRST_S, THINKING_S, HandPlayers
from tests.controller.evenings import Detector

BY_HAND = [game for game in GAMES if game != DEFAULT_GAME]
STEP_S = 0.5


class Table:
    """A table and its players, step by step."""

    def __init__(self, game: str, seed: int = 1) -> None:
        self.players = HandPlayers(game, GAMES[game], random.Random(seed))
        self.rules = Pipeline(Detector(), chance=random.Random(seed).random)
        self.now_s = 0.0

    def step(self, seated: tuple[str, ...] = ()) -> HumanInput | None:
        self.now_s += STEP_S
        said = self.players.act(self.rules.state, self.now_s, seated)
        if said is not None:
            for output in self.rules.say(said):
                assert output.refused is None, output.refused
        return said

    def until_over(self) -> None:
        for _ in range(20_000):
            self.step()
            if self.rules.state.position.over:
                return
        raise AssertionError("the game never ended")


@pytest.mark.parametrize("game", BY_HAND)
def test_they_play_whole_games_by_the_rules_and_begin_the_next(game: str) -> None:
    table = Table(game)
    table.until_over()
    first, ended_s = table.rules.state.game_id, table.now_s
    while table.rules.state.game_id == first:
        assert table.now_s < ended_s + BREAK_S[1] + 1.0
        table.step()

    assert table.now_s >= ended_s + BREAK_S[0]
    assert not table.rules.state.position.over


def test_they_think_between_their_moves() -> None:
    table = Table("topominos")
    spoken: list[float] = []
    while len(spoken) < 8:
        if table.step() is not None:
            spoken.append(table.now_s)

    assert FIRST_S[0] <= spoken[0] <= FIRST_S[1] + STEP_S
    waited = [later - sooner for sooner, later in pairwise(spoken[1:])]
    assert min(waited) >= THINKING_S[0]
    assert max(waited) <= THINKING_S[1] + 2 * STEP_S


def test_what_the_table_hears_a_little_later_is_said_once() -> None:
    table = Table("topominos")
    said = [table.players.act(table.rules.state, number * 0.1, ()) for number in range(60)]

    assert sum(one is not None for one in said) == 1


def test_who_has_a_phone_is_waited_for() -> None:
    table = Table("topominos")
    while table.rules.state.position.player is None:
        table.step()
    seated = (table.rules.state.position.player,)
    rev = table.rules.state.rev
    for _ in range(200):
        table.step(seated)

    assert table.rules.state.rev == rev
    while table.rules.state.rev == rev:
        table.step()  # the phone was put away


def test_a_game_that_others_have_begun_is_left_to_them() -> None:
    table = Table("topominos")
    start = {"game": "topominos", "players": ["Zoe", "Yan"], "id": "ours"}
    for output in table.rules.say(HumanInput(0.1, "start", start)):
        assert output.refused is None
    said = [table.step() for _ in range(200)]

    assert said == [None] * 200


def test_after_a_game_guests_choose_what_comes_next() -> None:
    table = Table("topominos")
    table.until_over()
    assert [table.step(("Ann",)) for _ in range(600)] == [None] * 600

    undo(table)
    assert [table.step(("Ann", "Bob")) for _ in range(200)] == [None] * 200
    while not table.rules.state.position.over:
        table.step()  # the guests have gone; the game that they took up again is played out


def test_a_game_undone_to_its_beginning_is_left_to_the_guests() -> None:
    table = Table("topominos")
    while table.rules.state.rev < 3:
        table.step()
    while table.rules.state.position.game_state is not None:
        undo(table)

    assert [table.step(("Ann",)) for _ in range(600)] == [None] * 600
    gone_s = table.now_s
    while table.rules.state.position.game_state is None:
        assert table.now_s < gone_s + BREAK_S[1] + 1.0
        table.step()
    assert table.now_s >= gone_s + BREAK_S[0]


def test_in_a_rematch_that_a_guest_begins_the_others_play_on() -> None:
    table = Table("topominos")
    table.until_over()
    names = tuple(seats(table.rules.state))
    start = {"game": "topominos", "players": [*names], "id": "rematch"}
    for output in table.rules.say(HumanInput(table.now_s, "start", start)):
        assert output.refused is None
    while table.rules.state.position.player != names[0]:
        table.step((names[0],))
    rev = table.rules.state.rev
    assert [table.step((names[0],)) for _ in range(200)] == [None] * 200
    table.step()
    while table.rules.state.rev == rev:
        table.step()  # the guest has gone


def undo(table: Table) -> None:
    for output in table.rules.say(HumanInput(table.now_s, "undo", {})):
        assert output.refused is None, output.refused

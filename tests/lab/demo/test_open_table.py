"""A visitor at the simulated table: the hand does what is wanted, and the real table sees it."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from controller.app.wiring import pipeline
from engine.events import HumanInput
from engine.referee import Outcome
from engine.scoreboard import Scoreboard, document
from lab.demo.demo import Answering
from lab.demo.open_table import OpenTable
from lab.demo.visitors import Awaited, Visitors, Wish
from lab.people.players import BREAK_S
from lab.people.simulation import SimulatedEvening

STEP_S = 0.25


class Visit:
    """A table with a visitor in Ann's seat, who takes the first cell there is."""

    told: list[Outcome]

    def __init__(self, seed: int = 1, target: int = 40) -> None:
        self.evening = SimulatedEvening.begin(
            seed, "calm", players=2, two_colours=False, target=target, again=True, kind=OpenTable
        )
        people = self.evening.people
        assert isinstance(people, OpenTable)
        self.now_s = 0.0
        self.people = people
        people.visitors = Visitors(people.visitors.players, lambda: 0.0)
        self.token = people.visitors.sit("Ann") or ""
        self.rules = pipeline(self.evening.tabletop, chance=random.Random(seed).random)
        people.referee = lambda: self.rules.state
        self.answering = Answering(self.evening)
        self.told = []
        self.cell: Callable[[Awaited], str] = lambda awaited: awaited.cells[0]

    @property
    def board(self) -> Scoreboard:
        return document(self.rules.state, table="demo", boot="b")

    def run(self, until: Callable[[], bool], longest_s: float = 200.0) -> None:
        end_s = self.now_s + longest_s
        while not until():
            assert self.now_s < end_s, "it never came"
            self.now_s += STEP_S
            self.answering.look(self.board)
            self.answering.act(self.board.pending, self.now_s)
            for item in self.evening.poll(self.now_s):
                for output in self.rules.feed(item):
                    for outcome in output.outcomes:
                        self.answering.note(outcome, output.state.game_id)
                        self.told.append(outcome)

    def play(self) -> None:
        """Do what the table waits for, if it waits."""
        awaited = self.people.visitors.awaited
        if awaited is not None and awaited.phase == "roll":
            self.people.visitors.ask(self.token, Wish("roll"))
        elif awaited is not None:
            wish = Wish("place", self.cell(awaited), awaited.colours[0])
            assert self.people.visitors.ask(self.token, wish) is None

    def played(self, player: str) -> list[str]:
        """Cells on which the table has seen a player place."""
        return [
            str(one.data["cell"])
            for one in self.told
            if one.type == "placed" and one.player == player
        ]


def test_a_piece_lies_where_the_visitor_pointed_and_the_table_saw_it() -> None:
    visit = Visit()
    wanted: list[str] = []

    def three() -> bool:
        awaited = visit.people.visitors.awaited
        if awaited is not None and awaited.phase == "act":
            wanted.append(awaited.cells[0])
        visit.play()
        return len(visit.played("Ann")) == 3

    visit.run(three)

    assert visit.played("Ann") == wanted[:3]
    assert visit.played("Bob")  # the others play on by themselves


@pytest.mark.slow
def test_the_table_waits_for_a_visitor_who_thinks_for_long() -> None:
    visit = Visit()
    visit.run(lambda: visit.people.visitors.awaited is not None)
    since = visit.now_s
    visit.run(lambda: visit.now_s > since + 120.0)

    assert visit.people.visitors.awaited == Awaited("Ann", "roll")
    assert visit.board.phase == "roll"


def test_who_leaves_is_played_on_for() -> None:
    visit = Visit()
    visit.run(lambda: visit.people.visitors.awaited is not None)
    visit.people.visitors.leave(visit.token)

    visit.run(lambda: len(visit.played("Ann")) >= 2)


def test_a_bump_of_the_visitor_is_the_visitors() -> None:
    visit = Visit()

    def many() -> bool:
        visit.play()
        return sum(len(stack) for stack in visit.board.board.values()) >= 6

    visit.run(many)
    visit.people.visitors.bump(visit.token)
    visit.run(lambda: any(one.type == "toppled" for one in visit.told) or visit.now_s > 190.0)

    bumps = [e for e in visit.evening.tower.truth.in_order() if e["type"] == "bump"]
    assert bumps
    fell = [e for e in visit.evening.tower.truth.in_order() if e["type"] == "topple"]
    assert {e["player"] for e in fell if e["cause"] == "bump"} <= {0}


def test_a_new_game_begins_when_the_visitor_wants_one() -> None:
    visit = Visit()

    def begun() -> bool:
        visit.play()
        return len(visit.played("Ann")) >= 2

    visit.run(begun)
    first = visit.board.game
    visit.people.visitors.start_anew(visit.token)
    visit.run(lambda: visit.board.game not in (first, None) and visit.board.phase == "roll")

    assert visit.board.board == {}
    assert all(player.score == 0 for player in visit.board.players)


def won(visit: Visit) -> None:
    """Play a short game to its end."""

    def over() -> bool:
        visit.play()
        return visit.board.phase == "over"

    visit.run(over, 600.0)


def say(visit: Visit, verb: str, **data: Any) -> None:
    """What somebody says by phone."""
    for output in visit.rules.say(HumanInput(visit.now_s, verb, data)):
        assert output.refused is None, output.refused
        for outcome in output.outcomes:
            visit.answering.note(outcome, output.state.game_id)
            visit.told.append(outcome)


@pytest.mark.slow
def test_who_has_won_stays_until_the_visitor_wants_another_game() -> None:
    visit = Visit(target=1)
    won(visit)
    first, ended_s = visit.board, visit.now_s
    visit.run(lambda: visit.now_s > ended_s + 3 * BREAK_S[1])
    assert (visit.board.game, visit.board.phase) == (first.game, "over")
    assert visit.board.winners == first.winners != ()

    def begun() -> bool:
        if visit.board.phase == "over":  # pressed again and again, until the page shows it
            visit.people.visitors.start_anew(visit.token)
        return visit.board.game != first.game

    visit.run(begun, 10.0)
    second, since_s = visit.board.game, visit.now_s
    visit.run(lambda: visit.now_s > since_s + 10.0)
    assert (visit.board.game, visit.board.phase) == (second, "roll")


@pytest.mark.slow
def test_once_the_visitor_has_gone_the_next_game_begins_after_a_break() -> None:
    visit = Visit(target=1)
    won(visit)
    first = visit.board.game
    visit.run(lambda: visit.people.visitors.awaited is None)
    visit.people.visitors.leave(visit.token)
    gone_s = visit.now_s
    visit.run(lambda: visit.board.game != first, BREAK_S[1] + 5.0)

    assert visit.now_s > gone_s + BREAK_S[0] - 2.0


@pytest.mark.slow
def test_a_game_that_is_taken_back_to_its_beginning_is_not_begun_anew_by_itself() -> None:
    visit = Visit()

    def begun() -> bool:
        visit.play()
        return bool(visit.played("Ann"))

    visit.run(begun)
    while visit.board.game is not None:
        say(visit, "undo")
    since_s = visit.now_s
    visit.run(lambda: visit.now_s > since_s + 3 * BREAK_S[1])
    assert visit.board.game is None

    visit.people.visitors.start_anew(visit.token)
    visit.run(lambda: visit.board.phase == "roll", 10.0)


@pytest.mark.slow
def test_a_game_whose_end_is_taken_back_is_played_on() -> None:
    visit = Visit(target=1)
    won(visit)
    game, seq = visit.board.game, visit.board.seq
    visit.run(lambda: visit.now_s > 60.0)
    visit.people.visitors.take_back(visit.token)
    visit.run(lambda: visit.board.phase != "over", 5.0)
    visit.run(lambda: visit.board.phase in ("roll", "act"))

    def played_on() -> bool:
        visit.play()
        return any(one.type == "placed" and one.seq > seq + 1 for one in visit.told)

    visit.run(played_on)
    assert visit.board.game == game


@pytest.mark.slow
def test_in_a_rematch_that_a_phone_begins_the_others_play() -> None:
    visit = Visit(target=1)
    won(visit)
    first, players = visit.board.game, visit.board.players
    seats = [{"name": player.name, "colours": list(player.colours)} for player in players]
    say(visit, "start", players=seats, first=1, target=40)
    assert visit.board.game != first

    def both() -> bool:
        visit.play()
        placed = {one.player for one in visit.told if one.type == "placed"}
        return len(visit.board.board) >= 3 and placed == {"Ann", "Bob"}

    visit.run(both)
    assert not visit.people.others_play


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_round_after_round_the_table_and_the_players_stay_in_step(seed: int) -> None:
    visit, chance = Visit(seed), random.Random(seed)
    visit.cell = lambda awaited: chance.choice(awaited.cells)

    def fifty() -> bool:
        visit.play()
        if visit.board.phase == "over":
            visit.people.visitors.start_anew(visit.token)
        awaited = visit.people.visitors.awaited
        if awaited is not None and awaited.phase == "act" and visit.board.turn is not None:
            assert visit.board.turn.player == "Ann"
        return len(visit.played("Ann")) >= 50

    visit.run(fifty, 1500.0)

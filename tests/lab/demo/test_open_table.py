"""A visitor at the simulated table: the hand does what is wanted, and the real table sees it."""

import random
from collections.abc import Callable

import pytest

from controller.app.wiring import pipeline
from engine.referee import Outcome
from engine.scoreboard import Scoreboard, document
from lab.demo.demo import Answering
from lab.demo.open_table import OpenTable
from lab.demo.visitors import Awaited, Visitors, Wish
from lab.people.simulation import SimulatedEvening

STEP_S = 0.25


class Visit:
    """A table with a visitor in Ann's seat, who takes the first cell there is."""

    told: list[Outcome]

    def __init__(self, seed: int = 1) -> None:
        self.evening = SimulatedEvening.begin(
            seed, "calm", players=2, two_colours=False, target=40, again=True, kind=OpenTable
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_round_after_round_the_table_and_the_players_stay_in_step(seed: int) -> None:
    visit, chance = Visit(seed), random.Random(seed)
    visit.cell = lambda awaited: chance.choice(awaited.cells)

    def fifty() -> bool:
        visit.play()
        awaited = visit.people.visitors.awaited
        if awaited is not None and awaited.phase == "act" and visit.board.turn is not None:
            assert visit.board.turn.player == "Ann"
        return len(visit.played("Ann")) >= 50

    visit.run(fifty, 1500.0)

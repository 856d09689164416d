"""Undo, redo, corrections and restarts in any order, held against the contract and the rules."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lab.bench.drawn_game import drawn_game
from lab.bench.encore import Encore, movable
from lab.bench.foreign_client import heard
from lab.bench.foreign_game import OF_PROCESS
from lab.bench.rules_oracle import LEVELS, ROWS
from lab.bench.scenario import Case, Scenario
from lab.bench.stage import Stage
from lab.bench.table import BenchTable
from lab.bench.targets import prepared
from lab.bench.wire import BenchWire

CELLS = st.sampled_from(sorted(LEVELS))


class Game(RuleBasedStateMachine):
    """One table, told what people may say in any order, killed at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="topple-machine-")
        case = Case(Scenario(about="A game by hand.", game=None), 1)
        played, wire = prepared(case, "sim"), BenchWire()
        table = BenchTable(played.source, wire, Path(self.folder.name))
        self.stage = Stage(case, played, table, wire)
        table.start(0.0)
        self.encore: Any = None
        self.alive = True

    def teardown(self) -> None:
        broken = self.stage.table.finish(self.stage.now_s)
        self.folder.cleanup()
        assert broken == ()
        assert heard(tuple(self.stage.wire.delivered), self.stage.messages) == ()

    @initialize(random=st.randoms(use_true_random=False))
    def start(self, random: Any) -> None:
        self.encore = Encore(self.stage, random)
        verb, data = next(drawn_game(random))
        assert self.stage.say(verb, data)["ok"]

    def say(self, verb: str, **data: Any) -> None:
        """Say it; whatever the table makes of it must keep all promises."""
        rev, self.alive = self.encore.shown["rev"], True
        reply = self.stage.say(verb, data)
        assert self.encore.shown["rev"] == rev + bool(reply["ok"])

    @rule(value=st.integers(1, 6))
    def roll(self, value: int) -> None:
        self.say("roll", value=value)

    @rule(cell=CELLS, number=st.integers(0, 1))
    def place(self, cell: str, number: int) -> None:
        turn = self.encore.shown["turn"]
        hands = {p["name"]: p["colours"] for p in self.encore.shown["players"]}
        hand = hands.get(turn and turn["player"], ["red"])
        self.say("place", cell=cell, colour=hand[number % len(hand)])

    @rule(name=st.sampled_from(sorted(ROWS)))
    def row(self, name: str) -> None:
        for cell in ROWS[name]:
            self.roll(6)
            self.place(cell, 0)

    @rule()
    def pass_(self) -> None:
        self.say("pass")

    @rule(cause=st.sampled_from(["placing", "bump"]), number=st.integers(0, 3))
    def topple(self, cause: str, number: int) -> None:
        players = self.encore.shown["players"]
        who = {"player": players[number % len(players)]["name"]} if players else {}
        self.say("topple", cause=cause, **(who if cause == "bump" else {}))

    @rule()
    def cleared(self) -> None:
        self.stage.say("cleared")

    @precondition(lambda self: self.encore.shown["undo_depth"] > 1)
    @rule(steps=st.integers(1, 6))
    def there_and_back(self, steps: int) -> None:
        steps = min(steps, self.encore.shown["undo_depth"])
        before = self.encore.shown
        for verb in ["undo"] * steps + ["redo"] * steps:
            assert self.encore.press(verb), self.encore.broken
        self.encore.compare(f"{steps} steps back and forth", before)

    @precondition(lambda self: self.encore.shown["undo_depth"] > 1)
    @rule()
    def undo(self) -> None:
        assert self.encore.press("undo"), self.encore.broken

    @precondition(lambda self: self.encore.shown["redo_depth"] > 0)
    @rule()
    def redo(self) -> None:
        assert self.encore.press("redo"), self.encore.broken

    @precondition(lambda self: bool(movable(self.encore.shown)))
    @rule(number=st.integers(0, 1000), stays=st.booleans())
    def correct(self, number: int, stays: bool) -> None:
        choices = movable(self.encore.shown)
        ref, cell = choices[number % len(choices)]
        before = self.encore.shown
        assert self.encore.press("correct", {"ref": ref, "cell": cell}), self.encore.broken
        if not stays:
            assert self.encore.press("undo"), self.encore.broken
            self.encore.compare("a correction undone", before)

    @rule()
    def killed(self) -> None:
        self.encore.restart("at any moment")
        self.alive = False

    # Which commands it has obeyed a table does not remember over a restart.
    @precondition(lambda self: self.alive)
    @rule()
    def delivered_twice(self) -> None:
        before = self.encore.shown
        self.stage.again()
        self.encore.compare("a command delivered twice", before, OF_PROCESS)

    @invariant()
    def nothing_is_broken(self) -> None:
        assert self.encore is None or self.encore.broken == []


QUICKLY = settings(
    max_examples=8, derandomize=True, stateful_step_count=25, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
LONG = settings(QUICKLY, max_examples=300, stateful_step_count=60, derandomize=False)

test_any_order_of_words_keeps_every_promise = pytest.mark.slow(
    type("ShortGames", (Game.TestCase,), {"settings": QUICKLY})
)
test_long_games_keep_every_promise = pytest.mark.soak(
    type("LongGames", (Game.TestCase,), {"settings": LONG})
)

"""The encore: what it does with a table, and that it sees a table that does it wrongly."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

import engine.referee.state
from controller.journal.journal import Journal, Resumed
from controller.table.commands import CommandDesk
from lab.bench.encore import Encore, movable
from lab.bench.running import play
from lab.bench.scenario_files import SHIPPED, load
from tests.lab.bench.spoiling import true_run

CASE = load(SHIPPED / "place_one.yaml")[0]


def test_the_scenario_is_judged_without_it() -> None:
    run = true_run()
    assert run.broken == ()
    assert run.newest("state")["boot"] == "boot1"
    assert {m.process for m in run.encore} > {1, 2}
    assert run.end_s == max(m.t_s for m in run.encore)


@pytest.mark.slow
def test_it_goes_back_to_the_beginning_and_corrects_and_plays_another_game() -> None:
    told = [m.document()["type"] for m in true_run().encore if m.suffix == "event"]
    steps = true_run().newest("state")["undo_depth"]
    assert told.count("undone") >= steps
    assert told.count("redone") >= steps
    assert told.count("started") == 1
    assert "corrected" in [m.document()["type"] for m in true_run("rule_diagonal").encore
                           if m.suffix == "event"]  # fmt: skip


class Showing:
    """A stage that shows one document after the other, whatever is asked."""

    def __init__(self, *messages: Any) -> None:
        self.messages = list(messages)


@dataclass
class Told:
    suffix: str
    content: dict[str, Any]

    def document(self) -> dict[str, Any]:
        return self.content


def test_a_weight_that_is_better_known_is_no_difference_and_a_colour_is() -> None:
    """Soaks 98032 and 98054: a piece was weighed again while a move was taken back."""
    state = next(m for m in reversed(true_run().sent) if m.suffix == "state")
    before = state.document()
    after = state.document()
    piece = next(iter(after["board"].values()))[0]
    piece["mass_g"] = 1.234
    found = Encore(Showing(state), Random(1))  # type: ignore[arg-type]
    found.compare("undone and redone", after)
    assert found.broken == []
    piece["colour"] = "pink"
    found.compare("undone and redone", after)
    assert "undone and redone: board is" in found.broken[0]
    assert before != after


def test_a_piece_of_which_the_die_is_assumed_is_not_corrected_by_its_level() -> None:
    """Soak 98054: the die that was told allowed no piece on its cell, and the table let it lie."""
    pile = [{"ref": 7, "colour": "red"}, {"ref": 9, "colour": "blue"}]
    state = {"phase": "roll", "kind": "topple", "board": {"c2": pile}}

    assert {ref for ref, _ in movable(state)} == {7, 9}
    assert {cell for _, cell in movable(state)} == {"b3", "d3", "c4"}
    assert {ref for ref, _ in movable(state, {9})} == {9}


def test_a_piece_whose_event_fell_into_a_gap_of_the_broker_is_not_corrected_by_its_level() -> None:
    """Soak 141119: nobody heard that its die was assumed to be another one."""
    heard = {7: {"type": "placed", "data": {"ref": 7}},
             8: {"type": "placed", "data": {"ref": 8, "assumed": "another die"}},
             9: {"type": "redone", "data": {"ref": 9}}}  # fmt: skip
    stage = Showing(*(Told("event", document) for document in heard.values()))

    assert Encore(stage, Random(1))._of_known_dice() == {7}  # type: ignore[arg-type]


def test_a_piece_after_one_that_came_to_light_is_not_corrected_by_its_level() -> None:
    """Soak 157251: it is the next player's now, whose die allows no piece on its cell."""
    kinds = {7: "placed", 9: "placed", 8: "corrected", 10: "placed"}
    events = [Told("event", {"type": kind, "data": {"ref": ref}}) for ref, kind in kinds.items()]

    assert Encore(Showing(*events), Random(1))._of_known_dice() == {7, 8, 10}  # type: ignore[arg-type]


def _refold_too_late(patch: pytest.MonkeyPatch) -> None:
    true = engine.referee.state._first_affected
    patch.setattr(
        engine.referee.state,
        "_first_affected",
        lambda before, after: min(len(before), true(before, after) + 1),
    )


def _forgets_undo(patch: pytest.MonkeyPatch) -> None:
    resume = Journal.resume

    def resumed(self: Journal) -> Resumed:
        found: Any = resume(self)
        return replace(found, state=replace(found.state, done=(), undone=()))

    patch.setattr(Journal, "resume", resumed)


def _obeys_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CommandDesk, "_remember", lambda *_: None)


@pytest.mark.parametrize("plant", [_refold_too_late, _forgets_undo, _obeys_twice])
def test_the_plainest_scenario_sees_what_only_undo_shows(
    monkeypatch: pytest.MonkeyPatch, plant: Any
) -> None:
    plant(monkeypatch)
    assert play(CASE).broken != ()

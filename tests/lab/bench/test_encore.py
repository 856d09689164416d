"""The encore: what it does with a table, and that it sees a table that does it wrongly."""

from dataclasses import replace
from typing import Any

import pytest

import engine.referee.state
from controller.journal.journal import Journal, Resumed
from controller.table.commands import CommandDesk
from lab.bench.encore import moved_wrongly, on_the_way
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


def test_it_goes_back_to_the_beginning_and_corrects_and_plays_another_game() -> None:
    told = [m.document()["type"] for m in true_run().encore if m.suffix == "event"]
    steps = true_run().newest("state")["undo_depth"]
    assert told.count("undone") >= steps
    assert told.count("redone") >= steps
    assert told.count("started") == 1
    assert "corrected" in [m.document()["type"] for m in true_run("rule_diagonal").encore
                           if m.suffix == "event"]  # fmt: skip


def test_documents_on_the_way_are_those_that_undo_must_pass() -> None:
    way = on_the_way(true_run("undo_redo").sent)
    last = true_run("undo_redo").newest("state")["undo_depth"]
    assert sorted(way) == list(range(1, last + 1))  # before the start there was no game
    assert all(document["undo_depth"] == step for step, document in way.items())


def test_a_correction_that_moves_another_piece_is_found() -> None:
    red, blue = ({"ref": ref, "colour": colour} for ref, colour in ((3, "red"), (5, "blue")))
    before = {"board": {"c3": [red], "d4": [blue]}}
    assert list(moved_wrongly(before, {"board": {"c3": [red], "b2": [blue]}}, 5, "b2")) == []
    assert len(list(moved_wrongly(before, {"board": {"b2": [red], "d4": [blue]}}, 5, "b2"))) == 2


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

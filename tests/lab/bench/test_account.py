"""The people's own account against the document: true runs agree, wrong tables are found out."""

from dataclasses import replace
from typing import Any

import pytest

import engine.games.topple.board
import engine.games.topple.rounds
from lab.bench.account import broken_accounts, people_differ
from lab.bench.observed import Run
from lab.bench.running import play
from lab.bench.scenario import Case
from lab.bench.scenario_files import SHIPPED, find, load
from tests.lab.bench.spoiling import Document, spoilt, true_run


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["power_cut", "undo_redo", "rule_next_round", "rule_two_colours", "correct_cell"]
)
def test_a_true_run_is_what_the_people_count(name: str) -> None:
    assert people_differ(true_run(name)) == ()
    assert broken_accounts(true_run(name)) == ()


def _shown(run: Run, change: Any) -> str:
    return "; ".join(people_differ(replace(run, sent=spoilt(run.sent, "state", change))))


@pytest.mark.slow
def test_a_piece_on_another_cell_or_of_another_order_is_found() -> None:
    def elsewhere(state: Document) -> bool:
        stack = state["board"].pop("c3", None)
        if stack:
            state["board"]["d4"] = stack
        return stack is not None

    def upside_down(state: Document) -> bool:
        return [stack.reverse() for stack in state["board"].values()] != []

    assert "c3 shows []" in _shown(true_run(), elsewhere)
    assert "c3 shows ['blue', 'red']" in _shown(true_run(), upside_down)


def test_a_point_and_a_turn_are_found() -> None:
    def richer(state: Document) -> bool:
        for player in state["players"]:
            player["score"] += 1
        return bool(state["players"])

    assert "the score is" in _shown(true_run(), richer)
    assert "the phase is clear" in _shown(true_run(), lambda s: s.update(phase="clear") is None)


def test_nobody_is_asked_while_a_question_is_open_or_a_sensor_fails() -> None:
    def asking(state: Document) -> bool:
        state["pending"], state["board"] = {"id": "cell-1"}, {}
        return True

    assert _shown(true_run(), asking) == ""
    run = true_run()
    ill = spoilt(run.sent, "status", lambda s: s.update(phase="degraded") is None)
    wrong = spoilt(ill, "state", lambda s: s.update(board={}) is None)
    assert people_differ(replace(run, sent=wrong)) == ()


def test_a_refusal_that_the_rules_do_not_know_is_found() -> None:
    def refused(reply: Document) -> bool:
        if reply["id"] != "c2":
            return False
        reply.update(ok=False, code="illegal", reason="no")
        return True

    run = true_run("rule_pass")
    wrong = replace(run, sent=spoilt(run.sent, "reply/bench", refused))
    assert people_differ(wrong) != ()


def _row_scores_two(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(engine.games.topple.board, "COMPLETED_ROW_POINTS", 2)


def _wrong_starter(patch: pytest.MonkeyPatch) -> None:
    true = engine.games.topple.rounds._next_starter
    patch.setattr(
        engine.games.topple.rounds,
        "_next_starter",
        lambda state, continuing: (true(state, continuing) + 1) % len(state.match.players),
    )


@pytest.mark.parametrize(
    ("plant", "name"), [(_row_scores_two, "place_one"), (_wrong_starter, "rule_pass")]
)
def test_the_plainest_scenarios_see_a_wrong_rule(
    monkeypatch: pytest.MonkeyPatch, plant: Any, name: str
) -> None:
    plant(monkeypatch)
    assert "by the rules" in "; ".join(play(load(SHIPPED / f"{name}.yaml")[0]).broken)


def _cases() -> list[Case]:
    return [load(path)[0] for path in find(["all"])]


def test_few_scenarios_go_without_an_account_and_each_says_why() -> None:
    without = [
        c.scenario
        for c in _cases()
        if not (c.scenario.account.people and c.scenario.account.encore)
    ]
    assert all(scenario.account.why for scenario in without)
    assert {scenario.name for scenario in without} == {
        "every_event",
        "evening_with_power_cuts",
        "people_relift",
        "people_stare",
        "questions_lapse",
        "table_assumptions",
    }

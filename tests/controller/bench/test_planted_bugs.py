"""Deliberate bugs in detection, rules, journal and MQTT: a shipped scenario catches each."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import controller.bench.table
import controller.commands
import controller.livetable
import engine.games.topple_board
import engine.referee.hearing
from controller import publications
from controller.announcer import Announcer
from controller.bench.reading import find, load
from controller.bench.running import play_and_judge
from controller.commands import CommandDesk
from controller.journal import Journal, Resumed
from engine.detect.detector import Detector
from engine.events import Fault, HumanInput, Placed, Toppled

Patch = pytest.MonkeyPatch
_next_event = Detector.next_event
_write, _resume = Journal.write, Journal.resume
_events = Announcer.events


def _detector(change: Callable[[Any], Any]) -> Callable[[Patch], None]:
    """A detector whose events are changed; None swallows one."""

    def plant(patch: Patch) -> None:
        def next_event(self: Detector, until_s: float = float("inf")) -> Any:
            while (event := _next_event(self, until_s)) is not None:
                changed = change(event)
                if changed is not None:
                    return changed
            return None

        patch.setattr(Detector, "next_event", next_event)

    return plant


def _of(kind: type, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda event: change(event) if isinstance(event, kind) else event


def _mirrored(event: Placed) -> Placed:
    return replace(event, cell="edcba"["abcde".index(event.cell[0])] + event.cell[1])


def _set(where: Any, name: str, value: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(where, name, value)


def _topic(row: str, **changes: Any) -> Callable[[Patch], None]:
    topics = publications.TOPICS
    return lambda patch: patch.setitem(topics, row, replace(topics[row], **changes))


def _forgets(kind: str) -> Callable[[Journal, Any], None]:
    def write(self: Journal, output: Any) -> None:
        if not (isinstance(output.cause, HumanInput) and output.cause.type == kind):
            _write(self, output)

    return write


def _first_event_twice(self: Announcer, output: Any) -> None:
    _events(self, output)
    _events(self, output)


def _backwards(self: Announcer, output: Any) -> None:
    _events(self, replace(output, outcomes=output.outcomes[::-1]))


BUGS: dict[str, tuple[Callable[[Patch], None], str]] = {
    # Detection.
    "cells mirrored left to right": (_detector(_of(Placed, _mirrored)), "place_one"),
    "decisions three seconds late": (
        _detector(_of(Placed, lambda e: replace(e, decided_s=e.decided_s + 3))), "place_one",
    ),
    "never sure": (_detector(_of(Placed, lambda e: replace(e, confidence=0.5))), "place_one"),
    "placements swallowed": (_detector(_of(Placed, lambda _e: None)), "place_one"),
    "topples swallowed": (_detector(_of(Toppled, lambda _e: None)), "rule_topple_placing"),
    "sensor faults swallowed": (_detector(_of(Fault, lambda _e: None)), "fault_imu_asleep"),
    # Rules and referee.
    "a row scores two": (
        _set(engine.games.topple_board, "COMPLETED_ROW_POINTS", 2), "rule_row_completed",
    ),
    "a stack scores too early": (
        _set(engine.games.topple_board, "STACK_SCORES_FROM", 2), "rule_stack",
    ),
    "undo does nothing": (
        _set(engine.referee.hearing, "undo", lambda state: (state, None)), "undo_redo",
    ),
    # Journal.
    "journal writes nothing": (_set(Journal, "write", lambda _s, _o: None), "power_cut"),
    "journal forgets rolls": (_set(Journal, "write", _forgets("roll")), "power_cut_mid_turn"),
    "journal forgets undo": (_set(Journal, "write", _forgets("undo")), "undo_redo"),
    "journal is never read": (
        _set(Journal, "resume", lambda self: Resumed(type(_resume(self).state)())), "power_cut",
    ),
    # MQTT.
    "state not retained": (_topic("state", retain=False), "contract_mqtt"),
    "events retained": (_topic("event", retain=True), "contract_mqtt"),
    "state at quality 0": (_topic("state", qos=0), "contract_mqtt"),
    "events told twice": (_set(Announcer, "events", _first_event_twice), "place_one"),
    "events told backwards": (_set(Announcer, "events", _backwards), "place_one"),
    "nothing said after a reconnect": (_set(Announcer, "birth", lambda _s: []), "broker_down"),
    "duplicates obeyed": (_set(CommandDesk, "_known", lambda _s, _c: None), "command_twice"),
    "stale screens obeyed": (_set(CommandDesk, "_check_rev", lambda _s, _c: None), "command_stale"),
    "late commands obeyed": (
        _set(controller.commands, "_check_fresh", lambda _c, _u: None), "clock_jumps",
    ),
    "retained commands obeyed": (
        _set(controller.livetable, "obeyable", lambda _m: True), "command_retained",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_a_shipped_scenario_catches(bug: str, monkeypatch: Patch) -> None:
    plant, scenario = BUGS[bug]
    case = load(find([scenario])[0])[0]
    plant(monkeypatch)

    verdict = play_and_judge(case).verdict

    assert not verdict.passed


@pytest.mark.parametrize("scenario", sorted({scenario for _, scenario in BUGS.values()}))
def test_without_a_bug_they_pass(scenario: str) -> None:
    verdict = play_and_judge(load(find([scenario])[0])[0]).verdict

    assert verdict.failures == ()

"""Deliberate bugs in detection, rules, journal and MQTT: a shipped scenario catches each.

That these scenarios pass without a bug is seen in `test_bench.py`, which plays all of them.
"""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
import pytest

import controller.table.commands
import controller.table.loop
import controller.table.resultbook
import controller.table.vitals
import engine.detect.front.front_end
import engine.games.topple.board
import engine.referee.human_input
from controller.common.errors import JournalError
from controller.journal.journal import Journal, Resumed
from controller.mqtt import homeassistant, topics
from controller.table.commands import CommandDesk
from controller.table.publisher import Announcer
from controller.table.signal_quality import SignalFigures, SignalQuality
from engine.detect.detector import Detector
from engine.detect.front.health import pivot_verdict
from engine.detect.front.ticks import CellSolver
from engine.events import (
    Fault,
    HumanInput,
    Placed,
    Restored,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.games.topple.rules import Topple
from lab.bench.running import play_and_judge
from lab.bench.scenario_files import find, load
from tests.soaked import soaked

Patch = pytest.MonkeyPatch


class _LocalTime(datetime):
    """Says the local time, and that it is UTC."""

    @classmethod
    def fromtimestamp(cls, timestamp: float, tz: Any = None) -> Any:
        return datetime.fromtimestamp(timestamp).replace(tzinfo=tz)  # noqa: DTZ006


_next_event = Detector.next_event
_write, _resume = Journal.write, Journal.resume
_events = Announcer.events
_signal_figures = SignalQuality.figures
_winners = Topple.winners
_score, _introduction = homeassistant._score, homeassistant.introduction


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
    assert event.cell is not None
    return replace(event, cell="edcba"["abcde".index(event.cell[0])] + event.cell[1])


def _set(where: Any, name: str, value: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(where, name, value)


def _topic(row: str, **changes: Any) -> Callable[[Patch], None]:
    rows = topics.TOPICS
    return lambda patch: patch.setitem(rows, row, replace(rows[row], **changes))


def _forgets(kind: str) -> Callable[[Journal, Any], None]:
    def write(self: Journal, output: Any) -> None:
        if not (isinstance(output.cause, HumanInput) and output.cause.type == kind):
            _write(self, output)

    return write


def _writes_if_it_can(self: Journal, output: Any) -> None:
    with contextlib.suppress(JournalError):
        _write(self, output)


def _next_cell_blamed(event: Fault) -> Fault:
    kind, _, cell = event.sensor.partition(".")
    return replace(event, sensor=f"{kind}.{(int(cell) + 1) % 4}" if cell else kind)


def _fall(event: Fault) -> Toppled:
    return Toppled(99, event.t_s, event.t_s, ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.9)


def _figures(**changes: Any) -> Callable[[Patch], None]:
    """Health in which every sensor has these figures."""

    def figures(self: SignalQuality, celsius: float | None = None) -> dict[str, SignalFigures]:
        found = _signal_figures(self, celsius).items()
        return {name: msgspec.structs.replace(figure, **changes) for name, figure in found}

    return _set(SignalQuality, "figures", figures)


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
    "corrupt words believed": (
        _set(CellSolver, "condemned", lambda _s, _t, mass_g: np.zeros(mass_g.shape, dtype=bool)),
        "fault_corrupt_words",
    ),
    "sound words condemned": (
        _set(CellSolver, "condemned", lambda _s, _t, mass_g: abs(mass_g) > 0.0),
        "fault_corrupt_words",
    ),
    "a sensor that is well again stays condemned": (
        _detector(_of(Restored, lambda _e: None)), "fault_saturated_cell",
    ),
    "the next cell is blamed": (
        _detector(_of(Fault, _next_cell_blamed)), "fault_stuck_cell",
    ),
    "faults without a word": (
        _detector(_of(Fault, lambda e: replace(e, reason=""))), "fault_no_scale",
    ),
    "losses taken for topples": (
        _detector(_of(Fault, _fall)),
        "fault_unplugged_cell",
    ),
    # What is said about the sensors.
    "nothing said about the mode": (
        _set(controller.table.loop, "mode", lambda _t: ""), "fault_two_cells",
    ),
    "no noise in health": (_figures(noise_counts=None), "fault_noisy_cell"),
    "no drift in health": (_figures(drift_g_min=None), "fault_drifting_cell"),
    "power cycles not counted": (_figures(resets=0), "fault_chip_resets"),
    "the wished rate in health": (
        _set(controller.table.vitals._Stream, "rate_hz", lambda _s, _t: 80.0), "fault_slow_clock",
    ),
    "every pivot praised": (
        _set(
            engine.detect.front.front_end, "pivot_verdict",
            lambda f, _sd: pivot_verdict(f / 9, 0.0),
        ),
        "health_pivot_rough",
    ),
    # Rules and referee.
    "a tie has one winner": (
        _set(Topple, "winners", lambda self, state: _winners(self, state)[:1]), "rule_tie",
    ),
    "a row scores two": (
        _set(engine.games.topple.board, "COMPLETED_ROW_POINTS", 2), "rule_row_completed",
    ),
    "a stack scores too early": (
        _set(engine.games.topple.board, "STACK_SCORES_FROM", 2), "rule_stack",
    ),
    "undo does nothing": (
        _set(engine.referee.human_input, "undo", lambda state: (state, None)), "undo_redo",
    ),
    # Journal.
    "journal writes nothing": (_set(Journal, "write", lambda _s, _o: None), "power_cut"),
    "journal forgets rolls": (_set(Journal, "write", _forgets("roll")), "power_cut_mid_turn"),
    "journal forgets undo": (_set(Journal, "write", _forgets("undo")), "undo_redo"),
    "a full disk is passed over": (_set(Journal, "write", _writes_if_it_can), "disk_full"),
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
        _set(controller.table.commands, "_check_fresh", lambda _c, _u: None), "clock_jumps",
    ),
    "retained commands obeyed": (
        _set(controller.table.loop, "obeyable", lambda _m: True), "command_retained",
    ),
    # Home Assistant.
    "seats counted round in discovery": (
        _set(homeassistant, "_score", lambda table, seat, name: _score(table, seat % 2 + 1, name)),
        "place_one",
    ),
    "discovery knows no names": (
        _set(homeassistant, "introduction", lambda prefix, table, _names, **more:
             _introduction(prefix, table, (), **more)), "place_one",
    ),
    "discovery not retained": (
        _set(homeassistant, "introduction", lambda *of, **more:
             replace(_introduction(*of, **more), retain=False)), "place_one",
    ),
    "every button offered at any time": (_set(homeassistant, "_pressable", lambda _v: "true"),
                                         "place_one"),
    "nobody asks in discovery": (_set(homeassistant, "QUESTION", "{{ {} | tojson }}"), "rule_bump"),
    "a phase begins in local time": (_set(controller.table.loop, "UTC", None), "place_one"),
    "games end in local time": (
        _set(controller.table.resultbook, "datetime", _LocalTime), "rule_target",
    ),
}  # fmt: skip


ALWAYS = {
    "cells mirrored left to right", "never sure", "topples swallowed", "sensor faults swallowed",
    "no noise in health", "a stack scores too early", "undo does nothing", "journal writes nothing",
    "a full disk is passed over", "journal is never read", "state not retained",
    "nothing said after a reconnect", "duplicates obeyed", "late commands obeyed",
    "seats counted round in discovery",
}  # fmt: skip
"""A few of each kind; the others are part of `make soak`."""


@pytest.mark.slow
@pytest.mark.parametrize("bug", soaked(BUGS, but=ALWAYS))
def test_a_shipped_scenario_catches(bug: str, monkeypatch: Patch) -> None:
    plant, scenario = BUGS[bug]
    case = load(find([scenario])[0])[0]
    plant(monkeypatch)

    verdict = play_and_judge(case).verdict

    assert not verdict.passed

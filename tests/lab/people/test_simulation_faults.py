"""A sensor breaks in the middle of a game: nothing may be invented from it.

Every fault of the simulated tower strikes at a random moment, on a random cell, for a random
time, while people play. What the detector says must be backed by the truth: a dead sensor never
becomes a topple, a removal, or an empty board.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.detect.detector import Detector
from engine.events import (
    Cleared,
    Fault,
    HumanInput,
    Placed,
    Restored,
    Retracted,
    TableEvent,
    Toppled,
)
from hw.source import play
from lab.people.simulation import SimulatedEvening
from lab.twin.fault_words import FAULT_WORDS, parse_fault
from lab.twin.faults import FaultKind, InjectedFault

PLAYED_S = 30.0
TOPPLE_ROOM_S = 6.0
"""The judge's room between a topple and what is said about it."""

SILENCED = {
    FaultKind.DOUT_HIGH: "scale",
    FaultKind.DOUT_LOW: "scale",
    FaultKind.SATURATED: "scale",
    FaultKind.IMU_NACK: "imu",
    FaultKind.IMU_DEAD: "imu",
}
"""Faults after which a sensor says nothing: they must be named while they last."""


TWISTED = ("imu turned", "imu wrong scale", "gyro bias")
"""A sensor that lies consistently from mid-game on: turned by a quarter, half as sensitive, five
degrees a second off. Pieces are seen on wrong cells and corrected, once in a while one seems to
have slipped or fallen, and that is asked about or taken back. Known shortfalls, see
docs/diagnosis.md; `diagnose` names all three."""
STRIKING = [words for words in FAULT_WORDS if words not in TWISTED]


def struck(words: str, seed: int) -> tuple[InjectedFault, SimulatedEvening, list[TableEvent]]:
    """A game in which a fault begins and ends at random."""
    rng = np.random.default_rng([seed, 99])
    start_s = float(rng.uniform(6, 16))
    end_s = start_s + float(rng.uniform(3, 9))
    order = parse_fault(f"{words} cell {rng.integers(1, 5)}")
    fault = replace(order, start_s=start_s, end_s=end_s)
    evening = SimulatedEvening.begin(seed, "calm", faults=[fault])
    return fault, evening, list(decided(evening, PLAYED_S))


def decided(evening: SimulatedEvening, until_s: float) -> Iterator[TableEvent]:
    """What a detector decides about an evening."""
    detector = Detector(evening.tabletop)
    for item in play(evening, until_s=until_s):
        if isinstance(item, HumanInput):
            continue
        detector.feed(item)
        while (event := detector.next_event()) is not None:
            yield event


def invented(
    fault: InjectedFault, evening: SimulatedEvening, events: list[TableEvent]
) -> list[TableEvent]:
    """What was taken off the board by the detector's word alone while the fault struck."""
    truth = evening.truth()
    fell = [entry["t"] for entry in truth if entry["type"] in ("topple", "remove")]
    undone = (Toppled, Retracted, Cleared)
    # A piece that is put down anew in the same breath is only seen elsewhere.
    moved = {event.decided_s for event in events if isinstance(event, Placed)}
    return [
        event
        for event in events
        if isinstance(event, undone)
        and not (isinstance(event, Retracted) and event.decided_s in moved)
        and fault.start_s <= when_s(event) <= fault.end_s + TOPPLE_ROOM_S
        and not any(abs(t - when_s(event)) < TOPPLE_ROOM_S for t in fell)
    ]


MOUNTED_OTHERWISE = ("imu yawed 90", "imu yawed 225", "imu upside down", "imu turned 90")


@pytest.mark.slow
@pytest.mark.parametrize("words", MOUNTED_OTHERWISE)
def test_an_inertial_sensor_that_lies_otherwise_is_named_and_taken_back(words: str) -> None:
    """On a calm table, whose board swings long."""
    fault = replace(parse_fault(words), end_s=60.0)
    evening = SimulatedEvening.begin(4, "calm", faults=[fault])
    said = [
        event
        for event in decided(evening, 150.0)
        if isinstance(event, Fault | Restored) and event.sensor == "imu"
    ]

    assert [event.code for event in said if isinstance(event, Fault)] == ["imu_turned"]
    assert [type(event) for event in said] == [Fault, Restored]
    named, well = (event.t_s for event in said)
    assert named < 50.0
    assert well > 65.0


def when_s(event: Toppled | Retracted | Cleared) -> float:
    return event.decided_s if isinstance(event, Retracted) else event.t_s


def check(words: str, seed: int) -> None:
    fault, evening, events = struck(words, seed)

    assert invented(fault, evening, events) == []
    named = {event.sensor.split(".")[0] for event in events if isinstance(event, Fault)}
    if fault.kind in SILENCED:
        assert SILENCED[fault.kind] in named


@pytest.mark.slow
@pytest.mark.parametrize("words", STRIKING)
def test_a_fault_in_mid_game_takes_nothing_off_the_board(words: str) -> None:
    check(words, 1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("words", STRIKING)
def test_no_fault_at_any_moment_takes_anything_off_the_board(words: str, seed: int) -> None:
    check(words, seed)

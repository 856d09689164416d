"""An evening's observations, kept and played again."""

import msgspec
import pytest

from engine.detect.back.parameters import BEHAVIOUR
from engine.detect.detector import Detector
from engine.detect.observed import (
    VERSION,
    KeepingScene,
    Observed,
    ObservedDetector,
    Waited,
    decoded,
    encoded,
)
from engine.events import Expectation, Placed, TableEvent
from lab.mock import MockTable, living_parameters
from tests.engine.detect.tables import decided

TOLD = Expectation(("c3", "b4"), pieces_left=20)


def lived() -> tuple[list[Observed], list[TableEvent]]:
    """Two pieces, a bump that makes the second fall, and a press: what was seen, and told."""
    table = MockTable(living_parameters())
    scene = KeepingScene(table.tabletop, BEHAVIOUR)
    detector = Detector(table.tabletop, scene=scene)
    detector.expect(TOLD)
    table.settle()
    for cell in ("c3", "b4"):
        table.place(cell=cell)
        table.settle()
    events = decided(detector, table.take())
    table.bump(amplitude_m_s2=2.0)
    table.knock_off("b4")
    table.settle()
    events += decided(detector, table.take())
    detector.press_cleared(detector.now_s)
    while (event := detector.next_event()) is not None:
        events.append(event)
    return scene.kept, events


def played(detector: ObservedDetector) -> list[TableEvent]:
    """The same, of the observations alone."""
    detector.expect(TOLD)
    events = []
    while (event := detector.next_event()) is not None:
        events.append(event)
    detector.press_cleared(detector.now_s)
    while (event := detector.next_event()) is not None:
        events.append(event)
    return events


def test_what_was_kept_is_told_again_without_the_samples() -> None:
    kept, told = lived()
    detector = ObservedDetector(MockTable().tabletop, decoded(encoded(kept)))

    assert [event for event in told if isinstance(event, Placed)]
    assert str(played(detector)) == str(told)  # a mass that nobody knows is NaN
    assert detector.departures == 0


def test_what_rules_and_people_said_then_is_said_again_where_nobody_else_does() -> None:
    kept, told = lived()
    detector = ObservedDetector(MockTable().tabletop, decoded(encoded(kept)), alone=True)
    events = []
    while (event := detector.next_event()) is not None:
        events.append(event)

    assert str(events) == str(told)


def test_what_is_later_than_asked_for_waits() -> None:
    kept, told = lived()
    detector = ObservedDetector(MockTable().tabletop, kept)
    detector.expect(TOLD)
    first = told[0]
    assert isinstance(first, Placed)

    assert detector.next_event(first.decided_s - 0.01) is None
    assert detector.next_event(first.decided_s) == first


def test_observations_of_another_version_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=f"of version {VERSION + 1}, not {VERSION}"):
        decoded(msgspec.msgpack.encode([VERSION + 1, []]))
    with pytest.raises(ValueError, match="no observations"):
        decoded(b"something else")


def test_an_evening_that_calls_how_long_a_rest_lasted_otherwise_is_read() -> None:
    """So do those that were kept before a look and the end of a rest had one name for it."""
    rested = {"rested_s": 2.0, "let_go": True, "mass_g": 3.0, "mean_g": 3.0, "hung_gmm": [0.0, 0.0]}
    waited = ["Waited", [1.0, False, 0.0, 0.0], rested]

    (observed,) = decoded(msgspec.msgpack.encode([VERSION, [waited]]))

    assert isinstance(observed, Waited)
    assert observed.rested.steady_s == 2.0

"""An evening's observations, kept and played again."""

from typing import Any

import msgspec
import pytest

from engine.detect.back.parameters import BEHAVIOUR
from engine.detect.back.scene import Scene
from engine.detect.detector import Detector
from engine.detect.front.observation import Rested
from engine.detect.front.ticks import TICK_S
from engine.detect.observed import (
    VERSION,
    KeepingScene,
    Now,
    Observed,
    ObservedDetector,
    Waited,
    decoded,
    encoded,
)
from engine.events import Expectation, Placed, TableEvent
from lab.mock import MockTable, living_parameters
from tests.engine.detect.rests import Board
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


NOW = Now(7.0, in_contact=True, touched_s=6.0, jolted_s=5.0)
RESTED = Rested(1.0, True, 3.0, 3.0, (0.0, 0.0))
LOOK = Board().rest(0.0, None, 1.0).look
SAID: dict[str, tuple[Any, ...]] = {
    "begin": (0.5,), "look": (LOOK,), "lighter": (LOOK,), "wait": (RESTED,), "hung_still": (6.5,),
    "end": (RESTED,), "expect": (TOLD,), "press_cleared": (7.0,), "press_blame": (),
    "amend": (3, "c3"),
}  # fmt: skip
"""Everything that a back end may be told."""


@pytest.mark.parametrize("what", SAID)
def test_whatever_a_back_end_is_told_is_weighed_and_kept_and_told_again(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[Any, ...]] = []

    def weighed(scene: Scene, *given: Any) -> None:
        heard.append((scene.now_s, scene.in_contact, scene.touched_s, scene.jolted_s, *given))

    for name in SAID:
        owner = next(each for each in Scene.__mro__ if name in vars(each))
        monkeypatch.setattr(owner, name, weighed)
    scene = KeepingScene(MockTable().tabletop, BEHAVIOUR)
    scene.now_s, scene.in_contact, scene.touched_s, scene.jolted_s = NOW
    getattr(scene, what)(*SAID[what])
    again = ObservedDetector(MockTable().tabletop, scene.kept, alone=True)
    assert again.next_event() is None

    assert heard == [(*NOW, *SAID[what])] * 2
    assert again.departures == 0
    assert len(scene.kept) == 1


def test_a_board_that_hangs_still_for_long_is_kept_as_one_and_told_tick_by_tick() -> None:
    scene = KeepingScene(MockTable().tabletop, BEHAVIOUR)
    told_s: list[float] = []

    def hung_still(since_s: float) -> None:
        told_s.append(since_s)

    for tick in (*range(10), *range(20, 24)):
        scene.now_s = 7.0 + tick * TICK_S
        scene.hung_still(scene.now_s - 0.1)
    again = ObservedDetector(MockTable().tabletop, scene.kept)
    again._scene.hung_still = hung_still  # type: ignore[method-assign]
    assert again.next_event() is None

    assert len(scene.kept) == 2
    assert told_s == pytest.approx([6.9 + n * TICK_S for n in (*range(10), *range(20, 24))])

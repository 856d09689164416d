"""The whole detector on the bench mock: what a hand does, and what is said about it."""

from dataclasses import replace
from math import inf

import pytest

from engine.detect.detector import Detector
from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Expectation,
    Fault,
    Placed,
    Restored,
    Retracted,
    Suspected,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.samples import ScaleSamples, SensorReport
from hw.source import samples_of, shifted
from lab.mock import MockTable, living_parameters
from lab.twin.faults import FaultKind
from tests.engine.detect.tables import decided

LEVEL_2 = Expectation(("c2", "b3", "d3", "c4"))


def table_at_rest() -> MockTable:
    table = MockTable()
    table.wait(2.0)
    return table


def settled(events: list[TableEvent]) -> list[TableEvent]:
    """What was said, without the suspicions that came and went."""
    return [event for event in events if not isinstance(event, Suspected | Dismissed)]


def standing(events: list[TableEvent]) -> dict[int, str | None]:
    """The pieces that stand in the end, by their number."""
    cells: dict[int, str | None] = {}
    for event in events:
        if isinstance(event, Placed):
            cells[event.id] = event.cell
        elif isinstance(event, Corrected):
            cells[event.ref] = event.cell
        elif isinstance(event, Retracted):
            cells.pop(event.ref, None)
    return cells


def living_table() -> MockTable:
    """A table whose load cells flicker as real ones do: only then can a dead one be told."""
    table = MockTable(living_parameters())
    table.wait(2.0)
    return table


def placements(table: MockTable, *cells: str) -> MockTable:
    for cell in cells:
        table.place(grams=3.05, cell=cell)
        table.wait(2.5)
    return table


def test_pieces_are_seen_where_and_when_they_were_put_down() -> None:
    table = living_table()
    released = []
    for cell in ("c3", "e1", "a4", "c3", "d2"):
        released.append(table.place(grams=3.05, cell=cell))
        table.wait(2.5)
    events = settled(decided(Detector(table.tabletop), table.take()))

    assert all(isinstance(event, Placed) for event in events)
    found = [event for event in events if isinstance(event, Placed)]
    assert [event.cell for event in found] == ["c3", "e1", "a4", "c3", "d2"]
    assert [event.t_s for event in found] == pytest.approx(released, abs=0.1)
    assert all(event.confidence > 0.99 for event in found)
    assert all(0.1 < event.decided_s - event.t_s < 0.5 for event in found)
    assert [event.id for event in found] == [1, 2, 3, 4, 5]


def test_a_full_cup_on_the_base_plate_is_put_there_and_taken_and_confuses_nothing() -> None:
    """Seen on an evening: once the board counted as free the cup was a hand, and then a fall."""
    table = placements(living_table(), "c3", "d4")
    table.tower.put_weight(316.0, -95.0, 20.0)
    table.wait(4.0)
    placements(table, "b2")
    table.tower.take_weights()
    table.wait(3.0)
    events = settled(decided(Detector(table.tabletop), placements(table, "e1").take()))

    assert [event.cell for event in events if isinstance(event, Placed)] == ["c3", "d4", "b2", "e1"]
    assert len(events) == 4


def test_a_bump_while_the_board_still_swings_takes_the_last_piece_along() -> None:
    """T16: it weighed the same for 0.8 s, but the board was swinging all the time."""
    table = placements(living_table(), "c3", "e5")
    table.place(grams=3.05, cell="b2")
    table.wait(0.8)
    table.bump(6.0)
    table.wait(0.3)
    table.knock_off("e5")
    table.wait(4.0)
    events = settled(decided(Detector(table.tabletop), table.take()))

    (toppled,) = (event for event in events if isinstance(event, Toppled))
    assert toppled.cause is ToppleCause.BUMP
    assert toppled.rested is not None
    assert toppled.rested < 0.1
    assert list(standing(events).values()) == ["c3", "e5"]


def test_nothing_later_than_decided_was_looked_at() -> None:
    """Causal: with the samples cut off at `decided_s` the event is the same."""
    items = placements(table_at_rest(), "c3", "b2").take()
    tabletop = MockTable().tabletop
    event = decided(Detector(tabletop), items)[1]
    assert isinstance(event, Placed)
    detector = Detector(tabletop)
    for item in samples_of(items):
        detector.feed(item)
    early = []
    while (found := detector.next_event(event.decided_s + 1e-6)) is not None:
        early.append(found)

    assert early[-1] == event


@pytest.mark.parametrize("samples", [1, 7])
def test_how_the_streams_are_cut_never_changes_an_event(samples: int) -> None:
    items = placements(table_at_rest(), "c3", "b2").take()
    tabletop = MockTable().tabletop
    whole = Detector(tabletop)
    for item in samples_of(items):
        whole.feed(item)
    expected = []
    while (event := whole.next_event()) is not None:
        expected.append(event)

    assert decided(Detector(tabletop), items, samples=samples) == expected


def test_hands_taps_bumps_and_leaning_are_nothing() -> None:
    table = placements(living_table(), "c3", "d4")
    table.touch("b3")
    table.wait(2.0)
    table.tap()
    table.wait(2.0)
    table.bump()
    table.wait(3.0)
    table.lean()
    table.wait(3.0)
    events = settled(decided(Detector(table.tabletop), table.take()))

    assert [type(event) for event in events] == [Placed, Placed]


def test_what_lies_gently_for_less_than_a_quarter_of_a_second_does_not_stand() -> None:
    table = placements(living_table(), "c3")
    table.place(grams=3.05, cell="d3")
    table.wait(0.15)
    table.lift("d3")
    table.wait(2.0)
    events = settled(decided(Detector(table.tabletop), table.take()))

    assert list(standing(events).values()) == ["c3"]
    assert not any(isinstance(event, Toppled) for event in events)


@pytest.mark.parametrize(("rest_s", "seen"), [(0.35, False), (0.8, True)])
def test_a_piece_that_lay_for_half_a_second_was_placed_though_nobody_can_say_where(
    rest_s: float, *, seen: bool
) -> None:
    table = living_table()
    table.place(grams=3.05, cell="c4", offset_mm=(table.tabletop.cell_pitch_mm / 2, 0.0))
    table.wait(rest_s)
    table.touch("c3", seconds=0.3)
    table.knock_off("c4")
    table.wait(0.2)
    events = decided(Detector(table.tabletop), table.take())

    found = [event for event in events if isinstance(event, Placed)]
    assert [event.confidence < 0.9 for event in found] == [True] * seen


def test_a_weight_before_the_roll_stands_only_if_it_stays() -> None:
    table, detector = living_table(), Detector(MockTable().tabletop)
    detector.expect(Expectation(None, may_place=False))
    for stays_s in (0.9, 3.0):
        table.place(grams=3.0, cell="d3")
        table.wait(stays_s)
        if stays_s < 1.0:
            table.lift("d3")
            table.settle()
        table.wait(1.0)
    events = decided(detector, table.take())

    assert list(standing(events).values()) == ["d3"]
    assert not any(isinstance(event, Toppled) for event in events)


def test_a_piece_taken_back_within_a_second_did_not_stand() -> None:
    table = placements(living_table(), "c3")
    table.place(grams=3.05, cell="d3")
    table.wait(0.8)
    table.lift("d3")
    table.wait(2.0)
    events = settled(decided(Detector(table.tabletop), table.take()))

    assert [type(event) for event in events] == [Placed, Placed, Retracted]
    assert isinstance(events[1], Placed)
    assert isinstance(events[2], Retracted)
    assert events[2].ref == events[1].id


def test_a_piece_that_falls_off_is_a_topple_and_an_empty_board_is_clear() -> None:
    table = placements(living_table(), "c3", "e5", "d5", "a1", "b2")
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    table.lift("a1")  # gone, and nobody takes any more: nothing but a fall looks like this
    table.wait(4.0)
    events = settled(decided(detector, table.take()))

    assert [type(event) for event in events] == [Toppled]
    assert isinstance(events[0], Toppled)
    assert (events[0].kind, events[0].fallen) == (ToppleKind.OFF_BOARD, 1)

    for cell in ("c3", "e5", "d5", "b2"):
        table.lift(cell)
        table.wait(0.6)
    table.wait(3.0)

    assert [type(event) for event in settled(decided(detector, table.take()))] == [Cleared]
    detector.press_cleared(table.now_s)
    placements(table, "c4")
    after = decided(detector, table.take())
    assert [event.cell for event in after if isinstance(event, Placed)] == ["c4"]


def test_a_board_called_clear_too_early_does_not_stay_closed() -> None:
    table = placements(living_table(), "c3", "e5")
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    detector.press_cleared(table.now_s)
    table.wait(1.0)
    decided(detector, table.take())
    for cell in ("c3", "e5"):
        table.lift(cell)
        table.wait(2.0)
    decided(detector, table.take())
    placements(table, "c4", "d2")
    after = decided(detector, table.take())

    assert [event.cell for event in after if isinstance(event, Placed)][-1] == "d2"


def test_a_full_board_that_is_cleared_is_no_topple() -> None:
    table = placements(living_table(), "c3", "d4", "b2")
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    detector.expect(Expectation(None, may_place=False, pieces_left=0))
    for cell in ("c3", "d4", "b2"):
        table.lift(cell)
        table.wait(0.5)
    table.wait(3.0)

    assert [type(event) for event in settled(decided(detector, table.take()))] == [Cleared]


@pytest.mark.parametrize("kind", [FaultKind.STUCK, FaultKind.DEAD_CELL])
def test_three_load_cells_carry_on_and_a_dead_one_is_no_topple(kind: FaultKind) -> None:
    table = placements(living_table(), "c3", "d4")
    table.break_sensor(kind, cell=2)
    table.wait(2.0)
    placements(table, "b2", "c5")
    events = decided(Detector(table.tabletop), table.take())
    faults = [event for event in events if isinstance(event, Fault)]

    assert [fault.sensor for fault in faults] == ["scale.2"]
    assert "Load cell C2" in faults[0].reason
    assert [event.cell for event in events if isinstance(event, Placed)] == ["c3", "d4", "b2", "c5"]
    assert not [event for event in events if isinstance(event, Toppled | Retracted)]


@pytest.mark.parametrize("grams", [3.05, 12.0])
def test_what_came_while_two_cells_were_lost_is_no_jump_when_they_are_back(grams: float) -> None:
    table = placements(living_table(), "c3")
    table.break_sensor(FaultKind.DEAD_CELL, cell=0)
    table.wait(3.0)
    table.break_sensor(FaultKind.STUCK, cell=2)
    table.wait(4.0)
    table.place(grams=grams, cell="a1")
    table.wait(2.0)
    table.mend_sensors()
    table.wait(12.0)
    events = decided(Detector(table.tabletop), table.take())

    assert [e.sensor for e in events if isinstance(e, Fault)] == ["scale.0", "scale.2"]
    assert {e.sensor for e in events if isinstance(e, Restored)} == {"scale.0", "scale.2"}


def test_without_the_inertial_sensor_the_cell_is_asked_for() -> None:
    table = placements(living_table(), "c3")
    table.break_sensor(FaultKind.IMU_DEAD)
    table.wait(2.0)
    placements(table, "b2")
    events = decided(Detector(table.tabletop), table.take())

    assert [event.sensor for event in events if isinstance(event, Fault)] == ["imu"]
    blind = settled(events)[-1]
    assert isinstance(blind, Placed)
    assert (blind.cell, blind.confidence) == (None, 0.0)


def test_what_came_while_the_inertial_sensor_was_lost_is_never_located_afterwards() -> None:
    table = placements(living_table(), "c3")
    table.break_sensor(FaultKind.IMU_DEAD)
    table.wait(2.0)
    placements(table, "b2", "e5")
    table.mend_sensors()
    table.wait(4.0)
    placements(table, "d4")
    events = decided(Detector(table.tabletop), table.take())
    cells = [event.cell for event in events if isinstance(event, Placed)]

    # Together b2 and e5 turn the board as one piece on d4 would.
    assert cells == ["c3", None, None, "d4"]
    assert not [event for event in events if isinstance(event, Corrected)]


def test_what_slid_while_the_inertial_sensor_was_lost_has_not_fallen_when_it_is_back() -> None:
    cells = "c3", "c4", "b2", "d2", "e3"
    table = placements(living_table(), *cells)
    table.break_sensor(FaultKind.IMU_DEAD)
    table.wait(2.0)
    for cell in cells:
        table.tower.nudge(cell, 8.0, (1.0, 0.0))
        table.wait(0.6)
    table.mend_sensors()
    table.wait(5.0)
    placements(table, "d4")
    events = decided(Detector(table.tabletop), table.take())

    assert [e.cell for e in events if isinstance(e, Placed)] == [*cells, "d4"]
    assert not [e for e in events if isinstance(e, Toppled | Suspected | Retracted)]


def test_what_shakes_a_touched_table_is_not_learned_as_noise() -> None:
    table = placements(living_table(), "c3")
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    before_g = detector.health().noise_g
    table.tower.bump(3.0, 6.0, 6.0)
    table.wait(6.0)
    decided(detector, table.take())

    assert detector.health().noise_g < 4 * before_g


def test_a_source_can_report_a_sensor_itself() -> None:
    detector = Detector(MockTable().tabletop)
    lost = SensorReport(1.0, "link", ok=False, reason="the cable is out", code="out")

    assert decided(detector, [lost]) == [Fault(1.0, "link", "the cable is out", "out")]
    assert detector.health().faults == {"link": "the cable is out"}
    assert decided(detector, [SensorReport(2.0, "link", ok=True)]) == [Restored(2.0, "link")]


def test_a_resumed_game_goes_on_counting_on_the_pieces_that_stand() -> None:
    table = placements(living_table(), "c3", "d4")
    before = settled(decided(Detector(table.tabletop), table.take()))
    placements(table, "b2")
    detector = Detector(table.tabletop)
    detector.restore(tuple((e.id, e.cell) for e in before if isinstance(e, Placed) and e.cell))
    events = decided(detector, table.take())

    assert [(event.id, event.cell) for event in events if isinstance(event, Placed)] == [(3, "b2")]


def test_people_know_better() -> None:
    table = placements(table_at_rest(), "c3")
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    detector.amend(1, "c4")
    detector.amend(1, None)
    placements(table, "d4")

    assert [e.cell for e in decided(detector, table.take()) if isinstance(e, Placed)] == ["d4"]


def test_the_table_describes_itself() -> None:
    table = placements(table_at_rest(), "e3", "a3", "c5", "c1")
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    health = detector.health()

    assert health.scale_hz == pytest.approx(80.0, rel=0.02)
    assert health.imu_hz == pytest.approx(200.0, rel=0.02)
    assert 0.5 < health.period_s < 1.0
    assert health.friction_deg < 0.15
    assert health.faults == {}
    assert health.verdict.code.startswith("pivot_")


def test_the_die_is_a_prior_and_not_a_veto() -> None:
    table = living_table()
    detector = Detector(table.tabletop)
    detector.expect(LEVEL_2)
    placements(table, "e5")
    (event,) = settled(decided(detector, table.take()))

    assert isinstance(event, Placed)
    assert event.cell == "e5"


def test_an_empty_or_silent_source_decides_nothing() -> None:
    detector = Detector(MockTable().tabletop)

    assert detector.next_event(inf) is None
    items = [item for item in table_at_rest().take() if isinstance(item, ScaleSamples)]
    events = decided(detector, [replace(items[0])])
    assert [event for event in events if not isinstance(event, Fault)] == []


def test_nothing_piles_up_while_the_evening_goes_on() -> None:
    table = living_table()
    detector = Detector(table.tabletop)
    sizes = []
    for cell in ("c3", "d2", "b4"):
        placements(table, cell)
        table.wait(20.0)
        decided(detector, table.take())
        front = detector._front
        buffered = len(front._ticks._scale_t) + len(front._ticks._imu_t)
        sizes.append(buffered + len(front._queue) + front.contacts.moment.ticks)

    assert max(sizes) < 300


def test_a_bump_nobody_saw_is_believed_when_people_name_the_one_who_did_it() -> None:
    table, detector = table_at_rest(), Detector(MockTable().tabletop)
    table.place(cell="d2")
    table.settle()
    table.bump(amplitude_m_s2=2.0)
    table.wait(3.0)
    events = decided(detector, table.take())
    assert not any(isinstance(event, Toppled) for event in events)

    detector.press_blame(table.now_s)
    told = detector.next_event()

    assert isinstance(told, Toppled)
    assert told.cause is ToppleCause.BUMP
    assert table.now_s - 6.0 < told.t_s < table.now_s
    detector.press_blame(table.now_s)
    assert detector.next_event() is None


def test_a_piece_taken_back_and_not_placed_again_before_the_board_is_cleared_had_fallen() -> None:
    table, detector = table_at_rest(), Detector(MockTable().tabletop)
    for cell in ("b2", "d4", "c2"):
        table.place(cell=cell)
        table.wait(1.5)
    table.place(cell="e5")
    table.wait(0.7)
    events = decided(detector, table.take())
    detector.expect(Expectation(may_place=False))
    table.lift("e5")
    table.wait(3.0)
    for cell in ("b2", "d4", "c2"):
        table.lift(cell)
        table.wait(0.5)
    table.wait(2.0)
    events += decided(detector, table.take())

    assert any(isinstance(event, Retracted) for event in events)
    (fall,) = (event for event in events if isinstance(event, Toppled))
    assert fall.cause is ToppleCause.PLACING


def test_blame_on_an_empty_board_is_no_topple() -> None:
    table, detector = table_at_rest(), Detector(MockTable().tabletop)
    decided(detector, table.take())
    detector.press_blame(table.now_s)

    assert detector.next_event() is None


def test_players_who_clear_the_board_after_the_roll_have_seen_something_fall() -> None:
    """A piece that slid off while it was placed leaves weight and moment as they were."""
    table, detector = table_at_rest(), Detector(MockTable().tabletop)
    for cell in ("b2", "d4", "c2", "b4"):
        table.place(cell=cell)
        table.wait(1.5)
    detector.expect(Expectation(may_place=False))
    events = decided(detector, table.take())
    detector.expect(LEVEL_2)
    table.wait(1.5)
    table.touch("d3", seconds=0.25, depth_mm=0.6)
    table.wait(3.0)
    for cell in ("b2", "d4", "c2", "b4"):
        table.lift(cell)
        table.wait(0.5)
    table.wait(2.0)
    events = decided(detector, table.take())

    assert [type(event) for event in events if isinstance(event, Toppled | Cleared)] == [
        Toppled,
        Cleared,
    ]


@pytest.mark.parametrize("gap_s", [2.0, 30.0])
def test_a_table_that_was_switched_off_for_a_while_sees_again(gap_s: float) -> None:
    table = living_table()
    detector = Detector(table.tabletop)
    decided(detector, table.take())
    for cell in ("c3", "b2"):
        table.place(cell=cell)
        table.settle()
    events = decided(detector, [shifted(item, gap_s) for item in table.take()])

    back = [event.sensor for event in events if isinstance(event, Restored)]
    assert sorted(back) == ["imu", "scale.0", "scale.1", "scale.2", "scale.3"]
    table.place(cell="d3")
    table.settle()
    events = decided(detector, [shifted(item, gap_s) for item in table.take()])
    assert [event.cell for event in events if isinstance(event, Placed)] == ["d3"]


def test_a_fall_is_said_once_though_the_rules_go_on_expecting_a_piece() -> None:
    """Without a told die they may expect a piece at any time, also on a board that fell."""
    table, detector = living_table(), Detector(MockTable().tabletop)
    for cell in ("c3", "e5", "d5", "a1", "b2", "c3", "d4", "b4"):
        table.place(cell=cell)
        table.wait(1.5)
    for cell in ("c3", "e5", "d5", "a1", "b2", "c3", "d4", "b4"):
        table.lift(cell)
    table.wait(8.0)
    events = []
    for item in samples_of(table.take()):
        detector.feed(item)
        while (event := detector.next_event()) is not None:
            events.append(event)
            detector.expect(Expectation(None, may_place=False))
            detector.expect(Expectation(None, may_place=True))

    assert sum(isinstance(event, Toppled) for event in events) <= 1
    assert isinstance(events[-1], Cleared)


def test_the_first_piece_after_a_board_was_swept_clean_in_one_go_is_seen() -> None:
    table, detector = living_table(), Detector(MockTable().tabletop)
    cells = ("c3", "e5", "d5", "a1", "b2")
    for cell in cells:
        table.place(cell=cell)
        table.wait(1.5)
    for cell in cells:
        table.lift(cell)
    table.wait(5.0)
    events = settled(decided(detector, table.take()))
    assert sum(isinstance(event, Cleared) for event in events) == 1
    assert not any(isinstance(event, Retracted) for event in events)

    placements(table, "c4", "b3")
    after = settled(decided(detector, table.take()))
    assert [event.cell for event in after if isinstance(event, Placed)] == ["c4", "b3"]


def test_the_zero_follows_an_empty_board_whose_cells_wander() -> None:
    table = living_table()
    table.break_sensor(FaultKind.DRIFTING, cell=1, size=0.05)
    table.wait(80.0)
    detector = Detector(table.tabletop)

    events = decided(detector, table.take())

    assert events == []
    assert detector.health().zero_drift_g == pytest.approx(4.0, abs=0.5)


def test_pieces_on_the_board_do_not_become_the_zero() -> None:
    table = placements(living_table(), "c3", "b3")
    table.wait(10.0)
    detector = Detector(table.tabletop)

    decided(detector, table.take())

    assert abs(detector.health().zero_drift_g) < 0.5


def test_what_lay_down_while_the_inertial_sensor_slept_is_not_taken_for_the_next_piece() -> None:
    table, detector = living_table(), Detector(MockTable().tabletop)
    for cell in ("c3", "a1"):
        table.place(grams=3.05, cell=cell)
        table.settle()
    table.break_sensor(FaultKind.IMU_DEAD)
    table.wait(1.0)
    table.place(grams=3.05, cell="e5")
    table.wait(3.0)
    table.mend_sensors()
    table.wait(1.0)
    table.place(grams=3.05, cell="d2")
    table.wait(3.0)
    table.place(grams=3.05, cell="b4")
    table.wait(3.0)
    events = decided(detector, table.take())

    seen = [(e.cell, e.confidence) for e in events if isinstance(e, Placed)]
    assert [cell for cell, _ in seen[:2]] == ["c3", "a1"]
    assert seen[2] == (None, 0.0)
    assert all(cell == meant or sure < 0.95
               for (cell, sure), meant in zip(seen[3:], ("d2", "b4"), strict=True))  # fmt: skip
    assert seen[4][0] == "b4"

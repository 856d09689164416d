"""Messages of a table as the events that the judge of the bench knows."""

import json
from typing import Any

from engine.events import Corrected, Fault, Placed, Retracted, Suspected, ToppleCause, Toppled
from lab.bench.observed import Sent
from lab.bench.outside.told import seen_by


def event(type_: str, t_s: float = 10.0, **data: Any) -> Sent:
    return Sent(t_s, "event", json.dumps({"type": type_, "data": data}).encode(), 1)


def placed(t_s: float, ref: int, cell: str, **more: Any) -> Sent:
    return event("placed", t_s, ref=ref, cell=cell, confidence=0.99, status="confirmed", **more)


def place(t_s: float, cell: str) -> dict[str, Any]:
    return {"type": "place", "t": t_s, "t_contact": t_s - 0.3, "t_release": t_s, "cell": cell}


def test_a_placement_is_dated_by_the_hand_and_decided_when_it_is_heard() -> None:
    (seen,) = seen_by([placed(11.2, 1, "d4")], [place(10.0, "d4")])

    assert (seen.t_s, seen.decided_s) == (10.0, 11.2)
    assert isinstance(seen.event, Placed)
    assert seen.event.cell == "d4"


def test_each_placement_is_another_deed_and_a_wrong_cell_still_is_that_deed() -> None:
    truth = [place(10.0, "d4"), place(12.0, "b2")]
    found = seen_by([placed(11.0, 1, "a1"), placed(13.0, 2, "b2")], truth)

    assert [seen.t_s for seen in found] == [10.0, 12.0]


def test_what_is_told_late_is_its_own_cells_deed() -> None:
    truth = [place(10.0, "d4"), place(12.0, "b2")]
    found = seen_by([placed(13.0, 2, "d4"), placed(13.1, 3, "b2")], truth)

    assert [seen.t_s for seen in found] == [10.0, 12.0]


def test_what_no_deed_explains_is_dated_by_its_message() -> None:
    old, none = seen_by([placed(40.0, 1, "d4"), placed(41.0, 2, "c3")], [place(10.0, "d4")])

    assert (old.t_s, none.t_s) == (40.0, 41.0)


def test_what_people_told_by_hand_and_what_is_told_again_is_no_sighting() -> None:
    by_hand = event("placed", ref=1, cell="d4", status="confirmed")
    again = [placed(11.0, 2, "d4"), placed(12.0, 2, "d4")]

    assert len(seen_by([by_hand, *again], [])) == 1


def test_a_placed_piece_that_fell_does_not_stand_any_more() -> None:
    _, fell = seen_by([placed(11.0, 7, "b2"), event("fell", 12.0, ref=7, colour="yellow")], [])

    assert fell.event == Retracted(7, 12.0, "fell")


def test_every_other_event_that_scenarios_expect_is_read() -> None:
    found = seen_by(
        [
            event("corrected", ref=1, of="placed", cell="c3", confidence=0.9),
            event("retracted", ref=1, cell="c3", reason="gone"),
            event("suspected", id=4, kind="collapse", probability=0.7, valid_s=6),
            event("dismissed", id=4),
            event("toppled", ref=2, confidence=0.97, cause="bump", kind="off_board"),
            event("cleared", ref=3),
            event("fault", sensor="imu", reason="silent"),
            event("restored", sensor="imu"),
            event("rolled", ref=9, die=3),
        ],
        [{"type": "topple", "t": 8.0}],
    )  # fmt: skip

    assert [seen.kind for seen in found] == [
        "corrected", "retracted", "suspected", "dismissed", "toppled", "cleared", "fault",
        "restored",
    ]  # fmt: skip
    events = [seen.event for seen in found]
    assert isinstance(events[0], Corrected)
    assert isinstance(events[1], Retracted)
    assert isinstance(events[2], Suspected)
    assert isinstance(events[4], Toppled)
    assert events[4].cause is ToppleCause.BUMP
    assert found[4].t_s == 8.0
    assert isinstance(events[6], Fault)

"""Which decision belongs to which true placement, on made-up runs."""

from typing import Any

import pytest

from engine.events import Placed
from lab.bench.figures import LATE_S, SAME_S, matched, measured, silent_errors
from lab.bench.observed import Run, Seen


def true(t_s: float, cell: str, **more: Any) -> dict[str, Any]:
    plain = {"type": "place", "t": t_s, "t_release": t_s, "t_contact": t_s - 0.3, "cell": cell}
    return {**plain, "ended_in_topple": False, **more}


def seen(number: int, t_s: float, cell: str) -> Seen:
    return Seen(t_s, t_s + 0.2, Placed(number, t_s, t_s + 0.2, cell, 0.99))


def cells(run: Run) -> list[str | None]:
    return [None if entry is None else entry["cell"] for _, entry in matched(run)]


def test_a_placement_belongs_to_the_release_it_is_near() -> None:
    run = Run(
        seen=(seen(1, 10.1, "d4"), seen(2, 14.0, "c2")), truth=(true(10, "d4"), true(14, "c2"))
    )

    assert cells(run) == ["d4", "c2"]
    assert silent_errors(run) == []


def test_a_wrong_cell_is_a_silent_error_and_so_is_a_piece_that_never_was() -> None:
    run = Run(seen=(seen(1, 10.1, "d3"), seen(2, 30.0, "a1")), truth=(true(10, "d4"),))

    assert cells(run) == ["d4", None]
    assert len(silent_errors(run)) == 2


def test_a_slid_piece_may_be_dated_from_when_it_first_lay_there() -> None:
    slid = true(12.0, "c2", t_contact=10.0, slid_from="c3")

    assert cells(Run(seen=(seen(1, 10.3, "c2"),), truth=(slid,))) == ["c2"]
    assert cells(Run(seen=(seen(1, 10.0 - SAME_S - 0.1, "c2"),), truth=(slid,))) == [None]


@pytest.mark.parametrize(
    ("cell", "late_s", "found"),
    [("d4", 3.0, "d4"), ("d3", 3.0, None), ("d4", LATE_S + 0.1, None), ("d4", -1.5, None)],
)
def test_a_piece_seen_late_is_right_on_its_own_cell_only_and_not_for_ever(
    cell: str, late_s: float, found: str | None
) -> None:
    run = Run(seen=(seen(1, 10 + late_s, cell),), truth=(true(10, "d4"),))

    assert cells(run) == [found]
    assert len(silent_errors(run)) == (found is None)
    assert measured(run)["missed"] == (found is None)


def test_a_piece_seen_late_never_takes_the_place_of_one_seen_in_time() -> None:
    truth = (true(10, "d4"), true(14, "d4"))

    late_first = Run(seen=(seen(1, 13.8, "d4"), seen(2, 14.1, "d4")), truth=truth)
    assert cells(late_first) == ["d4", "d4"]
    only_second = Run(seen=(seen(1, 14.1, "d4"),), truth=truth)
    assert measured(only_second)["missed"] == 1


FELL = true(10, "a2", ended_in_topple=True)
VOID: dict[str, Any] = {"type": "release_void", "t": 10, "cell": "a2", "colour": "green"}


@pytest.mark.parametrize("fallen", [FELL, VOID])
def test_a_piece_let_go_while_something_fell_is_not_invented(fallen: dict[str, Any]) -> None:
    run = Run(seen=(seen(1, 10.1, "a2"),), truth=(fallen,))

    assert measured(run)["invented"] == 0
    assert silent_errors(run) == []


@pytest.mark.parametrize("fallen", [FELL, VOID])
def test_a_piece_that_fell_hides_no_other_that_was_missed_or_wrong(fallen: dict[str, Any]) -> None:
    truth = (fallen, true(20, "c2"), true(30, "d4"))

    figures = measured(Run(seen=(seen(1, 10.1, "a2"), seen(2, 30.1, "d3")), truth=truth))
    assert (figures["right"], figures["missed"]) == (0, 1)

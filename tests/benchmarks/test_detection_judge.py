"""What belongs to what: cases that can be counted on the fingers."""

import pytest

from tests.benchmarks.detection_games import Event
from tests.benchmarks.detection_judge import (
    decided_in_the_end,
    latency_s,
    placements_of,
    topples_of,
)


def place(t_s: float, cell: str = "c3", *, fell: bool = False) -> Event:
    return {"type": "place", "t": t_s, "cell": cell, "ended_in_topple": fell}


def placed(number: int, t_s: float, cell: str = "c3") -> Event:
    times = {"t": t_s, "decided": t_s + 0.25}
    return {"type": "placed", "id": number, **times, "cell": cell, "confidence": 0.99}


def topple(t_s: float, known_s: float | None = None) -> Event:
    return {"type": "topple", "t": t_s, "t_detectable": known_s}


def toppled(t_s: float) -> Event:
    return {"type": "toppled", "t": t_s, "decided": t_s + 1.0}


@pytest.mark.parametrize(("off_s", "told"), [(-1.6, 0), (-1.5, 1), (0, 1), (1.5, 1), (1.6, 0)])
def test_a_placement_is_told_within_a_second_and_a_half_of_its_release(
    off_s: float, told: int
) -> None:
    found = placements_of([place(10.0)], [placed(1, 10.0 + off_s)])

    assert (len(found.pairs), len(found.missed), len(found.invented)) == (told, 1 - told, 1 - told)


def test_only_the_right_cell_is_right() -> None:
    found = placements_of([place(10), place(20)], [placed(1, 10, "c3"), placed(2, 20, "c4")])

    assert [true["t"] for true, _ in found.right] == [10]
    assert len(found.pairs) == 2


def test_the_nearest_decision_is_taken_and_no_decision_twice() -> None:
    near, far = placed(1, 10.2), placed(2, 9.0)

    assert placements_of([place(10)], [far, near]).pairs == [(place(10), near)]
    both = placements_of([place(10), place(11)], [near])
    assert both.pairs == [(place(10), near)]
    assert both.missed == [place(11)]


def test_earlier_placements_choose_first() -> None:
    found = placements_of([place(10), place(11)], [placed(1, 10.6), placed(2, 11.9)])

    assert [(true["t"], event["id"]) for true, event in found.pairs] == [(10, 1), (11, 2)]


@pytest.mark.parametrize("fallen", [place(10, fell=True), {"type": "release_void", "t": 10.0}])
def test_a_piece_that_fell_must_not_stand(fallen: Event) -> None:
    found = placements_of([fallen], [placed(1, 10.1)])

    assert (len(found.stand), len(found.kept), len(found.invented)) == (0, 1, 0)


def test_a_piece_that_stands_takes_a_decision_before_one_that_fell() -> None:
    found = placements_of([place(10, fell=True), place(11)], [placed(1, 10.2)])

    assert [true["t"] for true, _ in found.pairs] == [11]
    assert found.kept == []


def test_corrections_count_in_the_end_and_latency_from_the_beginning() -> None:
    later = {"type": "corrected", "ref": 1, "decided": 19.0, "cell": "a1", "confidence": 0.6}
    (decision,) = decided_in_the_end([placed(1, 10.0), later])

    assert (decision["cell"], decision["confidence"]) == ("a1", 0.6)
    assert latency_s((place(9.5), decision)) == pytest.approx(0.75)
    assert latency_s((place(10.5), decision)) == 0.0


def test_what_was_taken_back_was_never_placed() -> None:
    back = {"type": "retracted", "ref": 1, "decided": 12.0}
    stray = {"type": "corrected", "ref": 1, "decided": 13.0, "cell": "a1", "confidence": 0.9}

    assert decided_in_the_end([placed(1, 10.0), back, stray]) == []


@pytest.mark.parametrize(("told_s", "seen"), [(9.4, 0), (9.5, 1), (10.0, 1), (17.0, 1), (17.1, 0)])
def test_a_topple_may_be_told_from_half_a_second_before_to_six_after_it_can_be_known(
    told_s: float, seen: int
) -> None:
    found = topples_of([topple(10.0, known_s=11.0)], [toppled(told_s)])

    assert (len(found.pairs), len(found.missed), len(found.left_over)) == (seen, 1 - seen, 1 - seen)


def test_where_nobody_knows_when_a_topple_could_be_known_its_fall_counts() -> None:
    assert topples_of([topple(10.0)], [toppled(16.0)]).missed == []
    assert topples_of([topple(10.0)], [toppled(16.1)]).pairs == []

"""Counting: intervals, and that nothing is lost on the way to the table."""

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.detection_figures import Tally, deaf_spans, tally
from tests.benchmarks.detection_games import Game, Replayed

NOWHERE = Path()
GAME = Game("g", "twin", "calm", NOWHERE, NOWHERE, "made up")


def place(t_s: float, cell: str, **more: Any) -> dict[str, Any]:
    return {"type": "place", "t": t_s, "cell": cell, "level": 1, "k": 0, "colour": "red", **more}


def placed(number: int, t_s: float, cell: str, confidence: float = 0.999) -> dict[str, Any]:
    times = {"t": t_s, "decided": t_s + 0.2}
    return {"type": "placed", "id": number, **times, "cell": cell, "confidence": confidence}


def toppled(t_s: float, kind: str, cause: str) -> dict[str, Any]:
    times = {"t": t_s, "decided": t_s + 1}
    return {"type": "toppled", "id": 99, **times, "kind": kind, "cause": cause, "confidence": 0.9}


def topple(t_s: float, kind: str, cause: str) -> dict[str, Any]:
    words = {"kind": kind, "cause": cause, "fallen": 2}
    return {"type": "topple", "t": t_s, "t_detectable": t_s + 0.5, **words}


TRUTH = [
    place(10, "c3"),
    place(20, "c4"),
    place(30, "a1"),
    place(40, "e5", ended_in_topple=True),
    place(50, "b2"),
    topple(60, "off_board", "bump"),
    topple(70, "off_stack", "placing"),
    {"type": "cleared", "t": 90},
]
EVENTS = [
    placed(1, 10.1, "c3"),
    placed(2, 20.1, "c5", 0.6),
    placed(3, 30.1, "a2"),
    placed(4, 40.1, "e5"),
    placed(5, 80.0, "d1", 0.97),
    toppled(60.2, "off_board", "placing"),
    toppled(86.0, "off_stack", "placing"),
]
KINDS = [
    "invented",
    "kept a fallen piece",
    "missed",
    "topple invented",
    "topple unseen",
    "topple, wrong cause",
    "wrong cell, asked",
    "wrong cell, silent",
]


def counted() -> Tally:
    return tally([Replayed(GAME, EVENTS, TRUTH, cpu_s=0.5, duration_s=90.0)])


def test_every_kind_of_miss_is_found_once() -> None:
    assert sorted(miss.kind for miss in counted().misses) == KINDS


def test_what_was_right_and_what_was_silent_is_counted() -> None:
    found = counted()

    assert (found.placements, found.right, found.silent, found.asked) == (4, 1, 4, 1)
    assert (found.missed, found.invented) == (1, 1)
    assert (found.lost, found.lost_seen, found.lost_cause_right) == (1, 1, 0)
    assert (found.stacks, found.stacks_seen, found.false_topples) == (1, 0, 1)
    assert found.times_real == 180


def test_claims_hold_every_event_right_or_wrong() -> None:
    found = counted()

    assert sorted(found.claims) == [
        (0.6, False),
        (0.9, False),
        (0.9, True),
        (0.97, False),
        (0.999, False),
        (0.999, False),
        (0.999, True),
    ]
    assert found.claimed.count(True) == 1


def test_a_piece_that_was_asked_about_early_counts_as_asked() -> None:
    asked = {"type": "question", "t": 10.4, "id": "cell-1", "kind": "cell", "ref": 1}
    wrong = {**asked, "ref": 2}
    events = [placed(1, 10.1, "c3"), placed(2, 20.1, "c5"), placed(3, 30.1, "a1", 0.6)]

    def found(*questions: dict[str, Any]) -> tuple[int, int]:
        run = Replayed(GAME, [*events, *questions], TRUTH, cpu_s=0.5, duration_s=90.0)
        one = tally([run])
        return one.asked, one.silent

    asked_before, silent_before = found()
    assert found(asked) == (asked_before + 1, silent_before)
    assert found(asked, wrong) == (asked_before + 2, silent_before - 1)


@pytest.mark.parametrize(("told", "exact"), [(7, 1), (6, 0)])
def test_a_score_is_exact_when_it_is_the_peoples_own(told: int, exact: int) -> None:
    game = Game("g", "twin", "calm", NOWHERE, NOWHERE, "made up", "usual", NOWHERE)
    truth = [*TRUTH, {"type": "scores", "t": 90, "scores": {"Ann": 7}}]
    events = [*EVENTS, {"type": "summary", "scores": {"Ann": told}}]
    found = tally([Replayed(game, events, truth, cpu_s=0.5, duration_s=90.0)])

    assert (found.scored, found.exact) == (1, exact)


def lived(*right: bool) -> Replayed:
    """An evening with a placement each ten seconds, seen rightly or not at all."""
    truth = [place(10.0 * k, "c3") for k in range(len(right))]
    events = [placed(k, 10.0 * k, "c3") for k, seen in enumerate(right) if seen]
    return Replayed(GAME, events, truth, 0.0, 10.0 * len(right))


def test_one_piece_missed_is_not_deaf_two_in_a_row_are() -> None:
    assert list(deaf_spans(lived(True, False, True, True))) == []
    assert list(deaf_spans(lived(True, False, False, False, True))) == [(30.0, 3)]


def test_a_table_that_stays_deaf_is_deaf_to_the_end() -> None:
    run = lived(True, False, False)

    assert list(deaf_spans(run)) == [(20.0, 2)]
    found = tally([run])
    assert (found.deaf_s, found.longest_deaf) == (20.0, 2)

"""Topples one by one: shown, decided, asked about, and how sure."""

from typing import Any

import pytest

from tests.benchmarks.detection_falls import (
    Found,
    found,
    reliability,
)
from tests.benchmarks.detection_games import Event


def topple(t_s: float, kind: str = "off_board", cause: str = "placing") -> Event:
    return {"type": "topple", "t": t_s, "t_detectable": t_s + 1, "kind": kind, "cause": cause}


def toppled(t_s: float, after_s: float, number: int = 7, **more: Any) -> Event:
    said = {"kind": "off_board", "cause": "placing", "confidence": 0.9, "cause_confidence": 0.8}
    return {"type": "toppled", "id": number, "t": t_s, "decided": t_s + after_s, **said, **more}


def suspected(t_s: float, after_s: float, number: int = 5, probability: float = 0.6) -> Event:
    said = {"decided": t_s + after_s, "probability": probability, "kind": "off_board"}
    return {"type": "suspected", "id": number, "t": t_s, **said}


def dismissed(number: int, decided_s: float) -> Event:
    return {"type": "dismissed", "ref": number, "decided": decided_s}


def question(t_s: float, ref: int | None, kind: str = "blame") -> Event:
    return {"type": "question", "t": t_s, "id": "q", "kind": kind, "ref": ref}


def looked_at(truth: list[Event], *events: Event) -> Found:
    return found(truth, events)


def test_a_topple_is_shown_by_a_suspicion_before_it_is_decided() -> None:
    (fall,) = looked_at([topple(10.0)], suspected(10.1, 0.3), toppled(10.0, 2.5)).falls

    assert (fall.kind, fall.asked) == ("off_board", False)
    assert (fall.shown_s, fall.decided_s) == pytest.approx((0.4, 2.5))


def test_a_decision_shows_a_topple_that_nobody_suspected() -> None:
    (fall,) = looked_at([topple(10.0)], toppled(10.0, 2.5)).falls

    assert fall.shown_s == fall.decided_s == pytest.approx(2.5)


def test_what_was_suspected_long_before_or_only_after_the_next_fall_does_not_count() -> None:
    falls = looked_at(
        [topple(10.0), topple(15.0)], suspected(5.0, 0.1), suspected(15.0, 0.2, number=6)
    ).falls

    assert [fall.shown_s for fall in falls] == [None, pytest.approx(0.2)]


def test_a_blow_just_before_the_fall_may_be_suspected_at_once() -> None:
    (fall,) = looked_at([topple(10.0)], suspected(9.7, 0.0)).falls

    assert fall.shown_s == 0.0


def test_suspicions_that_went_away_are_told_by_kind() -> None:
    events = suspected(10.0, 0.2), suspected(30.0, 0.2, number=6), dismissed(6, 33.0)
    seen = looked_at([topple(10.0)], *events)

    assert seen.dismissed == ["off_board"]
    assert seen.suspicions == [(0.6, True), (0.6, False)]


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        (question(12.6, 7), True),
        (question(11.0, None), True),
        (question(12.6, 3), False),
        (question(12.6, 7, kind="cell"), False),
        (question(40.0, None), False),
    ],
)
def test_a_topple_counts_as_asked_about_only_by_a_question_about_it(
    asked: Event, counts: bool
) -> None:
    (fall,) = looked_at([topple(10.0)], toppled(10.0, 2.5), asked).falls

    assert fall.asked == counts


def test_claims_about_cause_and_kind_are_held_against_the_truth() -> None:
    truth = [topple(10.0), topple(50.0, "off_stack", "bump")]
    events = toppled(10.0, 1.0), toppled(50.0, 1.0, 8), toppled(80.0, 1.0, 9)
    seen = looked_at(truth, *events)

    assert seen.causes == [(0.8, True), (0.8, False)]
    assert seen.kinds == [(0.9, True), (0.9, False), (0.9, False)]


def test_reliability_bins_by_what_was_claimed() -> None:
    claims = [(0.95, True), (0.97, False), (0.6, True)]

    assert reliability(claims, (0.5, 0.9, 1.0)) == [(0.6, 1, 1), (pytest.approx(0.96), 1, 2)]

"""What must hold after every run: messages in, broken promises out."""

import json

import pytest

from controller.bench.invariants import order_broken
from controller.bench.observed import Sent


def events(*told: tuple[int, str]) -> list[Sent]:
    documents = [{"seq": seq, "rev": seq, "type": kind} for seq, kind in told]
    return [Sent(0.0, "event", json.dumps(d).encode(), qos=1) for d in documents]


@pytest.mark.parametrize(
    "told",
    [
        ((1, "started"), (2, "placed"), (3, "turn")),
        ((2, "placed"), (2, "suspected"), (2, "dismissed"), (3, "rolled")),
        ((2, "suspected"), (3, "toppled")),
    ],
)
def test_events_in_order_break_nothing(told: tuple[tuple[int, str], ...]) -> None:
    assert list(order_broken(events(*told))) == []


@pytest.mark.parametrize(
    "told",
    [
        ((1, "started"), (3, "turn")),
        ((2, "placed"), (2, "turn")),
        ((2, "placed"), (3, "suspected")),
        ((2, "placed"), (2, "suspected"), (4, "rolled")),
    ],
)
def test_a_gap_a_repetition_and_a_number_taken_by_a_suspicion_are_found(
    told: tuple[tuple[int, str], ...],
) -> None:
    assert len(list(order_broken(events(*told)))) == 1

"""What may just be happening, as the table at work tells it."""

import json

from engine.events import Dismissed, HumanInput, Suspected, ToppleKind
from tests.controller.evenings import PLACED, START, Evening, samples


def test_a_suspicion_is_told_at_once_and_is_in_no_journal_and_no_state() -> None:
    evening = Evening(
        START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), samples(7.0), samples(8.0),
        events=(PLACED, Suspected(2, 6.0, 6.2, 0.6, ToppleKind.OFF_STACK), Dismissed(2, 7.5)),
    )  # fmt: skip
    evening.step(5.5)
    evening.announcer.flush_now()
    sent, kept, state = (
        len(evening.wire.sent),
        len(evening.journal.outputs),
        evening.wire.last("state"),
    )
    evening.step(7.0)
    evening.step(8.0)
    evening.announcer.flush_now()
    told = [p for p in evening.wire.sent[sent:] if not p.topic.endswith("/health")]
    events = [json.loads(p.payload) for p in told]

    assert [p.topic for p in told] == ["topple/1/t1/event"] * 2
    assert not any(p.retain for p in told)
    assert [event["type"] for event in events] == ["suspected", "dismissed"]
    assert events[0]["data"] == {
        "id": 2,
        "kind": "off_stack",
        "probability": 0.6,
        "valid_s": 6.0,
    }
    assert {(event["seq"], event["rev"]) for event in events} == {(state["seq"], state["rev"])}
    assert len(evening.journal.outputs) == kept
    assert evening.heard[-2:] == ["suspected", "dismissed"]

"""An example: somebody's small display, tested against the simulated table.

The client is written as one would for an ESP32: 256 bytes of buffer, the retained `summary` and
`availability`, nothing of ours imported.
"""

import json
from typing import Any

import pytest


class SmallDisplay:
    """Two lines of sixteen characters."""

    BUFFER_BYTES = 256

    def __init__(self) -> None:
        self.lines = ["waiting", ""]

    def on_message(self, topic: str, payload: bytes) -> None:
        if len(topic) + len(payload) > self.BUFFER_BYTES:
            return  # the usual client library drops it
        if topic.endswith("/availability") and payload == b"offline":
            self.lines = ["table is off", ""]
        elif topic.endswith("/summary"):
            score = json.loads(payload)
            self.lines[0] = " ".join(f"{name} {points}" for name, points in score["p"].items())
            self.lines[1] = f"next: {score['t']}" if "t" in score else ""


def shown_after(messages: Any) -> list[str]:
    display = SmallDisplay()
    for message in messages:
        display.on_message(f"topple/1/bench/{message.suffix}", message.payload)
    return display.lines


@pytest.mark.slow
def test_it_shows_the_score_of_a_game(topple_bench: Any) -> None:
    result = topple_bench("rule_row_completed")

    assert shown_after(result.run.sent) == ["Ann 5 Bob 0", "next: Bob"]


@pytest.mark.slow
def test_it_shows_that_the_table_is_off(topple_bench: Any) -> None:
    result = topple_bench("power_cut")
    first = [message for message in result.run.sent if message.process == 0]

    assert shown_after(first) == ["table is off", ""]


@pytest.mark.slow
def test_one_that_joins_late_is_right(topple_bench: Any) -> None:
    result = topple_bench("rule_row_completed")
    display = SmallDisplay()
    for suffix, payload in result.run.retained.items():
        display.on_message(f"topple/1/bench/{suffix}", payload)

    assert display.lines[0] == "Ann 5 Bob 0"

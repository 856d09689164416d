"""The maker of the recorded evening."""

import json
from itertools import pairwise

import pytest

from lab.bench.observed import Sent
from scripts.record_evening import TRACE_EVERY_S, evening, thinned


def sent(t_s: float, suffix: str) -> Sent:
    return Sent(t_s, suffix, b"{}", 0, False, 0, 0)


def test_curves_are_thinned_out_and_nothing_else_but_replies() -> None:
    said = [sent(number / 10, "trace") for number in range(100)]
    said += [sent(1.0, "event"), sent(1.1, "event"), sent(1.2, "reply/bench")]

    kept = thinned(said)

    times_s = [message.t_s for message in kept if message.suffix == "trace"]
    assert all(b - a >= TRACE_EVERY_S - 1e-9 for a, b in pairwise(times_s))
    assert [message.suffix for message in kept if message.suffix != "trace"] == ["event", "event"]


@pytest.mark.slow
def test_the_scenarios_follow_each_other_with_ids_of_their_own() -> None:
    messages = evening(("place_one", "every_event"))

    assert [m.t_s for m in messages] == sorted(m.t_s for m in messages)
    boots = {json.loads(m.payload)["boot"] for m in messages if m.suffix == "state"}
    assert {boot.split("-")[0] for boot in boots} == {"place_one", "every_event"}

"""Makes the evening that `topple-table replay-mqtt` plays: `python -m scripts.record_evening`.

A minute with every kind of event, then a game of two on the simulated table, all from the bench.
What the table says ten times a second for curves is thinned out; nothing else is left out.
"""

from collections.abc import Iterable

from controller.mqtt import topics
from lab.bench.observed import Sent
from lab.bench.running import play
from lab.bench.scenario_files import find, load
from lab.demo.recorded_evening import SHIPPED, RecordedMessage, later, write

SCENARIOS = ("every_event", "evening_calm")
BETWEEN_S = 4.0
TRACE_EVERY_S = 0.5


EARLIER = b'"earlier"'
"""Name of the game that lies behind the bench's; displays begin with this evening."""


def thinned(sent: Iterable[Sent]) -> list[Sent]:
    """Two of ten traces a second, no discovery, and no board of a game before the evening."""
    kept, next_s = [], 0.0
    for message in sent:
        if message.suffix == "trace":
            if message.t_s < next_s:
                continue
            next_s = message.t_s + TRACE_EVERY_S
        board_before = message.suffix == "state" and EARLIER in message.payload
        if not message.suffix.startswith(("reply", "homeassistant")) and not board_before:
            kept.append(message)
    return kept


def evening(scenarios: Iterable[str] = SCENARIOS) -> tuple[RecordedMessage, ...]:
    """All messages of these scenarios of the bench, one after the other."""
    messages: list[RecordedMessage] = []
    begin_s = 0.0
    for name in scenarios:
        run = play(load(find([name])[0])[0])
        messages += (_own(name, begin_s, sent) for sent in thinned(run.sent))
        begin_s += run.end_s + BETWEEN_S
    return tuple(messages)


def _own(scenario: str, begin_s: float, sent: Sent) -> RecordedMessage:
    """A message at its place in the evening, with ids that no other scenario has.

    The bench calls all its games alike, and its clock begins anew in each.
    """
    payload = sent.payload.decode()
    if topics.TOPICS[sent.suffix].kind == "json":
        payload = later(payload, begin_s)
    for key in ("boot", "game"):
        payload = payload.replace(f'"{key}":"', f'"{key}":"{scenario}-')
    t_s = round(begin_s + sent.t_s, 2)
    return RecordedMessage(t_s, sent.suffix, sent.qos, sent.retain, payload)


if __name__ == "__main__":
    write(SHIPPED, evening())
    print(f"{SHIPPED.name}: {SHIPPED.stat().st_size / 1000:.0f} kB")

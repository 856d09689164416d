"""The table at work, driven by hand: time is passed in, the wire is a list."""

import json
import os
import signal
import threading
from collections.abc import Callable
from math import inf
from typing import Any

import msgspec
import numpy as np
import pytest

from controller import publications
from controller.live import (
    HEALTH_EVERY_S,
    INBOX_SIZE,
    STATE_EVERY_S,
    Announcer,
    Identity,
    LiveTable,
    keep_going,
    stop_on_signals,
)
from controller.mqtt import Message, Mqtt
from controller.pipeline import Output, Pipeline
from controller.publications import Publication
from engine.events import Expectation, Fault, HumanInput, Placed, Restored, TableEvent
from engine.samples import Samples, ScaleSamples
from engine.scoreboard import Scoreboard
from engine.tabletop import Piece, Tabletop
from hw.source import Item, item_time_s

START = HumanInput(
    0.5,
    "start",
    {
        "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
        "target": 20,
        "first": 0,
    },
)
TABLETOP = Tabletop(
    32.0, 12.0, 5.8, Piece(22.0, 9.0, 3.0, 0.1), ((-70, -70), (70, -70), (70, 70), (-70, 70)),
    (0.0, 0.0, -17.0), (0.0, 0.0, -4000.0), 180.0,
)  # fmt: skip


class Wire:
    """Keeps what is published."""

    def __init__(self) -> None:
        self.sent: list[Publication] = []

    def publish(self, publication: Publication) -> None:
        self.sent.append(publication)

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """Nothing arrives here."""

    def rows(self) -> list[str]:
        return [publication.topic.split("/", 3)[3] for publication in self.sent]

    def last(self, row: str) -> Any:
        return json.loads(next(p.payload for p in reversed(self.sent) if p.topic.endswith(row)))


class Source:
    """Gives the items it was made with when their time has come."""

    tabletop = TABLETOP
    simulated = True
    notices: tuple[str, ...] = ()

    def __init__(self, *items: Item) -> None:
        self._items = list(items)
        self.closed = False

    @property
    def ended(self) -> bool:
        return self.closed

    def poll(self, until_s: float) -> list[Item]:
        due = [item for item in self._items if item_time_s(item) <= until_s]
        self._items = self._items[len(due) :]
        return due

    def close(self) -> None:
        self.closed = True


class Detector:
    """Decides what it was told to decide, when samples of that time have come."""

    def __init__(self, *events: TableEvent) -> None:
        self._events = list(events)
        self.now_s = 0.0

    def feed(self, samples: Samples) -> None:
        self.now_s = item_time_s(samples)

    def next_event(self, until_s: float = inf) -> TableEvent | None:
        due_s = min(until_s, self.now_s)
        if self._events and getattr(self._events[0], "decided_s", self._events[0].t_s) <= due_s:  # type: ignore[union-attr]
            return self._events.pop(0)
        return None

    def expect(self, expectation: Expectation) -> None: ...
    def amend(self, ref: int, cell: str | None) -> None: ...
    def press_cleared(self, t_s: float) -> None: ...


class Kept:
    """A journal in memory that knows what had been published when it was written."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self.outputs: list[Output] = []
        self.published_before: list[int] = []

    def write(self, output: Output) -> None:
        self.published_before.append(sum(row == "event" for row in self._wire.rows()))
        self.outputs.append(output)


class Evening:
    """A table with everything around it in memory."""

    def __init__(self, *items: Item, events: tuple[TableEvent, ...] = ()) -> None:
        self.wire = Wire()
        self.journal = Kept(self.wire)
        self.source = Source(*items)
        self.heard: list[str] = []
        identity = Identity("t1", "boot-1", simulated=True)
        self.announcer = Announcer(self.wire, identity)
        self.table = LiveTable(
            self.source, Pipeline(Detector(*events)), self.journal, self.announcer, identity,
            listener=lambda outcome, _board: self.heard.append(outcome.type),
        )  # fmt: skip
        self.table.open(0.0)

    def step(self, t_s: float, unix_s: float = 1000.0) -> None:
        self.table.step(t_s, unix_s)

    def command(self, verb: str, **fields: Any) -> None:
        payload = json.dumps({"v": 1, "client": "phone", **fields}).encode()
        self.table.hear(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))


def samples(t_s: float) -> ScaleSamples:
    return ScaleSamples(
        np.array([t_s]), np.zeros((1, 4)), np.zeros((1, 4), dtype=np.int32), np.ones((1, 4), bool)
    )


PLACED = Placed(1, 3.0, 3.4, "c3", 0.999, (), 3.0)


def test_opening_says_state_before_online() -> None:
    evening = Evening()

    assert evening.wire.rows() == ["status", "state", "summary", "availability"]
    assert evening.wire.last("status")["phase"] == "init"


def test_every_decision_is_journalled_before_it_is_published() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    evening.step(6.0)

    assert len(evening.journal.outputs) == 3
    counts = [len(output.outcomes) for output in evening.journal.outputs]
    assert evening.journal.published_before == [0, counts[0], counts[0] + counts[1]]
    assert evening.table.board.board["c3"][0].colour == "red"


def test_events_come_in_order_and_the_state_that_contains_them_follows() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    before = len(evening.wire.sent)
    evening.step(6.0)
    rows = [row for row in evening.wire.rows()[before:] if row in ("event", "state")]
    seqs = [json.loads(p.payload)["seq"] for p in evening.wire.sent if p.topic.endswith("event")]

    assert rows == ["event"] * len(seqs) + ["state"]
    assert seqs == list(range(1, len(seqs) + 1))
    assert evening.wire.last("state")["seq"] == seqs[-1]


def test_a_storm_of_changes_is_published_at_most_twenty_times_a_second() -> None:
    wire = Wire()
    announcer = Announcer(wire, Identity("t1", "b"))
    board = Evening(START).table.board
    for step in range(1000):
        announcer.state(msgspec.structs.replace(board, rev=step))
        announcer.flush(step * 0.001)
    announcer.flush(2.0)

    assert wire.rows().count("state") <= 1.0 / STATE_EVERY_S + 2
    assert wire.last("state")["rev"] == 999


def test_a_new_connection_gets_the_newest_even_before_it_was_sent() -> None:
    evening = Evening()
    newer = msgspec.structs.replace(evening.table.board, rev=99)
    evening.announcer.state(newer)
    born = {publication.topic: publication for publication in evening.announcer.birth()}

    assert json.loads(born["topple/1/t1/state"].payload)["rev"] == 99
    assert born["topple/1/t1/availability"].payload == b"online"
    assert all(publication.retain for publication in born.values())


def test_a_command_is_obeyed_and_answered() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.command("roll", id="a1", data={"value": 4})
    evening.step(2.0)

    assert evening.wire.last("reply/phone")["ok"] is True
    assert evening.table.board.turn is not None
    assert evening.table.board.turn.die == 4


def test_a_command_delivered_twice_counts_once() -> None:
    evening = Evening(START)
    evening.step(1.0)
    for _ in range(2):
        evening.command("roll", id="a1", data={"value": 4})
    evening.step(2.0)

    assert [o.cause.type for o in evening.journal.outputs] == ["start", "roll"]  # type: ignore[union-attr]
    assert evening.wire.rows().count("reply/phone") == 2


def test_a_refused_command_changes_and_journals_nothing() -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = evening.table.board
    evening.command("roll", id="a1", data={"value": 9})
    evening.step(2.0)

    assert evening.wire.last("reply/phone")["ok"] is False
    assert evening.table.board is before
    assert len(evening.journal.outputs) == 1


@pytest.mark.parametrize("payload", [b"", b"no json", b"[]", b"\xff\xfe", b'{"data":3}'])
def test_noise_as_a_command_harms_nothing(payload: bytes) -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = evening.table.board.rev
    evening.table.hear(Message("topple/1/t1/cmd/roll", payload, retained=False))
    evening.step(2.0)

    assert evening.table.board.rev == before


def test_a_retained_command_never_reaches_the_game() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.table.hear(Message("topple/1/t1/cmd/roll", b'{"data":{"value":4}}', retained=True))
    evening.step(2.0)

    assert evening.table.board.phase == "roll"


def test_a_storm_of_commands_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    evening = Evening(START)
    for number in range(INBOX_SIZE + 10):
        evening.command("pass", id=str(number))
    evening.step(1.0)

    assert evening.wire.rows().count("reply/phone") == INBOX_SIZE
    assert "dropped" in caplog.text


def test_a_command_wakes_a_waiting_table() -> None:
    evening = Evening(START)
    threading.Timer(0.05, evening.command, ("roll",)).start()
    evening.table.wait(30.0)
    evening.step(1.0)

    assert "reply/phone" in evening.wire.rows()


def test_status_follows_the_sensors_and_tells_what_to_check() -> None:
    fault = Fault(2.0, "scale.2", "No counts. Check its plug.")
    evening = Evening(
        samples(1.0), samples(2.5), samples(6.0), events=(fault, Restored(5.0, "scale.2"))
    )
    phases = []
    for t_s in (1.0, 3.0, 7.0):
        evening.step(t_s)
        phases.append(evening.wire.last("status"))

    assert [status["phase"] for status in phases] == ["ready", "degraded", "ready"]
    assert phases[1]["troubles"] == [{"sensor": "scale.2", "reason": "No counts. Check its plug."}]


def test_health_is_repeated_as_a_sign_of_life() -> None:
    evening = Evening()
    for t_s in np.arange(0.0, 3 * HEALTH_EVERY_S, 0.5):
        evening.step(float(t_s))

    assert evening.wire.rows().count("health") == 3


def test_closing_says_stopping_and_the_farewell_says_offline() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.table.close(2000.0)

    assert evening.wire.last("status")["phase"] == "stopping"
    assert evening.source.closed
    assert evening.announcer.farewell() == [publications.availability("t1", online=False)]


def test_the_listener_hears_every_outcome() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}))
    evening.step(2.0)

    assert evening.heard[0] == "started"
    assert "rolled" in evening.heard


def test_real_time_runs_at_the_asked_speed_until_the_source_ends() -> None:
    evening = Evening(START)
    times = iter([0.0, 1.0, 2.0, 3.0])
    polled: list[float] = []

    def clock() -> float:
        now_s = next(times)
        if now_s == 3.0:
            evening.source.close()
        return now_s

    evening.source.poll = lambda until_s: polled.append(until_s) or []  # type: ignore[method-assign,func-returns-value]
    evening.table.wait = lambda longest_s: None  # type: ignore[method-assign]  # noqa: ARG005
    keep_going(evening.table, threading.Event(), speed=4.0, clock=clock)

    assert polled == [4.0, 8.0, 12.0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_run(number: signal.Signals) -> None:
    before = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    stopping = threading.Event()
    try:
        stop_on_signals(stopping)
        os.kill(os.getpid(), number)
        assert stopping.wait(5)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def test_a_late_subscriber_gets_the_whole_game_from_a_real_broker(
    broker: Any, wait_until: Any
) -> None:
    identity = Identity("t1", "boot-1")
    edge = Mqtt(
        broker.address(), "table", birth=lambda: announcer.birth(),  # noqa: PLW0108 - made below
        subscriptions=(publications.command_filter("t1"),),
        will=publications.availability("t1", online=False),
    )  # fmt: skip
    announcer = Announcer(edge, identity)
    wire = Wire()
    table = LiveTable(Source(START), Pipeline(Detector()), Kept(wire), announcer, identity)
    edge.on_message(table.hear)
    table.open(0.0)
    edge.start()
    heard: list[Message] = []
    late = Mqtt(broker.address(), "late", subscriptions=("topple/1/#",))
    late.on_message(heard.append)
    try:
        wait_until(lambda: edge.connection.up, "the table's connection")
        table.step(1.0, 1000.0)
        late.start()
        wait_until(lambda: late.connection.up and len(heard) >= 4, "what is retained")
        late.publish(publications.command("t1", "roll", {"client": "late", "data": {"value": 4}}))

        def answered() -> bool:
            table.step(2.0, 1000.0)
            return any(message.topic.endswith("reply/late") for message in heard)

        wait_until(answered, "the reply")
        states = [m for m in heard if m.topic.endswith("/state")]
        assert states[0].retained
        assert msgspec.json.decode(states[-1].payload, type=Scoreboard).players[0].name == "Ann"

        def shown() -> bool:
            table.step(2.0, 1000.0)
            return b'"die":4' in [m for m in heard if m.topic.endswith("/state")][-1].payload

        wait_until(shown, "the state with the roll")
    finally:
        late.stop()
        edge.stop(announcer.farewell())

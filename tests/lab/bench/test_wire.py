"""The broker of the bench: it does what the program asked of it, and nothing else."""

import threading
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest

from controller.mqtt import topics
from controller.mqtt.client import Message, Mqtt
from controller.mqtt.topics import Publication
from controller.table.publisher import edge_of
from lab.bench.wire import MOST_WAITING, TABLE, BenchWire
from tests.controller.conftest import RunningBroker, _mosquitto, wait_until
from tests.controller.evening_online import Listener

ONLINE = topics.availability(TABLE, online=True)


def table(wire: BenchWire) -> list[Message]:
    """A table process; what it hears."""
    heard: list[Message] = []
    wire.birth = lambda: [ONLINE]
    wire.on_message(heard.append)
    return heard


def kinds(wire: BenchWire) -> list[tuple[str, bytes, int, bool]]:
    return [(said.suffix, said.payload, said.qos, said.retain) for said in wire.sent]


def test_a_process_that_dies_leaves_its_last_will_for_late_joiners() -> None:
    wire = BenchWire()
    table(wire)
    wire.lose_table()
    wire.lose_table()

    assert kinds(wire) == [
        ("availability", b"online", 1, True),
        ("availability", b"offline", 1, True),
    ]
    assert wire.retained["availability"] == b"offline"


def test_a_table_hears_what_it_has_subscribed_to_and_nothing_while_it_is_dead() -> None:
    wire = BenchWire()
    heard = table(wire)
    wire.command("undo", b"{}")
    wire.command("undo/deep", b"{}")
    wire.deliver()
    wire.lose_table()
    wire.command("redo", b"{}")
    wire.deliver()
    table(wire)
    wire.deliver()

    assert [message.at.level for message in heard] == ["undo"]


def test_a_table_hears_its_own_health_and_at_its_next_connection_what_was_kept() -> None:
    wire = BenchWire()
    heard = table(wire)
    wire.publish(topics.health(TABLE, b"{}"))
    wire.deliver()
    wire.go_down()
    wire.come_up()
    wire.deliver()

    assert [(message.at.row, message.retained) for message in heard] == [
        ("health", False), ("health", True),
    ]  # fmt: skip


def test_while_the_broker_is_away_nothing_arrives_and_what_is_lost_for_good_is_counted() -> None:
    wire = BenchWire()
    heard = table(wire)
    wire.go_down()
    wire.publish(topics.event(TABLE, b"{}"))
    wire.publish(topics.health(TABLE, b"{}"))
    wire.command("undo", b"{}")
    assert (len(wire.sent), wire.missed, wire.dropped, heard) == (1, 2, 1, [])
    wire.come_up()

    assert kinds(wire)[1:] == [("availability", b"online", 1, True)]
    assert wire.sent[-1].connection == 1


def test_what_no_broker_takes_is_not_sent() -> None:
    wire = BenchWire()
    table(wire)
    name = f"topple/1/{TABLE}/state"
    wire.publish(Publication(name, b"x" * 70_000, 1, retain=True))

    assert list(wire.too_large) == [name]
    assert "state" not in wire.retained


def test_a_slow_broker_and_one_that_repeats() -> None:
    wire = BenchWire(delay_s=1.0, deliveries=2)
    heard = table(wire)
    wire.command("undo", b"{}", times=2)
    wire.now_s = 0.9
    wire.deliver()
    assert heard == []
    wire.now_s = 1.0
    wire.deliver()

    assert len(heard) == 4


# --- one suite on the model and on Mosquitto -----------------------------------------------------

Heard = list[tuple[str, bytes, bool]]
"""Topic below the table's, payload, and whether it came as retained."""


class Model:
    """The bench's broker."""

    def __init__(self) -> None:
        self.wire = BenchWire()
        self.heard: Heard = []

    def connect(self) -> None:
        self.heard = []
        self.wire.birth = lambda: [ONLINE]
        self.wire.on_message(self._hear)

    def _hear(self, message: Message) -> None:
        self.heard.append(heard(message))

    def say(self, publication: Publication) -> None:
        self.wire.publish(publication)

    def command(self, verb: str, payload: bytes, *, retained: bool = False) -> None:
        self.wire.command(verb, payload, retained=retained)

    def die(self) -> None:
        self.wire.lose_table()

    def hears(self, count: int) -> Heard:
        self.wire.deliver()
        assert len(self.heard) == count
        return self.heard

    def flood(self, count: int) -> int:
        """How many of so many commands a table gets that does not read meanwhile."""
        for number in range(count):
            self.command("undo", b"%d" % number)
        self.wire.deliver()
        return len(self.heard)

    def late(self) -> dict[str, bytes]:
        return dict(self.wire.retained)


class RealBroker:
    """Mosquitto as it is shipped, with a table's real connection."""

    def __init__(self, broker: RunningBroker) -> None:
        self.broker = broker
        self.heard: Heard = []
        self.edge: Listener | None = None
        self._reads = threading.Event()
        self._reads.set()
        self.phone = Mqtt(broker.address("controller"), "phone")
        self.phone.start()
        wait_until(lambda: self.phone.connection.up, "the phone")

    def connect(self) -> None:
        self.heard = []
        address = self.broker.address("table")
        self.edge = edge = edge_of(Listener, TABLE, address, birth=lambda: [ONLINE])
        edge.on_message(self._hear)
        edge.start()
        edge.await_hearing()
        wait_until(lambda: edge.connection.up, "the table")

    def _hear(self, message: Message) -> None:
        self._reads.wait()
        self.heard.append(heard(message))

    def say(self, publication: Publication) -> None:
        assert self.edge is not None
        self.edge.publish(publication)

    def command(self, verb: str, payload: bytes, *, retained: bool = False) -> None:
        wait_until(self._sent(verb, payload, retained).is_published, "the broker to have it")

    def _sent(self, verb: str, payload: bytes, retained: bool) -> paho.MQTTMessageInfo:
        client = self.phone._live
        assert client is not None
        return client.publish(f"topple/1/{TABLE}/cmd/{verb}", payload, 1, retained)

    def die(self) -> None:
        assert self.edge is not None
        client, self.edge._live = self.edge._live, None
        self.edge._stopping.set()
        assert client is not None
        client._sock_close()
        self.edge.stop()
        wait_until(lambda: self.late().get("availability") == b"offline", "the last will")

    def hears(self, count: int) -> Heard:
        wait_until(lambda: len(self.heard) >= count, f"{count} messages, not {self.heard}")
        # What would come too much has come before this.
        self.hears_last()
        assert len(self.heard) == count + 1
        return self.heard[:-1]

    def flood(self, count: int) -> int:
        self._reads.clear()
        for number in range(count):
            info = self._sent("undo", b"%d" % number, False)
            if number % 500 == 0 or number == count - 1:
                wait_until(info.is_published, "the broker to have them")
        self._reads.set()
        # Only with room in the queue is there room for the last.
        wait_until(lambda: len(self.heard) >= MOST_WAITING, "what waited")
        self.hears_last()
        return sum(verb == "cmd/undo" for verb, _, _ in self.heard)

    def hears_last(self) -> None:
        self.command("view", b"last")
        wait_until(lambda: self.heard and self.heard[-1][1] == b"last", "the last")

    def late(self) -> dict[str, bytes]:
        """What a display gets that joins now."""
        found: list[Message] = []
        rows = ("availability", "status", "state", "summary", "health", "event")
        filters = tuple(f"topple/1/{TABLE}/{row}" for row in rows)
        display = Listener(self.broker.address("display"), "late", subscriptions=filters)
        display.on_message(found.append)
        display.start()
        display.await_hearing()
        display.stop()
        assert all(message.retained for message in found)
        return {message.at.row: message.payload for message in found}

    def close(self) -> None:
        self._reads.set()
        if self.edge is not None:
            self.edge.stop()
        self.phone.stop()


def heard(message: Message) -> tuple[str, bytes, bool]:
    return message.topic.split("/", 3)[3], message.payload, message.retained


Side = Model | RealBroker


@pytest.fixture(params=["model", "mosquitto"])
def side(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Side]:
    if request.param == "model":
        yield Model()
        return
    for broker in _mosquitto(tmp_path, guarded=True):
        real = RealBroker(broker)
        yield real
        real.close()


def test_a_retained_command_comes_live_without_the_mark_and_at_the_next_connection_with_it(
    side: Side,
) -> None:
    side.connect()
    side.command("undo", b"{}", retained=True)
    assert side.hears(1) == [("cmd/undo", b"{}", False)]
    side.die()
    side.command("redo", b"{}")
    side.connect()

    assert side.hears(1) == [("cmd/undo", b"{}", True)]


def test_an_empty_retained_message_is_passed_on_and_clears_what_was_kept(side: Side) -> None:
    side.connect()
    side.command("undo", b"{}", retained=True)
    side.command("undo", b"", retained=True)
    assert side.hears(2)[1] == ("cmd/undo", b"", False)
    side.die()
    side.connect()

    assert side.hears(0) == []


def test_what_was_kept_comes_by_subscription_and_then_in_the_order_it_was_first_said(
    side: Side,
) -> None:
    side.connect()
    side.say(topics.health(TABLE, b"1"))
    for verb, payload in (("undo", b"a"), ("redo", b"b"), ("blame", b"c"), ("undo", b"d")):
        side.command(verb, payload, retained=True)
    side.hears(5)
    side.die()
    side.connect()

    assert side.hears(4) == [
        ("cmd/undo", b"d", True), ("cmd/redo", b"b", True), ("cmd/blame", b"c", True),
        ("health", b"1", True),
    ]  # fmt: skip


def test_a_late_display_gets_the_newest_of_what_is_retained_and_the_last_will(side: Side) -> None:
    side.connect()
    side.say(topics.health(TABLE, b"1"))
    side.say(topics.health(TABLE, b"2"))
    side.say(topics.event(TABLE, b"{}"))
    # Its own health is the only thing that a table hears of itself.
    assert side.hears(2) == [("health", b"1", False), ("health", b"2", False)]
    assert side.late() == {"availability": b"online", "health": b"2"}
    side.die()

    assert side.late() == {"availability": b"offline", "health": b"2"}


def test_of_what_a_table_does_not_read_a_thousand_wait_and_the_newest_are_dropped(
    side: Side,
) -> None:
    side.connect()

    assert side.flood(MOST_WAITING + 100) == MOST_WAITING
    assert [int(payload) for verb, payload, _ in side.heard if verb == "cmd/undo"] == list(
        range(MOST_WAITING)
    )

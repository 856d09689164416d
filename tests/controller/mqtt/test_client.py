"""The MQTT edge against real brokers: both kinds, killed and started again."""

import contextlib
import logging
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion

from controller.common.errors import BadInput
from controller.mqtt import topics
from controller.mqtt.client import (
    FIRST_WAIT_S,
    LARGEST_PACKET_BYTES,
    LONGEST_WAIT_S,
    BrokerAddress,
    ConnectionStatus,
    Message,
    Mqtt,
    broker_address,
    next_wait_s,
    obeyable,
    packet_bytes,
)
from controller.mqtt.topics import Publication
from tests.controller.conftest import DEPLOY, PATIENCE_S, running_mosquitto, wait_until
from tests.ports import free_port

ADDRESSES = {
    "table.local": BrokerAddress("table.local", 1883),
    "table.local:65535": BrokerAddress("table.local", 65535),
    "mqtt://ann:p%40ss@hub:1": BrokerAddress("hub", 1, "ann", "p@ss"),
    "mqtt://a%20b@hub/": BrokerAddress("hub", 1883, "a b"),
}

ONLINE = topics.availability("t1", online=True)
OFFLINE = topics.availability("t1", online=False)


def state(payload: bytes) -> Publication:
    return Publication("topple/1/t1/state", payload, 1, retain=True)


class Listener:
    """What a display hears, in order."""

    def __init__(self, address: BrokerAddress, name: str, *filters: str) -> None:
        self.heard: list[Message] = []
        self.edge = Mqtt(address, name, subscriptions=filters)
        self.edge.on_message(self.heard.append)
        self.edge.start()

    def payloads(self) -> list[bytes]:
        return [message.payload for message in self.heard]


Start = Callable[..., Any]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts edges and stops them at the end."""
    edges: list[Mqtt] = []

    def _start(kind: Callable[..., Any], *args: Any, **options: Any) -> Any:
        made = kind(*args, **options)
        edges.append(made.edge if isinstance(made, Listener) else made)
        if isinstance(made, Mqtt):
            made.start()
        return made

    yield _start
    for edge in edges:
        edge.stop()


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_read_with_user_and_password(text: str) -> None:
    assert broker_address(text) == ADDRESSES[text]


@pytest.mark.parametrize("text", ["", "hub:0", "hub:65536", "hub:x", "http://hub", "mqtt://hub/a"])
def test_what_is_no_address_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(BadInput, match="is no broker: give host"):
        broker_address(text)


def test_every_connection_begins_with_the_birth_and_later_messages_follow_in_order(
    broker: Any, start: Start
) -> None:
    listener = start(Listener, broker.address(), "l", "topple/1/+/availability", "topple/1/+/state")
    wait_until(lambda: listener.edge.connection.up, "the listener's connection")
    table = start(Mqtt, broker.address(), "table", birth=lambda: [ONLINE, state(b"0")])
    wait_until(lambda: table.connection.up, "the table's connection")
    for number in range(1, 200):
        table.publish(state(b"%d" % number))

    wait_until(lambda: len(listener.heard) >= 201, "all messages")
    assert listener.payloads() == [b"online", *(b"%d" % n for n in range(200))]


def test_after_a_broker_restart_all_is_announced_again(broker: Any, start: Start) -> None:
    told: list[ConnectionStatus] = []
    table = start(
        Mqtt, broker.address(), "table", will=OFFLINE,
        birth=lambda: [ONLINE, state(b"current")], on_connection=told.append,
    )  # fmt: skip
    wait_until(lambda: table.connection.up, "the first connection")
    broker.stop()
    wait_until(lambda: not table.connection.up, "the loss to be noticed")
    broker.start()
    wait_until(lambda: table.connection.up, "the second connection")
    late = start(Listener, broker.address(), "late", "topple/1/t1/+")

    wait_until(lambda: len(late.heard) >= 2, "what is retained")
    assert sorted(late.payloads()) == [b"current", b"online"]
    assert [connection.up for connection in told][:2] == [True, False]
    assert told[-1].up


def test_a_state_lost_with_the_connection_never_comes_after_a_newer_one(
    broker: Any, start: Start
) -> None:
    current = [b"0"]
    table = start(Mqtt, broker.address(), "table", birth=lambda: [state(current[0])])
    wait_until(lambda: table.connection.up, "the first connection")
    broker.stop()
    for number in range(1, 60):
        # Some of these are accepted by the dying connection and never acknowledged.
        current[0] = b"%d" % number
        table.publish(state(current[0]))
    wait_until(lambda: not table.connection.up, "the loss to be noticed")
    broker.start()
    late = start(Listener, broker.address(), "late", "topple/1/t1/state", "fence")
    wait_until(lambda: table.connection.up and late.edge.connection.up, "both connections")
    wait_until(lambda: bool(late.heard), "the state")
    table.publish(Publication("fence", b"fence", 1, retain=False))

    wait_until(lambda: late.payloads()[-1] == b"fence", "the fence")
    assert set(late.payloads()) == {b"59", b"fence"}


def test_the_last_will_is_kept_for_those_who_come_later(broker: Any, start: Start) -> None:
    listener = start(Listener, broker.address(), "l", "topple/1/t1/availability")
    wait_until(lambda: listener.edge.connection.up, "the listener's connection")
    table = start(Mqtt, broker.address(), "table", will=OFFLINE, birth=lambda: [ONLINE])
    wait_until(lambda: table.connection.up, "the connection")
    # As a process that dies: nothing is said any more, and nothing connects again.
    table._stopping.set()
    table._live.socket().shutdown(socket.SHUT_RDWR)
    wait_until(lambda: listener.payloads()[-1:] == [b"offline"], "the last will")
    late = start(Listener, broker.address(), "late", "topple/1/t1/availability")

    wait_until(lambda: bool(late.heard), "what is retained")
    assert late.payloads() == [b"offline"]
    assert late.heard[0].retained


def test_stopping_says_the_farewell_itself(broker: Any, start: Start) -> None:
    listener = start(Listener, broker.address(), "l", "topple/1/t1/availability")
    wait_until(lambda: listener.edge.connection.up, "the listener's connection")
    table = start(Mqtt, broker.address(), "table", will=OFFLINE, birth=lambda: [ONLINE])
    wait_until(lambda: table.connection.up, "the connection")
    # Small packets are sent at once.
    assert table._live.socket().getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
    table.stop([OFFLINE])

    wait_until(lambda: len(listener.heard) >= 2, "the farewell")
    assert listener.payloads() == [b"online", b"offline"]


def test_without_a_broker_the_edge_waits_in_words_and_stops_at_once(start: Start) -> None:
    port = free_port()
    edge = start(Mqtt, BrokerAddress("127.0.0.1", port), "table")
    edge.publish(ONLINE)

    wait_until(lambda: "waiting" in edge.connection.text, "words about the broker")
    assert not edge.connection.up
    assert f"127.0.0.1:{port} (nothing listens there)" in edge.connection.text
    assert "Check that it runs" in edge.connection.text
    edge.stop()
    assert not any(thread is edge._thread for thread in threading.enumerate())


def event(payload: bytes) -> Publication:
    return Publication("topple/1/t1/event", payload, 1, retain=False)


def test_only_what_nobody_will_ever_get_counts_as_lost(broker: Any, start: Start) -> None:
    # A table says how it is as soon as it starts; the broker hears it with the birth.
    edge = Mqtt(broker.address(), "table", birth=lambda: [ONLINE, state(b"{}")])
    for said in (ONLINE, state(b"{}"), event(b"{}")):
        edge.publish(said)
    start(lambda: edge)
    wait_until(lambda: edge.connection.up, "the first connection")
    assert edge.dropped == 0
    edge.publish(event(b"heard"))
    wait_until(lambda: all(info.is_published() for info in edge._unsure), "its acknowledgement")
    broker.stop()
    wait_until(lambda: not edge.connection.up, "the loss to be noticed")
    for _ in range(40):
        edge.publish(state(b"{}"))
        edge.publish(Publication("topple/1/t1/trace", b"{}", 0, retain=False))
    assert edge.dropped == 0
    for said in (event(b"1"), Publication("topple/1/t1/reply/p", b"{}", 1, retain=False)):
        edge.publish(said)
    broker.start()
    wait_until(lambda: edge.connection.up, "the second connection")

    assert edge.dropped == 2


def test_each_message_that_a_slow_broker_has_no_room_for_counts_as_lost() -> None:
    edge = Mqtt(BrokerAddress("localhost", 1883), "table")
    # One whose broker answers nothing, which is all that a queue knows of a slow one.
    edge._live = paho.Client(CallbackAPIVersion.VERSION2)
    edge._live.max_queued_messages_set(30)
    for number in range(33):
        edge.publish(event(b"%d" % number))

    assert edge.dropped == 3


def test_what_a_dying_connection_swallowed_counts_as_lost(start: Start, broker: Any) -> None:
    edge = start(Mqtt, broker.address(), "table")
    wait_until(lambda: edge.connection.up, "the connection")
    sock = edge._live.socket()
    # Deaf from here on: nothing is acknowledged any more.
    sock.shutdown(socket.SHUT_WR)
    for number in range(5):
        edge.publish(event(b"%d" % number))

    wait_until(lambda: edge.dropped == 5, "the five to be counted")


def large(size: int, topic: str = "topple/1/t1/results", *, retain: bool = True) -> Publication:
    """A publication whose packet has this size."""
    empty = packet_bytes(Publication(topic, b"x" * 20_000, 1, retain=retain)) - 20_000
    return Publication(topic, b"x" * (size - empty), 1, retain=retain)


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_a_packet_is_measured_as_brokers_measure_it(digits: int) -> None:
    """MQTT 3.1.1, 2.2.3: seven bits of the remaining length to a byte."""
    longest = 128**digits - 1
    for rest, length_bytes in ((longest, digits), (longest + 1, digits + 1)):
        publication = Publication("a/b", b"x" * (rest - 2 - 3 - 2), 1, retain=False)
        assert packet_bytes(publication) == 1 + length_bytes + rest


def test_the_limit_is_that_of_the_shipped_brokers() -> None:
    for name in ("topple-table.conf", "hub.conf"):
        conf = (DEPLOY / name).read_text()
        assert f"max_packet_size {LARGEST_PACKET_BYTES}\n" in conf
    assert packet_bytes(large(LARGEST_PACKET_BYTES)) == LARGEST_PACKET_BYTES


def test_what_no_broker_takes_is_kept_back_in_words_and_the_connection_stays(
    guarded_mosquitto: Any, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    reader = start(Listener, guarded_mosquitto.address("display"), "d", "topple/1/t1/+")
    wait_until(lambda: reader.edge.connection.up, "the reader's connection")
    whole = large(LARGEST_PACKET_BYTES)
    table = start(
        Mqtt, guarded_mosquitto.address("table"), "table",
        birth=lambda: [ONLINE, large(LARGEST_PACKET_BYTES + 1)],
    )  # fmt: skip
    wait_until(lambda: table.connection.up, "the table's connection")
    for _ in range(50):
        table.publish(large(LARGEST_PACKET_BYTES + 1))
    assert table.too_large == {"topple/1/t1/results": LARGEST_PACKET_BYTES + 1}
    table.publish(large(LARGEST_PACKET_BYTES + 1, "topple/1/t1/reply/p", retain=False))
    table.publish(whole)

    wait_until(lambda: whole.payload in reader.payloads(), "the largest that is allowed")
    assert table.too_large == {}
    assert table.dropped == 1
    assert table.connection.up
    assert [len(m.payload) for m in reader.heard if m.topic.endswith("results")] == [
        len(whole.payload)
    ]
    said = [r.getMessage() for r in caplog.records if "is not sent" in r.getMessage()]
    assert [words.split()[1] for words in said] == ["topple/1/t1/results", "topple/1/t1/reply/p"]
    assert "has 66001 bytes, and a broker takes 66000" in said[0]


def test_a_broker_that_takes_less_is_not_blamed_on_somebody_else_alone(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.mqtt.client.FIRST_WAIT_S", 0.05)
    port = free_port()
    conf = tmp_path / "small.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_packet_size 2000\n")
    with contextlib.closing(running_mosquitto(conf, port)) as brokers:
        largest = large(3000)
        table = start(Mqtt, next(brokers).address(), "table", birth=lambda: [ONLINE, largest])
        words = f"messages of {packet_bytes(largest)} bytes (max_packet_size)"
        wait_until(lambda: words in table.connection.text, "the words")


@pytest.mark.skipif(shutil.which("mosquitto_pub") is None, reason="needs mosquitto-clients")
def test_clearing_a_retained_command_as_the_documents_advise_asks_for_nothing(
    start: Start, guarded_mosquitto: Any
) -> None:
    heard: list[Message] = []
    table = Mqtt(
        guarded_mosquitto.address("table"), "table",
        subscriptions=(topics.command_filter("t1"),),
    )  # fmt: skip
    table.on_message(heard.append)
    start(lambda: table)
    wait_until(lambda: table.connection.up, "the connection")
    address = guarded_mosquitto.address("controller")
    subprocess.run(
        [
            "mosquitto_pub", "-h", address.host, "-p", str(address.port), "-u", address.user,
            "-P", address.password, "-r", "-n", "-t", "topple/1/t1/cmd/undo",
        ],
        check=True, timeout=PATIENCE_S,
    )  # fmt: skip

    wait_until(lambda: bool(heard), "the empty message")
    assert heard == [Message("topple/1/t1/cmd/undo", b"", retained=False)]
    assert not obeyable(heard[0])


def test_an_unknown_host_is_named(start: Start) -> None:
    edge = start(Mqtt, BrokerAddress("no-such-host.invalid", 1883), "table")

    wait_until(lambda: "no such host name" in edge.connection.text, "words about the host")


def test_a_refused_password_is_said_without_showing_it(
    guarded_broker: Any, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    address = guarded_broker.address("table", "my-wrong-password")
    edge = start(Mqtt, address, "table")

    # The log comes last: another thread writes it after it has set the text.
    wait_until(lambda: "refused us" in caplog.text, "words about the password")
    assert "Check user and password" in edge.connection.text
    shown = edge.connection.text + str(address) + repr(address)
    assert "my-wrong-password" not in shown + caplog.text


def test_a_retained_command_is_obeyed_when_it_is_sent_and_not_again_and_that_is_said(
    broker: Any, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    filters = (topics.command_filter("t1"),)
    someone = Mqtt(broker.address(), "someone", subscriptions=filters)
    arrived: list[Message] = []
    someone.on_message(arrived.append)
    start(lambda: someone)
    wait_until(lambda: someone.connection.up, "a connection")
    someone.publish(Publication("topple/1/t1/cmd/undo", b"{}", 1, retain=True))
    wait_until(lambda: bool(arrived), "the command, which the broker keeps now")
    assert obeyable(arrived.pop())
    table = Mqtt(broker.address(), "table", subscriptions=filters)
    table.on_message(arrived.append)
    start(lambda: table)
    wait_until(lambda: bool(arrived), "the retained command")

    assert not obeyable(arrived[0])
    assert "must not be retained" in caplog.text


def test_a_handler_that_fails_does_not_cost_the_connection(broker: Any, start: Start) -> None:
    heard: list[bytes] = []

    def handler(message: Message) -> None:
        if message.payload == b"bad":
            raise RuntimeError("a bug of ours")
        heard.append(message.payload)

    edge = Mqtt(broker.address(), "table", subscriptions=("news",))
    edge.on_message(handler)
    start(lambda: edge)
    wait_until(lambda: edge.connection.up, "the connection")
    for payload in (b"bad", b"good"):
        edge.publish(Publication("news", payload, 1, retain=False))

    wait_until(lambda: heard == [b"good"], "the good message")
    assert edge.connection.up


def test_stopping_does_not_wait_for_an_answer_that_never_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.mqtt.client.ANSWER_TIMEOUT_S", 3600.0)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        edge = Mqtt(BrokerAddress("127.0.0.1", stranger.getsockname()[1]), "table")
        edge.start()
        called, _ = stranger.accept()
        edge.stop()
        called.close()

    assert not any(thread is edge._thread for thread in threading.enumerate())


@pytest.mark.parametrize("hangs_up", [True, False])
def test_a_port_that_answers_no_mqtt_is_named_as_such_and_tried_again(
    hangs_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A web server, say, or a broker that expects TLS.
    monkeypatch.setattr("controller.mqtt.client.ANSWER_TIMEOUT_S", 30.0 if hangs_up else 0.2)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        edge = Mqtt(BrokerAddress("127.0.0.1", stranger.getsockname()[1]), "table")
        edge.start()
        try:
            called, _ = stranger.accept()
            if hangs_up:
                called.close()
            wait_until(lambda: "no MQTT broker" in edge.connection.text, "the words")
            assert not edge.connection.up
            stranger.settimeout(PATIENCE_S)
            stranger.accept()[0].close()
        finally:
            edge.stop()
            called.close()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message("topple/1/t1/cmd/roll", b"{}", retained=False), True),
        (Message("topple/1/t1/cmd/roll", b"{}", retained=True), False),
        (Message("topple/1/t1/state", b"{}", retained=False), False),
        (Message("topple/1/t1/cmd/undo", b"", retained=False), False),
        (Message("elsewhere/cmd/roll", b"{}", retained=False), False),
    ],
)
def test_only_fresh_commands_are_obeyed(message: Message, expected: bool) -> None:
    assert obeyable(message) is expected


@given(st.floats(min_value=FIRST_WAIT_S, max_value=LONGEST_WAIT_S))
def test_waits_grow_up_to_a_limit(wait_s: float) -> None:
    assert wait_s <= next_wait_s(wait_s) <= LONGEST_WAIT_S or wait_s == LONGEST_WAIT_S

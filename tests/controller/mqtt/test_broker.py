"""What the embedded broker must do as Mosquitto does it."""

import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from controller.mqtt.broker import BrokerUnavailableError, EmbeddedBroker
from tests.controller.conftest import PATIENCE_S, wait_until


class Client:
    """A plain MQTT client that remembers what it hears."""

    def __init__(
        self,
        port: int,
        client_id: str,
        *,
        user: str | None = None,
        password: str | None = None,
        will: tuple[str, bytes, bool] | None = None,
    ) -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        self.connected = threading.Event()
        self.refused = threading.Event()
        self.gone = threading.Event()
        self.granted: list[int] = []
        self.paho = paho.Client(
            CallbackAPIVersion.VERSION2, client_id, protocol=paho.MQTTv311,
            reconnect_on_failure=False,
        )  # fmt: skip
        if user:
            self.paho.username_pw_set(user, password)
        if will:
            self.paho.will_set(will[0], will[1], 1, will[2])
        self.paho.on_connect = self._on_connect
        self.paho.on_disconnect = lambda *_: self.gone.set()
        self.paho.on_message = self._on_message
        self.paho.on_subscribe = lambda _c, _u, _m, codes, _p: self.granted.append(codes[0].value)
        self.paho.connect("127.0.0.1", port)
        self.paho.loop_start()

    def _on_message(self, _client: Any, _user: Any, message: paho.MQTTMessage) -> None:
        self.heard.append((message.topic, bytes(message.payload), message.retain))

    def _on_connect(self, _c: Any, _u: Any, _f: Any, code: Any, _p: Any) -> None:
        (self.refused if code.is_failure else self.connected).set()

    def ready(self) -> "Client":
        assert self.connected.wait(PATIENCE_S), "the broker did not let the client in"
        return self

    def subscribe(self, topic_filter: str, qos: int = 1) -> int:
        before = len(self.granted)
        self.paho.subscribe(topic_filter, qos)
        wait_until(lambda: len(self.granted) > before, "the answer to a subscription")
        return self.granted[-1]

    def say(self, topic: str, payload: bytes, *, retain: bool = False, qos: int = 1) -> None:
        self.paho.publish(topic, payload, qos, retain).wait_for_publish(PATIENCE_S)

    def drop(self) -> None:
        """Lose the connection as a pulled plug does: no DISCONNECT."""
        sock: Any = self.paho.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()

    def close(self) -> None:
        self.paho.disconnect()
        self.paho.loop_stop()


Connect = Callable[..., Client]


@pytest.fixture
def connect() -> Any:
    clients: list[Client] = []

    def _connect(port: int, client_id: str, **options: Any) -> Client:
        clients.append(Client(port, client_id, **options))
        return clients[-1]

    yield _connect
    for client in clients:
        client.close()


def heard(client: Client, wait_until: Any, count: int = 1) -> list[tuple[str, bytes, bool]]:
    wait_until(lambda: len(client.heard) >= count, f"{count} message(s)")
    return client.heard


def nothing_more(client: Client, speaker: Client, fence: str, wait_until: Any) -> list[Any]:
    """All that was heard before a message sent now: a fence instead of a pause."""
    speaker.say(fence, b"fence")
    wait_until(lambda: any(t == fence for t, _, _ in client.heard), "the fence")
    return [message for message in client.heard if message[0] != fence]


def test_a_late_joiner_hears_what_is_retained_once(
    broker: Any, connect: Connect, wait_until: Any
) -> None:
    table = connect(broker.port, "table").ready()
    table.say("topple/1/t1/state", b"1", retain=True)
    table.say("topple/1/t1/state", b"2", retain=True)
    other = connect(broker.port, "other").ready()
    other.subscribe("topple/1/+/state")
    late = connect(broker.port, "late").ready()
    late.subscribe("topple/1/+/state")
    late.subscribe("fence")

    before = nothing_more(late, table, "fence", wait_until)

    assert before == [("topple/1/t1/state", b"2", True)]


def test_nobody_hears_what_only_others_subscribed_to(
    broker: Any, connect: Connect, wait_until: Any
) -> None:
    table = connect(broker.port, "table").ready()
    table.say("private/x", b"secret", retain=True)
    other = connect(broker.port, "other").ready()
    other.subscribe("private/x")
    late = connect(broker.port, "late").ready()
    late.subscribe("fence")

    assert nothing_more(late, table, "fence", wait_until) == []


def test_an_empty_retained_message_clears(broker: Any, connect: Connect, wait_until: Any) -> None:
    table = connect(broker.port, "table").ready()
    table.say("topple/1/t1/state", b"1", retain=True)
    table.say("topple/1/t1/state", b"", retain=True)
    late = connect(broker.port, "late").ready()
    late.subscribe("topple/1/+/state")
    late.subscribe("fence")

    assert nothing_more(late, table, "fence", wait_until) == []


def test_the_last_will_is_sent_and_kept_when_the_connection_is_lost(
    broker: Any, connect: Connect, wait_until: Any
) -> None:
    display = connect(broker.port, "display").ready()
    display.subscribe("topple/1/t1/availability")
    table = connect(broker.port, "table", will=("topple/1/t1/availability", b"offline", True))
    table.ready().say("topple/1/t1/availability", b"online", retain=True)
    table.drop()

    assert [payload for _, payload, _ in heard(display, wait_until, 2)] == [b"online", b"offline"]
    late = connect(broker.port, "late").ready()
    late.subscribe("topple/1/t1/availability")
    assert heard(late, wait_until) == [("topple/1/t1/availability", b"offline", True)]


@pytest.mark.parametrize("credentials", [{}, {"user": "display", "password": "wrong"}])
def test_nobody_comes_in_without_a_password(
    guarded_broker: Any, connect: Connect, credentials: dict[str, str]
) -> None:
    stranger = connect(guarded_broker.port, "stranger", **credentials)

    assert stranger.refused.wait(PATIENCE_S)
    assert not stranger.connected.is_set()


def test_the_embedded_broker_refuses_shared_subscriptions_it_could_not_serve(
    embedded_broker: Any, connect: Connect
) -> None:
    client = connect(embedded_broker.port, "worker").ready()

    assert client.subscribe("$share/g/topple/#") == 0x80


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.1\r\n\r\n", b"\x10\x05\x00\x04MQ", b"\x00" * 64])
def test_noise_on_the_port_harms_nobody(
    embedded_broker: Any, connect: Connect, wait_until: Any, noise: bytes
) -> None:
    listener = connect(embedded_broker.port, "listener").ready()
    listener.subscribe("news")
    with socket.create_connection(("127.0.0.1", embedded_broker.port)) as stranger:
        stranger.sendall(noise)
    speaker = connect(embedded_broker.port, "speaker").ready()
    speaker.say("news", b"still here")

    assert heard(listener, wait_until) == [("news", b"still here", False)]


def test_a_taken_port_moves_the_broker_to_the_next_one(free_port: Callable[[], int]) -> None:
    port = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        moved = EmbeddedBroker(port)
        try:
            assert port < moved.start() <= port + 20
        finally:
            moved.stop()


def test_a_port_that_cannot_exist_is_explained() -> None:
    broker = EmbeddedBroker(70_000)

    with pytest.raises(BrokerUnavailableError, match=r"127\.0\.0\.1:70000.*Name another port"):
        broker.start()


def test_the_embedded_broker_listens_on_this_machine_only(embedded_broker: Any) -> None:
    from pathlib import Path

    port_hex = f":{embedded_broker.port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[1].endswith(port_hex) and row[3] == "0A"}

    assert listening == {f"0100007F{port_hex}"}


def test_stopping_twice_and_starting_again_on_the_same_port_works(embedded_broker: Any) -> None:
    embedded_broker.stop()
    embedded_broker.stop()
    embedded_broker.start()

"""One contract, two brokers: what the embedded broker must do as Mosquitto does it."""

import socket
import struct
import threading
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as paho
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion

from controller.mqtt.broker import BrokerUnavailableError, EmbeddedBroker, covers, matches
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
        keepalive: int = 30,
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
        self.paho.connect("127.0.0.1", port, keepalive)
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


def login(user: str, password: str | None = None) -> dict[str, str]:
    return {"user": user, "password": password or f"{user[0]}-secret"}


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


def test_a_silent_client_is_declared_gone_after_its_keepalive(
    broker: Any, connect: Connect, wait_until: Any
) -> None:
    display = connect(broker.port, "display").ready()
    display.subscribe("gone")
    with socket.create_connection(("127.0.0.1", broker.port)) as silent:
        silent.sendall(_connect_packet("silent", keepalive_s=1, will=("gone", b"bye")))
        assert silent.recv(4)[0] == 0x20

        # Mosquitto sweeps every 5 s or so; the embedded broker needs 1.5 s.
        wait_until(lambda: bool(display.heard), "the last will of the silent client")

    assert display.heard == [("gone", b"bye", False)]


def test_half_a_packet_does_not_hold_a_connection_open_for_ever(
    embedded_broker: Any, connect: Connect, wait_until: Any
) -> None:
    display = connect(embedded_broker.port, "display").ready()
    display.subscribe("gone")
    with socket.create_connection(("127.0.0.1", embedded_broker.port)) as stuck:
        stuck.sendall(_connect_packet("stuck", keepalive_s=1, will=("gone", b"bye")))
        assert stuck.recv(4)[0] == 0x20
        stuck.sendall(b"\x30\x20\x00")  # A PUBLISH of 32 bytes of which one arrives.

        wait_until(lambda: bool(display.heard), "the last will of the stuck client")


def test_a_newer_connection_with_the_same_id_takes_over(
    broker: Any, connect: Connect, wait_until: Any
) -> None:
    old = connect(broker.port, "same").ready()
    old.subscribe("news")
    new = connect(broker.port, "same").ready()
    new.subscribe("news")
    speaker = connect(broker.port, "speaker").ready()
    speaker.say("news", b"hello")

    assert heard(new, wait_until) == [("news", b"hello", False)]
    assert old.gone.wait(PATIENCE_S), "the older connection was left open"
    assert old.heard == []


def test_after_a_takeover_the_older_will_does_not_overrule_the_newer_birth(
    broker: Any, connect: Connect, wait_until: Any
) -> None:
    will = ("topple/1/t1/availability", b"offline", True)
    connect(broker.port, "table", will=will).ready()
    newer = connect(broker.port, "table", will=will).ready()
    newer.say(will[0], b"online", retain=True)
    display = connect(broker.port, "display").ready()
    display.subscribe(will[0])

    assert heard(display, wait_until)[-1][1] == b"online"


def test_a_wrong_password_with_the_tables_id_does_not_make_the_table_deaf(
    guarded_broker: Any, connect: Connect, wait_until: Any
) -> None:
    port = guarded_broker.port
    table = connect(port, "table", **login("table")).ready()
    table.subscribe("topple/1/t1/cmd/+")
    thief = connect(port, "table", **login("table", "wrong"))
    assert thief.refused.wait(PATIENCE_S)
    phone = connect(port, "phone", **login("controller")).ready()
    phone.say("topple/1/t1/cmd/roll", b"{}")

    assert heard(table, wait_until) == [("topple/1/t1/cmd/roll", b"{}", False)]


@pytest.mark.parametrize("credentials", [{}, {"user": "display", "password": "wrong"}])
def test_nobody_comes_in_without_a_password(
    guarded_broker: Any, connect: Connect, credentials: dict[str, str]
) -> None:
    stranger = connect(guarded_broker.port, "stranger", **credentials)

    assert stranger.refused.wait(PATIENCE_S)
    assert not stranger.connected.is_set()


def test_a_display_can_neither_command_nor_will_a_command_nor_read_around_its_rules(
    guarded_broker: Any, connect: Connect, wait_until: Any
) -> None:
    port = guarded_broker.port
    table = connect(port, "table", **login("table")).ready()
    table.subscribe("topple/1/+/cmd/+")
    display = connect(port, "display", **login("display")).ready()
    display.say("topple/1/t1/cmd/undo", b"{}")
    mean = connect(
        port, "mean", **login("display"),
        will=("topple/1/t1/cmd/roll", b"{}", False),
    )  # fmt: skip
    wait_until(lambda: mean.connected.is_set() or mean.refused.is_set(), "an answer")
    if mean.connected.is_set():
        mean.drop()
    display.subscribe("topple/1/t1/#")
    display.subscribe("topple/1/t1/state")
    table.say("topple/1/t1/reply/phone-1", b"for the phone only")
    table.say("topple/1/t1/state", b"fence")

    wait_until(lambda: len(display.heard) >= 1, "the state")
    assert {topic for topic, _, _ in display.heard} == {"topple/1/t1/state"}
    phone = connect(port, "phone", **login("controller")).ready()
    assert nothing_more(table, phone, "topple/1/t1/cmd/pass", wait_until) == []


def test_an_answer_is_heard_by_the_client_it_is_for(
    guarded_broker: Any, connect: Connect, wait_until: Any
) -> None:
    port = guarded_broker.port
    one = connect(port, "phone-1", **login("controller")).ready()
    one.subscribe("topple/1/t1/reply/phone-1")
    two = connect(port, "phone-2", **login("controller")).ready()
    two.subscribe("topple/1/t1/reply/phone-1")
    two.subscribe("topple/1/t1/state")
    table = connect(port, "table", **login("table")).ready()
    table.say("topple/1/t1/reply/phone-1", b"yes")

    assert heard(one, wait_until) == [("topple/1/t1/reply/phone-1", b"yes", False)]
    assert nothing_more(two, table, "topple/1/t1/state", wait_until) == []


def test_the_embedded_broker_refuses_shared_subscriptions_it_could_not_serve(
    embedded_broker: Any, connect: Connect
) -> None:
    client = connect(embedded_broker.port, "worker").ready()

    assert client.subscribe("$share/g/topple/#") == 0x80


def test_a_forbidden_topic_closes_the_connection_instead_of_leaving_it_deaf(
    embedded_broker: Any, connect: Connect
) -> None:
    client = connect(embedded_broker.port, "rude").ready()
    client.paho.publish("$SYS/x", b"1", 1)

    assert client.gone.wait(PATIENCE_S)


def test_a_greedy_packet_closes_the_connection(embedded_broker: Any, connect: Connect) -> None:
    client = connect(embedded_broker.port, "greedy").ready()
    client.paho.publish("big", b"x" * 400_000, 1)

    assert client.gone.wait(PATIENCE_S)


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


LEVELS = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4)
FILTERS = st.lists(st.sampled_from(["a", "b", "+"]), min_size=1, max_size=4).flatmap(
    lambda levels: st.sampled_from(["/".join(levels), "/".join([*levels, "#"])])
)


@given(allowed=FILTERS, wanted=FILTERS, levels=LEVELS)
def test_a_covering_filter_matches_all_that_the_covered_one_matches(
    allowed: str, wanted: str, levels: list[str]
) -> None:
    topic = "/".join(levels)

    if covers(allowed, wanted) and matches(topic, wanted):
        assert matches(topic, allowed)


def _connect_packet(client_id: str, *, keepalive_s: int, will: tuple[str, bytes]) -> bytes:
    def text(value: bytes) -> bytes:
        return struct.pack(">H", len(value)) + value

    flags = 0x02 | 0x04 | 0x08  # clean session, will, will QoS 1
    body = text(b"MQTT") + bytes([4, flags]) + struct.pack(">H", keepalive_s)
    body += text(client_id.encode()) + text(will[0].encode()) + text(will[1])
    return bytes([0x10, len(body)]) + body

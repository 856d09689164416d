"""What the embedded broker must do as Mosquitto does it."""

import socket
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt.broker import BrokerUnavailableError, EmbeddedBroker
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.controller.mqtt.promises import PROMISES, clients, is_kept
from tests.ports import free_port

KEPT = [promise for promise in PROMISES if promise not in ("`$share`", "MQTT 5")]


@pytest.mark.parametrize("promise", KEPT)
def test_a_broker_of_ours_keeps_what_a_table_promises(promise: str, broker: Any) -> None:
    assert is_kept(promise, broker.port, PATIENCE_S)


def test_a_late_joiner_hears_what_is_retained_once_and_nothing_that_only_others_want(
    broker: Any,
) -> None:
    with clients(broker.port) as make:
        table = make("table")
        for word in (b"1", b"2"):
            table.say("topple/1/t1/state", word, retain=True)
        table.say("private/x", b"secret", retain=True)
        make("other", "topple/1/+/state", "private/x")
        late = make("late", "topple/1/+/state", "fence")
        table.say("fence", b"fence")
        wait_until(lambda: any(m.topic == "fence" for m in late.everything), "the fence")

    assert [(m.topic, m.payload, m.retain) for m in late.everything] == [
        ("topple/1/t1/state", b"2", True), ("fence", b"fence", False),
    ]  # fmt: skip


def test_nobody_comes_in_without_a_password(guarded_broker: Any) -> None:
    with clients(guarded_broker.port) as make:
        assert make("stranger").answer.is_failure


def test_the_embedded_broker_refuses_shared_subscriptions_it_could_not_serve(
    embedded_broker: Any,
) -> None:
    with clients(embedded_broker.port) as make:
        assert make("worker", "$share/g/topple/#").codes == [0x80]


@pytest.mark.parametrize("noise", [b"GET / HTTP/1.1\r\n\r\n", b"\x10\x05\x00\x04MQ", b"\x00" * 64])
def test_noise_on_the_port_harms_nobody(embedded_broker: Any, noise: bytes) -> None:
    with clients(embedded_broker.port) as make:
        listener = make("listener", "news")
        with socket.create_connection(("127.0.0.1", embedded_broker.port)) as stranger:
            stranger.sendall(noise)
        make("speaker").say("news", b"still here")
        wait_until(lambda: bool(listener.heard), "the news")

    assert [m.payload for m in listener.heard] == [b"still here"]


def test_a_taken_port_moves_the_broker_to_the_next_one() -> None:
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


def test_the_embedded_broker_listens_on_this_machine_only_and_starts_again(
    embedded_broker: Any,
) -> None:
    embedded_broker.stop()
    embedded_broker.stop()
    embedded_broker.start()
    port_hex = f":{embedded_broker.port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row[1] for row in rows if row[1].endswith(port_hex) and row[3] == "0A"}

    assert listening == {f"0100007F{port_hex}"}

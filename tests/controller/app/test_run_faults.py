"""What goes wrong on game night, each against real brokers: nothing lost, nothing stale as new."""

import logging
import socket
import struct
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Mqtt
from controller.mqtt.topics import Publication
from controller.table.loop import INBOX_SIZE
from tests.controller.app.proxy import Proxy
from tests.controller.conftest import _mosquitto
from tests.controller.evening_online import START, Display, OnlineTable, Phone

Open = Callable[..., Any]


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Any]:
    """Debian's Mosquitto with the shipped configuration, users and rules."""
    yield from _mosquitto(tmp_path, guarded=True)


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens tables, displays, phones and proxies, and ends them in the reverse order."""
    things: list[Any] = []

    def _open(kind: Callable[..., Any], *args: Any) -> Any:
        things.append(kind(*args))
        return things[-1]

    yield _open
    for thing in reversed(things):
        getattr(thing, "stop" if hasattr(thing, "stop") else "close")()


def through(proxy: Proxy, address: BrokerAddress) -> BrokerAddress:
    return BrokerAddress("127.0.0.1", proxy.port, address.user, address.password)


def in_play(table: OnlineTable, wait_until: Any) -> None:
    """A game in which Ann has placed a piece."""
    wait_until(lambda: table.edge.connection.up, "the table's connection")
    table.hear("start", START)
    table.hear("roll", {"value": 1})
    table.hear("place", {"cell": "c3"})


def never_backwards(display: Display) -> bool:
    """No state was ever delivered after a newer one of the same run."""
    states = display.payloads("state")
    return all(
        (a["boot"], a["game"]) != (b["boot"], b["game"]) or a["rev"] <= b["rev"]
        for a, b in pairwise(states)
    )


def test_mosquitto_killed_and_back_everybody_shows_the_newest_again(
    mosquitto: Any, opened: Open, wait_until: Any
) -> None:
    table = opened(OnlineTable, mosquitto.address("table"))
    display = opened(Display, mosquitto.address("display"), "hall")
    in_play(table, wait_until)
    wait_until(lambda: display.rev == table.board.rev, "the display")
    shown = display.board
    mosquitto.stop()
    wait_until(lambda: "no_broker" in display.notices, "the display to notice")
    assert display.board == shown, "the last score must stay"
    table.hear("roll", {"value": 2})
    mosquitto.start()

    wait_until(lambda: display.rev == table.board.rev, "the newest")
    wait_until(lambda: not {"no_broker", "offline", "unknown"} & set(display.notices), "no notice")
    late = opened(Display, mosquitto.address("display"), "late")
    wait_until(lambda: late.board == table.board, "the late joiner")
    assert never_backwards(display)


def test_a_cut_network_shows_offline_with_the_last_score_and_mends_to_the_newest(
    mosquitto: Any, opened: Open, wait_until: Any
) -> None:
    proxy = opened(Proxy, mosquitto.port)
    table = opened(OnlineTable, through(proxy, mosquitto.address("table")))
    display = opened(Display, mosquitto.address("display"), "hall")
    in_play(table, wait_until)
    wait_until(lambda: display.rev == table.board.rev, "the display")
    shown = display.board
    proxy.cut()
    wait_until(lambda: "offline" in display.notices, "the last will")
    assert display.board == shown
    # Play goes on at the table meanwhile; nobody else can see it.
    for verb, data in (("roll", {"value": 2}), ("place", {"cell": "b3"})):
        table.hear(verb, data)
    proxy.mend()

    wait_until(lambda: display.rev == table.board.rev, "the newest")
    wait_until(lambda: "offline" not in display.notices, "online again")
    assert display.board == table.board
    assert never_backwards(display)


def test_what_a_network_held_back_never_arrives_after_something_newer(
    mosquitto: Any, opened: Open, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.mqtt.client.KEEPALIVE_S", 2)
    proxy = opened(Proxy, mosquitto.port)
    table = opened(OnlineTable, through(proxy, mosquitto.address("table")))
    display = opened(Display, mosquitto.address("display"), "hall")
    in_play(table, wait_until)
    wait_until(lambda: display.rev == table.board.rev, "the display")
    first = proxy.connections
    proxy.hold()
    # These go into the hole, on a connection that still looks alive.
    table.hear("roll", {"value": 2})
    wait_until(lambda: "offline" in display.notices, "the broker to give up")
    table.hear("place", {"cell": "b3"})
    proxy.release()

    wait_until(lambda: proxy.connections > first, "a new connection")
    wait_until(lambda: display.rev == table.board.rev, "the newest")
    wait_until(lambda: "offline" not in display.notices, "online again")
    assert never_backwards(display)
    assert display.board == table.board


def _publish(topic: str, payload: bytes, *, packet_id: int, again: bool) -> bytes:
    """A PUBLISH packet at QoS 1; `again` sets its DUP flag (MQTT 3.1.1, 3.3)."""
    body = struct.pack(">H", len(topic)) + topic.encode() + struct.pack(">H", packet_id) + payload
    assert len(body) < 128
    return bytes([0x32 | (0x08 if again else 0), len(body)]) + body


def test_a_command_delivered_twice_is_obeyed_once(
    broker: Any, opened: Open, wait_until: Any
) -> None:
    table = opened(OnlineTable, broker.address())
    in_play(table, wait_until)
    phone = opened(Phone, broker.address(), "phone")
    wait_until(lambda: phone.edge.connection.up, "the phone")
    rev = table.board.rev
    payload = b'{"id":"x","client":"phone","data":{"value":2}}'
    name = b"\x00\x03raw"
    connect = b"\x00\x04MQTT\x04\x02\x00\x3c" + name
    with socket.create_connection(("127.0.0.1", broker.port)) as sender:
        sender.sendall(bytes([0x10, len(connect)]) + connect)
        assert sender.recv(4)[:1] == b"\x20"
        # As a phone does whose acknowledgement was lost.
        for again in (False, True):
            sender.sendall(_publish("topple/1/t1/cmd/roll", payload, packet_id=7, again=again))
        wait_until(lambda: len(phone.replies) >= 2, "both answers")

    assert [reply["ok"] for reply in phone.replies] == [True, True]
    assert {reply["rev"] for reply in phone.replies} == {rev + 1} == {table.board.rev}


def test_a_late_joiner_hears_the_whole_game_once(
    broker: Any, opened: Open, wait_until: Any
) -> None:
    table = opened(OnlineTable, broker.address())
    in_play(table, wait_until)
    first = opened(Display, broker.address(), "first")
    wait_until(lambda: first.board == table.board, "the first display")
    late = opened(Display, broker.address(), "late")
    wait_until(lambda: late.board == table.board, "the late joiner")
    wait_until(lambda: bool(late.payloads("health")), "the rest of what is retained")

    assert len(late.payloads("state")) == 1
    assert late.payloads("event") == [], "an old topple must not fall again"
    assert set(late.notices) <= {"simulated"}


def test_of_two_displays_with_one_id_each_says_so_and_neither_shows_anything_old(
    mosquitto: Any, opened: Open, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.mqtt.client.FIRST_WAIT_S", 0.1)
    table = opened(OnlineTable, mosquitto.address("table"))
    in_play(table, wait_until)
    twins = [opened(Display, mosquitto.address("display"), "twin") for _ in range(2)]
    wait_until(
        lambda: any("client id twin" in twin.edge.connection.text for twin in twins),
        "words about the id",
    )  # fmt: skip
    table.hear("roll", {"value": 2})
    twins[0].stop()

    wait_until(lambda: twins[1].edge.connection.up, "the other to stay")
    wait_until(lambda: twins[1].board == table.board, "the newest")
    assert all(never_backwards(twin) for twin in twins)


def test_a_retained_command_is_not_obeyed_and_said_so_at_every_start(
    broker: Any, opened: Open, wait_until: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    careless = opened(Phone, broker.address(), "careless")
    wait_until(lambda: careless.edge.connection.up, "a connection")
    payload = b'{"client":"careless","id":"x","data":{"replace":true}}'
    careless.edge.publish(Publication("topple/1/t1/cmd/undo", payload, 1, retain=True))
    watcher = opened(Display, broker.address(), "watcher")
    table = opened(OnlineTable, broker.address())
    in_play(table, wait_until)
    wait_until(lambda: "must not be retained" in caplog.text, "the words")

    assert careless.ask("roll", {"value": 2})["ok"], "fresh commands are obeyed as before"
    assert [reply.get("id") for reply in careless.replies].count("x") == 0
    wait_until(lambda: watcher.rev == table.board.rev, "the display")
    assert "undone" not in [event["type"] for event in watcher.payloads("event")]


@pytest.mark.parametrize("offset_s", [-40 * 365 * 86400.0, 3600.0], ids=["1986", "an hour ahead"])
def test_with_a_wrong_clock_at_the_table_a_phone_learns_it_and_plays(
    broker: Any, opened: Open, wait_until: Any, monkeypatch: pytest.MonkeyPatch, offset_s: float
) -> None:
    right = time.time
    monkeypatch.setattr("controller.app.run.time.time", lambda: right() + offset_s)
    table = opened(OnlineTable, broker.address())
    in_play(table, wait_until)
    monkeypatch.setattr("controller.app.run.time.time", lambda: right() + offset_s)
    phone = opened(Phone, broker.address(), "phone")
    first = phone.ask("roll", {"value": 2}, exp=right() + 5.0)
    if offset_s > 0:
        assert first["code"] == "expired"
        learned_s = first["now"] - right()
        first = phone.ask("roll", {"value": 2}, exp=right() + learned_s + 5.0)

    assert first["ok"]
    assert abs(first["now"] - right() - offset_s) < 60.0


def test_after_a_storm_of_commands_the_table_is_as_awake_as_before(
    mosquitto: Any, opened: Open, wait_until: Any
) -> None:
    table = opened(OnlineTable, mosquitto.address("table"))
    in_play(table, wait_until)
    phones = [opened(Phone, mosquitto.address("controller"), f"phone-{n}") for n in range(4)]
    display = opened(Display, mosquitto.address("display"), "hall")
    wait_until(lambda: display.board == table.board, "the display")
    before = table.board
    for number in range(500):
        for phone in phones:
            # Bob's roll when it is not open to him: refused, or busy, or lost in the crowd.
            phone.send("pass", id=str(number))
    for phone in phones:
        wait_until(lambda p=phone: p.ask("undo", rev=-1)["code"] == "stale-rev", "an answer")

    assert table.board == before, "not one of them changed anything"
    assert table.table._inbox.qsize() <= INBOX_SIZE
    assert phones[0].ask("roll", {"value": 2})["ok"]
    wait_until(lambda: display.board == table.board, "the display")


def test_a_display_that_vanishes_is_counted_no_more(
    mosquitto: Any, opened: Open, wait_until: Any
) -> None:
    table = opened(OnlineTable, mosquitto.address("table"))
    watcher = opened(Display, mosquitto.address("display"), "watcher")
    there = topics.presence("t1", "hall", topics.Presence("display", "Hall"))
    hall = Mqtt(
        mosquitto.address("display"), "hall", birth=lambda: [there],
        will=topics.presence("t1", "hall", None),
    )  # fmt: skip
    hall.start()

    def counted() -> Any:
        found = watcher.payloads("health")
        return found[-1]["clients"] if found else None

    try:
        wait_until(lambda: counted() == {"display": 1}, "the display to be counted")
        spoofed = topics.presence("t1", "other", topics.Presence("controller"))
        hall.publish(spoofed)
        client = hall._live
        assert client is not None
        hall._stopping.set()
        client._sock_close()
        wait_until(lambda: counted() == {}, "the display to be missed")
    finally:
        hall.stop()
    assert table.edge.connection.up

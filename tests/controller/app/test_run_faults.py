"""What goes wrong on game night, each against real brokers: nothing lost, nothing stale as new."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Mqtt
from tests.controller.app.proxy import Proxy
from tests.controller.conftest import wait_until
from tests.controller.evening_online import START, Display, OnlineTable

Open = Callable[..., Any]


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


def in_play(table: OnlineTable) -> None:
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


def test_a_cut_network_shows_offline_with_the_last_score_and_mends_to_the_newest(
    guarded_broker: Any, opened: Open
) -> None:
    proxy = opened(Proxy, guarded_broker.port)
    table = opened(OnlineTable, through(proxy, guarded_broker.address("table")))
    display = opened(Display, guarded_broker.address("display"), "hall")
    in_play(table)
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
    guarded_broker: Any, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.mqtt.client.KEEPALIVE_S", 2)
    proxy = opened(Proxy, guarded_broker.port)
    table = opened(OnlineTable, through(proxy, guarded_broker.address("table")))
    display = opened(Display, guarded_broker.address("display"), "hall")
    in_play(table)
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


def test_every_birth_says_all_that_is_retained_and_online_last(
    guarded_broker: Any, opened: Open
) -> None:
    proxy = opened(Proxy, guarded_broker.port)
    table = opened(OnlineTable, through(proxy, guarded_broker.address("table")))
    display = opened(Display, guarded_broker.address("display"), "hall")
    display.edge.await_hearing()
    in_play(table)
    wait_until(lambda: display.payloads("health"), "health, which comes after the first birth")
    proxy.cut()
    wait_until(lambda: "offline" in display.notices, "the last will")
    gone = len(display.heard)
    proxy.mend()
    wait_until(lambda: "offline" not in display.notices, "online again")

    born = [message.at.row for message in display.heard[gone:]]
    born = born[: born.index("availability") + 1]
    assert sorted(born) == ["availability", "health", "state", "status", "summary"]
    late = opened(Display, guarded_broker.address("display"), "late")
    wait_until(lambda: late.rev == table.board.rev and late.notices == display.notices, "the same")


def test_a_late_joiner_hears_the_state_and_no_event_before(broker: Any, opened: Open) -> None:
    table = opened(OnlineTable, broker.address())
    in_play(table)
    first = opened(Display, broker.address(), "first")
    wait_until(lambda: first.board == table.board, "the first display")
    late = opened(Display, broker.address(), "late")
    wait_until(lambda: late.board == table.board, "the late joiner")
    wait_until(lambda: bool(late.payloads("health")), "the rest of what is retained")

    # A broker that is behind sends the newest state as retained and, once more, as it came.
    assert {state["rev"] for state in late.payloads("state")} == {table.board.rev}
    assert late.payloads("event") == [], "an old topple must not fall again"
    assert set(late.notices) <= {"simulated"}


def test_of_two_displays_with_one_id_each_says_so_and_neither_shows_anything_old(
    guarded_broker: Any, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.mqtt.client.FIRST_WAIT_S", 0.1)
    table = opened(OnlineTable, guarded_broker.address("table"))
    in_play(table)
    twins = [opened(Display, guarded_broker.address("display"), "twin") for _ in range(2)]
    wait_until(
        lambda: any("client id twin" in twin.edge.connection.text for twin in twins),
        "words about the id",
    )  # fmt: skip
    table.hear("roll", {"value": 2})
    twins[0].stop()

    wait_until(lambda: twins[1].edge.connection.up, "the other to stay")
    wait_until(lambda: twins[1].board == table.board, "the newest")
    assert all(never_backwards(twin) for twin in twins)


def test_a_display_that_vanishes_is_counted_no_more(guarded_broker: Any, opened: Open) -> None:
    table = opened(OnlineTable, guarded_broker.address("table"))
    watcher = opened(Display, guarded_broker.address("display"), "watcher")
    there = topics.presence("t1", "hall", topics.Presence("display", "Hall"))
    hall = Mqtt(
        guarded_broker.address("display"), "hall", birth=lambda: [there],
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

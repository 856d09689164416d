import itertools
import json
import threading
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Mqtt
from controller.table.publisher import (
    REPEATS_S,
    STATE_EVERY_S,
    Announcer,
    Home,
    Identity,
    edge_of,
    software,
)
from engine.scoreboard import Scoreboard
from tests.controller.evenings import START, Evening, Wire


@pytest.fixture(name="begun")
def begun_fixture() -> tuple[Wire, Announcer, Scoreboard]:
    wire = Wire()
    return wire, Announcer(wire, Identity("t1", "b")), Evening(START).table.board


Begun = tuple[Wire, Announcer, Scoreboard]


def test_a_storm_of_changes_is_published_at_most_twenty_times_a_second(begun: Begun) -> None:
    wire, announcer, board = begun
    for step in range(1000):
        announcer.state(msgspec.structs.replace(board, rev=step))
        announcer.flush(step * 0.001)
    announcer.flush(2.0)

    assert wire.rows().count("state") <= 1.0 / STATE_EVERY_S + 2
    assert wire.last("state")["rev"] == 999


def test_a_state_that_nothing_follows_is_said_again_ever_more_seldom(begun: Begun) -> None:
    wire, announcer, board = begun
    announcer.flush(1e6)
    assert wire.rows() == []
    announcer.state(board)
    said_s = []
    for now_s in range(2000):
        before = wire.rows().count("state")
        announcer.flush(1e6 + now_s)
        if wire.rows().count("state") > before:
            said_s.append(now_s)

    waits_s = [later - earlier for earlier, later in itertools.pairwise(said_s)]
    assert waits_s[:7] == [5, 10, 20, 40, 80, 160, 300]
    assert set(waits_s[6:]) == {REPEATS_S[1]}
    assert wire.rows().count("summary") == len(said_s)


def test_a_new_state_is_soon_said_again_however_long_it_was_quiet_before(begun: Begun) -> None:
    wire, announcer, board = begun
    announcer.state(board)
    for now_s in range(1000):
        announcer.flush(float(now_s))
    announcer.state(msgspec.structs.replace(board, rev=99))
    announcer.flush_now()
    announcer.flush(1000.0)
    said = wire.rows().count("state")
    announcer.flush(1000.0 + REPEATS_S[0])

    assert wire.rows().count("state") == said + 1
    assert wire.last("state")["rev"] == 99


def test_a_new_connection_gets_the_newest_even_before_it_was_sent() -> None:
    evening = Evening()
    evening.step(1.0)
    newer = msgspec.structs.replace(evening.table.board, rev=99)
    evening.announcer.state(newer)
    birth = evening.announcer.birth()
    born = {publication.topic: publication for publication in birth}

    assert json.loads(born["topple/1/t1/state"].payload)["rev"] == 99
    assert "topple/1/t1/health" in born
    assert birth[-1] == topics.availability("t1", online=True)
    assert all(publication.retain for publication in born.values())


def test_the_software_says_its_version() -> None:
    assert software()


class Given(Mqtt):
    """A connection that shows what the program asked of it."""

    def __init__(self, address: BrokerAddress, client_id: str, **asked: Any) -> None:
        super().__init__(address, client_id, **asked)
        self.asked = {**asked, "client_id": client_id}


def test_a_table_hears_commands_and_leaves_its_last_will() -> None:
    given = edge_of(Given, "t1", BrokerAddress(), birth=list).asked

    assert given["will"] == topics.Publication("topple/1/t1/availability", b"offline", 1, True)
    assert given["subscriptions"] == (
        "topple/1/t1/cmd/+", "topple/1/t1/client/+", "topple/1/t1/health",
    )  # fmt: skip
    assert given["client_id"].startswith("table-t1-")
    assert edge_of(Given, "t1", BrokerAddress(), birth=list, client="me").asked["client_id"] == "me"
    for home, last in (
        (Home(prefix="ha"), "ha/status"),
        (Home(enabled=False), "topple/1/t1/health"),
    ):
        heard = edge_of(Given, "t1", BrokerAddress(), birth=list, home=home).asked["subscriptions"]
        assert heard[-1] == last


class Guarded(dict[str, Any]):
    """Keeps messages, and wants the lock held by whoever writes or reads them all."""

    lock: threading.Lock

    def __setitem__(self, key: str, value: Any) -> None:
        assert self.lock.locked()
        super().__setitem__(key, value)

    def values(self) -> Any:
        assert self.lock.locked()
        return super().values()


def test_the_network_thread_never_meets_half_kept_messages(begun: Begun) -> None:
    _, announcer, board = begun
    announcer._retained = kept = Guarded()
    kept.lock = announcer._lock

    announcer.state(board)
    announcer.online()

    assert len(announcer.birth()) == 3

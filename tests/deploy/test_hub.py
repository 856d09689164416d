"""A club's hub: tables bridge to it, with the shipped files on two real Mosquittos."""

import contextlib
import json
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Message, Mqtt
from controller.mqtt.topics import Publication
from controller.table.publisher import Announcer, Identity
from engine.results import Results
from tests.controller.conftest import (
    PATIENCE_S,
    RunningBroker,
    _mosquitto_configuration,
    running_mosquitto,
    wait_until,
    write_passwords,
)
from tests.controller.evening_online import Listener
from tests.controller.league.tables import Table
from tests.controller.mqtt.test_topics import BOARD, STATUS
from tests.ports import free_port

DEPLOY = Path(__file__).parents[2] / "deploy" / "mosquitto"

AT_THE_HUB = {
    "hall": "h4ll", "league": "l3ague", "host": "h0st", "attic": "att1c", "cellar": "c3ll"
}  # fmt: skip
"""Users and their passwords."""

COMMANDS = ("#topic cmd/+", "#topic reply/+")


def shipped(name: str, **words: str) -> str:
    text = (DEPLOY / name).read_text()
    for word, value in words.items():
        text = text.replace(word, value)
    return text


@contextlib.contextmanager
def hub(folder: Path, port: int) -> Iterator[RunningBroker]:
    folder.mkdir()
    shutil.copy(DEPLOY / "hub.acl", folder / "topple-hub.acl")
    write_passwords(folder / "topple-hub.passwd", AT_THE_HUB)
    text = shipped("hub.conf", **{"listener 1883": f"listener {port} 127.0.0.1"})
    text = text.replace("/etc/mosquitto/", f"{folder}/")
    (folder / "mosquitto.conf").write_text(f"user root\n{text}")
    yield from running_mosquitto(folder / "mosquitto.conf", port)


@contextlib.contextmanager
def bridged(
    folder: Path, hub_port: int, name: str = "attic", *, commands: bool = False
) -> Iterator[RunningBroker]:
    """The broker of a table, with the shipped rules and the bridge."""
    folder.mkdir()
    port = free_port()
    configuration = _mosquitto_configuration(folder, port, guarded=True)
    bridge = shipped(
        "bridge.conf",
        HUB=f"127.0.0.1:{hub_port}",
        TABLE=name,
        PASSWORD=AT_THE_HUB[name],
        ENDING="0a1b2c",
    )
    # Who tests has no minute.
    bridge = bridge.replace("restart_timeout 2 60", "restart_timeout 1")
    if commands:
        for line in COMMANDS:
            assert line in bridge
            bridge = bridge.replace(line, line[1:])
    configuration.write_text(f"{configuration.read_text()}\n{bridge}")
    yield from running_mosquitto(configuration, port)


class Ear:
    """Somebody at a broker, who keeps all that is heard, and may say something."""

    def __init__(self, address: BrokerAddress, *heard: str, name: str = "ear") -> None:
        self.heard: list[Message] = []
        self.edge = Listener(address, name, subscriptions=heard, quiet=True)
        self.edge.on_message(self.heard.append)
        self.edge.start()
        wait_until(lambda: self.edge.connection.up, f"the connection of {name}")
        self.edge.await_hearing()

    def last(self, topic: str) -> bytes | None:
        return next((m.payload for m in reversed(self.heard) if m.topic == topic), None)

    def hears(self, topic: str, payload: bytes) -> None:
        wait_until(lambda: self.last(topic) == payload, f"{payload!r} on {topic}")

    def count(self, ending: str) -> int:
        return sum(m.topic.endswith(ending) for m in self.heard)


def at_hub(port: int, user: str, *heard: str, name: str = "") -> Ear:
    address = BrokerAddress("127.0.0.1", port, user, AT_THE_HUB[user])
    return Ear(address, *heard, name=name or f"{user}-1")


@dataclass
class Club:
    """A hub, a table's broker joined to it, and the table's own announcer."""

    hub: RunningBroker
    local: RunningBroker
    hall: Ear
    table: Ear
    announcer: Announcer
    edge: Mqtt
    results: Table
    obeyed: list[Message]
    """What the table heard of commands and clients."""

    def result(self) -> bytes:
        """One more game ends; what is told of it."""
        self.results.play()
        said = self.results.said().payload
        self.announcer.results(Results("attic", "b", tuple(self.results.games)))
        expected = json.loads(said) | {"boot": "b"}
        return json.dumps(expected, separators=(",", ":"), ensure_ascii=False).encode()

    def state(self, rev: int) -> bytes:
        board = replace(BOARD, table="attic", rev=rev)
        self.announcer.state(board)
        self.announcer.flush_now()
        return topics.state(board).payload


@contextlib.contextmanager
def opened(folder: Path, *, commands: bool = False) -> Iterator[Club]:
    port = free_port()
    with (
        hub(folder / "hub", port) as central,
        bridged(folder / "attic", port, commands=commands) as local,
    ):
        hall = at_hub(port, "hall", *(f"topple/1/+/{row}" for row in (*ROWS, "link")))
        table = Ear(local.address("controller"), "topple/1/attic/#", name="controller-1")
        edge = Mqtt(
            local.address("table"), "table-attic", birth=lambda: announcer.birth(),  # noqa: PLW0108
            subscriptions=topics.heard_by("attic"),
            will=topics.availability("attic", online=False), quiet=True,
        )  # fmt: skip
        heard: list[Message] = []
        edge.on_message(heard.append)
        announcer = Announcer(edge, Identity("attic", "b"))
        edge.start()
        announcer.status(STATUS)
        announcer.online()
        hall.hears("topple/1/attic/availability", b"online")
        yield Club(central, local, hall, table, announcer, edge, Table("attic"), heard)
        for ear in (hall, table):
            ear.edge.stop()
        edge.stop()


ROWS = ("availability", "status", "state", "summary", "results", "event", "health")


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with opened(tmp_path) as found:
        yield found


def test_all_that_a_table_says_to_displays_reaches_the_hub_and_what_is_retained_stays(
    club: Club,
) -> None:
    state, results = club.state(7), club.result()
    club.edge.publish(topics.event("attic", {"seq": 1}))
    club.announcer.health({"v": 1})
    for row, payload in (("state", state), ("results", results), ("event", b'{"seq":1}')):
        club.hall.hears(f"topple/1/attic/{row}", payload)
    club.hall.hears("topple/1/attic/health", b'{"v":1}')

    late = at_hub(club.hub.port, "hall", *(f"topple/1/+/{row}" for row in ROWS), name="late")
    late.hears("topple/1/attic/results", results)
    # Each row has a subscription of its own; what is kept comes in their order.
    late.hears("topple/1/attic/health", b'{"v":1}')
    rows = {message.topic.rsplit("/", 1)[1] for message in late.heard}
    assert rows == set(ROWS) - {"event"}
    assert all(message.retained for message in late.heard)
    late.edge.stop()


def test_the_shipped_bridge_and_rules_know_every_row_of_the_contract() -> None:
    said = {
        row.suffix.split("/")[0]
        for row in topics.TOPICS.values()
        if row.speaker == "table" and row.suffix != "trace"
    }
    lines = [line.lstrip("#") for line in shipped("bridge.conf").splitlines()]
    out = {
        line.split()[1].split("/")[0]
        for line in lines
        if line.startswith("topic ") and " out " in line
    }
    rules = shipped("hub.acl").splitlines()
    may = {line.split("/")[3] for line in rules if line.startswith("pattern write")}

    assert out == said
    assert may == said | {"link"}


def test_a_command_at_the_hub_does_not_reach_the_table_nor_the_other_way(club: Club) -> None:
    host = at_hub(club.hub.port, "host", "topple/#")
    host.edge.publish(topics.command("attic", "undo", {"id": "from the hub"}))
    club.table.edge.publish(topics.command("attic", "undo", {"id": "at the table"}))
    host.edge.publish(Publication("topple/1/attic/state", b"forged", 1, retain=True))
    state = club.state(8)
    club.hall.hears("topple/1/attic/state", state)

    wait_until(lambda: bool(club.obeyed), "the command given at the table")
    assert [json.loads(m.payload)["id"] for m in club.obeyed] == ["at the table"]
    assert b"forged" not in [message.payload for message in club.hall.heard]
    assert host.count("/cmd/undo") == 0
    host.edge.stop()


def test_an_owner_may_let_commands_in_and_the_answers_out(tmp_path: Path) -> None:
    with opened(tmp_path, commands=True) as club:
        host = at_hub(club.hub.port, "host", "topple/1/+/reply/host-1")
        host.edge.publish(topics.command("attic", "undo", {"id": "a", "client": "host-1"}))
        wait_until(lambda: bool(club.obeyed), "the command from the hub")
        club.edge.publish(topics.reply("attic", "host-1", {"ok": True}))
        host.hears("topple/1/attic/reply/host-1", b'{"ok":true}')

        club.hall.hears("topple/1/attic/state", club.state(9))
        assert len(club.obeyed) == 1
        host.edge.stop()


def test_a_screen_in_the_hall_that_slept_through_a_burst_of_states_gets_the_newest(
    club: Club,
) -> None:
    awake = threading.Event()
    sleeper = at_hub(club.hub.port, "hall", "topple/1/+/state", name="sleeper")
    heard = sleeper.heard.append
    sleeper.edge.on_message(lambda message: (awake.wait(PATIENCE_S), heard(message))[1])
    newest = b""
    for rev in range(300):
        newest = club.state(rev)
    club.hall.hears("topple/1/attic/state", newest)
    awake.set()

    sleeper.hears("topple/1/attic/state", newest)
    sleeper.edge.stop()


def test_nothing_goes_round_in_circles(club: Club) -> None:
    last = b""
    for rev in range(1, 21):
        last = club.state(rev)
        club.result()
    club.hall.hears("topple/1/attic/state", last)
    wait_until(lambda: club.hall.count("/results") >= 20, "twenty results")
    club.edge.publish(topics.event("attic", {"seq": 99}))
    for ear in (club.hall, club.table):  # two connections, and neither waits for the other
        ear.hears("topple/1/attic/event", b'{"seq":99}')

    assert club.hall.count("/results") == 20
    assert club.hall.count("/state") == 20
    assert club.table.count("/results") == 20
    assert club.table.count("/state") == 20


def test_a_table_can_speak_for_no_other(club: Club) -> None:
    thief = at_hub(club.hub.port, "cellar", "topple/1/attic/#", name="thief")
    for row in ROWS:
        thief.edge.publish(Publication(f"topple/1/attic/{row}", b"forged", 1, retain=True))
    thief.edge.publish(Publication("topple/1/cellar/results", b"own", 1, retain=True))

    club.hall.hears("topple/1/cellar/results", b"own")

    assert b"forged" not in [message.payload for message in club.hall.heard]
    assert thief.heard == []
    thief.edge.stop()


@pytest.mark.parametrize(
    "user", [None, BrokerAddress("", 0, "hall", "wrong"), BrokerAddress("", 0, "attic", "")]
)
def test_nobody_gets_in_without_a_password(club: Club, user: BrokerAddress | None) -> None:
    address = BrokerAddress(
        "127.0.0.1", club.hub.port, user.user if user else None, user.password if user else None
    )
    edge = Mqtt(address, "guest", subscriptions=("#",), quiet=True)
    edge.start()
    wait_until(lambda: "refused us" in edge.connection.text, "a refusal")
    edge.stop()


def test_nobody_pushes_a_table_off_the_hub_or_the_hub_off_a_table_by_its_name(club: Club) -> None:
    club.hall.hears("topple/1/attic/link", b"1")
    at_hub(club.hub.port, "hall", name="table-attic").edge.stop()
    Ear(club.local.address("display"), name="topple-hub").edge.stop()

    club.hall.hears("topple/1/attic/state", club.state(11))
    assert [m.payload for m in club.hall.heard if m.topic.endswith("/link")] == [b"1"]


def test_the_league_hears_results_and_nothing_else(club: Club) -> None:
    league = at_hub(club.hub.port, "league", "#", "topple/+/+/results", "$share/l/topple/#")
    club.state(3)
    payload = club.result()

    league.hears("topple/1/attic/results", payload)

    assert {message.topic for message in league.heard} == {"topple/1/attic/results"}
    league.edge.stop()


def test_the_hub_is_told_when_a_tables_power_is_cut_and_when_it_is_back(club: Club) -> None:
    club.hall.hears("topple/1/attic/link", b"1")

    club.local.stop()
    club.hall.hears("topple/1/attic/link", b"0")

    club.local.start()
    club.hall.hears("topple/1/attic/link", b"1")
    wait_until(lambda: club.edge.connection.up, "the table")
    club.hall.hears("topple/1/attic/state", club.state(20))


def test_a_hub_that_restarts_has_everything_again(club: Club) -> None:
    state, results = club.state(5), club.result()
    club.hall.hears("topple/1/attic/results", results)
    club.hall.hears("topple/1/attic/state", state)

    club.hub.stop()
    time_s = time.monotonic()
    club.hub.start()
    late = at_hub(club.hub.port, "hall", *(f"topple/1/+/{row}" for row in ROWS), name="late")

    late.hears("topple/1/attic/results", results)
    late.hears("topple/1/attic/state", state)
    late.hears("topple/1/attic/availability", b"online")
    assert time.monotonic() - time_s < 2 * PATIENCE_S
    late.edge.stop()


def test_results_of_a_time_without_the_hub_come_afterwards_though_states_were_many(
    club: Club,
) -> None:
    """More states than the shipped queue holds: they must not push a result out."""
    club.hall.hears("topple/1/attic/results", club.result())
    club.hub.stop()
    last_state = last_result = b""
    for rev in range(300):
        last_state = club.state(100 + rev)
        if rev % 60 == 0:
            last_result = club.result()
    at_the_table = club.table
    at_the_table.hears("topple/1/attic/state", last_state)

    club.hub.start()

    club.hall.hears("topple/1/attic/results", last_result)
    club.hall.hears("topple/1/attic/state", last_state)
    # Whether the hall or the bridge is back first is chance; the last document holds them all.
    assert len(json.loads(last_result)["games"]) == 6

"""More than one table on one real broker, each run as an owner runs it."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from controller.mqtt import topics
from controller.mqtt.client import Message, Mqtt
from tests.controller.conftest import PATIENCE_S, RunningBroker, wait_until

ROOT = Path(__file__).parents[3]
CLI = "from controller import cli; import sys; sys.exit(cli.main())"
START = {"players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]}


class Run:
    """`topple-table run` in a process."""

    def __init__(
        self, folder: Path, name: str, broker: RunningBroker, *, again: bool = False
    ) -> None:
        folder.mkdir(exist_ok=again)
        address = broker.address("table")
        (folder / "secret").write_text(address.password or "")
        (folder / "table.toml").write_text(
            f'[table]\nid = "{name}"\n'
            f'[broker]\nkind = "mqtt"\nport = {address.port}\n'
            'user = "table"\npassword_file = "secret"\n[web]\nenabled = false\n'
        )
        self.log = folder / "log"
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLI, "run", "--config", str(folder / "table.toml")],
            cwd=ROOT, stdout=self.log.open("w"), stderr=subprocess.STDOUT,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        self._process.terminate()
        assert self._process.wait(PATIENCE_S) == 0


class Host:
    """Somebody with a phone that sees all tables."""

    def __init__(self, broker: RunningBroker) -> None:
        self.states: dict[str, dict[str, Any]] = {}
        self.replies: list[str] = []
        self.edge = Mqtt(
            broker.address("controller"), "host",
            subscriptions=("topple/1/+/state", topics.reply_filter("host")),
        )  # fmt: skip
        self.edge.on_message(self._hear)
        self.edge.start()

    def _hear(self, message: Message) -> None:
        table, row, _ = message.at
        if row == "state":
            self.states[table] = json.loads(message.payload)
        else:
            self.replies.append(table)


@pytest.mark.slow
def test_tables_with_names_play_side_by_side(guarded_broker: RunningBroker, tmp_path: Path) -> None:
    tables = [Run(tmp_path / name, name, guarded_broker) for name in ("attic", "cellar")]
    host = Host(guarded_broker)
    wait_until(lambda: set(host.states) == {"attic", "cellar"}, "both tables")
    games = {name: state["game"] for name, state in host.states.items()}

    host.edge.publish(topics.command("attic", "end", {"id": "1", "client": "host"}))
    command = {"id": "2", "client": "host", "data": {**START, "game": "topple"}}
    host.edge.publish(topics.command("attic", "start", command))
    wait_until(lambda: host.states["attic"]["game"] not in (None, games["attic"]), "a game")

    wait_until(lambda: len(host.replies) == 2, "both answers")
    assert set(host.replies) == {"attic"}
    # A game of the table's own may have begun meanwhile, and an answer comes before its state.
    wait_until(lambda: names(host.states["attic"]) == ["Ann", "Bob"], "the game that was asked for")
    assert names(host.states["cellar"]) != ["Ann", "Bob"]
    assert all(state["table"] == name for name, state in host.states.items())
    for table in tables:
        table.stop()
    host.edge.stop()


def names(state: dict[str, Any]) -> list[str]:
    return [player["name"] for player in state["players"]]


@pytest.mark.slow
def test_a_table_comes_back_with_the_client_id_that_it_had_and_nobody_can_guess_it(
    tmp_path: Path,
) -> None:
    ids = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE_S)
        port = listening.getsockname()[1]
        broker = RunningBroker("none", port, lambda: None, lambda: None)
        for start in range(2):
            table = Run(tmp_path / "one", "attic", broker, again=bool(start))
            called, _ = listening.accept()
            with called, called.makefile("rb") as packet:
                ids.append(client_id_in(packet))
            table.stop()

    assert re.fullmatch(r"table-attic-[0-9a-f]{12}", ids[0])
    assert ids[0] == ids[1]
    (kept,) = (tmp_path / "one").glob("*.client")
    assert kept.stat().st_mode & 0o777 == 0o600


def client_id_in(packet: BinaryIO) -> str:
    """The client id of an MQTT 3.1.1 CONNECT; it stands after ten bytes of variable header."""
    packet.read(1)
    while packet.read(1)[0] & 0x80:
        pass
    packet.read(10)
    return packet.read(int.from_bytes(packet.read(2), "big")).decode()


@pytest.mark.slow
def test_two_tables_with_one_name_are_told_so_in_words(
    guarded_broker: RunningBroker, tmp_path: Path
) -> None:
    tables = [Run(tmp_path / folder, "attic", guarded_broker) for folder in ("one", "other")]
    words = "Check that no other table on this broker is called attic too ([table] id)."

    wait_until(lambda: any(words in t.log.read_text() for t in tables), "the words")

    for table in tables:
        table.stop()

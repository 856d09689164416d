"""A real table on a real broker, and displays and phones that know only the contract."""

import json
import random
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho

from controller.app.run import connected, keep_going
from controller.common.shutdown import Stopping
from controller.journal.journal import Journal
from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, ConnectionStatus, Message, Mqtt
from controller.table.commands import obeyed
from controller.table.keepers import NullJournal
from controller.table.pipeline import Pipeline
from controller.table.publisher import Home, Identity
from controller.table.resultbook import MOST_GAMES, ResultBook
from controller.table.shelf import GameShelf
from engine.games.chance import Chance
from engine.scoreboard import Scoreboard
from pages.mirror import Mirror
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.controller.evenings import Detector, Source

SPEED = 200.0
"""Table time goes fast, so that two rolls in a row are no double tap."""

START = {
    "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
    "target": 100,
    "first": 0,
}
AGAIN_S = 2.0


class OnlineTable:
    """A table driven by the clock in a thread of its own, joined to a broker as `run` does it.

    The thread owns the journal too, as the table's thread always does.
    """

    def __init__(
        self, address: BrokerAddress, journal: Path | None = None, chance: Chance | None = None,
        home: Home | None = None,
    ) -> None:  # fmt: skip
        self.table: Any = None
        self.edge: Any = None
        self._chance, self._home = chance, home
        self._address = address
        self._journal = journal
        self._stopping = Stopping()
        self._pulled = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        wait_until(lambda: self.edge is not None, "the table to start")

    def _run(self) -> None:
        with ExitStack() as stack:
            kept: Any = NullJournal()
            results, shelf = None, None
            heard: tuple[Any, ...] = ()
            self.pipeline = Pipeline(Detector(), chance=self._chance)
            if self._journal is not None:
                kept = stack.enter_context(Journal(self._journal))
                found = kept.resume()
                self.pipeline = Pipeline(
                    Detector(), found.state, resume_s=found.resume_s, chance=self._chance
                )
                results = ResultBook(kept.results(MOST_GAMES), kept.keep)
                heard = kept.heard()
                shelf = GameShelf(kept, heard)
            identity = Identity("t1", f"boot-{random.getrandbits(32):x}")
            self.table, self.edge = stack.enter_context(
                connected(
                    Source(), self.pipeline, kept, identity, self._address, results=results,
                    shelf=shelf, done=obeyed(said for said, _ in heard), home=self._home,
                    listener=lambda _outcome, _board: None,
                )
            )  # fmt: skip
            keep_going(self.table, self._stopping, speed=SPEED)
            if self._pulled:
                self._drop()

    def _drop(self) -> None:
        """Lose the connection without a farewell."""
        client, self.edge._live = self.edge._live, None
        if client is not None:
            client._sock_close()

    @property
    def board(self) -> Scoreboard:
        found: Scoreboard = self.table.board
        return found

    def hear(self, verb: str, data: dict[str, Any]) -> None:
        """Something said at the table itself, without the network; returns when it is done."""
        rev = self.board.rev
        payload = json.dumps({"data": data}).encode()
        self.table.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))
        wait_until(lambda: self.board.rev > rev, f"{verb} at the table")

    def kill(self) -> None:
        """End as by a pulled plug: the broker finds out by itself."""
        self._pulled = True
        self.stop()

    def stop(self) -> None:
        """End with a farewell."""
        self._stopping.set()
        self._thread.join(PATIENCE_S)


class Listener(Mqtt):
    """Knows whether the broker has granted what it wants to hear; a connection comes first.

    What is not retained passes by whoever subscribes a moment later.
    """

    _granted = 0

    def _new_client(self) -> paho.Client:
        client = super()._new_client()
        self._granted = 0
        client.on_subscribe = self._count
        return client

    def _count(self, *_: object) -> None:
        self._granted += 1

    def await_hearing(self) -> None:
        """Wait until everything can be heard."""
        wait_until(lambda: self._granted >= len(self._subscriptions), "the subscriptions")


class Display:
    """A scoreboard: shows what the rules of a display let it show, and remembers what it heard."""

    def __init__(self, address: BrokerAddress, name: str) -> None:
        self.heard: list[Message] = []
        self.mirror = Mirror()
        rows = ("availability", "status", "state", "summary", "event", "health")
        self.edge = Listener(
            address, name, subscriptions=tuple(f"topple/1/t1/{row}" for row in rows),
            on_connection=self._on_connection,
        )  # fmt: skip
        self.edge.on_message(self._on_message)
        self.edge.start()

    def _on_connection(self, connection: ConnectionStatus) -> None:
        self.mirror = self.mirror.connected(connection)

    def _on_message(self, message: Message) -> None:
        self.heard.append(message)
        self.mirror = self.mirror.updated(message, time.monotonic())

    @property
    def board(self) -> Scoreboard | None:
        return self.mirror.view("t1", time.monotonic()).board

    @property
    def rev(self) -> int:
        return -1 if self.board is None else self.board.rev

    @property
    def notices(self) -> tuple[str, ...]:
        return self.mirror.notices("t1", time.monotonic())

    def payloads(self, row: str) -> list[Any]:
        return [json.loads(m.payload) for m in self.heard if m.topic.endswith(f"/{row}")]

    def stop(self) -> None:
        self.edge.stop()


class Phone:
    """Asks for things, and waits for the answer."""

    def __init__(self, address: BrokerAddress, name: str) -> None:
        self.name = name
        self.replies: list[dict[str, Any]] = []
        self.edge = Mqtt(address, name, subscriptions=(f"topple/1/t1/reply/{name}",))
        self.edge.on_message(lambda message: self.replies.append(json.loads(message.payload)))
        self.edge.start()

    def send(self, verb: str, data: dict[str, Any] | None = None, **fields: Any) -> None:
        wait_until(lambda: self.edge.connection.up, f"{self.name}'s connection")
        command = {"v": 1, "client": self.name, "data": data or {}, **fields}
        self.edge.publish(topics.command("t1", verb, command))

    def ask(self, verb: str, data: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
        """The answer. As a phone should, it asks again under the same id when none comes."""
        name = f"{verb}-{random.getrandbits(48):x}"
        asked_s = float("-inf")

        def answered() -> bool:
            nonlocal asked_s
            if time.monotonic() - asked_s > AGAIN_S:
                asked_s = time.monotonic()
                self.send(verb, data, id=name, **fields)
            return bool(self.answers(name))

        wait_until(answered, f"the answer to {verb}")
        return self.answers(name)[0]

    def answers(self, name: str) -> list[dict[str, Any]]:
        return [reply for reply in self.replies if reply.get("id") == name]

    def stop(self) -> None:
        self.edge.stop()

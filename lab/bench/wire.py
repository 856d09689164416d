"""The bench's broker: keeps what is retained, delivers commands, and misbehaves when told to.

A model, not a broker: one table on one side, the bench on the other, no network. What it keeps
is what a display that joins now would be given. It keeps, marks, orders and drops as Mosquitto
does: `tests/lab/bench/test_wire.py` asks both the same. The table's side is its own connection
(`controller.mqtt.client`) but for the thread: the bench plays the MQTT library beneath it. So what
is heard, what is retained and what is said when a process dies is what the program asked for. The
tests of that connection use a real broker.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import paho.mqtt.client as paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Message, Mqtt
from controller.mqtt.topics import Publication
from controller.table.publisher import Home, edge_of
from lab.bench.observed import SAID_BY_US, Order, Sent

MOST_WAITING = 1000 + 20
"""For one reader: `max_queued_messages` of the shipped Mosquitto, and what it has under way at
once. What comes then is dropped."""

TABLE = "bench"
PREFIX = f"{topics.BASE}/{TABLE}/"


class _Arrived(paho.MQTTMessageInfo):
    """A message the broker has: it takes all at once."""

    def is_published(self) -> bool:
        return True


class _Library(paho.Client):
    """The MQTT library with the bench's broker behind it in place of a network.

    Attributes:
        will: what the program gave the broker to say when it vanishes.
        filters: what it subscribed to.
        take: the broker.
    """

    will: Publication | None = None
    take: Callable[[Publication], None]

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.filters: list[str] = []

    def will_set(
        self,
        topic: str,
        payload: Any = None,
        qos: int = 0,
        retain: bool = False,
        properties: Any = None,
    ) -> None:
        super().will_set(topic, payload, qos, retain, properties)
        self.will = Publication(topic, payload, qos, retain)

    def subscribe(self, topic: Any, *_args: Any, **_more: Any) -> Any:
        self.filters.append(topic)
        return paho.MQTT_ERR_SUCCESS, 1

    def publish(
        self,
        topic: str,
        payload: Any = None,
        qos: int = 0,
        retain: bool = False,
        properties: Any = None,  # noqa: ARG002 - as the library has it
    ) -> paho.MQTTMessageInfo:
        self.take(Publication(topic, payload, qos, retain))
        return _Arrived(1)

    def hears(self, topic: str) -> bool:
        return any(paho.topic_matches_sub(each, topic) for each in self.filters)

    def receive(self, message: Message) -> None:
        arrived = paho.MQTTMessage(topic=message.topic.encode())
        arrived.payload, arrived.retain = message.payload, message.retained
        if self.on_message is not None:
            self.on_message(self, None, arrived)


class _Edge(Mqtt):
    """The table's connection, connected when the bench says so."""

    _library = _Library

    def connect(self, take: Callable[[Publication], None]) -> _Library:
        """Connect, as `Mqtt` does at each of its connections."""
        self._quiet = True
        client = cast("_Library", self._new_client())
        client.take = take
        self._connected(client, None, None, ReasonCode(PacketTypes.CONNACK, "Success"), None)
        return client

    def disconnect(self, client: _Library) -> None:
        """The broker is gone."""
        code = ReasonCode(PacketTypes.DISCONNECT, "Server shutting down")
        self._disconnected(client, None, None, code, None)


@dataclass(slots=True)
class BenchWire:
    """Stands for MQTT: `controller.mqtt.client.Wire` on one side, the bench's log on the other.

    Attributes:
        now_s: bench time, kept by the stage.
        up: whether the broker is there.
        delay_s: how long each command is on its way.
        deliveries: how often each command is delivered.
        missed: messages published while it was down.
        asked: as in `Run`.
        birth: what the table says at each new connection.
        delivered: every command that reached the table.
    """

    now_s: float = 0.0
    process: int = 0
    connection: int = 0
    up: bool = True
    delay_s: float = 0.0
    deliveries: int = 1
    missed: int = 0
    asked: int = 0
    sent: list[Sent] = field(default_factory=list)
    delivered: list[Order] = field(default_factory=list)
    retained: dict[str, bytes] = field(default_factory=dict)
    birth: Callable[[], list[Publication]] = list
    _edge: _Edge | None = None
    _table: _Library | None = None
    _on_the_way: list[tuple[float, Message]] = field(default_factory=list)

    @property
    def dropped(self) -> int:
        """As `controller.mqtt.client.Wire`."""
        return self._edge.dropped if self._edge is not None else 0

    @property
    def too_large(self) -> dict[str, int]:
        """As `controller.mqtt.client.Wire`."""
        return self._edge.too_large if self._edge is not None else {}

    def publish(self, publication: Publication) -> None:
        """Hand a message to the table's connection."""
        self.missed += not self.up
        if self._edge is not None:
            self._edge.publish(publication)

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """A table process is there, and hears commands."""
        self._edge = edge_of(_Edge, TABLE, BrokerAddress(), birth=self.birth, home=Home())
        self._edge.on_message(handler)
        self._connect()

    def _connect(self) -> None:
        if not self.up or self._edge is None:
            return
        self._table = table = self._edge.connect(self._take)
        # A clean session: what was under way to the last connection is gone with it.
        self._on_the_way = []
        # For one subscription after the other, each in the order in which the topics came up.
        for filtered in table.filters:
            for suffix, payload in self.retained.items():
                if paho.topic_matches_sub(filtered, PREFIX + suffix):
                    self._post(Message(PREFIX + suffix, payload, True), self.now_s)

    def _post(self, message: Message, arrives_s: float) -> None:
        """Something is on its way to the table, unless too much is already."""
        if len(self._on_the_way) < MOST_WAITING:
            self._on_the_way.append((arrives_s, message))

    def _keep(self, suffix: str, payload: bytes) -> None:
        self.retained[suffix] = payload
        if not payload:
            del self.retained[suffix]

    def _take(self, said: Publication) -> None:
        """The broker has a message of the table."""
        suffix = said.topic.removeprefix(PREFIX)
        if said.retain:
            self._keep(suffix, said.payload)
        self.sent.append(
            Sent(
                self.now_s, suffix, said.payload, said.qos, said.retain,
                self.process, self.connection,
            )
        )  # fmt: skip
        if self._table is not None and self._table.hears(said.topic):
            self._post(Message(said.topic, said.payload, False), self.now_s)

    def go_down(self) -> None:
        """Stop the broker; what is retained it will still have."""
        self.up = False
        if self._edge is not None and self._table is not None:
            self._edge.disconnect(self._table)
        self._table = None

    def come_up(self) -> None:
        """Start the broker again, with its retained messages; the table connects again."""
        if not self.up:
            self.up = True
            self.connection += 1
            self._connect()

    def lose_table(self) -> None:
        """The table's process died: the broker says what the process gave it to say."""
        table, self._table, self._edge = self._table, None, None
        if table is not None and table.will is not None:
            self._take(table.will)

    def command(self, verb: str, payload: bytes, *, retained: bool = False, times: int = 1) -> None:
        """Somebody sends a command, and perhaps wants it kept; who hears it live is not told."""
        if SAID_BY_US in payload:
            self.asked = len(self.sent)
        if not self.up:
            return
        if retained:
            self._keep(f"cmd/{verb}", payload)
        if self._table is not None:
            message = Message(f"{PREFIX}cmd/{verb}", payload, False)
            for _ in range(times * self.deliveries):
                self._post(message, self.now_s + self.delay_s)

    def deliver(self) -> None:
        """Hand over what has arrived by now."""
        due = [message for at_s, message in self._on_the_way if at_s <= self.now_s]
        self._on_the_way = [entry for entry in self._on_the_way if entry[0] > self.now_s]
        for message in due:
            if self._table is not None and self._table.hears(message.topic):
                self._note(message)
                self._table.receive(message)

    def _note(self, message: Message) -> None:
        verb = message.topic.removeprefix(f"{PREFIX}cmd/")
        if verb != message.topic:
            retained, place = message.retained, len(self.sent)
            order = Order(self.now_s, verb, message.payload, retained=retained, place=place)
            self.delivered.append(order)

"""The bench's broker: keeps what is retained, delivers commands, and misbehaves when told to.

A model, not a broker: one table on one side, the bench on the other, no network. What it keeps
is what a display that joins now would be given. The tests of `controller.mqtt.client` use a real
one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from controller.bench.observed import Order, Sent
from controller.mqtt import topics
from controller.mqtt.client import Message, irreplaceable
from controller.mqtt.topics import Publication

TABLE = "bench"
PREFIX = f"{topics.BASE}/{TABLE}/"


@dataclass(slots=True)
class BenchWire:
    """Replaces MQTT: `controller.mqtt.client.Wire` on one side, the bench's log on the other.

    Attributes:
        now_s: bench time, kept by the stage.
        up: whether the broker is there.
        delay_s: how long each command is on its way.
        deliveries: how often each command is delivered.
        missed: messages published while it was down.
        dropped: those of them that nobody will ever get.
        too_large: nothing is; see `controller.mqtt.client.Wire`.
        delivered: every command that reached the table's side.
    """

    now_s: float = 0.0
    process: int = 0
    connection: int = 0
    up: bool = True
    delay_s: float = 0.0
    deliveries: int = 1
    missed: int = 0
    dropped: int = 0
    too_large: dict[str, int] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    delivered: list[Order] = field(default_factory=list)
    retained: dict[str, bytes] = field(default_factory=dict)
    birth: Callable[[], list[Publication]] = list
    _handler: Callable[[Message], None] | None = None
    _on_the_way: list[tuple[float, Message]] = field(default_factory=list)

    def publish(self, publication: Publication) -> None:
        """Take a message of the table."""
        if not self.up:
            self.missed += 1
            self.dropped += irreplaceable(publication)
            return
        suffix = publication.topic.removeprefix(PREFIX)
        if publication.retain:
            self.retained[suffix] = publication.payload
        self.sent.append(
            Sent(
                self.now_s,
                suffix,
                publication.payload,
                publication.qos,
                publication.retain,
                self.process,
                self.connection,
            )
        )

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """Who hears commands."""
        self._handler = handler

    def go_down(self) -> None:
        """Stop the broker; it publishes the table's last will."""
        self.up = False

    def come_up(self) -> None:
        """Start the broker again, with its retained messages; the table connects again."""
        if not self.up:
            self.up = True
            self.connection += 1
            for publication in self.birth():
                self.publish(publication)

    def lose_table(self) -> None:
        """The table's process died: the broker publishes its last will."""
        if self.up:
            self.publish(topics.availability(TABLE, online=False))

    def command(self, verb: str, payload: bytes, *, retained: bool = False, times: int = 1) -> None:
        """Somebody sends a command."""
        if not self.up:
            return
        message = Message(f"{PREFIX}cmd/{verb}", payload, retained)
        copies = times * self.deliveries
        self._on_the_way += [(self.now_s + self.delay_s, message)] * copies

    def deliver(self) -> None:
        """Hand over what has arrived by now."""
        due = [message for at_s, message in self._on_the_way if at_s <= self.now_s]
        self._on_the_way = [entry for entry in self._on_the_way if entry[0] > self.now_s]
        for message in due:
            verb = message.topic.removeprefix(f"{PREFIX}cmd/")
            self.delivered.append(
                Order(
                    self.now_s, verb, message.payload,
                    retained=message.retained, place=len(self.sent),
                )
            )  # fmt: skip
            if self._handler is not None:
                self._handler(message)

"""`topple-table replay-mqtt`: a table for those who build a display and have none.

It plays a recorded evening of MQTT messages, over and over again. To a broker and to every display
it is a table: it is online and goes offline, says its retained messages again at every connection,
and answers commands, though only with a refusal.
"""

import contextlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import msgspec

from controller.app.run import await_broker
from controller.app.wiring import new_id
from controller.common.errors import ControllerError
from controller.common.shutdown import Stopping, stop_on_signals
from controller.common.terminal import say
from controller.mqtt import homeassistant, topics
from controller.mqtt.client import BrokerAddress, Message, Mqtt
from controller.mqtt.client_ids import fresh
from controller.mqtt.topics import Publication
from controller.table.commands import Command, Reply
from controller.table.publisher import Home, software
from lab.demo.recorded_evening import SHIPPED, RecordedMessage, read, renewed

DONE, WRONG_USE = 0, 2

REFUSAL = (
    "this is a recorded evening, which nobody can change; `topple-table demo` plays a game that "
    "obeys commands"
)

PAUSE_S = 3.0
"""Between two repetitions."""


@dataclass(slots=True)
class Replay:
    """One table that plays a recording.

    Attributes:
        table: its id.
        retained: the last message of each retained topic: what a new connection begins with.
    """

    table: str
    messages: tuple[RecordedMessage, ...]
    retained: dict[str, Publication] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def birth(self) -> list[Publication]:
        """What a new connection begins with; `online` comes last."""
        online = topics.availability(self.table, online=True)
        with self._lock:
            kept = [p for p in self.retained.values() if p.topic != online.topic]
        return [*kept, self._introduction(), online]

    def play(self, edge: Mqtt, stopping: Stopping, speed: float) -> None:
        """Publish the whole recording once, in its own time or faster."""
        began_s = time.monotonic()
        for t_s, publication in renewed(self.messages, self.table, time.time(), new_id):
            wait_s = began_s + t_s / speed - time.monotonic()
            if stopping.is_set() or (wait_s > 0 and stopping.wait(wait_s)):
                return
            if publication.retain:
                with self._lock:
                    self.retained[publication.topic] = publication
            edge.publish(publication)

    def _introduction(self) -> Publication:
        names = next((_names(m) for m in self.messages if m.suffix == "state" and _names(m)), ())
        return homeassistant.introduction(
            Home().prefix, self.table, names, sw=software(), simulated=True
        )


def _names(message: RecordedMessage) -> tuple[str, ...]:
    return tuple(player["name"] for player in msgspec.json.decode(message.payload)["players"])


def refusal(table: str, message: Message) -> Publication | None:
    """What a command is answered; None when nobody can be answered."""
    try:
        command = msgspec.json.decode(message.payload, type=Command)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if command.client is None or not topics.is_client_id(command.client):
        return None
    now = round(time.time(), 3)
    reply = Reply(
        ok=False, rev=0, id=command.id, code="illegal", reason="recorded", msg=REFUSAL, now=now, v=1
    )
    return topics.reply(table, command.client, reply)


@contextlib.contextmanager
def replaying(address: BrokerAddress, replay: Replay) -> Iterator[Mqtt]:
    """The table's connection for the duration of the block; the end says `offline`."""
    offline = topics.availability(replay.table, online=False)
    edge = Mqtt(
        address,
        fresh(f"table-{replay.table}"),
        subscriptions=(topics.command_filter(replay.table),),
        will=offline,
        birth=replay.birth,
    )

    def answer(message: Message) -> None:
        said = None if message.retained else refusal(replay.table, message)
        if said is not None:
            edge.publish(said)

    edge.on_message(answer)
    edge.start()
    try:
        yield edge
    finally:
        edge.stop([offline])


def run(
    address: BrokerAddress,
    *,
    table: str = "demo",
    recording: Path | None = None,
    speed: float = 1.0,
    once: bool = False,
) -> int:
    """Play a recording, again and again unless once is enough.

    Args:
        address: a running broker.
        table: id of the table that it seems to be.
        recording: the shipped evening when left out.
        speed: how many times faster than it happened.
        once: end with the recording.

    Returns:
        Exit code: 0 when it was played or interrupted, 2 after wrong use.
    """
    stopping = Stopping()
    try:
        replay = Replay(table, read(recording or SHIPPED))
        with replaying(address, replay) as edge:
            await_broker(edge)
            stop_on_signals(stopping)
            say(f"Broker: {edge.connection.text}")
            say(
                f"Table {table}: {len(replay.messages)} messages of a recorded evening, "
                f"{replay.messages[-1].t_s / speed:.0f} s, again and again.   (Ctrl-C ends)"
            )
            while not stopping.is_set():
                replay.play(edge, stopping, speed)
                if once:
                    break
                stopping.wait(PAUSE_S / speed)
    except ControllerError as error:
        print(f"replay-mqtt: {error}", file=sys.stderr)
        return WRONG_USE
    return DONE

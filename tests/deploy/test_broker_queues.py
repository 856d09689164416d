"""The shipped broker and readers that are slow: the newest state reaches every one of them."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.mqtt.client import Message, Mqtt
from controller.table.publisher import REPEATS_S, Announcer, Identity
from tests.controller.conftest import PATIENCE_S, RunningBroker, _mosquitto, wait_until
from tests.controller.evening_online import Listener
from tests.controller.mqtt.test_topics import BOARD

BURST = 300
"""Corrections, undos and redos of a wild minute; each is a state, a summary and an event."""

MORE_THAN_A_QUEUE = 3000
"""More than the shipped broker keeps for one reader."""


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[RunningBroker]:
    """Debian's Mosquitto with the shipped settings, users and rules."""
    yield from _mosquitto(tmp_path, guarded=True)


class Sleeper:
    """A display that hears something, falls asleep over it, and later goes on."""

    def __init__(self, broker: RunningBroker, *topics: str) -> None:
        self.revs: list[int] = []
        self._awake = threading.Event()
        address = broker.address("display")
        self.edge = Listener(address, "sleeper", subscriptions=topics, quiet=True)
        self.edge.on_message(self._hear)
        self.edge.start()
        self.edge.await_hearing()

    def _hear(self, message: Message) -> None:
        # The library acknowledges a message when this returns, and hears nothing meanwhile.
        self._awake.wait(4 * PATIENCE_S)
        if message.topic.endswith("/state"):
            self.revs.append(json.loads(message.payload)["rev"])

    def wake(self) -> None:
        self._awake.set()

    def has(self, rev: int) -> bool:
        return bool(self.revs) and self.revs[-1] == rev


class Table:
    """A table at the broker, whose steps are made by hand."""

    def __init__(self, broker: RunningBroker) -> None:
        self.edge = Mqtt(
            broker.address("table"),
            "table",
            birth=lambda: self.announcer.birth(),  # noqa: PLW0108
            quiet=True,
        )
        self.announcer = Announcer(self.edge, Identity("t1", "b"))
        self.edge.start()
        wait_until(lambda: self.edge.connection.up, "the table")

    def plays(self, states: int) -> int:
        """Say many states, no faster than the broker takes them; the last revision."""
        for rev in range(states):
            self.announcer.state(replace(BOARD, table="t1", rev=rev))
            self.announcer.flush_now()
            wait_until(self._is_taken, "the broker to take a state")
        return states - 1

    def _is_taken(self) -> bool:
        # Fewer than may be in flight: the library's own queue is empty too.
        return self.edge._live is not None and len(self.edge._live._out_messages) < 20


@pytest.mark.parametrize(
    "topics", [("topple/1/+/state",), ("topple/1/+/state", "topple/1/+/summary")]
)
def test_a_display_that_slept_through_a_burst_of_states_gets_the_newest(
    mosquitto: RunningBroker, topics: tuple[str, ...]
) -> None:
    table, sleeper = Table(mosquitto), Sleeper(mosquitto, *topics)

    newest = table.plays(BURST)
    sleeper.wake()

    wait_until(lambda: sleeper.has(newest), f"revision {newest}")
    for edge in (table.edge, sleeper.edge):
        edge.stop()


@pytest.mark.slow
def test_a_display_that_slept_through_more_than_any_queue_holds_gets_the_newest_all_the_same(
    mosquitto: RunningBroker,
) -> None:
    table, sleeper = Table(mosquitto), Sleeper(mosquitto, "topple/1/+/state")
    newest = table.plays(MORE_THAN_A_QUEUE)
    sleeper.wake()
    wait_until(lambda: len(sleeper.revs) > BURST, "what was queued")

    # What a table at rest does as time goes by.
    for now_s in range(int(sum(REPEATS_S))):
        table.announcer.flush(float(now_s))
        if sleeper.has(newest):
            break
        wait_until(table._is_taken, "the broker")

    wait_until(lambda: sleeper.has(newest), f"revision {newest}")
    for edge in (table.edge, sleeper.edge):
        edge.stop()

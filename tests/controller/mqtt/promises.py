"""What a table and its displays need of a broker, asked of any broker by real clients."""

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.controller.conftest import wait_until

HALL = "topple/1/hall/"
MANY = 300
NUMBERS = itertools.count()
LARGEST = 65_900
"""Bytes; a table sends packets of up to 66,000."""


class Client:
    """One connection, with all it has heard, and what of it it had asked for."""

    def __init__(
        self, port: int, name: str, *heard: str, will: str = "", version: Any = None
    ) -> None:
        self.heard: list[paho.MQTTMessage] = []
        self.everything: list[paho.MQTTMessage] = []
        self.codes: list[int] = []
        self.answer: Any = None
        self.granted = threading.Event()
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=name, protocol=version or paho.MQTTv311,
            reconnect_on_failure=False,
        )  # fmt: skip
        if will:
            self._client.will_set(will, b"offline", 1, retain=True)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._ended
        self._filters = [topic.removeprefix("$share/club/") for topic in heard]
        self._client.on_message = self._hear
        self._client.on_subscribe = self._subscribed
        self._client.connect("127.0.0.1", port, keepalive=5)
        self._client.loop_start()
        wait_until(lambda: self.answer is not None, f"an answer to {name}")
        if heard:
            self._client.subscribe([(topic, 1) for topic in heard])
            self.granted.wait(5.0)

    def _connected(self, _c: Any, _u: Any, _f: Any, code: Any, _p: Any) -> None:
        self.answer = code

    def _subscribed(self, _c: Any, _u: Any, _mid: Any, codes: Any, _p: Any) -> None:
        self.codes += [code.value for code in codes]
        self.granted.set()

    def _ended(self, _c: Any, _u: Any, _f: Any, code: Any, _p: Any) -> None:
        # Some hang up on a version that they do not speak, without a word.
        self.answer = self.answer or code

    def _hear(self, _c: Any, _u: Any, message: paho.MQTTMessage) -> None:
        self.everything.append(message)
        # amqtt as it is delivers a retained message of another topic now and then.
        if any(paho.topic_matches_sub(wanted, message.topic) for wanted in self._filters):
            self.heard.append(message)

    def say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self._client.publish(topic, payload, 1, retain).wait_for_publish(5.0)

    def drop(self) -> None:
        """As when the power is cut: no farewell."""
        sock = self._client.socket()
        if sock is not None:
            sock.close()

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


Make = Callable[..., Client]


@contextlib.contextmanager
def clients(port: int) -> Iterator[Make]:
    made: list[Client] = []

    def make(name: str, *heard: str, **more: Any) -> Client:
        made.append(Client(port, f"{name}-{next(NUMBERS)}", *heard, **more))
        return made[-1]

    yield make
    for client in made:
        client.close()


Came = Callable[[Callable[[], bool]], bool]
"""Whether something becomes so in good time."""


def within(seconds: float) -> Came:
    """Whether it becomes so within so many seconds."""

    def came(true: Callable[[], bool]) -> bool:
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            if true():
                return True
            time.sleep(0.01)
        return true()

    return came


def kept_for(make: Make, came: Came, wanted: str) -> bool:
    """Whether who comes late and subscribes to this gets the retained state."""
    make("table").say(HALL + "state", b"7", retain=True)
    late = make("late", wanted)
    return came(lambda: any(m.payload == b"7" and m.retain for m in late.heard))


def cleared(make: Make, came: Came) -> bool:
    """Whether an empty message takes away what is retained."""
    table = make("table")
    table.say(HALL + "client/x", b"here", retain=True)
    table.say(HALL + "client/x", b"", retain=True)
    late = make("late", HALL + "client/x")
    table.say(HALL + "client/x", b"fence")
    came(lambda: bool(late.heard))
    return [m.payload for m in late.heard] == [b"fence"]


def will(make: Make, came: Came) -> bool:
    """Whether a table that vanishes is said to be offline, also to who comes later."""
    ear = make("ear", HALL + "availability")
    table = make("table", will=HALL + "availability")
    table.say(HALL + "availability", b"online", retain=True)
    table.drop()
    said = came(lambda: bool(ear.heard) and ear.heard[-1].payload == b"offline")
    late = make("late", HALL + "availability")
    return said and came(lambda: bool(late.heard) and late.heard[-1].payload == b"offline")


def order(make: Make, came: Came) -> bool:
    """Whether events arrive once and in order."""
    ear, table = make("ear", HALL + "event"), make("table")
    for number in range(MANY):
        table.say(HALL + "event", b"%d" % number)
    wanted = [b"%d" % number for number in range(MANY)]
    return came(lambda: [m.payload for m in ear.heard] == wanted)


def shared(make: Make, came: Came) -> bool:
    """Whether a group that shares a subscription gets each message, once."""
    group = [make("worker", "$share/club/topple/1/+/results") for _ in range(2)]
    table = make("table")
    for number in range(20):
        table.say(HALL + "results", b"%d" % number)
    wanted = sorted(b"%d" % number for number in range(20))
    return came(lambda: sorted(m.payload for each in group for m in each.heard) == wanted)


def large(make: Make, came: Came) -> bool:
    """Whether the largest message of a table passes."""
    ear, table = make("ear", HALL + "film"), make("table")
    table.say(HALL + "film", b"x" * LARGEST)
    return came(lambda: any(len(m.payload) == LARGEST for m in ear.heard))


def five(make: Make, _came: Came) -> bool:
    """Whether MQTT 5 is spoken."""
    try:
        return not make("five", version=paho.MQTTv5).answer.is_failure
    except (OSError, ValueError):
        return False


PROMISES: dict[str, Callable[[Make, Came], bool]] = {
    "late display, its table named": lambda make, came: kept_for(make, came, HALL + "state"),
    "late display, `topple/1/+/state`": lambda make, came: kept_for(make, came, "topple/1/+/state"),
    "an empty message clears": cleared,
    "last will": will,
    "events once and in order": order,
    "66,000 bytes": large,
    "`$share`": shared,
    "MQTT 5": five,
}


def is_kept(promise: str, port: int, patience_s: float) -> bool:
    """Whether the broker at this port keeps a promise, given so much time for each answer."""
    with clients(port) as make:
        return PROMISES[promise](make, within(patience_s))

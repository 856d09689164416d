"""The bench's own connection to a broker, to hear a table and to ask it for something.

It shares no code with the table's connection. With MQTT 5 it hears of each message whether it was
published with the retain flag; a broker that knows 3.1.1 only hides that.
"""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.common.errors import BadTarget
from controller.mqtt.client import BrokerAddress
from lab.bench.observed import SAID_BY_US, Sent
from lab.bench.steps import SPEAKER

CONNECT_S = 10.0
ALWAYS_KEPT = ("availability", "status", "state", "summary", "health")
"""Rows that every table has retained from its first connection on (docs/mqtt.md)."""

QUIET_S = 0.3
"""A broker gives all that is retained in one go; after so long a silence that was all ..."""

MISSING_S = 4.0
"""... unless something is missing: then so long is waited for it, at a busy broker."""

ONLY_NOW = ("trace", "event")
"""Rows that go on while nothing retained is left to come."""


class NothingHeard(BadTarget):
    """Nothing of a table is retained at its broker."""


class Link(Protocol):
    """A table as it is heard from outside; times are bench time, seconds since the first `join`."""

    @property
    def now_s(self) -> float:
        """Bench time."""
        ...

    @property
    def flags(self) -> bool:
        """Whether the retain flag of each message is known."""
        ...

    def unix_s(self) -> float:
        """The wall clock."""
        ...

    def join(self) -> dict[str, Sent]:
        """What somebody is given who comes now, by suffix; from then on everything is heard.

        Raises:
            BadTarget: the broker cannot be reached, or nobody has retained anything.
        """
        ...

    def listen(self, seconds: float) -> list[Sent]:
        """What comes within so many seconds, without waiting longer than for the first of it."""
        ...

    def say(self, verb: str, payload: bytes) -> None:
        """Ask the table for something."""
        ...

    def kept(self) -> dict[str, Sent]:
        """What another one who comes now is given, by suffix."""
        ...

    def close(self) -> None:
        """Hear no more."""
        ...


@dataclass(slots=True)
class MqttLink:
    """A table at a broker.

    Attributes:
        address: of the broker, with the login.
        table: id of the table.
        flags: as `Link`.
    """

    address: BrokerAddress
    table: str
    clock: Callable[[], float] = time.monotonic
    flags: bool = True
    _began_s: float | None = None
    _id: str = field(default_factory=lambda: f"bench-{uuid4().hex[:8]}")
    _come: queue.SimpleQueue[Sent] = field(default_factory=queue.SimpleQueue)
    _client: paho.Client | None = None
    _lost: threading.Event = field(default_factory=threading.Event)

    @property
    def now_s(self) -> float:
        """Bench time."""
        return 0.0 if self._began_s is None else self.clock() - self._began_s

    @property
    def _prefix(self) -> str:
        return f"topple/1/{self.table}/"

    def unix_s(self) -> float:
        """The wall clock."""
        return time.time()

    def join(self) -> dict[str, Sent]:
        """Connect, in the newest protocol that the broker knows, and take what is retained."""
        self._began_s = self.clock() if self._began_s is None else self._began_s
        try:
            self._client = self._connected(paho.MQTTv5, self._id, self._come)
            self.flags = True
        except BadTarget:
            self._client = self._connected(paho.MQTTv311, self._id, self._come)
            self.flags = False
        found = _settled(self._come)
        if not found:
            self.close()
            raise NothingHeard(
                f"{self.address}: nothing is retained of table {self.table}; check its id, that it "
                "is there, and that this user may hear it"
            )
        return {each.suffix: each for each in found if each.retain}

    def listen(self, seconds: float) -> list[Sent]:
        """What has come, or the first that comes in time."""
        if self._lost.is_set():
            raise BadTarget(f"{self.address}: the broker has hung up on the bench; play again")
        try:
            found = [self._come.get(timeout=max(0.0, seconds))]
        except queue.Empty:
            return []
        while not self._come.empty():
            found.append(self._come.get())
        return found

    def say(self, verb: str, payload: bytes) -> None:
        """Publish a command, never retained."""
        if self._client is not None:
            # The broker lets answers go to our client id (deploy/mosquitto/topple-table.acl).
            known = payload.replace(SAID_BY_US, f'"{self._id}"'.encode())
            self._client.publish(f"{self._prefix}cmd/{verb}", known, qos=1)

    def kept(self) -> dict[str, Sent]:
        """Connect as somebody else."""
        come: queue.SimpleQueue[Sent] = queue.SimpleQueue()
        other = self._connected(paho.MQTTv311, f"{self._id}-late", come)
        found = _settled(come)
        _leave(other)
        return {each.suffix: each for each in found if each.retain}

    def close(self) -> None:
        """Disconnect."""
        if self._client is not None:
            _leave(self._client)
            self._client = None

    def _connected(
        self, protocol: MQTTProtocolVersion, name: str, come: "queue.SimpleQueue[Sent]"
    ) -> paho.Client:
        said: queue.SimpleQueue[str] = queue.SimpleQueue()
        client = paho.Client(
            CallbackAPIVersion.VERSION2, name, protocol=protocol, reconnect_on_failure=False
        )
        client.username_pw_set(self.address.user, self.address.password)
        client.connect_timeout = CONNECT_S
        topic, options = f"{self._prefix}#", SubscribeOptions(qos=2, retainAsPublished=True)
        newest = protocol == paho.MQTTv5

        def connected(_client: Any, _user: Any, _flags: Any, code: Any, _more: Any) -> None:
            if not code.is_failure:
                client.subscribe(topic, options=options) if newest else client.subscribe(topic, 2)
            else:
                said.put(f"the broker refused us: {code}; check --user and --password-file")

        def arrived(_client: Any, _user: Any, message: paho.MQTTMessage) -> None:
            come.put(self._heard(message))

        def hung_up(*_: Any) -> None:
            said.put("the broker has hung up")
            self._lost.set()

        client.on_connect, client.on_message = connected, arrived
        client.on_subscribe = lambda *_: said.put("")
        client.on_disconnect = hung_up
        try:
            client.connect(self.address.host, self.address.port)
            client.loop_start()
            problem = said.get(timeout=CONNECT_S)
        except OSError as error:
            problem = f"{error.strerror or error}; is a broker running there?"
        except (ValueError, queue.Empty) as error:
            problem = str(error) or f"no answer in {CONNECT_S:.0f} s"
        if problem:
            _leave(client)
            self._lost.clear()
            raise BadTarget(f"{self.address}: {problem}")
        return client

    def _heard(self, message: paho.MQTTMessage) -> Sent:
        suffix = message.topic.removeprefix(self._prefix).replace(self._id, SPEAKER)
        return Sent(self.now_s, suffix, bytes(message.payload), message.qos, message.retain)


def _settled(come: "queue.SimpleQueue[Sent]") -> list[Sent]:
    """What comes until nothing more does; what goes on all the time is not waited for."""
    found: list[Sent] = []
    now_s = time.monotonic()
    quiet_s, end_s = now_s + QUIET_S, now_s + MISSING_S
    missing = set(ALWAYS_KEPT)
    while time.monotonic() < (end_s if missing else min(quiet_s, end_s)):
        try:
            found.append(come.get(timeout=QUIET_S))
        except queue.Empty:
            continue
        missing.discard(found[-1].suffix)
        if found[-1].suffix not in ONLY_NOW:
            quiet_s = time.monotonic() + QUIET_S
    return found


def _leave(client: paho.Client) -> None:
    client.on_disconnect = None
    client.disconnect()
    client.loop_stop()

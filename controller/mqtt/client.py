"""The MQTT edge: one connection, two methods, and a thread that keeps it alive.

`Mqtt.publish` sends, the `on_message` handler receives; the rest of the program sees nothing else
of the MQTT library. Publishing never blocks and never raises: without a connection the message is
dropped, because every `on_connect` sends all retained messages again (`birth`), and an event that
comes minutes late would be wrong. Messages that nobody will ever get are counted.

A broker ends the connection of a client that sends a too large message, and a retained one would be
sent again at each new connection, for ever. So such a message is not sent, and this is reported.

Theory of operation. Each connection gets a client object of its own. One object over many
connections would send its unacknowledged messages again *after* the fresh ones of the new
connection, and the broker would retain an old state over a new one. So a small supervisor
thread connects, waits for the end of the connection, waits a little longer each time, and
starts over.
"""

import contextlib
import logging
import random
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol
from urllib.parse import unquote, urlsplit

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from controller.common.errors import BadInput, ControllerError
from controller.common.rate_limited_log import RateLimitedLog, quoted
from controller.mqtt.topics import Address, Publication, parse

_log = logging.getLogger(__name__)
_ignored = RateLimitedLog(_log)

KEEPALIVE_S = 15
"""A silent table is declared offline by the broker after 1.5 times this."""

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 30.0
"""Waits between attempts double from the first to the longest, plus up to a fifth at random,
so that twenty displays do not come back in the same instant."""

STEADY_S = 10.0
"""A connection that ends sooner has not helped: the next wait is longer all the same. Two
programs with one client id would otherwise push each other out once a second for ever."""

RIVALRY = 3
"""After so many short connections in a row somebody else probably uses our client id."""

CONNECT_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 10.0
"""From the open socket to the broker's answer; longer than a busy Raspberry Pi takes. A web
server, or a broker that expects TLS, never gives one."""

MAX_QUEUED = 1000
"""Waiting for a broker that reads slowly; more than that is dropped. How many may be in flight
stays at the library's 20: Mosquitto stalls for good when a client goes over its own 20."""

MAX_PAYLOAD_BYTES = 64 * 1024
"""No message of ours comes near; a larger one is somebody else's mistake."""

LARGEST_PACKET_BYTES = 66_000
"""`max_packet_size` of the shipped brokers (deploy/mosquitto). MQTT 3.1.1 cannot ask for it."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Address of a broker, with user and password."""

    host: str = "127.0.0.1"
    port: int = 1883
    user: str | None = None
    # Not even a traceback shall show it.
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Host and port; never the password."""
        return f"{self.host}:{self.port}"


BrokerPlace = Callable[[], BrokerAddress]
"""Where the broker is now; asked before each attempt to connect. A `ControllerError` says why it
is nowhere."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message that arrived.

    Attributes:
        retained: true for what was said before we subscribed.
        at: its topic, taken apart here and nowhere else.
    """

    topic: str
    payload: bytes
    retained: bool
    at: Address = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", parse(self.topic))


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """How the connection is, for people: `words` is one line, ready to show."""

    up: bool
    text: str


def broker_address(text: str) -> BrokerAddress:
    """The address in `host`, `host:port` or `mqtt://user:password@host:port`.

    Raises:
        BadInput: it cannot be an address; the message shows the form, and no password.

    >>> broker_address("mqtt://ann:x@table.local")
    BrokerAddress(host='table.local', port=1883, user='ann')
    """
    try:
        parts = urlsplit(text if "://" in text else f"mqtt://{text}")
        host, port = parts.hostname, 1883 if parts.port is None else parts.port
    except ValueError:
        host, port = None, 0
    if not host or not 1 <= port <= 65535 or parts.scheme != "mqtt" or parts.path not in ("", "/"):
        shown = text.rsplit("@", 1)[-1]
        raise BadInput(f"{shown!r} is no broker: give host, host:port or mqtt://user:password@host")
    password = unquote(parts.password) if parts.password is not None else None
    return BrokerAddress(host, port, unquote(parts.username) if parts.username else None, password)


class Wire(Protocol):
    """The two-method edge that everything above uses; a list of publications can stand in."""

    @property
    def dropped(self) -> int:
        """How many messages nobody will ever get: no later one says the same."""

    @property
    def too_large(self) -> dict[str, int]:
        """Retained messages kept back, since no broker of ours takes so much: topic -> bytes.

        Readers have an older one.
        """

    def publish(self, publication: Publication) -> None:
        """Send, without blocking; dropped when there is no connection."""

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """Set the handler of messages. It runs on the network thread and must return at once."""


def next_wait_s(wait_s: float) -> float:
    """The wait after one of `wait_s` seconds that did not help.

    >>> next_wait_s(1.0), next_wait_s(20.0)
    (2.0, 30.0)
    """
    return min(wait_s * 2, LONGEST_WAIT_S)


def packet_bytes(publication: Publication) -> int:
    """What a broker receives for a publication, all told (MQTT 3.1.1, 2.2 and 3.3).

    >>> packet_bytes(Publication("a/b", b"12345", 1, retain=False))
    14
    """
    rest = 2 + len(publication.topic.encode()) + 2 * (publication.qos > 0)
    rest += len(publication.payload)
    length_digits = 1 + (rest >= 2**7) + (rest >= 2**14) + (rest >= 2**21)
    return 1 + length_digits + rest


def irreplaceable(publication: Publication) -> bool:
    """Whether nobody gets it once it is lost: no birth repeats it, and it was meant to arrive."""
    return publication.qos > 0 and not publication.retain


def obeyable(message: Message) -> bool:
    """Whether a message may be obeyed as a command now: ours, a command, fresh.

    One that a broker marks as retained was given at some other time, perhaps yesterday; an empty
    one asks for nothing, it is how a retained one is cleared. To those who listen already a broker
    passes a retained command on without the mark, so that it is obeyed this once.
    """
    if message.at.row != "cmd" or not message.payload:
        return False
    if message.retained:
        _ignored.warning(
            "Ignored the retained command on %s: commands must not be retained. "
            "Clear it with an empty retained message.",
            quoted(message.topic),
        )
        return False
    return True


class Mqtt:
    """One MQTT 3.1.1 connection, kept up by its own thread.

    Args:
        broker: its address, or what knows where it is now.
        client_id: unique to this process; two processes with one id push each other out.
        subscriptions: filters, all at QoS 1.
        will: what the broker says for us when we vanish.
        birth: called at each new connection; what it returns is sent first.
        on_connection: told of every change, on the supervisor or network thread.
        quiet: say nothing of the connection in the log; another one in this process does.
        rival: what to check when somebody else seems to use our client id.
    """

    _library: ClassVar[type[paho.Client]] = paho.Client

    def __init__(
        self,
        broker: BrokerAddress | BrokerPlace,
        client_id: str,
        *,
        subscriptions: tuple[str, ...] = (),
        will: Publication | None = None,
        birth: Callable[[], Iterable[Publication]] = tuple,
        on_connection: Callable[[ConnectionStatus], None] | None = None,
        quiet: bool = False,
        rival: str = "",
    ) -> None:
        self._rival = rival or f"no other program uses the client id {client_id}"
        self._where: BrokerPlace = broker if callable(broker) else lambda: broker
        self._address = BrokerAddress() if callable(broker) else broker
        self._client_id = client_id
        self._subscriptions = subscriptions
        self._will = will
        self._birth = birth
        self._on_connection = on_connection
        self._quiet = quiet
        self._handler: Callable[[Message], None] | None = None
        self._live: paho.Client | None = None
        self._born = threading.Lock()
        self._gone = threading.Event()
        self._settled = threading.Event()
        self._answered = False
        self._stopping = threading.Event()
        self._up_s: float | None = None
        self._thread: threading.Thread | None = None
        self._welcomed = False
        self._largest = 0
        self._unsure: deque[paho.MQTTMessageInfo] = deque()
        self._kept_back = RateLimitedLog(_log)
        self.connection = ConnectionStatus(up=False, text=f"not connected to {self._address} yet")
        self.dropped = 0
        self.too_large: dict[str, int] = {}

    def on_message(self, handler: Callable[[Message], None]) -> None:
        """Set the handler of messages; call it before `start`."""
        self._handler = handler

    def start(self) -> None:
        """Begin to connect, and return at once whether or not a broker is there."""
        self._thread = threading.Thread(target=self._supervise, name="mqtt", daemon=True)
        self._thread.start()

    def publish(self, publication: Publication) -> None:
        """Send without blocking; dropped while there is no connection."""
        # While the birth messages go out, later ones wait their turn: order is the contract.
        with self._born:
            client = self._live
            if client is not None:
                self._send(client, publication)
            elif self._welcomed and irreplaceable(publication):
                # Before the first connection nobody could have been listening.
                self.dropped += 1

    def _send(self, client: paho.Client, publication: Publication) -> paho.MQTTMessageInfo | None:
        size = packet_bytes(publication)
        if size > LARGEST_PACKET_BYTES:
            self._keep_back(publication, size)
            return None
        self._largest = max(self._largest, size)
        self.too_large.pop(publication.topic, None)
        info = client.publish(
            publication.topic, publication.payload, publication.qos, publication.retain
        )
        if info.rc == paho.MQTT_ERR_QUEUE_SIZE:
            # No birth will come for it: the connection stands, the broker is too slow.
            self.dropped += 1
        elif irreplaceable(publication):
            self._unsure.append(info)
            while self._unsure and _arrived_at_broker(self._unsure[0]):
                self._unsure.popleft()
        return info

    def _keep_back(self, publication: Publication, size: int) -> None:
        if publication.retain:
            if publication.topic in self.too_large:
                self.too_large[publication.topic] = size
                return
            self.too_large[publication.topic] = size
        else:
            self.dropped += 1
        self._kept_back.warning(
            "MQTT: %s is not sent: it has %d bytes, and a broker takes %d. "
            "Check what in it is so long; displays keep what they have.",
            quoted(publication.topic), size, LARGEST_PACKET_BYTES,
        )  # fmt: skip

    def stop(self, farewell: Iterable[Publication] = ()) -> None:
        """Send the farewell messages, wait until they are written, and disconnect.

        A clean disconnect silences the last will, so the farewell must say `offline` itself.
        """
        self._stopping.set()
        with self._born:
            client, self._live = self._live, None
        if client is not None:
            sent = [self._send(client, publication) for publication in farewell]
            for info in filter(None, sent):
                with contextlib.suppress(ValueError, RuntimeError):
                    info.wait_for_publish(timeout=2.0)
            client.disconnect()
        self._gone.set()
        self._settled.set()
        if self._thread is not None:
            self._thread.join(timeout=CONNECT_TIMEOUT_S + 1.0)

    def _supervise(self) -> None:
        wait_s, short = FIRST_WAIT_S, 0
        while not self._stopping.is_set():
            self._up_s = None
            self._one_connection(wait_s)
            lasted_s = None if self._up_s is None else time.monotonic() - self._up_s
            if lasted_s is not None and lasted_s >= STEADY_S:
                wait_s, short = FIRST_WAIT_S, 0
            elif lasted_s is not None:
                short += 1
            if short >= RIVALRY and not self._stopping.is_set():
                self._say(up=False, text=_rivalry_words(self._rival, self._largest, wait_s))
            self._stopping.wait(wait_s * random.uniform(1.0, 1.2))
            wait_s = next_wait_s(wait_s)

    def _one_connection(self, wait_s: float) -> None:
        """Connect, and stay until it ends."""
        self._gone.clear()
        self._settled.clear()
        self._answered = False
        if self._stopping.is_set():
            # Told to stop since the caller looked; the two clears above have wiped that out.
            return
        try:
            self._address = self._where()
        except ControllerError as error:
            self._say(up=False, text=f"{error}. Next try in {wait_s:.0f} s")
            return
        client = self._new_client()
        try:
            client.connect(self._address.host, self._address.port, KEEPALIVE_S)
        except (OSError, ValueError) as error:
            self._say(up=False, text=_waiting_words(self._address, _reason(error), wait_s))
            return
        client.loop_start()
        self._settled.wait(ANSWER_TIMEOUT_S)
        if self._answered:
            self._gone.wait()
        elif not self._stopping.is_set():
            text = _waiting_words(self._address, "what listens there is no MQTT broker", wait_s)
            self._say(up=False, text=text)
        client.loop_stop()
        with self._born:
            self._live = None

    def _new_client(self) -> paho.Client:
        client = self._library(
            CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            clean_session=True,
            protocol=paho.MQTTv311,
            reconnect_on_failure=False,
        )
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.max_queued_messages_set(MAX_QUEUED)
        if self._address.user is not None:
            client.username_pw_set(self._address.user, self._address.password)
        if self._will is not None:
            will = self._will
            client.will_set(will.topic, will.payload, will.qos, will.retain)
        client.on_socket_open = _without_delay
        client.on_connect = self._connected
        client.on_disconnect = self._disconnected
        client.on_message = self._arrived
        return client

    def _connected(
        self, client: paho.Client, _user: Any, _flags: Any, code: ReasonCode, _properties: Any
    ) -> None:
        self._answered = True
        self._settled.set()
        if code.is_failure:
            self._say(
                up=False,
                text=f"the broker at {self._address} refused us: {code}. "
                "Check user and password in the configuration.",
            )
            self._gone.set()
            return
        for topic_filter in self._subscriptions:
            client.subscribe(topic_filter, qos=1)
        with self._born:
            if self._stopping.is_set():
                return
            for publication in self._birth():
                self._send(client, publication)
            self._live = client
            self._welcomed = True
        self._up_s = time.monotonic()
        self._say(up=True, text=f"connected to the broker at {self._address}")

    def _disconnected(
        self, client: paho.Client, _user: Any, _flags: Any, _code: ReasonCode, _properties: Any
    ) -> None:
        with self._born:
            if self._live is client:
                self._live = None
            if not self._stopping.is_set():
                self.dropped += sum(not _arrived_at_broker(info) for info in self._unsure)
            self._unsure.clear()
        if self.connection.up and not self._stopping.is_set():
            self._say(up=False, text=_waiting_words(self._address, "connection lost", FIRST_WAIT_S))
        self._gone.set()
        self._settled.set()

    def _arrived(self, _client: paho.Client, _user: Any, message: paho.MQTTMessage) -> None:
        if self._handler is None:
            return
        try:
            self._handler(Message(message.topic, bytes(message.payload), message.retain))
        except Exception:  # noqa: BLE001
            # One bad message must not cost the connection.
            topic = quoted(message.topic)
            _log.exception("A message on %s could not be handled; it is skipped", topic)

    def _say(self, *, up: bool, text: str) -> None:
        if self.connection == ConnectionStatus(up, text):
            return
        self.connection = ConnectionStatus(up, text)
        if not self._quiet:
            _log.log(logging.INFO if up else logging.WARNING, "MQTT: %s", text)
        if self._on_connection is not None:
            self._on_connection(self.connection)


def _arrived_at_broker(info: paho.MQTTMessageInfo) -> bool:
    try:
        return info.is_published()
    except (ValueError, RuntimeError):
        # The library could not even begin to send it.
        return False


def _without_delay(_client: paho.Client, _user: Any, sock: Any) -> None:
    # Nagle's algorithm and delayed acknowledgement together cost 40 ms now and then.
    with contextlib.suppress(OSError, AttributeError):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, socket.gaierror):
        return "no such host name"
    if isinstance(error, TimeoutError):
        return "no answer"
    return str(error) or type(error).__name__


def _waiting_words(address: BrokerAddress, reason: str, wait_s: float) -> str:
    return (
        f"waiting for the broker at {address} ({reason}); next try in {wait_s:.0f} s. "
        "Check that it runs and that host and port are right."
    )


def _rivalry_words(rival: str, largest: int, wait_s: float) -> str:
    size = (
        f" If that is so, check that the broker takes messages of {largest} bytes "
        "(max_packet_size)."
    )
    return (
        f"the broker lets us in and ends the connection at once; next try in {wait_s:.0f} s. "
        f"Check that {rival}.{size if largest else ''}"
    )

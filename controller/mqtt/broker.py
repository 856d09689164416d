"""The embedded broker, so that the demo and a single table need no other program.

It is amqtt, bound to 127.0.0.1, in a thread of its own, with corrections of errors in amqtt 0.12:
each override below says which behaviour it replaces, and why.
Private methods are overridden, so the minor version is pinned, and
`tests/controller/mqtt/test_broker.py` runs one contract against this broker and against Mosquitto.

For anything beyond this machine use Mosquitto (`deploy/mosquitto`). Not put right here: a
message is delivered at the subscriber's quality of service even when it was published at a
lower one, and MQTT 5 is refused.
"""

import asyncio
import contextlib
import hmac
import logging
import threading
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, TypeVar

from amqtt.adapters import ReaderAdapter, WriterAdapter
from amqtt.broker import Broker, Server
from amqtt.contexts import Action, BrokerConfig, ListenerConfig
from amqtt.errors import AMQTTError
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.session import Session

from controller.common.errors import ControllerError

_log = logging.getLogger(__name__)

T = TypeVar("T")

LOOPBACK = "127.0.0.1"
CONNECT_TIMEOUT_S = 10.0
"""Longest time between opening a connection and its CONNECT packet."""

KEEPALIVE_GRACE = 1.5
"""MQTT 3.1.1, 3.1.2.10: a client silent for one and a half times its keepalive is gone."""

MAX_READ_BYTES = 256 * 1024
"""Longest single read for a client, which is the largest packet."""

SHUTDOWN_TIMEOUT_S = 2.0
PORTS_TO_TRY = 20
REFUSED = 0x80
"""Return code of a refused subscription (MQTT 3.1.1, 3.9.3)."""


class BrokerUnavailableError(ControllerError):
    """The embedded broker could not start; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Role:
    """What one user may do.

    Attributes:
        password: in plain; the embedded broker is for this machine and for tests.
        read: topic filters the user may subscribe to, or to any part of.
        write: topic filters the user may publish to.

    In both, `%c` stands for the client id, as in Mosquitto's patterns.
    """

    password: str
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()


def matches(topic: str, topic_filter: str) -> bool:
    """Whether a topic falls under a filter (MQTT 3.1.1, 4.7).

    >>> matches("a/b", "a/+"), matches("a", "a/#"), matches("$SYS/x", "#")
    (True, True, False)
    """
    if topic.startswith("$") and topic_filter[:1] in ("+", "#"):
        return False
    return covers(topic_filter, topic)


def covers(allowed: str, wanted: str) -> bool:
    """Whether every topic that filter `wanted` can match is also matched by `allowed`.

    >>> covers("t/+", "t/#"), covers("t/#", "t/+"), covers("t/+/s", "t/1/s")
    (False, True, True)
    """
    allowed_levels, wanted_levels = allowed.split("/"), wanted.split("/")
    for index, level in enumerate(allowed_levels):
        if level == "#":
            return True
        if index >= len(wanted_levels) or wanted_levels[index] == "#":
            return False
        if level != "+" and level != wanted_levels[index]:
            return False
    return len(allowed_levels) == len(wanted_levels)


class _PatientReader(ReaderAdapter):  # type: ignore[misc]
    """A reader that gives up: after `patience_s` without bytes the stream counts as ended.

    Stock amqtt notices the timeout and does nothing, so that a display without power stays
    online for ever and its last will is never sent.
    """

    def __init__(self, reader: ReaderAdapter, patience_s: float | None) -> None:
        self._reader = reader
        self._ended = False
        self.patience_s = patience_s

    async def read(self, n: int = -1) -> bytes:
        """The next bytes; none once the peer was silent for too long or sent too much."""
        if self._ended or n > MAX_READ_BYTES:
            self._ended = True
            return b""
        try:
            return bytes(await asyncio.wait_for(self._reader.read(n), self.patience_s))
        except (TimeoutError, asyncio.IncompleteReadError):
            self._ended = True
            return b""

    def feed_eof(self) -> None:
        """The connection ended."""
        self._ended = True
        self._reader.feed_eof()


class HardenedBroker(Broker):  # type: ignore[misc]
    """amqtt with its known holes closed.

    Args:
        config: amqtt's own configuration.
        roles: users and what they may do; None lets everybody do everything, which is right on
            the loopback address only.
    """

    def __init__(self, config: BrokerConfig, roles: dict[str, Role] | None = None) -> None:
        super().__init__(config)
        self._roles = roles
        self._left: dict[BrokerProtocolHandler, asyncio.Event] = {}

    async def _authenticate(self, session: Session, _: ListenerConfig | None) -> bool:
        """Replaces the plugin that admits whoever sends any user name at all."""
        if self._roles is None:
            return True
        role = self._roles.get(session.username or "")
        return role is not None and hmac.compare_digest(
            role.password.encode(), (session.password or "").encode()
        )

    async def _topic_filtering(self, session: Session, topic: str, action: Action) -> bool:
        """Replaces the shipped list check, in which `t/+` also opens `t/#`."""
        if self._roles is None:
            return True
        role = self._roles.get(session.username or "")
        if role is None:
            return False
        client_id = str(session.client_id)
        if not client_id or set(client_id) & set("+#/"):
            # In the place of %c these would open other clients' topics.
            return False
        filters = role.write if action == Action.PUBLISH else role.read
        return any(covers(allowed.replace("%c", client_id), topic) for allowed in filters)

    async def _initialize_client_session(
        self,
        reader: ReaderAdapter,
        writer: WriterAdapter,
        remote_address: str,  # noqa: ARG002 - amqtt's signature
        remote_port: int,  # noqa: ARG002
    ) -> tuple[BrokerProtocolHandler, Session]:
        """Ask who it is *before* touching what is kept under that name.

        Stock amqtt deletes the session of the client id first: a wrong password with the
        table's id leaves the table connected but deaf.
        """
        patient = _PatientReader(reader, CONNECT_TIMEOUT_S)
        handler, session = await _or_close(
            writer, BrokerProtocolHandler.init_from_connect(patient, writer, self.plugins_manager)
        )
        if not await self._authenticate(session, None):
            await self._turn_away(handler, session, patient, writer)
        await self._check_will(session)
        await self._take_over(session.client_id)
        return handler, await self._session_to_use(session)

    async def _turn_away(
        self,
        handler: BrokerProtocolHandler,
        session: Session,
        reader: ReaderAdapter,
        writer: WriterAdapter,
    ) -> None:
        session.parent = 0
        handler.attach(session, reader, writer)
        await handler.mqtt_connack_authorize(authorize=False)
        await writer.close()
        raise AMQTTError(f"client {session.client_id!r} gave no valid user and password")

    async def _check_will(self, session: Session) -> None:
        """A last will is a publication: stock amqtt lets it past the access rules."""
        if session.will_flag and not await self._topic_filtering(
            session, session.will_topic, Action.PUBLISH
        ):
            _log.warning(
                "Client %s may not publish to %s; its last will is dropped",
                session.client_id,
                session.will_topic,
            )
            session.will_flag = False

    async def _take_over(self, client_id: str) -> None:
        """End the older connection of the same client, its will included, before the new begins.

        Stock amqtt leaves the old socket open, and both ends lose their subscriptions.
        """
        _, handler = self._sessions.get(client_id, (None, None))
        left = self._left.get(handler) if handler is not None else None
        if handler is not None and left is not None:
            await handler.handle_connection_closed()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(left.wait(), CONNECT_TIMEOUT_S)

    async def _session_to_use(self, session: Session) -> Session:
        kept, _ = self._sessions.get(session.client_id, (None, None))
        if session.clean_session or kept is None:
            await self._delete_session(session.client_id)
            session.parent = 0
            return session
        for name in (
            *("will_flag", "will_message", "will_topic", "will_qos", "will_retain"),
            *("keep_alive", "username", "password"),
        ):
            setattr(kept, name, getattr(session, name))
        kept.parent = 1
        return kept

    async def _handle_client_session(  # noqa: PLR0917 - amqtt's signature
        self,
        reader: ReaderAdapter,
        writer: WriterAdapter,
        client_session: Session,
        handler: BrokerProtocolHandler,
        server: Server,  # noqa: ARG002
        listener_name: str,  # noqa: ARG002
    ) -> None:
        """Serve one client from its welcome to its end.

        Stock amqtt sends every newcomer all retained messages that match *anybody's*
        subscription. Here they come with a SUBSCRIBE only, as the standard has it.
        """
        patience_s = client_session.keep_alive * KEEPALIVE_GRACE
        # The reader's own patience ends a silent client; the handler's timeout is not needed.
        client_session.keep_alive = 0
        client_session.transitions.connect()
        handler.attach(client_session, _PatientReader(reader, patience_s or None), writer)
        left = self._left[handler] = asyncio.Event()
        self._sessions[client_session.client_id] = (client_session, handler)
        try:
            await handler.mqtt_connack_authorize(authorize=True)
            await handler.start()
            await self._publish_session_retained_messages(client_session)
            await self._client_message_loop(client_session, handler)
            await self._part(client_session, handler)
        finally:
            del self._left[handler]
            left.set()

    async def _part(self, session: Session, handler: BrokerProtocolHandler) -> None:
        """Close what the message loop left open.

        After a forbidden topic (one with `$` or a wildcard) stock amqtt stops listening to the
        client and keeps the connection: it still hears, and nobody hears it.
        """
        if session.transitions.is_connected():
            abnormal: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            abnormal.set_result(None)
            await self._handle_disconnect(session, handler, abnormal)

    async def add_subscription(self, subscription: tuple[str, int], session: Session) -> int:
        """Refuse shared subscriptions, which stock amqtt grants and then never serves."""
        if subscription[0].startswith("$share/"):
            return REFUSED
        return int(await super().add_subscription(subscription, session))

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        """Send what is retained under a new subscription, once, if the user may read it."""
        handler = self._get_handler(session)
        topic_filter, wanted_qos = subscription
        sending = []
        for kept in list(self._retained_messages.values()):
            if handler is None or not matches(kept.topic, topic_filter):
                continue
            if await self._topic_filtering(session, kept.topic, Action.RECEIVE):
                qos = min(wanted_qos, kept.qos or 0)
                publish = handler.mqtt_publish(kept.topic, kept.data, qos, retain=True)
                sending.append(asyncio.ensure_future(publish))
        if sending:
            # A client that does not acknowledge must not keep its own loop waiting for ever.
            await asyncio.wait(sending, timeout=CONNECT_TIMEOUT_S)


async def _or_close(writer: WriterAdapter, work: Awaitable[T]) -> T:
    """The result of `work`; the connection is closed when it fails."""
    try:
        return await work
    except Exception as error:
        with contextlib.suppress(Exception):
            await writer.close()
        raise AMQTTError(str(error) or "no MQTT 3.1.1 CONNECT arrived") from error


class EmbeddedBroker:
    """A broker on 127.0.0.1 in its own thread.

    Args:
        port: first port to try; when it is taken the following ones are tried. 0 takes any.
        roles: see `HardenedBroker`.
    """

    def __init__(self, port: int = 1883, roles: dict[str, Role] | None = None) -> None:
        self._wanted_port = port
        self._roles = roles
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._failure: Exception | None = None
        self.port = 0

    def start(self) -> int:
        """Start and return the port it listens on.

        Raises:
            BrokerUnavailableError: no port could be had.
        """
        _quieten()
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise BrokerUnavailableError(
                f"the embedded broker could not start on {LOOPBACK}:{self._wanted_port}: "
                f"{self._failure}. Name another port, or a running broker, in the configuration."
            ) from self._failure
        return self.port

    def stop(self) -> None:
        """Disconnect everybody and end the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(timeout=10.0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(_log_quietly)
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:  # noqa: BLE001
            # Told to the starting thread, which raises it in words.
            self._failure = error
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
            self._ready.set()

    async def _serve(self) -> None:
        broker = await self._started()
        self._ready.set()
        await self._stop.wait()
        # First of all free the port: the next start may follow at once.
        for server in broker._servers.values():  # noqa: SLF001 - no public way
            server.instance.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(broker.shutdown(), SHUTDOWN_TIMEOUT_S)
        await _cancel_the_rest()

    async def _started(self) -> HardenedBroker:
        ports = [self._wanted_port]
        if self._wanted_port:
            ports += range(self._wanted_port + 1, self._wanted_port + PORTS_TO_TRY)
        failure: Exception = OSError("no port to try")
        for port in ports:
            broker = HardenedBroker(_configuration(port), self._roles)
            try:
                await broker.start()
            except Exception as error:  # noqa: BLE001 - amqtt raises many kinds
                failure = error
                continue
            self.port = _bound_port(broker)
            return broker
        raise failure


def _configuration(port: int) -> BrokerConfig:
    listener = ListenerConfig(bind=f"{LOOPBACK}:{port}", max_connections=200)
    return BrokerConfig(listeners={"default": listener}, plugins={})


def _bound_port(broker: Broker) -> int:
    server: Any = broker._servers["default"].instance  # noqa: SLF001 - no public way to ask
    return int(server.sockets[0].getsockname()[1])


async def _cancel_the_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def _log_quietly(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.debug("broker: %s", context.get("message"), exc_info=context.get("exception"))


def _quieten() -> None:
    """A client that comes or goes is no news on the table's terminal."""
    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)

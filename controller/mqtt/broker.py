"""The embedded broker, so that the demo and a single table need no other program.

It is amqtt, bound to 127.0.0.1, in a thread of its own. Programs on one computer need neither
passwords nor protection from each other, and their sockets close when they end; so only two
behaviours of amqtt 0.12 are corrected. One is a private method, so the minor version is pinned;
`tests/controller/mqtt/test_broker.py` runs one contract against this broker and against Mosquitto.

For anything beyond this machine use Mosquitto (`deploy/mosquitto`). Not corrected: a message is
delivered at the subscriber's quality of service even when it was published at a lower one, a frozen
client stays connected, a second connection with the same client id leaves the first one open but
deaf, and MQTT 5 is refused.
"""

import asyncio
import contextlib
import logging
import threading
from typing import Any

from amqtt.broker import Broker
from amqtt.contexts import BrokerConfig, ListenerConfig
from amqtt.session import Session

from controller.common.errors import ControllerError

_log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
SHUTDOWN_TIMEOUT_S = 2.0
PORTS_TO_TRY = 20
ANYBODY = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
REFUSED = 0x80
"""Return code of a refused subscription (MQTT 3.1.1, 3.9.3)."""


class BrokerUnavailableError(ControllerError):
    """The embedded broker could not start; the message says why and what to do."""


class RetainingBroker(Broker):  # type: ignore[misc]
    """amqtt with corrections of what a display cannot live with."""

    async def add_subscription(self, subscription: tuple[str, int], session: Session) -> int:
        """Refuse shared subscriptions, which stock amqtt grants and then never serves."""
        if subscription[0].startswith("$share/"):
            return REFUSED
        return int(await super().add_subscription(subscription, session))

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        """Send what is retained to subscribers only.

        Stock amqtt sends each newcomer all retained messages that match anybody's subscription.
        """
        subscribed = self._subscriptions.get(subscription[0], ())
        if any(subscriber is session for subscriber, _ in subscribed):
            await super()._publish_retained_messages_for_subscription(subscription, session)


class EmbeddedBroker:
    """A broker on 127.0.0.1 in its own thread.

    Args:
        port: first port to try; when it is taken the following ones are tried. 0 takes any.
    """

    def __init__(self, port: int = 1883) -> None:
        self._wanted_port = port
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

    @property
    def running(self) -> bool:
        """Whether it still is what listens at its port."""
        return self._thread.is_alive() and self._failure is None

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

    async def _started(self) -> RetainingBroker:
        ports = [self._wanted_port]
        if self._wanted_port:
            ports += range(self._wanted_port + 1, self._wanted_port + PORTS_TO_TRY)
        failure: Exception = OSError("no port to try")
        for port in ports:
            broker = RetainingBroker(_configuration(port))
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
    return BrokerConfig(listeners={"default": listener}, plugins=ANYBODY)


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

"""The broker of a demonstration: started with it, and started again should it end.

Each connection asks where the broker is before it connects. So nobody ever joins what another
program, a second demonstration perhaps, has put at a port that was ours.
"""

import threading

from controller.common.terminal import say
from controller.mqtt.broker import BrokerUnavailableError, EmbeddedBroker
from controller.mqtt.client import BrokerAddress
from controller.mqtt.own_mosquitto import OwnMosquitto


class OwnBroker:
    """A broker for this computer only: an installed Mosquitto, else the small one.

    Args:
        port: first port to try.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._broker: OwnMosquitto | EmbeddedBroker | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def where(self) -> BrokerAddress:
        """Its address; one that has ended is started again first. May be called from any thread.

        Raises:
            BrokerUnavailableError: it has been stopped, or cannot be started.
        """
        with self._lock:
            if self._stopped:
                raise BrokerUnavailableError("the demo has ended, and its broker with it")
            if self._broker is None or not self._broker.running:
                if self._broker is not None:
                    say("The broker has ended; the demo starts another one.")
                self._start()
            return BrokerAddress(port=self._port)

    def _start(self) -> None:
        try:
            mosquitto = OwnMosquitto(self._port)
            self._port, self._broker = mosquitto.start(), mosquitto
            words = f"An own Mosquitto on port {self._port}, for this computer only"
            say(f"{words} (MQTT 3.1.1 and 5).")
        except BrokerUnavailableError as error:
            small = EmbeddedBroker(self._port)
            self._port, self._broker = small.start(), small
            words = f"A small broker on port {self._port}, for this computer only (MQTT 3.1.1)"
            say(f"{words}: {error}.")

    def stop(self) -> None:
        """End it."""
        with self._lock:
            self._stopped = True
            if self._broker is not None:
                self._broker.stop()

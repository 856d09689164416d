"""What the MQTT benchmark is measured with: a broker of its own, and many clients in one thread."""

import contextlib
import json
import multiprocessing
import os
import selectors
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.controller.conftest import _listens, mosquitto_program, wait_until
from tests.ports import free_port

PATIENCE_S = 20.0


# --- the broker ----------------------------------------------------------------------------------


class Broker(NamedTuple):
    port: int
    pid: int

    def used(self) -> tuple[float, float]:
        """Processor seconds so far, and resident memory in MB."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        pages = int(fields[21])
        return ticks / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextlib.contextmanager
def mosquitto(queue: str = "max_queued_messages 1000\n") -> Iterator[Broker]:
    """A broker for as long as the block lasts.

    Args:
        queue: settings for what waits for slow readers.

    Raises:
        pytest.skip.Exception: it is not installed.
    """
    program, port = mosquitto_program(), free_port()
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "mosquitto.conf"
        settings.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
            f"persistence false\n{queue}"
        )
        process = subprocess.Popen(
            [program, "-c", str(settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            wait_until(lambda: _listens(port), "mosquitto to listen")
            yield Broker(port, process.pid)
        finally:
            process.terminate()
            process.wait(10)


# --- many clients in one thread ------------------------------------------------------------------


class Crowd:
    """Many MQTT connections driven by one thread; a thread each would measure the scheduler."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._selector = selectors.DefaultSelector()
        self._clients: list[paho.Client] = []
        self._kept_alive_s = time.monotonic()
        self.subscribed = 0

    def join(
        self,
        name: str,
        topics: Sequence[str] = (),
        hear: Callable[[str, bytes], None] | None = None,
    ) -> paho.Client:
        """One more client; `hear` gets what arrives and is not retained."""
        client = paho.Client(CallbackAPIVersion.VERSION2, name, protocol=paho.MQTTv311)
        client.on_subscribe = self._on_subscribe
        if hear is not None:
            client.on_message = lambda _c, _u, m: (
                None if m.retain else hear(m.topic, bytes(m.payload))
            )
        client.connect("127.0.0.1", self._port, 60)
        sock = client.socket()
        assert isinstance(sock, socket.socket)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._selector.register(sock, selectors.EVENT_READ, client)
        self._clients.append(client)
        while not client.is_connected():
            self.turn(0.1)
        if topics:
            client.subscribe([(topic, 1) for topic in topics])
        return client

    def _on_subscribe(self, *_: Any) -> None:
        self.subscribed += 1

    def turn(self, longest_s: float) -> None:
        """Read and write what can be read and written now."""
        for key, _ in self._selector.select(longest_s):
            key.data.loop_read()
        for client in self._clients:
            if client.want_write():
                client.loop_write()
        if time.monotonic() - self._kept_alive_s > 1.0:
            self._kept_alive_s = time.monotonic()
            for client in self._clients:
                client.loop_misc()

    def close(self) -> None:
        for client in self._clients:
            client.disconnect()


def stamped(document: dict[str, Any]) -> bytes:
    """A document with the time at which it is said."""
    return json.dumps({**document, "said_s": time.monotonic()}).encode()


def _age_s(payload: bytes) -> float:
    now_s = time.monotonic()
    return now_s - float(json.loads(payload)["said_s"])


def _listen(port: int, topics: Sequence[Sequence[str]], told: Any, ends_s: Any) -> None:
    """A process of displays: one for each list of topics."""
    crowd, heard = Crowd(port), []

    def hear(_topic: str, payload: bytes) -> None:
        heard.append(_age_s(payload))

    for number, filters in enumerate(topics):
        crowd.join(f"display-{number}", filters, hear)
    while crowd.subscribed < len(topics):
        crowd.turn(0.1)
    told.put("ready")
    while time.monotonic() < ends_s.value:
        crowd.turn(0.05)
    told.put(heard)
    crowd.close()


@contextlib.contextmanager
def displays(port: int, topics: Sequence[Sequence[str]]) -> Iterator[Callable[[], list[float]]]:
    """Displays in a process of their own; call what is yielded to get the latencies they saw."""
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    ends_s = context.Value("d", float("inf"))
    process = context.Process(target=_listen, args=(port, topics, told, ends_s), daemon=True)
    process.start()
    told.get(timeout=6 * PATIENCE_S)

    def result() -> list[float]:
        # What is on its way still arrives.
        ends_s.value = time.monotonic() + 1.0
        found: list[float] = told.get(timeout=PATIENCE_S)
        return found

    try:
        yield result
    finally:
        process.join(PATIENCE_S)
        process.kill()

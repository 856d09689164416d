"""The Nano at the far end of the emulated Pi's USB cable: the real firmware, in real time.

    simulated people and tower -> signals -> chips -> firmware -> UART -> QEMU's USB serial port

The Pi at the other end is slow, not this: what the Pi does not read in time is lost on the line, as
on a real one.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from engine.events import HumanInput
from lab.avr.played import PlayedTable
from lab.avr.table import SLICE_US

SENT_AHEAD = 2048
"""Bytes that may wait in the socket: some hundred milliseconds, as in a USB chip."""

CATCH_UP_S = 0.25
"""When this machine was busy for longer, time stands still at the tower instead of racing after."""

REST_S = 0.002


class Nano:
    """Runs until it is stopped; its cable can be pulled at any time.

    Args:
        played: processor, chips and what they feel.
        plug: where QEMU waits for the cable.
        hear: gets what the people say, when they say it.

    Attributes:
        failed: why it has stopped by itself.
    """

    def __init__(self, played: PlayedTable, plug: Path, hear: Callable[[HumanInput], None]) -> None:
        self._played, self._plug, self._hear = played, str(plug), hear
        self._line: socket.socket | None = None
        self._lock, self._over = threading.Lock(), threading.Event()
        self.failed: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="nano")

    def start(self) -> None:
        """Let time begin at the tower."""
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        self.pull()

    @property
    def t_s(self) -> float:
        """Table time so far."""
        return self._played.t_s

    @property
    def ended(self) -> bool:
        """True when the people have gone home."""
        return self._played.ended

    def do(self, deed: Callable[[], object]) -> None:
        """Do something at the tower, between two moments of it."""
        with self._lock:
            deed()

    def pull(self) -> None:
        """Pull the cable: the Pi loses its port, the Nano its supply."""
        with self._lock:
            if self._line is not None:
                self._line.close()
                self._line = None

    def plug_in(self) -> None:
        """Plug the cable in: the processor starts, the Pi gets a port."""
        line = socket.socket(socket.AF_UNIX)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AHEAD)
        line.connect(self._plug)
        line.setblocking(False)
        with self._lock:
            self._line = line
            self._played.lab.avr.reset()

    def _run(self) -> None:
        try:
            due_s = time.monotonic()
            while not self._over.is_set():
                due_s = max(due_s, time.monotonic() - CATCH_UP_S)
                if time.monotonic() < due_s:
                    self._over.wait(REST_S)
                    continue
                with self._lock:
                    self._played.pass_time()
                    self._carry()
                self._tell()
                due_s += SLICE_US * 1e-6
        except Exception as error:  # noqa: BLE001  # the test asks for it
            self.failed = error

    def _carry(self) -> None:
        avr = self._played.lab.avr
        if self._line is None:
            avr.take_sent()
            return
        # Nobody reads, or the machine at the other end is gone: lost, as on a line.
        with contextlib.suppress(BlockingIOError, ConnectionError):
            avr.type_in(self._line.recv(64))
        with contextlib.suppress(BlockingIOError, ConnectionError):
            self._line.send(avr.take_sent())

    def _tell(self) -> None:
        said = self._played.said
        while said and said[0].t_s <= self.t_s:
            self._hear(said.pop(0))

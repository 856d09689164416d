"""The Nano at the far end of the emulated Pi's USB cable: the real firmware, by the Pi's own clock.

    simulated people and tower -> signals -> chips -> firmware -> UART -> QEMU's USB serial port

Tower and Nano come as far as the Pi's clock has come. What the Pi does not read in time by that
clock is lost on the line, as on a real one.
"""

import contextlib
import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from lab.avr.played import PlayedTable
from lab.avr.table import SLICE_US

WAITING_BYTES = 16384
"""A second of frames and more; what comes then is lost."""

MOST_BEHIND_S = 0.05
"""When tower and Nano are further behind, the Pi waits for them."""

REST_S = 0.004


class Clock(Protocol):
    """Of the machine at the other end."""

    @property
    def now_s(self) -> float:
        """How far it has come."""

    def held(self) -> AbstractContextManager[None]:
        """While this lasts, the machine and its clock stand still."""


class Nano:
    """Runs until it is stopped; its cable can be pulled at any time.

    Args:
        played: processor, chips and what they feel.
        plug: where QEMU waits for the cable.
        clock: of the Pi.

    Attributes:
        failed: why it has stopped by itself.
    """

    def __init__(self, played: PlayedTable, plug: Path, clock: Clock) -> None:
        self._played, self._plug, self._clock = played, str(plug), clock
        self._line: socket.socket | None = None
        self._waiting = bytearray()
        self._lock, self._over = threading.Lock(), threading.Event()
        self.failed: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="nano")

    def start(self) -> None:
        """Let time begin at the tower."""
        self._began_s = self._clock.now_s - self.t_s
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        self.pull()

    @property
    def t_s(self) -> float:
        """Table time so far."""
        return self._played.t_s

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
                self._waiting.clear()

    def plug_in(self) -> None:
        """Plug the cable in: the processor starts, the Pi gets a port."""
        line = socket.socket(socket.AF_UNIX)
        line.connect(self._plug)
        line.setblocking(False)
        with self._lock:
            self._line = line
            self._played.lab.avr.reset()

    def _run(self) -> None:
        try:
            while not self._over.is_set():
                behind_s = self._clock.now_s - self._began_s - self.t_s
                if behind_s < SLICE_US * 1e-6:
                    self._over.wait(REST_S)
                    continue
                with self._clock.held() if behind_s > MOST_BEHIND_S else contextlib.nullcontext():
                    self._pass_time(self.t_s + behind_s)
        except Exception as error:  # noqa: BLE001  # the test asks for it
            self.failed = error

    def _pass_time(self, until_s: float) -> None:
        while self.t_s < until_s and not self._over.is_set():
            with self._lock:
                self._played.pass_time()
                self._carry()

    def _carry(self) -> None:
        avr = self._played.lab.avr
        if self._line is None:
            avr.take_sent()
            return
        self._waiting += avr.take_sent()
        # Nobody reads, or the machine at the other end is gone: lost, as on a line.
        del self._waiting[WAITING_BYTES:]
        with contextlib.suppress(BlockingIOError, ConnectionError):
            avr.type_in(self._line.recv(64))
        with contextlib.suppress(BlockingIOError, ConnectionError):
            del self._waiting[: self._line.send(self._waiting)]

"""The serial port itself: the only module that touches pyserial.

Opens the port exclusively, moves bytes between it and a `Connection`, and opens it again after it
was unplugged. One thread owns a link: it calls `poll` in a loop and gets events. The clock is
handed in, so that all of it can be driven by a test.
"""

import contextlib
import errno
import fcntl
import struct
import termios
from collections.abc import Callable
from typing import Any, Protocol

import serial

from firmware_bridge import troubles
from firmware_bridge.connection import Connection
from firmware_bridge.errors import PortUnavailable
from firmware_bridge.events import Event
from firmware_bridge.holders import holder_of
from firmware_bridge.ports import GREETING_S, PortSearch
from firmware_bridge.troubles import LinkTrouble

BAUD = 250_000
"""Divides exactly from the Nano's 16 MHz; 115200 would be 2.1 % off."""

READ_WAIT_S = 0.005
"""How long `poll` waits for a first byte: the period of the fastest sensor."""

REOPEN_EVERY_S = 1.0

LOOSE_S = 5.0
"""A port that was the board's so long ago is the board's still: its plug is loose. Nobody takes
one out and puts a printer there in that time."""

NOT_OPENED = LinkTrouble("", "not opened yet")
"""What a link says before its first `poll`."""

TCGETS2, TCSETS2, TERMIOS2 = 0x802C542A, 0x402C542B, struct.Struct("4I20s2I")
"""Linux, asm-generic: the older calls of Python's termios would lose a rate of 250000."""
CFLAG = 2


class Port(Protocol):
    """What a link needs of a serial port; `serial.Serial` has it."""

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read at once."""

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, after waiting at most `READ_WAIT_S` for the first."""

    def write(self, data: bytes) -> int | None:
        """Write all of `data`."""

    def close(self) -> None:
        """Give the port back."""


def open_port(name: str) -> Port:
    """Open a serial port for us alone; one that another program reads is left to it.

    Raises:
        PortUnavailable: missing, in use or forbidden, with what to do about it.
    """
    # Most programs set no lock: opening would succeed, reset the board and share its bytes.
    if program := holder_of(name):
        raise PortUnavailable(troubles.HELD(port=name, program=program))
    try:
        port = serial.Serial(name, BAUD, timeout=READ_WAIT_S, write_timeout=0.5, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        raise PortUnavailable(_trouble(name, error)) from error
    _keep_dtr(port)
    opened: Port = port
    return opened


def _keep_dtr(port: serial.Serial) -> None:
    """Leave DTR up when the port is closed: its next rise would reset a Nano."""
    with contextlib.suppress(OSError):
        settings = [*TERMIOS2.unpack(fcntl.ioctl(port.fd, TCGETS2, bytes(TERMIOS2.size)))]
        settings[CFLAG] &= ~termios.HUPCL
        fcntl.ioctl(port.fd, TCSETS2, TERMIOS2.pack(*settings))


_BY_NUMBER = {
    errno.ENOENT: troubles.NOT_THERE,
    errno.ENODEV: troubles.NOT_THERE,
    errno.ENXIO: troubles.NOT_THERE,
    errno.EACCES: troubles.DENIED,
    errno.EBUSY: troubles.BUSY,
    errno.EAGAIN: troubles.BUSY,
    errno.EPERM: troubles.FORBIDDEN,
}


def _trouble(name: str, error: Any) -> LinkTrouble:
    kind = _BY_NUMBER.get(getattr(error, "errno", None) or 0)
    return kind(port=name) if kind else troubles.UNOPENED(port=name, error=str(error))


class SerialLink:
    """A connection on a port that may come and go.

    Attributes:
        connection: the conversation, with its tallies, losses and clock.
        outage: why the port is not open; None while it is.
    """

    def __init__(
        self,
        name: str,
        clock: Callable[[], float],
        opener: Callable[[str], Port] = open_port,
        search: PortSearch | None = None,
    ) -> None:
        """Prepare a link; nothing is opened before the first `poll`.

        Args:
            name: path of the port, best one from `/dev/serial/by-path`; empty to `search`.
            clock: seconds that only go forward, such as `time.monotonic`.
            opener: how to open a port.
            search: for the port on which the board greets.
        """
        self.connection = Connection()
        self.outage: LinkTrouble | None = NOT_OPENED
        self._search, self._opened_s = search, float("-inf")
        self._name, self._clock, self._opener = name, clock, opener
        self._port: Port | None = None
        self._try_at_s = float("-inf")
        self._board = ("", float("-inf"))  # the port that was the board's, and when it was lost

    def poll(self) -> list[Event]:
        """Move bytes both ways once, waiting at most `READ_WAIT_S`; give what happened.

        A port that cannot be opened is no exception but `outage`: it is tried again every second.
        While it is closed this returns at once, so the caller should pause by itself.
        """
        if self._port is None:
            self._open_if_due()
        if self._port is not None:
            try:
                self._exchange(self._port)
            except (serial.SerialException, OSError) as error:
                self._lose(error)
            else:
                self._judge()
        return self._events()

    def close(self) -> None:
        """Give the port back; `poll` would open it again."""
        if self._port is not None:
            self._drop(troubles.CLOSED_HERE())

    def _open_if_due(self) -> None:
        now_s = self._clock()
        if now_s < self._try_at_s:
            return
        self._try_at_s = now_s + REOPEN_EVERY_S
        try:
            self._port = self._open(now_s)
        except PortUnavailable as error:
            self.outage = error.trouble
        else:
            self.outage, self._opened_s = None, self._clock()
            name, lost_s = self._board
            known = name == self._name and self._opened_s - lost_s < LOOSE_S
            self.connection.opened(self._opened_s, known=known)

    def _open(self, now_s: float) -> Port:
        if self._search is None:
            return self._opener(self._name)
        while True:  # each that fails is put aside, until none is left
            self._name = self._search.choose(now_s)
            try:
                return self._opener(self._name)
            except PortUnavailable as error:
                self._search.failed(self._name, error.trouble, now_s)

    def _judge(self) -> None:
        """While it searches: whether the port just listened to is the board's."""
        if self._search is None:
            return
        if self.connection.greeted:
            self._search.greeted(self._name)
        elif self._clock() - self._opened_s > GREETING_S:
            self._search.silent(self._name, self._clock())
            self._drop(NOT_OPENED)
            self._try_at_s = self._clock()

    def _exchange(self, port: Port) -> None:
        # pyserial raises when a port reports bytes and then has none: that is an unplugged one.
        first = port.read(1)
        data = first + port.read(port.in_waiting) if first else b""
        now_s = self._clock()
        self.connection.receive_data(data, now_s)
        self.connection.tick(now_s)
        if outgoing := self.connection.data_to_send():
            port.write(outgoing)

    def _lose(self, error: Exception) -> None:
        self._drop(troubles.GONE(port=self._name, error=str(error)))

    def _drop(self, trouble: LinkTrouble) -> None:
        port, self._port = self._port, None
        self.outage = trouble
        if self.connection.greeted:
            self._board = (self._name, self._clock())
        self.connection.closed(trouble)
        self._try_at_s = self._clock() + REOPEN_EVERY_S
        if port is not None:
            # It may be gone already.
            with contextlib.suppress(serial.SerialException, OSError):
                port.close()

    def _events(self) -> list[Event]:
        events = []
        while (event := self.connection.next_event()) is not None:
            events.append(event)
        return events

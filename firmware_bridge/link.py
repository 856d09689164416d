"""The serial port itself: the only module that touches pyserial.

Opens the port exclusively, moves bytes between it and a `Connection`, and opens it again after it
was unplugged. One thread owns a link: it calls `poll` in a loop and gets events. The clock is
handed in, so that all of it can be driven by a test.
"""

import contextlib
import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import serial

from firmware_bridge import troubles
from firmware_bridge.connection import Connection
from firmware_bridge.errors import PortUnavailable
from firmware_bridge.events import Event
from firmware_bridge.troubles import LinkTrouble

BAUD = 250_000
"""Divides exactly from the Nano's 16 MHz; 115200 would be 2.1 % off."""

READ_WAIT_S = 0.005
"""How long `poll` waits for a first byte: the period of the fastest sensor."""

REOPEN_EVERY_S = 1.0

NOT_OPENED = LinkTrouble("", "not opened yet")
"""What a link says before its first `poll`."""

BY_ID = Path("/dev/serial/by-id")
"""Names that stay with the device whatever else is plugged in."""


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


def find_port(folder: Path = BY_ID) -> str:
    """The one serial device that is plugged in, by its lasting name.

    Raises:
        PortUnavailable: there is none, or more than one and we will not guess.
    """
    names = sorted(str(path) for path in folder.glob("*")) if folder.is_dir() else []
    if len(names) == 1:
        return names[0]
    if not names:
        raise PortUnavailable(troubles.NONE(folder=str(folder)))
    raise PortUnavailable(troubles.SEVERAL(n=len(names), names=", ".join(names)))


def open_port(name: str) -> Port:
    """Open a serial port for us alone.

    Raises:
        PortUnavailable: missing, in use or forbidden, with what to do about it.
    """
    try:
        port: Port = serial.Serial(
            name, BAUD, timeout=READ_WAIT_S, write_timeout=0.5, exclusive=True
        )
    except (serial.SerialException, OSError, ValueError) as error:
        raise PortUnavailable(_trouble(name, error)) from error
    return port


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
    ) -> None:
        """Prepare a link; nothing is opened before the first `poll`.

        Args:
            name: path of the port, best one from `/dev/serial/by-id`.
            clock: seconds that only go forward, such as `time.monotonic`.
            opener: how to open a port.
        """
        self.connection = Connection()
        self.outage: LinkTrouble | None = NOT_OPENED
        self._name, self._clock, self._opener = name, clock, opener
        self._port: Port | None = None
        self._try_at_s = float("-inf")

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
            self._port = self._opener(self._name)
        except PortUnavailable as error:
            self.outage = error.trouble
        else:
            self.outage = None
            self.connection.opened(self._clock())

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

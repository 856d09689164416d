"""The line between the simulated processor and the host: in memory, or a pseudo-terminal.

The pseudo-terminal is opened by pyserial as it is; the host's baud rate is read from it, so a
host at the wrong speed hears nonsense, as on a real line. What a pseudo-terminal lacks: the reset
by DTR when it is opened, USB's latency, framing errors.
"""

import contextlib
import fcntl
import os
import select
import struct
import tty
from collections.abc import Callable

from firmware_bridge.errors import PortUnavailable
from firmware_bridge.link import BAUD, Port, open_port
from firmware_bridge.troubles import NOT_THERE
from lab.avr.simavr import Avr, heard_at

TCGETS2 = 0x802C542A
TERMIOS2 = struct.Struct("4I20s2I")
"""Linux, asm-generic/termbits.h: four words of flags, discipline and characters, two speeds. The
older structure that Python's termios reads cannot say 250000."""

GULP = 64
"""Bytes the simulated UART buffers."""


class MemoryWire:
    """A line without an operating system in between.

    Attributes:
        host_baud: speed the host has set.
        damage: bytes to be put in front of what comes next: a burst of garbage.
        spoil: what the line does to all that is on its way to the host.
        crowd: typed into the processor each time bytes are moved, by another program on the port.
    """

    spoil: Callable[[bytes], bytes] = staticmethod(bytes)

    def __init__(self, avr: Avr) -> None:
        self.host_baud, self.damage, self.crowd = float(BAUD), b"", b""
        self._avr, self._plugged = avr, True
        self._came = bytearray()

    def open(self, name: str) -> Port:
        """The host's end; `MemoryWire` is its own port."""
        if not self._plugged:
            raise PortUnavailable(NOT_THERE(port=name))
        self._came.clear()
        return self

    def carry(self) -> None:
        """Take over what the processor has sent."""
        sent = self._avr.take_sent(self.host_baud)
        if self._plugged:
            self._came += self.damage + self.spoil(sent)
            self.damage = b""
            self._avr.type_in(self.crowd)

    def unplug(self) -> None:
        """Pull the plug."""
        self._plugged = False

    def plug_in(self) -> None:
        """Put it back."""
        self._plugged = True
        self._avr.reset()

    # What a `Port` is asked for.

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read at once."""
        if not self._plugged:
            raise OSError("device reports readiness to read but returned no data")
        return len(self._came)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes."""
        data = bytes(self._came[: min(size, self.in_waiting)])
        del self._came[: len(data)]
        return data

    def write(self, data: bytes) -> int:
        """Type into the processor's UART."""
        self._avr.type_in(heard_at(data, self.host_baud, self._avr.baud))
        return len(data)

    def close(self) -> None:
        """Nothing to give back."""


class TerminalWire:
    """A pseudo-terminal.

    Args:
        avr: at its far end.
        gulp: how many bytes are typed into it at a time.

    Attributes:
        name: path that pyserial opens.
    """

    def __init__(self, avr: Avr, gulp: int = GULP) -> None:
        self._avr, self._gulp = avr, gulp
        self._master: int | None = None
        self.plug_in()

    def open(self, _name: str) -> Port:
        """Open it with pyserial, unmodified."""
        return open_port(self.name)

    @property
    def is_open(self) -> bool:
        """Whether somebody has it open: a pseudo-terminal hangs up while nobody has."""
        if self._master is None:
            return False
        poll = select.poll()
        poll.register(self._master, 0)
        return not poll.poll(0)

    def carry(self) -> bool:
        """Between processor and terminal; says whether anything was typed."""
        if self._master is None:
            self._avr.take_sent()
            return False
        typed = b""
        with contextlib.suppress(OSError):  # nothing typed yet, or nobody there
            typed = os.read(self._master, self._gulp)
            self._avr.type_in(heard_at(typed, self._baud, self._avr.baud))
        with contextlib.suppress(BlockingIOError):  # nobody reads: the line is full
            os.write(self._master, self._avr.take_sent(self._baud))
        return bool(typed)

    def unplug(self) -> None:
        """Pull the plug."""
        if self._master is not None:
            os.close(self._master)
            self._master = None

    def plug_in(self) -> None:
        """Put it back, under whatever name the system gives it now."""
        again = hasattr(self, "name")
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.name = os.ttyname(slave)
        os.close(slave)
        if again:
            self._avr.reset()

    @property
    def _baud(self) -> float:
        """Speed the host has set, from the terminal's settings; ours until it has set any."""
        if self._master is None:
            return BAUD
        settings = fcntl.ioctl(self._master, TCGETS2, bytes(TERMIOS2.size))
        speed = int(TERMIOS2.unpack(settings)[-1])
        return speed or BAUD

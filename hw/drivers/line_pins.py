"""Pins of the header, set and read by one call to the kernel.

Blinka takes a pin; but each access by it passes six functions of Python and two conversions in
gpiod, and PD_SCK must not be high for longer than 50 us (docs/decisions.md has the figures). Here
the line that Blinka has requested is set and read by the kernel's own `ioctl` (linux/gpio.h,
version 2), over the same file descriptor.
"""

import struct
from fcntl import ioctl
from typing import Any

from hw.drivers.hx711_reading import ClockOutput, DataInput

GET_VALUES, SET_VALUES = 0xC010B40E, 0xC010B40F
"""GPIO_V2_LINE_GET_VALUES_IOCTL and GPIO_V2_LINE_SET_VALUES_IOCTL."""

VALUES = struct.Struct("<QQ")
"""gpio_v2_line_values: bits, and a mask of the request's lines, of which there is one."""
LOW, HIGH = bytearray(VALUES.pack(0, 1)), bytearray(VALUES.pack(1, 1))
"""Buffers that could be written: with others `ioctl` first raises, and drops, an error inside,
which costs three times as much as the rest of the call."""


class LineOutput:
    """A `ClockOutput`: an output that is alone in its request."""

    def __init__(self, handle: int) -> None:
        self._handle, self._level = handle, False

    @property
    def value(self) -> bool:
        """The level it was set to."""
        return self._level

    @value.setter
    def value(self, level: bool) -> None:
        ioctl(self._handle, SET_VALUES, HIGH if level else LOW)
        self._level = level


class LineInput:
    """A `DataInput`: an input that is alone in its request."""

    def __init__(self, handle: int) -> None:
        self._handle, self._values = handle, bytearray(LOW)

    @property
    def value(self) -> bool:
        """The level."""
        ioctl(self._handle, GET_VALUES, self._values)
        return bool(self._values[0] & 1)


def quick_input(pin: Any) -> DataInput:
    """The same input without what is between it and the kernel; itself, if that is not known."""
    handle = _handle(pin)
    return pin if handle is None else LineInput(handle)


def quick_output(pin: Any) -> ClockOutput:
    """The same output without what is between it and the kernel; itself, if that is not known."""
    handle = _handle(pin)
    return pin if handle is None else LineOutput(handle)


def _handle(pin: Any) -> int | None:
    """File descriptor of the request behind a pin of Blinka 10 on gpiod 2, which show it to nobody.

    With others it is None, and their own way is taken, six times as long.
    """
    request = getattr(getattr(pin, "_pin", None), "_line_request", None)
    handle = getattr(request, "fd", None)
    return handle if isinstance(handle, int) else None

"""Two wires with chips on them, and the `smbus2` bus that a driver on a Pi opens.

`WiredBus` is a real `smbus2.SMBus` in which only the last step, the call of the kernel, is
replaced: messages are made, addressed and filled by the library. Its errors are those of the
Pi's I2C driver (i2c-bcm2835): EREMOTEIO when nobody acknowledges, ETIMEDOUT when a wire is held.
"""

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass

from smbus2 import SMBus, i2c_msg

from lab.chips.mpu6050 import START_UP_S, Mpu6050

READING = 0x0001
"""I2C_M_RD in the kernel's i2c.h."""


@dataclass(slots=True)
class OwnTime:
    """Lets a chip start up and sample by its own oscillator while time passes.

    Attributes:
        chip: whose time it is.
        rate_error: share by which its oscillator is too slow; the data sheet allows some per cent.
        t_s: time of the latest sample, for whatever feeds the chip.
    """

    chip: Mpu6050
    rate_error: float = 0.0
    t_s: float = 0.0
    _seen_s: float = 0.0
    _start_s: float | None = None

    def advance(self, now_s: float) -> None:
        """Take all samples up to `now_s`."""
        chip = self.chip
        if not chip.plugged or not chip.starting:
            self._start_s = None
        else:
            # It began some time after the look before.
            self._start_s = self._seen_s if self._start_s is None else self._start_s
            if now_s - self._start_s >= START_UP_S:
                chip.restarted()
        self._seen_s = now_s
        period_s = chip.period_us * 1e-6 * (1 + self.rate_error)
        while self.t_s + period_s <= now_s:
            self.t_s += period_s
            if chip.measuring:
                chip.measure()


class I2cWires:
    """SDA and SCL.

    Attributes:
        stuck: one of them is held low.
        failing: so many of the next transfers fail in the middle, as on a wire too long.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Empty wires; `clock` gives the time in seconds."""
        self.stuck = False
        self.failing = 0
        self._clock = clock
        self._chips: dict[int, OwnTime] = {}

    def attach(self, chip: Mpu6050, address: int = 0x68, rate_error: float = 0.0) -> OwnTime:
        """Put a chip on the wires."""
        self._chips[address] = OwnTime(chip, rate_error, self._clock(), self._clock())
        return self._chips[address]

    def transfer(self, *messages: i2c_msg) -> None:
        """What the kernel does with messages.

        Raises:
            OSError: as the kernel's driver says it.
        """
        for own in self._chips.values():
            own.advance(self._clock())
        if self.stuck:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        for number, message in enumerate(messages):
            own_time = self._chips.get(message.addr)
            if own_time is None or not own_time.chip.acknowledges:
                raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))
            whole = self.failing == 0 or number < len(messages) - 1
            _pass(message, own_time.chip, len(message) if whole else len(message) // 2)
            if not whole:
                self.failing -= 1
                raise OSError(errno.EREMOTEIO, os.strerror(errno.EREMOTEIO))


def _pass(message: i2c_msg, chip: Mpu6050, count: int) -> None:
    """Some bytes of a message, from or to a chip."""
    if message.flags & READING:
        for place in range(count):
            message.buf[place] = bytes([chip.read()])
        return
    chip.start()
    for byte in bytes(message)[:count]:
        chip.write(byte)


class WiredBus(SMBus):
    """An `smbus2.SMBus` whose wires are `I2cWires`."""

    def __init__(self, wires: I2cWires) -> None:
        super().__init__(None)
        self._wires = wires

    def i2c_rdwr(self, *i2c_msgs: i2c_msg) -> None:
        """One transaction with repeated starts.

        Raises:
            OSError: as from the kernel.
        """
        self._wires.transfer(*i2c_msgs)

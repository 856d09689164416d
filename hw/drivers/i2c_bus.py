"""The I2C bus of the inertial sensor: opened when it is used, and again while that fails.

A bus that is not there, not for us, or on which a driver of the kernel has the sensor's address,
takes the inertial sensor only.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from engine.trouble import Trouble
from hw.drivers.libraries import not_installed
from hw.errors import BadSensor, NoPins
from hw.troubles import IMU_HELD, IMU_UNOPENED

if TYPE_CHECKING:
    from collections.abc import Callable

    from smbus2 import SMBus, i2c_msg

KERNEL = Path("/sys/bus/i2c/devices")


class LateBus:
    """A bus by its number, with what `smbus2.SMBus` is asked for."""

    def __init__(
        self,
        number: int,
        address: int,
        open_bus: "Callable[[int], SMBus] | None" = None,
        kernel: Path = KERNEL,
    ) -> None:
        """Not opened yet; `address` is the sensor's. `kernel` has a folder for each device."""
        self.number, self._address = number, address
        self._open_bus, self._kernel = open_bus or open_i2c, kernel
        self._bus: SMBus | None = None

    def open(self) -> None:
        """Open it, unless it is open.

        Raises:
            BadSensor: it cannot be, or the kernel has the sensor's address.
        """
        self._opened()

    def _opened(self) -> "SMBus":
        if self._bus is not None:
            return self._bus
        if trouble := self._held():
            raise BadSensor(trouble)
        try:
            self._bus = self._open_bus(self.number)
        except NoPins as error:
            raise BadSensor(IMU_UNOPENED(error=str(error))) from error
        return self._bus

    def i2c_rdwr(self, *messages: "i2c_msg") -> None:
        """As of `SMBus`.

        Raises:
            BadSensor: as `open`.
            OSError: as of `SMBus`.
        """
        self._opened().i2c_rdwr(*messages)

    def close(self) -> None:
        """Let go of it."""
        if self._bus is not None:
            self._bus.close()

    def _held(self) -> Trouble | None:
        # The kernel lets messages of ours pass all the same: into the registers of a clock, say.
        driver = self._kernel / f"{self.number}-{self._address:04x}" / "driver"
        if not driver.exists():
            return None
        return IMU_HELD(
            address=f"0x{self._address:02X}",
            bus=f"I2C bus {self.number}",
            driver=driver.resolve().name,
        )


def open_i2c(number: int) -> "SMBus":
    """The I2C bus of a number.

    Raises:
        NoPins: it is not there, or not for us.
    """
    try:
        from smbus2 import SMBus  # noqa: PLC0415
    except ImportError as error:
        raise NoPins(not_installed(error, "pi")) from None
    try:
        return SMBus(number)
    except FileNotFoundError:
        raise NoPins(
            f"this machine has no I2C bus {number} (/dev/i2c-{number}); on a Raspberry Pi switch "
            "it on with raspi-config, Interface Options, I2C, or set source.pi.i2c_bus"
        ) from None
    except OSError as error:
        raise NoPins(
            f"I2C bus {number} cannot be opened ({error.strerror}); add the user to the group i2c"
        ) from None

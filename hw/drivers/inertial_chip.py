"""What the reader of an inertial sensor asks of a chip, and the chip's registers over `smbus2`.

A chip with other registers is another class like `hw.drivers.mpu6050.Mpu6050`, and a place in
`hw.drivers.chips_known`. No real Pi has confirmed the errors of the kernel's driver on real wires.
"""

import errno
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from engine.samples import Ints
from engine.trouble import Trouble
from firmware_bridge.troubles import IMU_VARIANT, LinkTrouble
from hw.calibration import ImuCalibration
from hw.errors import BadCalibration, BadSensor
from hw.troubles import BUS_STUCK, IMU_ELSEWHERE, IMU_NOBODY, IMU_STRANGER

if TYPE_CHECKING:
    from smbus2 import i2c_msg

NO_ANSWER = (0x00, 0xFF)
"""Of a device without this register, such as a clock, or of a wire that is held."""

PERIOD_US = 5000
"""Every chip is set to 200 samples a second."""

ACCEL_LSB_PER_G = (16384.0, 8192.0, 4096.0, 2048.0)
GYRO_LSB_PER_DPS = (131.0, 65.5, 32.8, 16.4)
"""By range: 2, 4, 8, 16 g and 250, 500, 1000, 2000 degrees a second, 16 bit."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Full scale: 0 is 2 g and 250 degrees a second; each further number doubles it."""

    accel: int = 0
    gyro: int = 0


def ranges_of(calibration: ImuCalibration) -> Ranges:
    """The full scale for which a table was calibrated.

    Raises:
        BadCalibration: no chip has such a range.
    """
    return Ranges(
        _nearest("imu.accel_lsb_per_g", calibration.accel_lsb_per_g, ACCEL_LSB_PER_G),
        _nearest("imu.gyro_lsb_per_dps", calibration.gyro_lsb_per_dps, GYRO_LSB_PER_DPS),
    )


def _nearest(key: str, value: float, known: tuple[float, ...]) -> int:
    number = min(range(len(known)), key=lambda n: abs(known[n] - value))
    if abs(value / known[number] - 1) > 0.1:
        listed = ", ".join(f"{lsb:g}" for lsb in known)
        raise BadCalibration(f"table calibration: {key} is {value:g}; the chip has {listed}", key)
    return number


class Bus(Protocol):
    """What a chip asks of its I2C bus; `smbus2.SMBus` has it."""

    def i2c_rdwr(self, *messages: "i2c_msg") -> None:
        """Write and read in one transfer."""


class InertialChip(ABC):
    """An accelerometer and gyroscope with a FIFO, at an address of an I2C bus.

    Attributes:
        who_am_i: register that says which chip it is.
        answers: what it says.
        reset_s: for so long after `reset` it must be left alone.
        sample_bytes: of a sample in the FIFO.
        who: its answer; 0 until `identify`.
    """

    who_am_i: ClassVar[int]
    answers: ClassVar[frozenset[int]]
    reset_s: ClassVar[float]
    sample_bytes: ClassVar[int]

    def __init__(self, bus: Bus, address: int = 0x68, *, name: str = "I2C bus 1") -> None:
        """A chip at an address, 0x68, or 0x69 when AD0 is high; nothing is sent yet."""
        self.who = 0
        self._bus, self._address, self._name = bus, address, name

    def identify(self) -> int:
        """What the chip says it is.

        Raises:
            BadSensor: nobody answers, or somebody who is no inertial sensor.
        """
        try:
            who = self._read(self.who_am_i, 1)[0]
        except BadSensor as absent:
            raise BadSensor(self._neighbour() or absent.trouble) from absent
        if who in NO_ANSWER:
            raise BadSensor(
                IMU_STRANGER(address=_hex(self._address), bus=self._name, who=_hex(who))
            )
        self.who = who
        return who

    @property
    @abstractmethod
    def name(self) -> str:
        """The chip's type."""

    @property
    def remark(self) -> LinkTrouble | None:
        """What to tell the owner of the chip; nothing of the usual one, and before `identify`."""
        return IMU_VARIANT(name=self.name, who=_hex(self.who))

    @property
    def warning(self) -> LinkTrouble | None:
        """Of a chip that nobody knows."""
        return None

    @abstractmethod
    def reset(self) -> None:
        """Put all registers back."""

    @abstractmethod
    def configure(self, ranges: Ranges) -> None:
        """Wake it up: 200 Hz, low-pass, full scale, samples into the FIFO.

        Raises:
            BadSensor: it does not answer, or does not keep what it is told.
        """

    @abstractmethod
    def awake(self) -> bool:
        """Whether it is as `configure` left it, and has not lost its supply since."""

    @abstractmethod
    def empty_fifo(self) -> None:
        """Discard the content and start again, aligned to a sample."""

    @abstractmethod
    def waiting(self) -> tuple[int, bool]:
        """Bytes in the FIFO, and whether some were lost since the last look."""

    @abstractmethod
    def read_samples(self, count: int) -> Ints:
        """From the FIFO, shape (n, 7): accelerometer x y z, temperature, gyroscope x y z."""

    @abstractmethod
    def celsius(self, count: int) -> float:
        """Its temperature, from the fourth column of `read_samples`."""

    # --- registers ----------------------------------------------------------------------------

    def _read(self, register: int, count: int) -> bytes:
        return self._ask(self._address, register, count)

    def _ask(self, address: int, register: int, count: int) -> bytes:
        from smbus2 import i2c_msg  # noqa: PLC0415 - only where there are pins

        answer = i2c_msg.read(address, count)
        self._transfer(i2c_msg.write(address, [register]), answer)
        return bytes(answer)

    def _write(self, register: int, *values: int) -> None:
        from smbus2 import i2c_msg  # noqa: PLC0415

        self._transfer(i2c_msg.write(self._address, [register, *values]))

    def _transfer(self, *messages: "i2c_msg") -> None:
        try:
            self._bus.i2c_rdwr(*messages)
        except BadSensor:
            raise  # the bus itself cannot be opened, and has said why
        except OSError as error:
            raise BadSensor(self._trouble(error)) from error

    def _trouble(self, error: OSError) -> Trouble:
        if error.errno in (errno.ETIMEDOUT, errno.EBUSY, errno.EAGAIN):
            return BUS_STUCK(bus=self._name)
        return IMU_NOBODY(address=_hex(self._address), bus=self._name)

    def _neighbour(self) -> Trouble | None:
        """What is wrong when it sits at the other address."""
        other = self._address ^ 1
        try:
            self._ask(other, self.who_am_i, 1)
        except BadSensor:
            return None
        level = "low" if self._address == 0x68 else "high"
        here = {"address": _hex(self._address), "bus": self._name}
        return IMU_ELSEWHERE(**here, other=_hex(other), level=level)


def _hex(byte: int) -> str:
    return f"0x{byte:02X}"

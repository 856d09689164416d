"""The registers of the inertial sensor over `smbus2`: an MPU-6050, or one of its usual substitutes.

`hw.drivers.imu` keeps it in service with them. No real Pi has confirmed this: the errors of the
kernel's driver on real wires and the behaviour of the substitutes are taken from documents.
"""

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.samples import Ints
from engine.trouble import Trouble
from firmware_bridge.imu_chips import USUAL, chip_of
from hw.calibration import ImuCalibration
from hw.errors import BadCalibration, BadSensor
from hw.troubles import BUS_STUCK, IMU_ELSEWHERE, IMU_FORGETS, IMU_NOBODY, IMU_STRANGER

if TYPE_CHECKING:
    from smbus2 import SMBus, i2c_msg

# Register map RM-MPU-6000A.
SMPLRT_DIV, CONFIG, GYRO_CONFIG, ACCEL_CONFIG, ACCEL_CONFIG_2, FIFO_EN = (
    0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x23,
)  # fmt: skip
INT_STATUS, USER_CTRL, PWR_MGMT_1, FIFO_COUNT_H, FIFO_R_W, WHO_AM_I = (
    0x3A, 0x6A, 0x6B, 0x72, 0x74, 0x75,
)  # fmt: skip

RESET, AWAKE = 0x80, 0x01
"""Of PWR_MGMT_1; awake takes its clock from the gyroscope, which is steadier (RM 4.28)."""
FIFO_ON, FIFO_EMPTY = 0x40, 0x04
OVERFLOW = 0x10
ALL_INTO_FIFO = 0xF8
"""Temperature, three gyroscope axes, accelerometer."""
DIVIDER_200_HZ = 4
"""1 kHz / (1 + 4)."""
LOW_PASS_44_HZ = 3
"""Under half of 200 Hz, with margin; 4.9 ms late."""

NO_ANSWER = (0x00, 0xFF)
"""Of a device without this register, such as a clock, or of a wire that is held."""

SAMPLE_BYTES = 14
PERIOD_US = 5000

RESET_S = 0.1
"""PS-MPU-6000A 6.1: registers can be reached 100 ms after power-up at the latest."""
ACCEL_LSB_PER_G = (16384.0, 8192.0, 4096.0, 2048.0)
GYRO_LSB_PER_DPS = (131.0, 65.5, 32.8, 16.4)
"""By range: 2, 4, 8, 16 g and 250, 500, 1000, 2000 degrees a second (RM 4.4, 4.5)."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Full scale, as the numbers of GYRO_CONFIG and ACCEL_CONFIG."""

    accel: int = 0
    gyro: int = 0


def ranges_of(calibration: ImuCalibration) -> Ranges:
    """The full scale for which a table was calibrated.

    Raises:
        BadCalibration: the chip has no such range.
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


class Mpu6050:
    """The chip's registers, over an `smbus2` bus.

    Attributes:
        variant: what answered; the plain one until `identify`.
    """

    def __init__(self, bus: "SMBus", address: int = 0x68, *, name: str = "I2C bus 1") -> None:
        """A chip at an address; nothing is sent yet.

        Args:
            bus: opened.
            address: 0x68, or 0x69 when AD0 is high.
            name: of the bus, for sentences.
        """
        self.variant = chip_of(USUAL)
        self._bus, self._address, self._name = bus, address, name

    def identify(self) -> int:
        """The answer to WHO_AM_I; a chip that is not in the list is tried.

        Raises:
            BadSensor: nobody answers, or somebody who is no inertial sensor.
        """
        try:
            who = self._read(WHO_AM_I, 1)[0]
        except BadSensor as absent:
            raise BadSensor(self._neighbour() or absent.trouble) from absent
        if who in NO_ANSWER:
            raise BadSensor(
                IMU_STRANGER(address=_hex(self._address), bus=self._name, who=_hex(who))
            )
        self.variant = chip_of(who)
        return who

    def reset(self) -> None:
        """Put all registers back; for `RESET_S` the chip must be left alone then."""
        self._write(PWR_MGMT_1, RESET)

    def configure(self, ranges: Ranges) -> None:
        """Wake it up: 200 Hz, low-pass, full scale, samples into the FIFO.

        Raises:
            BadSensor: it does not answer, or does not keep what it is told.
        """
        self._write(PWR_MGMT_1, AWAKE)
        settings = [DIVIDER_200_HZ, LOW_PASS_44_HZ, ranges.gyro << 3, ranges.accel << 3]
        self._write(SMPLRT_DIV, *settings)
        if self.variant.second_accel_filter:
            self._write(ACCEL_CONFIG_2, LOW_PASS_44_HZ)
        self._write(FIFO_EN, ALL_INTO_FIFO)
        if list(self._read(SMPLRT_DIV, 4)) != settings or not self.awake():
            raise BadSensor(IMU_FORGETS())

    def awake(self) -> bool:
        """Whether it is as `configure` left it, and has not lost its supply since."""
        return bool(self._read(PWR_MGMT_1, 1)[0] == AWAKE)

    def empty_fifo(self) -> None:
        """Discard the content and start again, aligned to a sample."""
        for step in (0, FIFO_EMPTY, FIFO_ON):
            self._write(USER_CTRL, step)

    def waiting(self) -> tuple[int, bool]:
        """Bytes in the FIFO, and whether some were lost since the last look."""
        lost = bool(self._read(INT_STATUS, 1)[0] & OVERFLOW)
        count = int.from_bytes(self._read(FIFO_COUNT_H, 2), "big")
        return count, lost or count > self.variant.fifo_bytes - SAMPLE_BYTES

    def read_samples(self, count: int) -> Ints:
        """From the FIFO, shape (n, 7): accelerometer x y z, temperature, gyroscope x y z."""
        data = self._read(FIFO_R_W, count * SAMPLE_BYTES)
        return np.frombuffer(data, dtype=">i2").astype(np.int32).reshape(-1, 7)

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
            self._ask(other, WHO_AM_I, 1)
        except BadSensor:
            return None
        level = "low" if self._address == 0x68 else "high"
        here = {"address": _hex(self._address), "bus": self._name}
        return IMU_ELSEWHERE(**here, other=_hex(other), level=level)


def _hex(byte: int) -> str:
    return f"0x{byte:02X}"

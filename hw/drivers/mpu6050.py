"""The registers of an MPU-6050, or of one of its usual substitutes, which have the same.

`hw.drivers.imu` keeps it in service with them. No real Pi has confirmed how the substitutes behave;
it is taken from documents.
"""

import numpy as np

from engine.samples import Ints
from firmware_bridge.imu_chips import (
    IMU_CHIPS,
    USUAL,
    ImuChip,
    chip_of,
    remark,
    unknown,
)
from firmware_bridge.troubles import LinkTrouble
from hw.drivers.inertial_chip import InertialChip, Ranges
from hw.errors import BadSensor
from hw.troubles import IMU_FORGETS

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

SAMPLE_BYTES = 14


class Mpu6050(InertialChip):
    """The chip's registers."""

    who_am_i = WHO_AM_I
    answers = frozenset(IMU_CHIPS)
    reset_s = 0.1
    """PS-MPU-6000A 6.1: registers can be reached 100 ms after power-up at the latest."""
    sample_bytes = SAMPLE_BYTES

    @property
    def name(self) -> str:
        """The chip's type."""
        return self._variant.name

    @property
    def remark(self) -> LinkTrouble | None:
        """What to tell the owner of a substitute, or of a chip that is not in the list."""
        return remark(self.who)

    @property
    def warning(self) -> LinkTrouble | None:
        """That it is not in the list."""
        return unknown(self.who)

    @property
    def _variant(self) -> ImuChip:
        """The usual one until it has answered; one out of the list is tried as a later one."""
        return chip_of(self.who or USUAL)

    def reset(self) -> None:
        """Put all registers back."""
        self._write(PWR_MGMT_1, RESET)

    def configure(self, ranges: Ranges) -> None:
        """Wake it up: 200 Hz, low-pass, full scale, samples into the FIFO.

        Raises:
            BadSensor: it does not answer, or does not keep what it is told.
        """
        self._write(PWR_MGMT_1, AWAKE)
        settings = [DIVIDER_200_HZ, LOW_PASS_44_HZ, ranges.gyro << 3, ranges.accel << 3]
        self._write(SMPLRT_DIV, *settings)
        if self._variant.second_accel_filter:
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
        return count, lost or count > self._variant.fifo_bytes - SAMPLE_BYTES

    def read_samples(self, count: int) -> Ints:
        """From the FIFO, shape (n, 7): accelerometer x y z, temperature, gyroscope x y z."""
        data = self._read(FIFO_R_W, count * SAMPLE_BYTES)
        return np.frombuffer(data, dtype=">i2").astype(np.int32).reshape(-1, 7)

    def celsius(self, count: int) -> float:
        """Its temperature, by the thermometer of the variant."""
        return self._variant.celsius(count)

"""What is counted is tested in test_on_pins.py; here: which chip is named."""

import pytest

from hw.drivers.chips_known import chips_on
from hw.drivers.imu import ImuReader
from hw.drivers.pins_health import imu_of
from lab.chips.i2c import I2cWires, WiredBus
from lab.chips.mpu6050 import Mpu6050 as Chip
from lab.mock import quiet_parameters


@pytest.mark.parametrize(
    ("who", "words"),
    [(0x68, ""), (0x70, "It says it is a MPU-6500 (0x70); that one works too")],
)
def test_a_substitute_is_named(who: int, words: str) -> None:
    wires = I2cWires(lambda: 1.0)
    wires.attach(Chip(lambda _number: (0,) * 7, who))
    reader = ImuReader(chips_on(WiredBus(wires)), quiet_parameters().calibration, lambda: 1.0)
    assert imu_of(reader).who == 0
    reader.step()

    assert (imu_of(reader).who, imu_of(reader).words) == (who, words)

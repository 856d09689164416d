"""Which chip is there, over real smbus2 messages."""

import pytest

from firmware_bridge.imu_chips import IMU_CHIPS
from hw.drivers.chips_known import chips_on, present
from hw.drivers.mpu6050 import Mpu6050
from hw.errors import BadSensor
from lab.chips.i2c import I2cWires, WiredBus
from lab.chips.mpu6050 import Mpu6050 as Chip


class Other(Mpu6050):
    """A chip that would be read otherwise."""

    answers = frozenset({0x47})


def found(who: int, kinds: tuple[type[Mpu6050], ...] = (Other, Mpu6050)) -> Mpu6050:
    wires = I2cWires(lambda: 0.0)
    wires.attach(Chip(lambda _number: (0,) * 7, who))
    chip = present([kind(WiredBus(wires)) for kind in kinds])
    assert isinstance(chip, Mpu6050)
    return chip


@pytest.mark.parametrize("who", IMU_CHIPS)
def test_a_chip_is_read_as_what_it_says_it_is(who: int) -> None:
    assert type(found(who)) is Mpu6050
    assert type(found(0x47)) is Other


def test_a_chip_that_nobody_knows_is_tried_and_warned_of() -> None:
    chip = found(0xEA)

    assert (type(chip), chip.who) == (Mpu6050, 0xEA)
    assert chip.warning is not None
    assert (chip.warning.code, chip.warning.args) == ("imu_unknown_chip", {"who": "0xEA"})


def test_nobody_is_told_with_a_hint_at_the_other_address() -> None:
    wires = I2cWires(lambda: 0.0)
    wires.attach(Chip(lambda _number: (0,) * 7), 0x69)

    with pytest.raises(BadSensor, match="A device answers at 0x69: its pin AD0 is not low"):
        present(chips_on(WiredBus(wires)))

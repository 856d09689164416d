import pytest

from firmware_bridge.imu_chips import IMU_CHIPS, chip_of, remark, unknown
from firmware_bridge.troubles import IMU_UNKNOWN_CHIP


@pytest.mark.parametrize("who", IMU_CHIPS)
def test_a_chip_of_the_table_is_no_warning(who: int) -> None:
    assert unknown(who) is None


def test_the_usual_chip_and_none_are_not_worth_a_word() -> None:
    assert (remark(0x68), remark(0)) == (None, None)


def test_an_unknown_chip_is_told_and_has_the_smallest_fifo() -> None:
    assert remark(0xEA) == IMU_UNKNOWN_CHIP(who="0xEA")
    assert chip_of(0xEA).fifo_bytes == min(chip.fifo_bytes for chip in IMU_CHIPS.values())


def test_each_chip_has_its_thermometer() -> None:
    assert chip_of(0x68).celsius(0) == 36.5
    assert chip_of(0x98).celsius(3268) == 35.0

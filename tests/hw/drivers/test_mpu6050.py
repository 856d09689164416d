"""The registers over real smbus2 messages, down to those of the simulated chip."""

import pytest

from hw.drivers.inertial_chip import Ranges
from hw.drivers.mpu6050 import Mpu6050
from hw.errors import BadSensor
from lab.chips.i2c import I2cWires, WiredBus
from lab.chips.mpu6050 import Mpu6050 as Chip
from tests.clock import Clock


@pytest.fixture
def time() -> Clock:
    return Clock()


@pytest.fixture
def chip() -> Chip:
    return Chip(lambda number: (number, 2, -3, 4, 5, -6, 7))


@pytest.fixture
def wires(chip: Chip, time: Clock) -> I2cWires:
    wires = I2cWires(time)
    wires.attach(chip)
    return wires


def test_it_is_woken_set_up_and_read_in_bursts(chip: Chip, wires: I2cWires, time: Clock) -> None:
    driver = Mpu6050(WiredBus(wires))
    assert driver.identify() == 0x68
    driver.configure(Ranges())
    driver.empty_fifo()
    time.now_s = 0.1001
    count, lost = driver.waiting()
    samples = driver.read_samples(count // 14)

    assert (count, lost) == (20 * 14, False)
    assert samples[:, 1:].tolist() == [[2, -3, 4, 5, -6, 7]] * 20
    assert set(samples[1:, 0] - samples[:-1, 0]) == {1}
    assert chip.violations == []


def test_a_fifo_that_ran_over_says_so(wires: I2cWires, time: Clock) -> None:
    driver = Mpu6050(WiredBus(wires))
    driver.configure(Ranges())
    driver.empty_fifo()
    time.now_s = 1.0

    assert driver.waiting() == (1024, True)


def test_other_devices_and_nobody_are_refused_in_words(chip: Chip, wires: I2cWires) -> None:
    driver = Mpu6050(WiredBus(wires), name="I2C bus 3")
    chip.who = 0xFF
    with pytest.raises(
        BadSensor, match="0x68 on I2C bus 3 identifies itself as 0xFF, which is not an"
    ):
        driver.identify()
    chip.unplug()
    with pytest.raises(BadSensor, match="does not answer at 0x68 on I2C bus 3; check its plug"):
        driver.identify()


def test_a_chip_that_forgets_its_settings_is_refused(wires: I2cWires) -> None:
    class Forgetful(Mpu6050):
        def _write(self, register: int, *values: int) -> None:
            super()._write(register, *(values if register != 0x19 else (7, 0, 0, 0)))

    with pytest.raises(BadSensor, match="does not keep its settings"):
        Forgetful(WiredBus(wires)).configure(Ranges())

"""Wires and chip as the kernel would show them to smbus2."""

import errno

import pytest
from smbus2 import i2c_msg

from lab.chips.i2c import I2cWires, WiredBus
from lab.chips.mpu6050 import PWR_MGMT_1, START_UP_S, Mpu6050
from tests.clock import Clock

AT = 0x68


@pytest.fixture
def time() -> Clock:
    return Clock()


@pytest.fixture
def wires(time: Clock) -> I2cWires:
    return I2cWires(time)


def answer(bus: WiredBus, register: int, count: int = 1) -> bytes:
    message = i2c_msg.read(AT, count)
    bus.i2c_rdwr(i2c_msg.write(AT, [register]), message)
    return bytes(message)


def error_of(bus: WiredBus) -> int | None:
    with pytest.raises(OSError, match=r"I/O|timed out") as caught:
        answer(bus, 0x75)
    return caught.value.errno


def test_messages_of_the_library_reach_the_chip_and_come_back(wires: I2cWires) -> None:
    chip = Mpu6050(lambda _number: (0,) * 7)
    wires.attach(chip)
    bus = WiredBus(wires)
    bus.i2c_rdwr(i2c_msg.write(AT, [0x19, 4, 3]))

    assert chip.registers[0x19:0x1B] == b"\x04\x03"
    assert answer(bus, 0x75) == b"\x68"


def test_nobody_at_the_address_and_a_stuck_wire_are_the_kernels_errors(wires: I2cWires) -> None:
    bus = WiredBus(wires)
    assert error_of(bus) == errno.EREMOTEIO
    wires.attach(Mpu6050(lambda _number: (0,) * 7))
    wires.stuck = True
    assert error_of(bus) == errno.ETIMEDOUT


def test_a_chip_starts_up_and_samples_by_its_own_oscillator(wires: I2cWires, time: Clock) -> None:
    chip = Mpu6050(lambda number: (number,) * 7)
    own = wires.attach(chip, rate_error=0.01)
    bus = WiredBus(wires)
    chip.plug()
    time.now_s = START_UP_S / 2
    assert error_of(bus) == errno.EREMOTEIO
    time.now_s = START_UP_S
    assert answer(bus, 0x75) == b"\x68"
    bus.i2c_rdwr(i2c_msg.write(AT, [PWR_MGMT_1, 1]))
    bus.i2c_rdwr(i2c_msg.write(AT, [0x19, 4, 3]))
    begun, time.now_s = chip.number, time.now_s + 10.1
    answer(bus, 0x75)

    assert chip.number - begun == pytest.approx(10.1 / (0.005 * 1.01), abs=1)
    assert own.t_s <= time.now_s


def test_a_transfer_can_fail_in_the_middle(wires: I2cWires) -> None:
    chip = Mpu6050(lambda _number: (0,) * 7)
    wires.attach(chip)
    wires.failing = 1
    bus = WiredBus(wires)

    assert error_of(bus) == errno.EREMOTEIO
    assert answer(bus, 0x75) == b"\x68"

"""The chips on the pins of a processor whose pins are played by the test.

That they behave as the firmware needs them is shown with the real one in tests/firmware_bridge.
"""

from collections.abc import Callable
from typing import Any

import pytest

from lab.avr.chips import US, Twi, WiredHx711, WiredMpu6050
from lab.chips import mpu6050

PERIOD_CYCLES = 200_000
"""80 conversions a second."""


class Pins:
    """What the chips see of a processor: pins, timers, registers and cycles."""

    def __init__(self) -> None:
        self.cycle = 1000
        self._before_reset = 0
        self.interrupts_on = False
        self.on_reset: list[Callable[[], None]] = []
        self.levels: dict[tuple[str, int], int] = {}
        self.registers: dict[int, int] = {}
        self._watchers: dict[tuple[str, int], Callable[[int], None]] = {}
        self._writers: dict[int, Callable[[int], None]] = {}
        self._timers: list[list[Any]] = []

    def watch_pin(self, port: str, bit: int, action: Callable[[int], None]) -> None:
        self._watchers[port, bit] = action

    def driver(self, port: str, bit: int) -> Callable[..., None]:
        def drive(level: int, *, again: bool = False) -> None:
            assert again or self.levels.get((port, bit), 1 - level) != level, "told twice"
            self.levels[port, bit] = level

        return drive

    def at(self, cycle: int, action: Callable[[int], int]) -> None:
        self._timers.append([cycle, action])

    def replace_write(self, address: int, action: Callable[[int], None]) -> None:
        self._writers[address] = action

    def register(self, address: int) -> int:
        return self.registers.get(address, 0)

    def set_register(self, address: int, value: int) -> None:
        self.registers[address] = value

    def write(self, address: int, value: int) -> None:
        self._writers[address](value)

    def put(self, port: str, bit: int, level: int) -> None:
        self._watchers[port, bit](level)

    @property
    def total(self) -> int:
        return self._before_reset + self.cycle

    def reset(self) -> None:
        self._before_reset += self.cycle
        self.cycle, self._timers = 0, []
        for action in self.on_reset:
            action()

    def run(self, cycles: int) -> None:
        end = self.cycle + cycles
        while due := [timer for timer in self._timers if timer[0] <= end]:
            timer = min(due, key=lambda timer: int(timer[0]))
            self.cycle = max(self.cycle, timer[0])
            timer[0] = timer[1](self.cycle)
            if not timer[0]:
                self._timers.remove(timer)
        self.cycle = end


@pytest.fixture
def pins() -> Pins:
    return Pins()


def scale(pins: Any, cell: int = 2, count: int = 5) -> WiredHx711:
    return WiredHx711(pins, cell, 80.0, lambda _number: count)


def inertial(pins: Any) -> WiredMpu6050:
    return WiredMpu6050(pins, lambda number: (number, -1, 2, 3, 4, 5, 6))


def read(pins: Pins, cell: int = 2, pulses: int = 25, high_cycles: int = US) -> int:
    word = 0
    for _ in range(pulses):
        pins.cycle += 2 * US
        pins.put("B", cell, 1)
        word = word << 1 | pins.levels["D", 4 + cell]
        pins.cycle += high_cycles
        pins.put("B", cell, 0)
    return word


def test_an_hx711_drives_its_own_pins(pins: Pins) -> None:
    chip = scale(pins, count=0x5A5A5A)
    assert pins.levels["D", 6] == 1
    pins.run(5 * PERIOD_CYCLES)
    assert pins.levels["D", 6] == 0

    assert read(pins) >> 1 == 0x5A5A5A
    assert pins.levels["D", 6] == 1
    assert [count for count, _ in chip.given] == [0x5A5A5A]
    assert (chip.violations, chip.unread, chip.gain_pulses) == ([], 0, 25)


def test_it_is_asked_for_counts_by_their_number(pins: Pins) -> None:
    chip = scale(pins)
    chip.count = lambda number: 100 + number
    pins.run(5 * PERIOD_CYCLES)

    assert read(pins) >> 1 == 105


def test_dout_falls_at_the_cycle_that_is_given(pins: Pins) -> None:
    chip = scale(pins)
    fell = None
    while fell is None:
        pins.run(16)
        if pins.levels["D", 6] == 0:
            fell = pins.cycle
    read(pins)

    assert chip.given[0][1] == pytest.approx(fell, abs=16)


def test_broken_rules_are_told_with_the_number_of_the_cell(pins: Pins) -> None:
    chip = scale(pins)
    pins.run(5 * PERIOD_CYCLES)
    read(pins, high_cycles=55 * US, pulses=1)

    assert chip.violations == ["HX711 2: PD_SCK was high for 55.00 us; 0.2 to 50 are allowed"]


def test_a_pulse_that_an_interrupt_could_lengthen_is_told_once(pins: Pins) -> None:
    chip = scale(pins)
    pins.run(5 * PERIOD_CYCLES)
    pins.interrupts_on = True
    read(pins, pulses=3)

    assert len(chip.violations) == 1
    assert "interrupts on" in chip.violations[0]


def test_a_long_pulse_powers_it_down(pins: Pins) -> None:
    chip = scale(pins)
    pins.run(5 * PERIOD_CYCLES)
    read(pins, high_cycles=80 * US, pulses=1)
    assert (chip.power_downs, pins.levels["D", 6]) == (1, 1)
    pins.run(4 * PERIOD_CYCLES)
    assert pins.levels["D", 6] == 1
    pins.run(PERIOD_CYCLES)
    assert pins.levels["D", 6] == 0


def test_wires_can_be_cut_and_shorted(pins: Pins) -> None:
    chip = scale(pins)
    chip.short()
    assert pins.levels["D", 6] == 0
    assert chip.shorted
    chip.shorted = False
    assert pins.levels["D", 6] == 1
    pins.run(5 * PERIOD_CYCLES)
    chip.unplug()
    pins.run(5 * PERIOD_CYCLES)
    assert pins.levels["D", 6] == 1
    chip.plug()
    pins.run(5 * PERIOD_CYCLES)
    assert pins.levels["D", 6] == 0


def test_it_goes_on_while_the_processor_is_reset(pins: Pins) -> None:
    chip = scale(pins)
    pins.run(5 * PERIOD_CYCLES)
    read(pins, pulses=9)
    pins.reset()
    read(pins)

    assert chip.violations == []
    pins.run(3 * PERIOD_CYCLES)
    assert pins.levels["D", 6] == 0
    assert chip.unread > 0


class Bus:
    """The two-wire interface, spoken as a program does."""

    def __init__(self, pins: Any, chip: WiredMpu6050) -> None:
        self._pins = pins
        self.twi = Twi(pins, chip)

    def _do(self, control: int) -> int:
        self._pins.write(Twi.TWCR, control | Twi.TWINT | Twi.TWEN)
        self._pins.run(5000)
        assert self._pins.register(Twi.TWCR) & Twi.TWINT or control & Twi.TWSTO
        return self._pins.register(Twi.TWSR)

    def send(self, byte: int) -> int:
        self._pins.set_register(Twi.TWDR, byte)
        return self._do(0)

    def start(self, address: int) -> int:
        assert self._do(Twi.TWSTA) in {0x08, 0x10}
        return self.send(address)

    def stop(self) -> None:
        self._do(Twi.TWSTO)

    def write(self, register: int, *data: int) -> list[int]:
        statuses = [self.start(WiredMpu6050.ADDRESS << 1), self.send(register)]
        statuses += [self.send(byte) for byte in data]
        self.stop()
        return statuses

    def read(self, register: int, count: int) -> list[int]:
        self.start(WiredMpu6050.ADDRESS << 1)
        self.send(register)
        self.start(WiredMpu6050.ADDRESS << 1 | 1)
        data = []
        for left in range(count, 0, -1):
            self._do(Twi.TWEA if left > 1 else 0)
            data.append(self._pins.register(Twi.TWDR))
        self.stop()
        return data


def test_an_inertial_sensor_sleeps_until_it_is_woken_and_then_measures(pins: Pins) -> None:
    chip = inertial(pins)
    bus = Bus(pins, chip)
    pins.run(1_000_000)
    assert chip.asleep
    assert bus.read(mpu6050.WHO_AM_I, 1) == [0x68]
    assert bus.write(mpu6050.PWR_MGMT_1, 0) == [0x18, 0x28, 0x28]
    assert not chip.asleep
    pins.run(1_000_000)
    data = bus.read(mpu6050.DATA, 14)

    assert data[2:6] == [0xFF, 0xFF, 0, 2]
    assert len(chip.given) == 1
    assert chip.violations == []


def test_one_that_is_unplugged_does_not_acknowledge_and_forgets_its_settings(pins: Pins) -> None:
    chip = inertial(pins)
    bus = Bus(pins, chip)
    bus.write(mpu6050.PWR_MGMT_1, 0)
    chip.unplug()
    assert bus.start(WiredMpu6050.ADDRESS << 1) == 0x20
    bus.stop()
    chip.plug()
    assert chip.asleep


def test_the_last_byte_must_not_be_acknowledged(pins: Pins) -> None:
    chip = inertial(pins)
    bus = Bus(pins, chip)
    bus.start(WiredMpu6050.ADDRESS << 1 | 1)
    bus._do(Twi.TWEA)
    bus.stop()

    assert chip.violations == ["MPU-6050: last byte was acknowledged before the stop"]


def test_int_pulses_while_enabled(pins: Pins) -> None:
    chip = inertial(pins)
    bus = Bus(pins, chip)
    bus.write(mpu6050.PWR_MGMT_1, 0)
    pins.run(200_000)
    assert pins.levels["B", 4] == 0
    bus.write(mpu6050.INT_ENABLE, 1)
    rose = 0
    for _ in range(1000):
        pins.run(20 * US)
        rose += pins.levels["B", 4]

    assert rose > 10

"""The chips on the pins of a processor whose pins are played by the test: what they find wrong.

That they behave as the firmware needs them is shown with the real one in tests/firmware_bridge.
"""

from collections.abc import Callable
from typing import Any

import pytest

from lab.avr.chips import US, Twi, WiredHx711, WiredMpu6050

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


def spoken(pins: Any, chip: WiredMpu6050, *controls: int) -> int:
    """What the two-wire interface says after these steps, the address of the chip in its data."""
    Twi(pins, chip)
    pins.set_register(Twi.TWDR, WiredMpu6050.ADDRESS << 1 | 1)
    for control in controls:
        pins.write(Twi.TWCR, control | Twi.TWINT | Twi.TWEN)
        pins.run(5000)
    return int(pins.register(Twi.TWSR))


@pytest.mark.parametrize(("plugged", "status"), [(True, 0x40), (False, 0x48)])
def test_only_what_is_plugged_in_acknowledges(pins: Any, plugged: bool, status: int) -> None:
    chip = WiredMpu6050(pins, lambda _number: (0,) * 7)
    if not plugged:
        chip.unplug()

    assert spoken(pins, chip, Twi.TWSTA, 0) == status


def test_the_last_byte_must_not_be_acknowledged(pins: Any) -> None:
    chip = WiredMpu6050(pins, lambda _number: (0,) * 7)
    spoken(pins, chip, Twi.TWSTA, 0, Twi.TWEA, Twi.TWSTO)

    assert chip.violations == ["MPU-6050: last byte was acknowledged before the stop"]

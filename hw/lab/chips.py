"""The chips on the processor's pins: HX711 and MPU-6050, with their data sheets as rules.

A rule that the firmware breaks is written down in `violations`; the lab is as strict as this list.
Times are in CPU cycles. The chips run on oscillators of their own, with jitter, so that they drift
through every phase of the processor's timers.
"""

import random
from collections.abc import Callable

from hw.lab.simavr import CYCLES_PER_US, Avr

US = CYCLES_PER_US


class Hx711:
    """One HX711 at 80 samples a second (Avia data sheet V2.0).

    Attributes:
        count: what it converts, given its own conversion number.
        plugged: false: nobody drives DOUT, and the pull-up holds it high.
        shorted: DOUT is tied to ground.
        given: every count that was read to the end, with the cycle at which DOUT had fallen.
        violations: rules the firmware broke.
        unread: conversions that nobody fetched.
        power_downs: times PD_SCK was high for more than 60 us.
        gain_pulses: pulses of the last reading, 25 to 27.
    """

    SETTLING_PERIODS = 4

    def __init__(self, avr: Avr, cell: int, rate_hz: float, count: Callable[[int], int]) -> None:
        self.count = count
        self.plugged, self.shorted = True, False
        self.given: list[tuple[int, int]] = []
        self.violations: list[str] = []
        self._fell = 0
        self.unread = self.power_downs = 0
        self.gain_pulses = 25
        self._avr, self._name = avr, f"HX711 {cell}"
        self._period = 16_000_000 / rate_hz
        self._chance = random.Random(1000 + cell)
        self._drive_pin = avr.driver("D", 4 + cell)
        self._number = self._value = self._pulses = self._rose = self._sck = 0
        self._ready = self._off = False
        self._quiet_conversions = self.SETTLING_PERIODS
        self._next = 0
        avr.watch_pin("B", cell, self._edge)
        avr.on_reset.append(self._processor_reset)
        self._processor_reset()

    def unplug(self) -> None:
        """Pull the plug."""
        self.plugged = False
        self._drive(1)

    def plug(self) -> None:
        """Put it back: the chip powers up and settles."""
        self.plugged = True
        self._power_up()

    def short(self) -> None:
        """Tie DOUT to ground."""
        self.shorted = True
        self._drive(0)

    def _drive(self, level: int, *, again: bool = False) -> None:
        self._drive_pin(0 if self.shorted else level if self.plugged else 1, again=again)

    def _processor_reset(self) -> None:
        """The chip goes on; but the simulator has forgotten its timer and its pin."""
        self._avr.at(self._avr.cycle + round(self._period), self._convert)
        self._sck = self._pulses = 0
        self._drive(0 if self._ready else 1, again=True)

    def _power_up(self) -> None:
        self._off = self._ready = False
        self._pulses = 0
        self._quiet_conversions = self.SETTLING_PERIODS
        self._drive(1)

    def _convert(self, when: int) -> int:
        following = when + round(self._period * self._chance.gauss(1.0, 0.0005))
        if self._off or not self.plugged:
            return following
        self._number += 1
        if self._quiet_conversions > 0:
            self._quiet_conversions -= 1
        else:
            self._offer()
        return following

    def _offer(self) -> None:
        if 0 < self._pulses < 25:
            self._break(f"a conversion ended after {self._pulses} pulses; 25 to 27 make a reading")
        elif self._ready:
            self.unread += 1
        self._value, self._pulses, self._ready = self.count(self._number), 0, True
        self._fell = self._avr.cycle
        self._drive(0)

    def _edge(self, level: int) -> None:
        if level == self._sck:
            return
        self._sck = level
        if level:
            self._rise()
        else:
            self._fall(self._avr.cycle - self._rose)

    def _rise(self) -> None:
        self._rose = self._avr.cycle
        self._pulses += 1
        if self._pulses <= 24 and self._ready:
            self._drive(self._value >> (24 - self._pulses) & 1)
        elif self._pulses == 25 and self._ready:
            self._drive(1)
            self.given.append((self._value, self._fell))
            self._ready = False
        elif self._pulses > 27 and not self.shorted:
            self._break("more than 27 pulses")

    def _fall(self, high: int) -> None:
        if high > 60 * US:
            if self._pulses not in (1, 26, 27, 28):
                self._break(f"powered down in the middle of a reading, after {self._pulses} pulses")
            self.power_downs += 1
            self._power_up()
            return
        if not 0.2 * US <= high <= 50 * US:
            self._break(f"PD_SCK was high for {high / US:.2f} us; 0.2 to 50 are allowed")
        if self._pulses >= 25:
            self.gain_pulses = self._pulses
        elif not self._ready and self.plugged and not self.shorted:
            self._break("clocked although DOUT was high")

    def _break(self, rule: str) -> None:
        self.violations.append(f"{self._name}: {rule}")


class Mpu6050:
    """MPU-6050 registers and its INT (RM-MPU-6000A, rev. 4.2), seen from the bus.

    Attributes:
        sample: accelerometer x y z, temperature, gyroscope x y z, given the sample's number.
        plugged: false: no acknowledge, no INT.
        who: answer to WHO_AM_I.
        given: samples that were read to the end.
        violations: rules the firmware broke.
    """

    ADDRESS = 0x68
    SMPLRT_DIV, INT_ENABLE, DATA, PWR_MGMT_1, WHO_AM_I = 0x19, 0x38, 0x3B, 0x6B, 0x75
    SLEEP = 0x40

    def __init__(self, avr: Avr, sample: Callable[[int], tuple[int, ...]]) -> None:
        self.sample, self.plugged, self.who = sample, True, 0x68
        self.given: list[tuple[int, ...]] = []
        self.violations: list[str] = []
        self._avr, self._int = avr, avr.driver("B", 4)
        self._number = self._pointer = 0
        self._chance = random.Random(77)
        self._power_up()
        avr.on_reset.append(self._processor_reset)
        self._processor_reset()

    @property
    def asleep(self) -> bool:
        """True after power-up, until the firmware wakes it."""
        return bool(self.registers[self.PWR_MGMT_1] & self.SLEEP)

    def unplug(self) -> None:
        """Pull the plug."""
        self.plugged = False

    def plug(self) -> None:
        """Put it back: all registers are as after power-up, and it sleeps."""
        self.plugged = True
        self._power_up()

    def start(self) -> None:
        """The firmware addressed it for writing; the next byte is a register's address."""
        self._pointing = True

    def write(self, byte: int) -> None:
        """A byte from the firmware."""
        if self._pointing:
            self._pointer, self._pointing = byte, False
        else:
            self.registers[self._pointer] = byte
            self._pointer = (self._pointer + 1) % 128

    def read(self) -> int:
        """The next byte for the firmware."""
        byte = self.who if self._pointer == self.WHO_AM_I else self.registers[self._pointer]
        if self._pointer == self.DATA + 13 and not self.asleep:
            self.given.append(self._latest)
        self._pointer = (self._pointer + 1) % 128
        return byte

    def _power_up(self) -> None:
        self.registers = bytearray(128)
        self.registers[self.PWR_MGMT_1] = self.SLEEP
        self._latest: tuple[int, ...] = (0,) * 7
        self._pointing = False

    def _processor_reset(self) -> None:
        self._int(0, again=True)
        self._avr.at(self._avr.cycle + 5000 * US, self._tick)

    def _tick(self, when: int) -> int:
        period_us = 1000 * (1 + self.registers[self.SMPLRT_DIV])
        if self.plugged and not self.asleep:
            self._measure()
        return when + round(period_us * US * 1.0031 * self._chance.gauss(1.0, 0.0005))

    def _measure(self) -> None:
        self._number += 1
        self._latest = self.sample(self._number)
        for place, value in enumerate(self._latest):
            at = self.DATA + 2 * place
            self.registers[at : at + 2] = (value & 0xFFFF).to_bytes(2, "big")
        if self.registers[self.INT_ENABLE] & 1:
            self._int(1)
            self._avr.at(self._avr.cycle + 50 * US, self._end_of_pulse)

    def _end_of_pulse(self, _when: int) -> int:
        self._int(0)
        return 0


class Twi:
    """The processor's two-wire interface as master (ATmega328P data sheet, chapter 21).

    simavr 1.6 has one that cannot be polled (wrong status after the address, TWINT does not clear),
    so its registers are replaced by this reading of the chapter. One device is on the bus.
    """

    TWBR, TWSR, TWDR, TWCR = 0xB8, 0xB9, 0xBB, 0xBC
    TWINT, TWEA, TWSTA, TWSTO, TWEN = 0x80, 0x40, 0x20, 0x10, 0x04

    def __init__(self, avr: Avr, device: Mpu6050) -> None:
        self._avr, self._device = avr, device
        self._mode = "idle"
        self._owes_nack = False
        avr.replace_write(self.TWCR, self._control)
        avr.on_reset.append(self._processor_reset)

    def _processor_reset(self) -> None:
        self._mode = "idle"

    def _control(self, value: int) -> None:
        self._avr.set_register(self.TWCR, value & ~(self.TWINT | self.TWSTO))
        if not value & self.TWEN:
            self._mode = "idle"
        elif value & self.TWINT and value & self.TWSTO:
            self._stop()
        elif value & self.TWINT and (self._mode != "idle" or value & self.TWSTA):
            self._later(value)

    def _stop(self) -> None:
        if self._owes_nack:
            self._device.violations.append("MPU-6050: last byte was acknowledged before the stop")
        self._mode, self._owes_nack = "idle", False

    def _later(self, control: int) -> None:
        bit = 16 + 2 * self._avr.register(self.TWBR)
        cycles = bit if control & self.TWSTA else 9 * bit

        def finish(_when: int) -> int:
            status = self._act(control)
            self._avr.set_register(self.TWSR, status)
            self._avr.set_register(self.TWCR, self._avr.register(self.TWCR) | self.TWINT)
            return 0

        self._avr.at(self._avr.cycle + cycles, finish)

    def _act(self, control: int) -> int:
        if control & self.TWSTA:
            again, self._mode = self._mode != "idle", "address"
            return 0x10 if again else 0x08
        if self._mode == "address":
            return self._address(self._avr.register(self.TWDR))
        if self._mode == "write":
            self._device.write(self._avr.register(self.TWDR))
            return 0x28 if self._device.plugged else 0x30
        return self._read(acknowledge=bool(control & self.TWEA))

    def _address(self, byte: int) -> int:
        reading = byte & 1
        there = self._device.plugged and byte >> 1 == self._device.ADDRESS
        self._mode = ("read" if reading else "write") if there else "nobody"
        if there and not reading:
            self._device.start()
        return (0x40 if reading else 0x18) if there else (0x48 if reading else 0x20)

    def _read(self, *, acknowledge: bool) -> int:
        # A device that is pulled off in the middle leaves the line high.
        byte = self._device.read() if self._device.plugged and self._mode == "read" else 0xFF
        self._avr.set_register(self.TWDR, byte)
        self._owes_nack = acknowledge
        return 0x50 if acknowledge else 0x58

"""The chips on the processor's pins: HX711 and MPU-6050, with their data sheets as rules.

A rule that the firmware breaks is written down in `violations`; the lab is as strict as this list.
Both are the models of `lab.chips`. They run on oscillators of their own, with jitter, so
that they drift through every phase of the processor's timers.
"""

import random
from collections.abc import Callable
from typing import NamedTuple

from lab.avr.simavr import CYCLES_PER_US, PORTC, Avr
from lab.chips import hx711 as chips
from lab.chips import mpu6050 as chips_mpu6050

US = CYCLES_PER_US

UNGUARDED = "HX711: PD_SCK was raised with interrupts on; one of them may hold it for over 50 us"


class Rise(NamedTuple):
    """INT of the inertial sensor went up: when, in microseconds since the start, for a sample."""

    t_us: float
    values: tuple[int, ...]


class WiredHx711:
    """The chip of `lab.chips.hx711` on the pins of the processor.

    Attributes:
        chip: the model, with its wires, its switches, and the rules that were broken.
        count: what it converts, given its own conversion number.
    """

    def __init__(
        self,
        avr: Avr,
        cell: int,
        rate_hz: float,
        count: Callable[[int], int],
        clock_bit: int | None = None,
    ) -> None:
        """A chip with its DOUT on bit 4 + `cell` of port D.

        Args:
            avr: the processor.
            cell: its number, from 0.
            rate_hz: of its own oscillator.
            count: what it converts, given its own conversion number.
            clock_bit: bit of port B that its PD_SCK is on; `cell` when left out.
        """
        self.count = count
        self._avr = avr
        self._drive_pin = avr.driver("D", 4 + cell)
        self._level, self._starting = 1, True
        # A reset of the processor sets its cycles back to zero; the chip's time goes on.
        self._started_us = 0.0
        self.chip = chips.Hx711(
            f"HX711 {cell}", rate_hz, lambda conversion: self.count(conversion.number),
            seed=1000 + cell,
        )  # fmt: skip
        avr.watch_pin("B", cell if clock_bit is None else clock_bit, self._edge)
        avr.on_reset.append(self._processor_reset)
        self._processor_reset()

    @property
    def given(self) -> list[tuple[int, int]]:
        """Every count that was read to the end, with the cycle at which DOUT had fallen."""
        return [
            (each.data_word, round((each.fell_us - self._started_us) * US))
            for each in self.chip.given
        ]

    @property
    def violations(self) -> list[str]:
        """Rules the firmware broke."""
        return self.chip.violations

    @property
    def unread(self) -> int:
        """Conversions that nobody fetched."""
        return self.chip.unread

    @property
    def power_downs(self) -> int:
        """Times PD_SCK was high for more than 60 us."""
        return self.chip.power_downs

    @property
    def gain_pulses(self) -> int:
        """Pulses of the last reading, 25 to 27."""
        return self.chip.gain_pulses

    @property
    def shorted(self) -> bool:
        """Whether DOUT is tied to ground."""
        return self.chip.shorted

    @shorted.setter
    def shorted(self, shorted: bool) -> None:
        self.chip.shorted = shorted
        self._show(self._now_us)

    def unplug(self) -> None:
        """Pull the plug."""
        self.chip.unplug()
        self._show(self._now_us)

    def plug(self) -> None:
        """Put it back: the chip powers up and settles."""
        self.chip.plug(self._now_us)
        self._show(self._now_us)

    def short(self) -> None:
        """Tie DOUT to ground."""
        self.shorted = True

    @property
    def _now_us(self) -> float:
        return self._started_us + self._avr.cycle / US

    def _show(self, now_us: float) -> None:
        level = self.chip.dout(now_us)
        if level != self._level:
            self._level = level
            self._drive_pin(level)

    def _edge(self, level: int) -> None:
        now_us = self._started_us + self._avr.cycle / US
        if level and self._avr.interrupts_on and UNGUARDED not in self.violations:
            # The longest interrupt decides then how long the pulse is, not the program.
            self.violations.append(UNGUARDED)
        self.chip.sck(level, now_us)
        self._show(now_us)

    def _processor_reset(self) -> None:
        """The chip goes on; but the simulator has forgotten its timer and its pin."""
        self._started_us = (self._avr.total - self._avr.cycle) / US
        self.chip.let_go_of_sck()
        self._level = self.chip.dout(self.chip.now_us)
        self._starting = True
        self._drive_pin(self._level, again=True)
        self._avr.at(self._next_cycle(), self._change)

    def _change(self, _when: int) -> int:
        if self._starting:
            # Switching the pull-up on, simavr forgets that the pin is held low from outside.
            self._starting = False
            self._drive_pin(self._level, again=True)
        self._show(self._now_us)
        return self._next_cycle()

    def _next_cycle(self) -> int:
        return 1 + int((self.chip.next_change_us - self._started_us) * US)


class WiredMpu6050(chips_mpu6050.Mpu6050):
    """The MPU-6050 of `lab.chips.mpu6050` with its INT pin, on the processor's time.

    Attributes:
        int_open: the wire to INT is off.
        rises: of INT.
    """

    ADDRESS = 0x68

    def __init__(self, avr: Avr, sample: Callable[[int], tuple[int, ...]]) -> None:
        super().__init__(sample)
        self._avr, self._int = avr, avr.driver("B", 4)
        self._chance = random.Random(77)
        self.int_open = False
        self.rises: list[Rise] = []
        avr.on_reset.append(self._processor_reset)
        self._processor_reset()

    def brown_out(self) -> None:
        """The supply sags for a moment."""
        super().brown_out()
        self._start_up()

    def _start_up(self) -> None:
        self._avr.at(self._avr.cycle + round(chips_mpu6050.START_UP_S * 1e6) * US, self._started)

    def _started(self, _when: int) -> int:
        self.restarted()
        return 0

    def _processor_reset(self) -> None:
        """The chip goes on; but the simulator has forgotten its timers and its pin."""
        self._int(0, again=True)
        self._avr.at(self._avr.cycle + 5000 * US, self._tick)
        if self.starting:
            self._start_up()

    def _tick(self, when: int) -> int:
        if self.measuring and self.measure() and not self.int_open:
            self.rises.append(Rise(self._avr.total / US, self.newest))
            self._int(1)
            self._avr.at(self._avr.cycle + 50 * US, self._end_of_pulse)
        return when + round(self.period_us * US * 1.0031 * self._chance.gauss(1.0, 0.0005))

    def _end_of_pulse(self, _when: int) -> int:
        self._int(0)
        return 0


class Probe:
    """A loose wire on A1, and what somebody holds it to.

    Attributes:
        touches_mv: voltage of that; None while the wire hangs free.
    """

    FREE_MV = 1300
    """What a free wire would pick up without a pull-up: anything."""
    LOOKED_US = 1000

    def __init__(self, avr: Avr) -> None:
        self._avr, self._put = avr, avr.analogue(1)
        self.supply_mv = 5000
        self.touches_mv: int | None = None
        avr.on_reset.append(self._arm)
        self._arm()

    def _arm(self) -> None:
        self._avr.at(self._avr.cycle + 1, self._look)

    def _look(self, when: int) -> int:
        pulled_up = bool(self._avr.register(PORTC) & 1 << 1)
        free_mv = self.supply_mv if pulled_up else self.FREE_MV
        self._avr.supply(self.supply_mv)
        self._put(free_mv if self.touches_mv is None else self.touches_mv)
        return when + self.LOOKED_US * US


class Twi:
    """The processor's two-wire interface as master (ATmega328P data sheet, chapter 21).

    simavr 1.6 has one that cannot be polled (wrong status after the address, TWINT does not clear),
    so its registers are replaced by this reading of the chapter. One device is on the bus.

    Attributes:
        stretch_us: so long the clock is held low in each step: by a slow device, or by pull-ups
            too weak for the wire. The firmware gives up after 500 us.
    """

    TWBR, TWSR, TWDR, TWCR = 0xB8, 0xB9, 0xBB, 0xBC
    TWINT, TWEA, TWSTA, TWSTO, TWEN = 0x80, 0x40, 0x20, 0x10, 0x04

    def __init__(self, avr: Avr, device: WiredMpu6050) -> None:
        self._avr, self._device = avr, device
        self._mode = "idle"
        self._owes_nack = False
        self.stretch_us = 0
        avr.replace_write(self.TWCR, self._control)
        avr.on_reset.append(self._processor_reset)

    def _processor_reset(self) -> None:
        self._mode = "idle"
        self._device.let_go()

    def _control(self, value: int) -> None:
        self._avr.set_register(self.TWCR, value & ~(self.TWINT | self.TWSTO))
        if not value & self.TWEN:
            self._mode = "idle"
            self._device.let_go()
        elif value & self.TWINT and value & self.TWSTO:
            self._stop()
        elif value & self.TWINT and (self._mode != "idle" or value & self.TWSTA):
            self._later(value)

    def _stop(self) -> None:
        if self._owes_nack:
            self._device.violations.append("MPU-6050: last byte was acknowledged before the stop")
        self._mode, self._owes_nack = "idle", False
        self._device.let_go()

    def _later(self, control: int) -> None:
        bit = 16 + 2 * self._avr.register(self.TWBR)
        cycles = (bit if control & self.TWSTA else 9 * bit) + self.stretch_us * US

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
            return 0x28 if self._device.acknowledges else 0x30
        return self._read(acknowledge=bool(control & self.TWEA))

    def _address(self, byte: int) -> int:
        reading = byte & 1
        there = self._device.acknowledges and byte >> 1 == self._device.ADDRESS
        self._mode = ("read" if reading else "write") if there else "nobody"
        if there:
            self._device.hold()
        if there and not reading:
            self._device.start()
        return (0x40 if reading else 0x18) if there else (0x48 if reading else 0x20)

    def _read(self, *, acknowledge: bool) -> int:
        # A device that is pulled off in the middle leaves the line high.
        byte = self._device.read() if self._device.acknowledges and self._mode == "read" else 0xFF
        self._avr.set_register(self.TWDR, byte)
        self._owes_nack = acknowledge
        return 0x50 if acknowledge else 0x58

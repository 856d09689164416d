"""A whole simulated table: processor with firmware, chips, serial line, host."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from firmware_bridge.connection import Connection
from firmware_bridge.events import Arrived, Event
from lab.avr.chips import Probe, Twi, WiredHx711, WiredMpu6050
from lab.avr.elf_symbols import ram_addresses
from lab.avr.simavr import CYCLES_PER_US, FREQUENCY_HZ, Avr
from lab.avr.witness import Witness

RATES_HZ = (82.02, 78.5, 80.6, 93.4)
"""As real chips were found: 15 % apart, and in no simple ratio to each other or to the clock."""

CLOCK_BITS = (0, 1, 2, 3)
"""Of port B: each chip has a clock of its own."""

SLICE_US = 2000


WRAP_S = (1.5, 4.5)
"""Drawn wraps come so long after the start: the clock of the microcontroller is known by then, and
the shortest scenario is not over."""

FRAMES_A_SECOND = 540
"""Four cells, the inertial sensor, heartbeats and pongs."""

RESONATOR_PPM = 5000
"""A ceramic resonator, as on most Nanos: 0.5 %."""

OVERFLOW_US = 32768
"""The firmware's clock counts overflows of a timer of 16 bits and half microseconds."""

Motion = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """A microcontroller that has run for long: where its counters stand when it says Hello first.

    Attributes:
        clock_left_s: until its clock of 32 bits wraps; None: it begins at zero, as after a reset.
        frames_left: frames until their number of 16 bits wraps; 0: it begins at zero.
        fast_ppm: how much its clock runs ahead of the host's.
    """

    clock_left_s: float | None = None
    frames_left: int = 0
    fast_ppm: float = 0.0

    @classmethod
    def drawn(cls, seed: int | str) -> "Begun":
        """One whose counters wrap soon, on a resonator of its own."""
        chance = random.Random(f"begun {seed}")
        return cls(
            chance.uniform(*WRAP_S),
            round(chance.uniform(*WRAP_S) * FRAMES_A_SECOND),
            chance.uniform(-RESONATOR_PPM, RESONATOR_PPM),
        )

    @property
    def overflows(self) -> int:
        """What the firmware has counted of its timer."""
        if self.clock_left_s is None:
            return 0
        return round((2**32 - self.clock_left_s * 1e6) / OVERFLOW_US)


class ChipSignals(Protocol):
    """What the simulated chips measure, in their own units."""

    def count(self, cell: int, t_s: float) -> int:
        """What the HX711 of a load cell would convert at a table time."""
        ...

    def motion(self, t_s: float) -> Motion:
        """Accelerometer x y z, temperature, gyroscope x y z of the MPU-6050 at a table time."""
        ...


class NoiseOnly:
    """Random numbers instead of a tower, for tests that all of them arrive."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def count(self, _cell: int, _t_s: float) -> int:
        """Any count but an end of the range."""
        return self._chance.randrange(-0x7FFFFF, 0x7FFFFF)

    def motion(self, _t_s: float) -> Motion:
        """Any values of the seven registers."""
        return tuple(self._chance.randrange(-0x8000, 0x8000) for _ in range(7))


class LabTable:
    """A simulated table and the host's connection to it.

    Args:
        elf: the firmware.
        seed: of the random numbers, if there are no signals.
        rates_hz: of the four HX711.
        signals: what the sensors feel.
        begun: where the microcontroller's counters stand at first.
        clock_bits: bits of port B that the clocks of the HX711 are on.

    Attributes:
        avr: the processor.
        cells: its four HX711.
        imu: its inertial sensor.
        probe: the supply, and the loose wire on A1.
        connection: the host's side.
        host_baud: speed the host has set.
        witness: compares what the microcontroller says with what the chips gave.
    """

    def __init__(
        self,
        elf: Path,
        seed: int = 5,
        rates_hz: tuple[float, ...] = RATES_HZ,
        signals: ChipSignals | None = None,
        *,
        begun: Begun | None = None,
        clock_bits: tuple[int, ...] = CLOCK_BITS,
    ) -> None:
        felt = signals or NoiseOnly(seed)
        self.avr = Avr(elf)
        self.cells = [
            WiredHx711(self.avr, cell, rate, lambda _n, at=cell: felt.count(at, self.t_s), clock)  # type: ignore[misc]
            for cell, (rate, clock) in enumerate(zip(rates_hz, clock_bits, strict=True))
        ]
        self.imu = WiredMpu6050(self.avr, lambda _n: felt.motion(self.t_s))
        self.twi = Twi(self.avr, self.imu)
        self.probe = Probe(self.avr)
        self.tip_switch = self.avr.driver("C", 0)
        self.avr.on_reset.append(lambda: self.tip_switch(1, again=True))
        self.tip_switch(1)
        self.connection = Connection()
        self.host_baud = 250_000
        self.elapsed_us = 0
        self._last_byte = 0
        self._begun, self._reset_before = begun or Begun(), False
        self._hertz = FREQUENCY_HZ * (1 + self._begun.fast_ppm * 1e-6)
        self._variables = ram_addresses(elf)
        self.witness = Witness([cell.chip.given for cell in self.cells], self.imu.rises)
        self.avr.on_first_byte.append(self._started)

    @property
    def now_s(self) -> float:
        """Host time."""
        return 500.0 + self.elapsed_us * 1e-6

    @property
    def t_s(self) -> float:
        """Table time, to the cycle: zero when the processor got its supply."""
        return self.avr.total / self._hertz

    @property
    def in_a_frame(self) -> bool:
        """True when the microcontroller has sent a part of a frame and not yet its end."""
        return self._last_byte != 0

    @property
    def violations(self) -> list[str]:
        """Data sheet rules that were broken so far."""
        broken = [rule for cell in self.cells for rule in cell.violations]
        return broken + self.imu.violations

    def hang(self) -> None:
        """Let the program hang; what the chips say of a reading that it left is not its fault."""
        for cell in self.cells:
            cell.chip.excuse()
        self.avr.hang()

    def open(self) -> None:
        """The host opens the port."""
        self.connection.opened(self.now_s)

    def pass_time(self) -> None:
        """Let the processor and the chips go on by one slice; what was sent waits in `avr`."""
        self.elapsed_us += SLICE_US
        self.avr.run_until(round(self.elapsed_us * 1e-6 * self._hertz))
        self.witness.hear(bytes(self.avr.said), self.avr.total / CYCLES_PER_US)
        self.avr.said.clear()

    def run(self, seconds: float) -> list[Event]:
        """Let time pass on both sides; give the host's events."""
        events = []
        for _ in range(round(seconds * 1e6 / SLICE_US)):
            self.avr.type_in(self.connection.data_to_send())
            self.pass_time()
            came = self.avr.take_sent(self.host_baud)
            self._last_byte = came[-1] if came else self._last_byte
            self.connection.receive_data(came, self.now_s)
            self.connection.tick(self.now_s)
            while (event := self.connection.next_event()) is not None:
                events.append(event)
        return events

    def _started(self) -> None:
        """The first byte goes out: its clock runs, and Hello is still to be said."""
        overflows = 0
        if not self._reset_before:
            self._reset_before, overflows = True, self._begun.overflows
            seq = -self._begun.frames_left % 0x10000
            if overflows or seq:  # another firmware may have no such variables
                self._poke("overflows", overflows.to_bytes(4, "little"))
                self._poke("talk", seq.to_bytes(2, "little"))
        self.witness.started(self.avr.total / CYCLES_PER_US, overflows * OVERFLOW_US)

    def _poke(self, variable: str, value: bytes) -> None:
        for at, byte in enumerate(value, start=self._variables[variable]):
            self.avr.set_register(at, byte)


M = TypeVar("M")


def messages_of(events: list[Event], kind: type[M]) -> list[M]:
    """Messages of one kind, in the order of arrival."""
    said = [event.frame.message for event in events if isinstance(event, Arrived)]
    return [message for message in said if isinstance(message, kind)]

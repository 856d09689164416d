"""A simulated chip and a real reader on its pins, for the tests of the drivers."""

import os
from collections.abc import Callable
from typing import NamedTuple
from unittest.mock import patch

from hw.drivers.hx711 import DataWordReader, Hx711Cell, Hx711Reading
from hw.drivers.hx711_adafruit import AdafruitReader
from hw.drivers.hx711_bits import BitReader
from lab.chips.hx711 import Conversion, Hx711
from lab.chips.pins import ClockPin, DataPin, SimulatedTime

# Blinka asks which board this is; off a Raspberry Pi it needs to be told that it is none.
os.environ.setdefault("BLINKA_OS_AGNOSTIC", "1")

POLL_S = 0.001
Driver = Callable[..., DataWordReader]
DRIVERS: tuple[Driver, ...] = (BitReader, AdafruitReader)


class Seen(NamedTuple):
    """A reading beside what the chip had to give."""

    reading: Hx711Reading
    data_word: int | None
    fell_s: float | None

    @property
    def silently_wrong(self) -> bool:
        return self.reading.valid and self.reading.count != self.data_word


def different(conversion: Conversion) -> float:
    """A count that is never the same twice in a while, over the whole range."""
    return (conversion.number * 0x3779B1 + 0x12345) % 0xFFFFFD - 0x7FFFFE


class SimulatedCell:
    """One chip, its pins, the driver, and time."""

    def __init__(
        self,
        driver: Driver = BitReader,
        *,
        load_cell: Callable[[Conversion], float] = different,
        rate_hz: float = 82.0,
        nominal_hz: float = 80.0,
        seed: int = 1,
        time: SimulatedTime | None = None,
        ready_chip: Callable[[Hx711], None] = lambda _chip: None,
    ) -> None:
        self.time = time or SimulatedTime()
        now_us = self.time.now_us
        self.chip = Hx711("HX711", rate_hz, load_cell, seed=seed, now_us=now_us)
        ready_chip(self.chip)
        self.data = DataPin(self.chip, self.time)
        self.clock = ClockPin(self.chip, self.time)
        with patch("adafruit_hx711.hx711.time", self.time):
            words = driver(self.data, self.clock, self.time)
        self.cell = Hx711Cell("C1", self.data, self.clock, words, self.time, rate_hz=nominal_hz)

    def poll(self) -> Seen | None:
        before = len(self.chip.given)
        reading = self.cell.poll()
        if reading is None:
            return None
        fresh = self.chip.given[before:]
        if not fresh:
            return Seen(reading, None, None)
        return Seen(reading, fresh[-1].data_word, fresh[-1].fell_us * 1e-6)

    def run(self, seconds: float, every_s: float = POLL_S) -> list[Seen]:
        """Poll for a while; what was read."""
        end_us = self.time.now_us + seconds * 1e6
        seen = []
        while self.time.now_us < end_us:
            if (one := self.poll()) is not None:
                seen.append(one)
            self.time.sleep(every_s)
        return seen

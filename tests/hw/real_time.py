"""Simulated chips in real time, for readers that run in a thread or a process of their own."""

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from lab.chips.hx711 import Conversion, Hx711
from lab.chips.pins import ClockPin, DataPin, SimulatedTime, pins


class RealTime(SimulatedTime):
    """Chips live in the time of this computer; a look at a pin takes what it takes.

    Each access asks the kernel, and lets other threads of this process run meanwhile, as the
    libraries of real pins do.
    """

    def __init__(self) -> None:
        self._kernel = os.open(os.devnull, os.O_RDONLY)
        self._began_s = time.perf_counter()

    def close(self) -> None:
        """Ask the kernel no more."""
        os.close(self._kernel)

    @property
    def now_us(self) -> float:
        """Microseconds since it was made."""
        return (time.perf_counter() - self._began_s) * 1e6

    @now_us.setter
    def now_us(self, _value: float) -> None:
        os.lseek(self._kernel, 0, os.SEEK_SET)


@dataclass(frozen=True, slots=True)
class ChipsOnPins:
    """Opens simulated chips in real time; it can be sent to the process that is to hold them.

    Attributes:
        rates_hz: of the chips, one for each.
        unplugged: numbers of those that are not there.
        load_cell: what they convert; picklable.
    """

    rates_hz: tuple[float, ...]
    load_cell: Callable[[Conversion], float]
    unplugged: tuple[int, ...] = ()

    def __call__(self, stack: ExitStack) -> list[tuple[DataPin, ClockPin]]:
        """Both pins of each."""
        clock = RealTime()
        stack.callback(clock.close)
        chips = [
            Hx711(f"HX711 {number}", rate_hz, self.load_cell, seed=number)
            for number, rate_hz in enumerate(self.rates_hz)
        ]
        for number in self.unplugged:
            chips[number].unplug()
        return [pins(chip, clock) for chip in chips]

"""Pins as Python drivers know them, with a chip on them, in simulated time.

They have the one attribute of CircuitPython's `DigitalInOut` that the drivers use, `value`.
Nothing waits: each access to a pin and each look at the clock lets a little simulated time pass, so
a driver plays out as fast as Python runs, the same way each time.

A computer that is not a microcontroller is called away now and then, also in the middle of a pulse.
`ClockPin.away_us` says for how long, each time PD_SCK has risen, and `away_low_us` each time it has
fallen; `preempted` makes such a function.
"""

import os
import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from lab.chips.hx711 import Conversion, Hx711

ACCESS_US = 1.0
"""One access to a pin: a quick system call. The data sheet wants 0.2 us or more."""

LOOK_US = 0.2
"""One look at the clock, so that a loop that waits for a time comes to an end."""

Away = Callable[[], float]
"""How long the computer is away, in microseconds; asked at each pulse."""


def _never() -> float:
    return 0.0


class SimulatedTime:
    """The time of a simulated computer; to be called as `time.perf_counter` is.

    Attributes:
        now_us: microseconds since it was switched on.
    """

    def __init__(self) -> None:
        self.now_us = 0.0

    def __call__(self) -> float:
        """Seconds; looking takes a moment."""
        self.now_us += LOOK_US
        return self.now_us * 1e-6

    def sleep(self, seconds: float) -> None:
        """Let time pass; to be called as `time.sleep` is."""
        self.now_us += max(0.0, seconds) * 1e6


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


class DataPin:
    """The input on a chip's DOUT."""

    def __init__(self, chip: Hx711, time: SimulatedTime) -> None:
        self._chip, self._time = chip, time

    @property
    def value(self) -> bool:
        """The level."""
        self._time.now_us += ACCESS_US
        return bool(self._chip.dout(self._time.now_us))


class ClockPin:
    """The output on a chip's PD_SCK.

    Attributes:
        away_us: how long the computer is away while PD_SCK is high.
        away_low_us: the same for the time after a pulse.
    """

    def __init__(self, chip: Hx711, time: SimulatedTime, away_us: Away = _never) -> None:
        self._chip, self._time, self.away_us = chip, time, away_us
        self.away_low_us: Away = _never
        self._level = False
        self._later_us = 0.0
        self._coin = random.Random(3)

    @property
    def value(self) -> bool:
        """The level it is driven to."""
        self._time.now_us += ACCESS_US
        return self._level

    @value.setter
    def value(self, level: bool) -> None:
        self._time.now_us += ACCESS_US + self._later_us
        self._later_us = 0.0
        self._chip.sck(int(level), self._time.now_us)
        if level != self._level:
            self._level = bool(level)
            self._be_away(self.away_us() if level else self.away_low_us())

    def _be_away(self, away_us: float) -> None:
        """Called away at once, before DOUT is looked at, or later, before PD_SCK moves again."""
        if away_us <= 0:
            return
        self._chip.excuse()
        if self._coin.random() < 0.5:
            self._time.now_us += away_us
        else:
            self._later_us = away_us


def preempted(share: float, *, away_us: float = 200.0, seed: int = 0) -> Away:
    """A computer that is called away for `away_us` in a share of the pulses."""
    chance = random.Random(seed)
    return lambda: away_us if chance.random() < share else 0.0


def pins(chip: Hx711, time: SimulatedTime, away_us: Away = _never) -> tuple[DataPin, ClockPin]:
    """Both pins of a chip: DOUT and PD_SCK."""
    return DataPin(chip, time), ClockPin(chip, time, away_us)


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

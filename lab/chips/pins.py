"""Pins as Python drivers know them, with a chip on them, in simulated time.

They have the one attribute of CircuitPython's `DigitalInOut` that the drivers use, `value`.
Nothing waits: each access to a pin and each look at the clock lets a little simulated time pass, so
a driver plays out as fast as Python runs, the same way each time.

A computer that is not a microcontroller is called away now and then, also in the middle of a pulse.
`ClockPin.away_us` says for how long, each time PD_SCK has risen, and `away_low_us` each time it has
fallen; `preempted` makes such a function.
"""

import random
from collections.abc import Callable

from lab.chips.hx711 import Hx711

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

    def __init__(self, chip: Hx711, time: SimulatedTime) -> None:
        self._chip, self._time = chip, time
        self.away_us: Away = _never
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


def preempted(share: float, *, seed: int = 0) -> Away:
    """A computer that is called away for 200 us in a share of the pulses."""
    chance = random.Random(seed)
    return lambda: 200.0 if chance.random() < share else 0.0


def pins(chip: Hx711, time: SimulatedTime) -> tuple[DataPin, ClockPin]:
    """Both pins of a chip: DOUT and PD_SCK."""
    return DataPin(chip, time), ClockPin(chip, time)

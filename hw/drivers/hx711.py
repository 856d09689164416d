"""Load cells on pins of this computer: one HX711 each, read when it is ready, never waited for.

    now = time.perf_counter
    reader = BitReader(data_pin, clock_pin, now)  # or AdafruitReader
    cell = Hx711Cell("C1", data_pin, clock_pin, reader, now, rate_hz=80)
    ...
    for number, reading in read_in_turn(cells):  # every millisecond or two
        ...  # reading.t_s, .count, .flags, .valid

A pin is anything with `value`, as CircuitPython's `DigitalInOut` has it: `digitalio` of Blinka on a
Raspberry Pi, `lab.chips.pins` in tests. `poll` looks once at DOUT; when the chip is ready it
clocks the data word out, which takes a fraction of a millisecond, else it returns at once. So a
dead cell holds up nobody. Give the input a pull-up: then a wire that is off reads high, as a chip
that is not ready does, and not anything. The clock is given (`time.perf_counter`), and all times
are its.

What clocks the data word out is a `DataWordReader`: our own (`hw.drivers.hx711_bits`), or the
prescribed library (`hw.drivers.hx711_adafruit`). What is made of the data word is the same for
both, here:

* A high phase of PD_SCK over 50 us may have powered the chip down (data sheet: over 60 us). The
  count is condemned, unless all its bits were out by then. The chip is power-cycled, which is told
  (`RESETTLES`), and what it gives before it has settled is condemned too.
* After 25 pulses DOUT must be high. If not, the count is condemned; if it never is, DOUT is stuck.
* A data word that was fetched so late that the next one may have slipped under it is condemned.
* A count at the end of the range is condemned, and said to be.
* A reading that comes late condemns the one before it; `hw.resampling` looks after that.

`problem` is what is wrong with a cell, for a `SensorReport`. `Hx711Reading.valid` is
`ScaleSamples.valid`. `state` and the flags have the bits of the microcontroller's `CellState` and
`ScaleFlag`, and two more. `tally` counts what happened.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from statistics import fmean, median_low

from engine.trouble import Trouble
from firmware_bridge.messages import CellState
from hw.drivers.hx711_bits import SIGN
from hw.drivers.hx711_reading import (
    CellCopy,
    CellReader,
    CellTally,
    ClockOutput,
    CountFlag,
    DataInput,
    DataWord,
    DataWordReader,
    Hx711Reading,
)

__all__ = [
    "CellCopy",
    "CellReader",
    "CellTally",
    "ClockOutput",
    "CountFlag",
    "DataInput",
    "DataWord",
    "DataWordReader",
    "Hx711Cell",
    "Hx711Reading",
    "read_in_turn",
]

POWER_CYCLE_S = 80e-6
"""What the firmware takes too; longer does no harm."""

SETTLING_PERIODS = 4.0
"""Data sheet: 400 ms at 10 and 50 ms at 80 samples a second. Recorded chips gave their first
data word, a good one, after 4.3 to 4.5 periods."""

DATA_WORDS_TO_FORGET = 5
"""At the start: nobody knows which gain the chip was left with, and whether it kept it while it was
off. The first data word may have another one, and after it the chip may have to settle."""

RATE_TOLERANCE = 1.18
"""Real chips: 8.5 to 11.7 samples a second where 10 is printed, 78 to 94 for 80."""

LATE_SHARE = 0.84
"""Of the shortest period: the firmware's 9.0 ms of 10.7 ms."""

TIME_UNSURE_SHARE = 0.33
"""Of the nominal period: a fall of DOUT that lies in a wider window is not known well."""

SILENT_S = 0.7
"""As in the firmware: the slowest chip gives 8.5 conversions a second, after a reset the first
comes after up to five periods."""

SILENT_PERIODS = 7.0
"""The same for a chip whose period is known."""

STUCK_RETRY_S = 0.1
"""As in the firmware: how often a DOUT that is stuck low is tried."""

SATURATED_READINGS = 8
"""A hand that comes down hard saturates one or two; a tenth of a second of it is a fault."""

PERIODS_KEPT, PERIODS_NEEDED = 32, 3
PERIOD_BAND = 0.3
"""Looks come in steps, so the periods seen scatter; those further off than this are other things,
such as a conversion that nobody fetched."""


class Hx711Cell:
    """A `CellReader` for one chip on two pins."""

    def __init__(
        self,
        name: str,
        data: DataInput,
        clock: ClockOutput,
        reader: DataWordReader,
        now: Callable[[], float],
        *,
        rate_hz: float = 80.0,
    ) -> None:
        """Power-cycle the chip; the first readings will be marked as settling.

        The name is as on the drawings, `C1`; empty for a starter's only cell. `now` gives seconds,
        going up evenly, to a microsecond or better. The nominal rate is 80 or 10 Hz; the true one
        is measured.
        """
        self.name, self.tally = name, CellTally()
        self._data, self._clock, self._data_word_reader, self._now = data, clock, reader, now
        self._nominal_period_s = 1 / rate_hz
        self._periods_s: list[float] = []
        self._fall_s: float | None = None
        self._period_s: float | None = None
        self._state = CellState.OK
        self._not_high = self._saturated = 0
        self._to_forget = DATA_WORDS_TO_FORGET
        self.power_cycle()

    @property
    def state(self) -> CellState:
        """Whether the chip answers."""
        return self._state

    @property
    def problem(self) -> Trouble | None:
        """What is wrong and what to check; None when all is well."""
        return self.status.problem

    @property
    def status(self) -> CellCopy:
        """How the cell is now."""
        at_its_end = self._saturated >= SATURATED_READINGS
        return CellCopy(self.name, self._state, at_its_end, self._period_s, replace(self.tally))

    @property
    def period_s(self) -> float | None:
        """Measured time from one conversion to the next; None until it is known."""
        return self._period_s

    def poll(self) -> Hx711Reading | None:
        """The new reading, or None when there is none yet; at once."""
        seen_s = self._now()
        if seen_s < self._not_before_s:
            return None
        if self._data.value:
            self._wait(seen_s)
            return None
        return self._fetch(seen_s)

    def power_cycle(self) -> None:
        """Switch the chip off and on again; takes 80 us, and 4.5 periods to the next reading."""
        self._clock.value = True
        began_s = self._now()
        while self._now() - began_s < POWER_CYCLE_S:
            pass
        self._clock.value = False
        now_s = self._now()
        self.tally.power_cycles += 1
        self._high_s = self._watched_s = self._not_before_s = now_s
        self._fall_s = None
        self._to_forget = DATA_WORDS_TO_FORGET if self._to_forget else 0
        self._settled_s = now_s + SETTLING_PERIODS * self._longest_period_s

    # --- inside ---------------------------------------------------------------------------

    @property
    def _longest_period_s(self) -> float:
        return self.period_s or self._nominal_period_s * RATE_TOLERANCE

    @property
    def _shortest_period_s(self) -> float:
        # Never more than what a fast chip takes: conversions that nobody saw make periods longer.
        fastest_s = self._nominal_period_s / RATE_TOLERANCE
        return min(self._period_s or fastest_s, fastest_s)

    def _wait(self, seen_s: float) -> None:
        """DOUT is high: conversion goes on, or there is no chip."""
        if seen_s - self._high_s > self._shortest_period_s:
            # Nobody looked for so long that a data word may have come and made way for the next.
            self._watched_s = seen_s
        self._high_s = seen_s
        patience_s = SILENT_S
        if self._state is CellState.OK and self.period_s is not None:
            patience_s = min(SILENT_S, SILENT_PERIODS * self.period_s)
        if seen_s - self._watched_s > patience_s:
            self._state = CellState.SILENT
            # The one that comes back may be another chip, at another rate.
            self._periods_s, self._period_s = [], None
            self.power_cycle()

    def _fetch(self, seen_s: float) -> Hx711Reading | None:
        word = self._data_word_reader.read()
        if word is None:
            return None
        # Before the look: between the two this computer may be away, and conversions go on.
        done_s = self._now()
        high = self._data.value
        flags = self._judge(word, seen_s, done_s, high=high)
        reading = Hx711Reading(self._fell_s(seen_s), word.count or 0, flags)
        self.tally.count(flags)
        self._note(reading, done_s)
        return reading

    def _fell_s(self, seen_s: float) -> float:
        """When DOUT fell; if nobody looked for long, the last of several falls."""
        since_s = max(self._high_s, seen_s - self._shortest_period_s)
        return (since_s + seen_s) / 2

    def _judge(self, word: DataWord, seen_s: float, done_s: float, *, high: bool) -> CountFlag:
        flags = CountFlag(0)
        if word.powered_down:
            flags |= CountFlag.RESETTLES
        if word.count is None:
            flags |= CountFlag.STRETCHED
        elif word.count in {SIGN - 1, -SIGN}:
            flags |= CountFlag.SATURATED
        if not high:
            flags |= CountFlag.NOT_HIGH
        if done_s - self._high_s > LATE_SHARE * self._shortest_period_s:
            flags |= CountFlag.LATE
        if seen_s < self._settled_s or self._to_forget:
            flags |= CountFlag.SETTLING
        if seen_s - self._high_s > TIME_UNSURE_SHARE * self._nominal_period_s:
            flags |= CountFlag.TIME_UNSURE
        return flags

    def _note(self, reading: Hx711Reading, done_s: float) -> None:
        """What follows from a reading for the next ones."""
        flags = reading.flags
        self._high_s = self._watched_s = done_s
        self._saturated = self._saturated + 1 if flags & CountFlag.SATURATED else 0
        if flags & CountFlag.NOT_HIGH:
            self._not_high += 1
            self._not_answered()
            return
        self._not_high = 0
        if flags & CountFlag.RESETTLES:
            self.power_cycle()
            return
        self._state = CellState.OK
        self._to_forget = max(0, self._to_forget - 1)
        self._measure_period(None if flags & CountFlag.TIME_UNSURE else reading.t_s)

    def _measure_period(self, fall_s: float | None) -> None:
        """Enter the fall of DOUT, None when it is not well known."""
        if self._fall_s is not None and fall_s is not None:
            self._periods_s = [*self._periods_s, fall_s - self._fall_s][-PERIODS_KEPT:]
        self._fall_s = fall_s
        if len(self._periods_s) >= PERIODS_NEEDED:
            middle_s = median_low(self._periods_s)
            near = [p for p in self._periods_s if abs(p / middle_s - 1) < PERIOD_BAND]
            self._period_s = fmean(near)

    def _not_answered(self) -> None:
        """DOUT was low after the data word: disturbed once, stuck low if it happens again."""
        self.power_cycle()
        if self._not_high > 1:
            self._state = CellState.STUCK_LOW
            self._not_before_s += STUCK_RETRY_S


def read_in_turn(cells: Iterable[CellReader]) -> list[tuple[int, Hx711Reading]]:
    """Poll each cell once; the readings that there are, with the cells' numbers."""
    polled = [(number, cell.poll()) for number, cell in enumerate(cells)]
    return [(number, reading) for number, reading in polled if reading is not None]

"""Readings of a load cell, and the interfaces of the drivers that make them.

A pin is anything with `value`. A `DataWordReader` clocks one data word out of a chip whose DOUT
is low; a `CellReader` makes readings of data words, each with its time and with what is wrong with
it.
"""

from dataclasses import dataclass, field
from enum import IntFlag
from typing import Protocol

from engine.trouble import Trouble, TroubleKind
from firmware_bridge.messages import CellState, ScaleFlag
from hw.troubles import CHIP_END, CHIP_LOW, CHIP_SILENT, THE_CHIP_END, THE_CHIP_LOW, THE_CHIP_SILENT

PULSES_A128 = 25
"""Channel A at gain 128, where load cells belong. They are clocked each time, since data sheet and
users differ about the gain after a power cycle."""

HIGH_LIMIT_S = 50e-6
"""Data sheet: PD_SCK may be high for 50 us at most; over 60 us powers the chip down."""


class DataInput(Protocol):
    """The pin on DOUT."""

    @property
    def value(self) -> bool:
        """The level."""


class ClockOutput(Protocol):
    """The pin on PD_SCK."""

    value: bool


class CountFlag(IntFlag):
    """What was wrong with one reading; 0 means a good one. The first five are `ScaleFlag`'s."""

    SATURATED = ScaleFlag.SATURATED
    NOT_HIGH = ScaleFlag.NOT_HIGH
    LATE = ScaleFlag.LATE
    SETTLING = ScaleFlag.SETTLING
    TIME_UNSURE = ScaleFlag.TIME_UNSURE
    STRETCHED = 32
    """PD_SCK was high for too long before all bits were out: this computer was busy elsewhere."""
    RESETTLES = 64
    """The chip had to be power-cycled after it; the next one comes 4.5 periods later."""


CONDEMNING = (
    CountFlag.SATURATED
    | CountFlag.NOT_HIGH
    | CountFlag.LATE
    | CountFlag.SETTLING
    | CountFlag.STRETCHED
)
"""Flags of counts that are not to be used; the others are remarks."""


@dataclass(frozen=True, slots=True)
class DataWord:
    """What was clocked out of a chip.

    Attributes:
        count: signed, 24 bits; None when the chip may have been powered down before the last one.
        powered_down: a high phase of PD_SCK may have powered the chip down.
    """

    count: int | None
    powered_down: bool = False


class DataWordReader(Protocol):
    """Clocks data words out of one chip."""

    def read(self) -> DataWord | None:
        """Clock out the data word of a chip whose DOUT was low; None if it is not any more."""


@dataclass(frozen=True, slots=True)
class Hx711Reading:
    """One conversion.

    Attributes:
        t_s: when DOUT fell: the middle between the look that found it high and the one that found
            it low.
        count: signed, 24 bits; 0 when it is `STRETCHED`.
        flags: what is wrong with it.
    """

    t_s: float
    count: int
    flags: CountFlag

    @property
    def valid(self) -> bool:
        """Whether the count may be used."""
        return not self.flags & CONDEMNING


@dataclass(slots=True)
class CellTally:
    """What happened since the start.

    Attributes:
        read: data words clocked out.
        good: valid ones among them.
        powered_down: data words during which PD_SCK was high for too long.
        stretched, not_high, late, settling, saturated: condemned ones, by reason.
        power_cycles: given to the chip, for whatever reason.
    """

    read: int = 0
    good: int = 0
    powered_down: int = 0
    stretched: int = 0
    not_high: int = 0
    late: int = 0
    settling: int = 0
    saturated: int = 0
    power_cycles: int = 0

    def count(self, flags: CountFlag) -> None:
        """Enter a reading."""
        self.read += 1
        self.good += not flags & CONDEMNING
        self.powered_down += bool(flags & CountFlag.RESETTLES)
        self.stretched += bool(flags & CountFlag.STRETCHED)
        self.not_high += bool(flags & CountFlag.NOT_HIGH)
        self.late += bool(flags & CountFlag.LATE)
        self.settling += bool(flags & CountFlag.SETTLING)
        self.saturated += bool(flags & CountFlag.SATURATED)


@dataclass(frozen=True, slots=True)
class CellCopy:
    """How a cell was, told by whoever reads it.

    Attributes:
        name: as on the drawings, `C1`; empty for a starter's only cell.
        state: whether the chip answers.
        at_its_end: its counts have been at the end of the range for a while.
        period_s: measured time from one conversion to the next; None until it is known.
        tally: what happened since the start.
        refused: why its pins cannot be had.
    """

    name: str
    state: CellState = CellState.OK
    at_its_end: bool = False
    period_s: float | None = None
    tally: CellTally = field(default_factory=CellTally)
    refused: Trouble | None = None

    @property
    def problem(self) -> Trouble | None:
        """What is wrong and what to check; None when all is well."""
        if self.refused:
            return self.refused
        if self.state is CellState.SILENT:
            return self._of(CHIP_SILENT, THE_CHIP_SILENT)
        if self.state is CellState.STUCK_LOW:
            return self._of(CHIP_LOW, THE_CHIP_LOW)
        return self._of(CHIP_END, THE_CHIP_END) if self.at_its_end else None

    def _of(self, one: TroubleKind, the_only: TroubleKind) -> Trouble:
        return one(n=self.name) if self.name else the_only()


class CellStatus(Protocol):
    """How one load cell is, wherever it is read."""

    @property
    def state(self) -> CellState:
        """Whether the chip answers."""

    @property
    def problem(self) -> Trouble | None:
        """What is wrong and what to check; None when all is well."""

    @property
    def period_s(self) -> float | None:
        """Measured time from one conversion to the next; None until it is known."""

    @property
    def tally(self) -> CellTally:
        """What happened since the start."""


class CellReader(CellStatus, Protocol):
    """One load cell, however it is read."""

    def poll(self) -> Hx711Reading | None:
        """The new reading, or None when there is none yet; at once."""

"""Faults to order: what can go wrong with a sensor, so that the table can be seen to notice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.samples import Floats, Ints
from hw.calibration import COUNTS_MAX
from hw.errors import BadTwin


class FaultKind(StrEnum):
    """What breaks."""

    DEAD_CELL = "dead_cell"
    """The load cell's wire is off: the count stays where the amplifier's offset puts it."""
    STUCK = "stuck"
    """The count freezes at its last value."""
    SATURATED = "saturated"
    """The bridge is broken: full scale."""
    NOISY = "noisy"
    """A bad joint: noise `size` times as strong."""
    DRIFTING = "drifting"
    """The cell creeps by `size` grams a second."""
    SLOW_CLOCK = "slow_clock"
    """Conversions come `size` times as seldom."""
    CHIP_RESET = "chip_reset"
    """Power cycles: a bad word, then 50 ms of silence, `size` times a second."""
    GLITCHES = "glitches"
    """A share `size` of the words is corrupt."""
    NO_SCALE = "no_scale"
    """All conversions stop."""
    IMU_DEAD = "imu_dead"
    """The inertial sensor answers with zeros."""
    IMU_NACK = "imu_nack"
    """The inertial sensor does not answer: no samples."""


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """One fault during a span of table time. `cell` 0 to 3 for faults of one load cell."""

    kind: FaultKind
    start_s: float = 0.0
    end_s: float = float("inf")
    cell: int = 0
    size: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.cell <= 3:
            raise BadTwin(f"fault {self.kind}: cell is {self.cell}; it must be 0 to 3")
        if not self.start_s <= self.end_s:
            raise BadTwin(f"fault {self.kind}: it ends ({self.end_s} s) before it begins")
        if not self.size >= 0:
            raise BadTwin(f"fault {self.kind}: size is {self.size}; it must be 0 or more")

    def during(self, t_s: Floats) -> np.typing.NDArray[np.bool_]:
        """Which of the times fall into the fault."""
        within: np.typing.NDArray[np.bool_] = (t_s >= self.start_s) & (t_s < self.end_s)
        return within


def of_kind(faults: Sequence[InjectedFault], kind: FaultKind) -> Iterator[InjectedFault]:
    """The faults of one kind."""
    return (fault for fault in faults if fault.kind is kind)


def spoil_grams(
    faults: Sequence[InjectedFault], t_s: Floats, grams: Floats, noise_g: Floats
) -> None:
    """Faults that act before the amplifier: noise (given as drawn for each cell) and drift."""
    for fault in of_kind(faults, FaultKind.NOISY):
        grams[:, fault.cell] += (fault.size - 1) * noise_g[:, fault.cell] * fault.during(t_s)
    for fault in of_kind(faults, FaultKind.DRIFTING):
        grams[:, fault.cell] += fault.size * np.clip(t_s - fault.start_s, 0, None)


def spoil_counts(
    faults: Sequence[InjectedFault],
    t_s: Floats,
    counts: Ints,
    held: dict[int, int],
    rng: np.random.Generator,
) -> None:
    """Faults that act on the count. `held` keeps the frozen counts between blocks."""
    for fault in faults:
        hit = fault.during(t_s)
        if not hit.any():
            continue
        column = counts[:, fault.cell]
        if fault.kind is FaultKind.SATURATED:
            column[hit] = COUNTS_MAX
        elif fault.kind is FaultKind.DEAD_CELL:
            column[hit] = (rng.normal(-1200, 40, hit.sum())).astype(np.int32)
        elif fault.kind is FaultKind.STUCK:
            column[hit] = held.setdefault(fault.cell, int(column[hit][0]))

"""The samples of a stretch of time as arrays."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from engine.samples import (
    Flags,
    Floats,
    ImuSamples,
    Ints,
    ScaleSamples,
    SensorReport,
    SwitchSample,
)
from engine.tabletop import CELL_COUNT
from hw.blocks import joined
from hw.source import Item

REPEATED_BY_CHANCE = 0.05
"""The quietest cell on record (22 counts) repeats its last count once in eighty conversions."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Everything a source gave between two table times; all samples of a sensor in one block."""

    start_s: float
    end_s: float
    scale: ScaleSamples
    imu: ImuSamples
    switches: tuple[SwitchSample, ...] = ()
    reports: tuple[SensorReport, ...] = ()

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s

    def fresh(self, cell: int) -> Flags:
        """Rows that hold a new conversion of a cell.

        A row of four cells also appears when only another cell has news; then the old count
        stands in it. A few equal counts are chance.
        """
        raw: Ints = self.scale.raw[:, cell]
        valid: Flags = self.scale.valid[:, cell]
        new: Flags = np.concatenate(([True], raw[1:] != raw[:-1]))[: len(raw)]
        return valid if (~new).sum() <= REPEATED_BY_CHANCE * len(raw) else new & valid

    def cell_times_s(self, cell: int) -> Floats:
        """Table times of a cell's new conversions."""
        times: Floats = self.scale.t_s[self.fresh(cell)]
        return times


def gather(items: Iterable[Item], start_s: float, end_s: float) -> Stretch:
    """One stretch of the items of a source; what people said is left out."""
    scale = [NO_SCALE]
    imu = [NO_IMU]
    switches: list[SwitchSample] = []
    reports: list[SensorReport] = []
    for item in items:
        match item:
            case ScaleSamples():
                scale.append(item)
            case ImuSamples():
                imu.append(item)
            case SwitchSample():
                switches.append(item)
            case SensorReport():
                reports.append(item)
            case _:
                pass
    return Stretch(start_s, end_s, joined(scale), joined(imu), tuple(switches), tuple(reports))


NO_SCALE = ScaleSamples(
    np.empty(0),
    np.empty((0, CELL_COUNT)),
    np.empty((0, CELL_COUNT), dtype=np.int32),
    np.empty((0, CELL_COUNT), dtype=np.bool_),
)
"""No samples of the load cells."""

NO_IMU = ImuSamples(
    np.empty(0), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 6), dtype=np.int32)
)
"""No samples of the inertial sensor."""

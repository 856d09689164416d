"""The samples of a stretch of time as arrays."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from engine.samples import (
    ImuSamples,
    ScaleSamples,
    SensorReport,
    SwitchSample,
)
from engine.tabletop import CELL_COUNT
from hw.blocks import joined
from hw.conversions import Conversions, OfEach
from hw.source import Item


@dataclass(frozen=True, slots=True)
class Stretch:
    """Everything a source gave between two table times; all samples of a sensor in one block.

    `cells` holds what each chip converted, of a source that knows (`HasConversions`).
    """

    start_s: float
    end_s: float
    scale: ScaleSamples
    imu: ImuSamples
    switches: tuple[SwitchSample, ...] = ()
    reports: tuple[SensorReport, ...] = ()
    cells: OfEach = ()

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.start_s

    def conversions(self, cell: int) -> Conversions:
        """What a chip converted; what stands in the rows, where only they are known."""
        if self.cells:
            return self.cells[cell]
        scale = self.scale
        every = np.ones(len(scale.t_s), dtype=np.int32)
        return Conversions(scale.t_s, scale.raw[:, cell], scale.valid[:, cell], every)


def gather(items: Iterable[Item], start_s: float, end_s: float, cells: OfEach = ()) -> Stretch:
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
    return Stretch(
        start_s, end_s, joined(scale), joined(imu), tuple(switches), tuple(reports), cells
    )


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

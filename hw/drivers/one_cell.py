"""Presents the one load cell of a starter table as the four of any other table.

A starter weighs with a single cell under everything. All else (recordings, detection, health)
thinks in rows of four; so one conversion of weight W becomes a row of four quarters W/4, and the
calibration says so (`Calibration.weight_only`). Their sum is the weight; their differences, which
would say where it lies, are zero and are not looked at.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from engine.samples import Flags, Floats, ScaleSamples, SensorReport
from engine.tabletop import CELL_COUNT
from hw.calibration import COUNTS_MAX, COUNTS_MIN, Calibration
from hw.conversions import ConversionLog, OfEach
from hw.drivers.cells import LOOK_S, CellGroup
from hw.drivers.hx711 import Hx711Reading
from hw.drivers.scale import SENSOR
from hw.errors import BadCalibration
from hw.rate_watch import RATES, RateWatch
from hw.source import Item

if TYPE_CHECKING:
    from engine.trouble import Trouble


def one_cell(
    drawn: Calibration, counts_per_gram: float, tare_counts: float, rate_hz: float
) -> Calibration:
    """The calibration of a starter table: lengths and piece as drawn, its one load cell and HX711.

    Counts per gram have their sign; the tare is that of the empty table.
    """
    scale = replace(
        drawn.scale,
        counts_per_gram=(CELL_COUNT * counts_per_gram,) * CELL_COUNT,
        tare_counts=(tare_counts,) * CELL_COUNT,
        rate_hz=rate_hz,
    )
    return replace(drawn, scale=scale, weight_only=True)


def counts_per_gram(calibration: Calibration) -> float:
    """Of a starter's one load cell."""
    return calibration.scale.counts_per_gram[0] / CELL_COUNT


def quarters(
    calibration: Calibration, t_s: npt.ArrayLike, counts: Sequence[int], trusted: Flags
) -> ScaleSamples:
    """A block of conversions of the one cell, as rows of four."""
    raw = np.repeat(np.asarray(counts, dtype=np.int32)[:, None], CELL_COUNT, axis=1)
    rows = np.repeat(np.asarray(trusted)[:, None], CELL_COUNT, axis=1)
    return calibration.scale_samples(t_s, raw, rows)


def counts_of(calibration: Calibration, total_g: Floats) -> list[int]:
    """What the one cell would count under a weight; for simulated tables."""
    counts = total_g * counts_per_gram(calibration) + calibration.scale.tare_counts[0]
    return [round(float(count)) for count in np.clip(counts, COUNTS_MIN, COUNTS_MAX)]


def check_fits(calibration: Calibration, cells: int) -> None:
    """Refuse a calibration of another kind of table than is wired.

    Raises:
        BadCalibration: four cells and one were mixed up.
    """
    if calibration.weight_only is not (cells == 1):
        has = "one load cell" if calibration.weight_only else "four load cells"
        raise BadCalibration(
            f"the calibration is of a table with {has}, but {cells} are wired; name the right "
            "file, or calibrate again"
        )


class OneCellReader:
    """Reads one cell; `step` never waits.

    Attributes:
        name: of the group. pause_s: time to leave between two steps. group: of the one cell.
        heard_s: nothing before this time will come any more.
    """

    name = SENSOR
    pause_s = LOOK_S

    def __init__(self, group: CellGroup, calibration: Calibration) -> None:
        """Read the only cell of a starter table."""
        self.group = group
        self._calibration = calibration
        self._rates = RateWatch(calibration.scale.rate_hz, one_cell=True)
        self._troubles: dict[str, Trouble | None] = {}
        self.heard_s = float("-inf")
        self._log = ConversionLog()
        self._begun = False

    def step(self) -> list[Item]:
        """The new conversions, and what became of the cell."""
        self.heard_s, taken = self.group.take()
        items: list[Item] = [*self._reports()]
        if taken:
            readings = [reading for _, reading in taken]
            t_s = np.array([reading.t_s for reading in readings])
            valid = np.array([reading.valid for reading in readings])
            counts = [reading.count for reading in readings]
            items.append(quarters(self._calibration, t_s, counts, valid))
            for reading in readings:
                self._note(reading)
        return items

    def _reports(self) -> list[SensorReport]:
        """What has changed with the cell."""
        problem = self.group.problem or self.group.cells[0].problem
        problems = {SENSOR: problem, RATES: self._rates.look(self.heard_s, self._rate_hz)}
        changed = [name for name in problems if problems[name] != self._troubles.get(name)]
        self._troubles = problems
        return [SensorReport.of(self.heard_s, name, problems[name]) for name in changed]

    def _rate_hz(self) -> tuple[float | None]:
        period_s = self.group.cells[0].period_s
        return (1 / period_s if period_s else None,)

    def conversions(self, shift_s: float = 0.0) -> OfEach:
        """What the chip has converted since the last call, in all four columns."""
        return self._log.take(shift_s)

    def _note(self, reading: Hx711Reading) -> None:
        for column in range(CELL_COUNT):
            self._log.add(column, reading.t_s, reading.count, int(self._begun), good=reading.valid)
        self._begun = True

    def close(self) -> None:
        """Let go of the pins."""
        self.group.close()

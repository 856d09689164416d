"""Operates four load cells: rows of four weights with times, and a message for each bad cell.

The chips have clocks of their own, up to 15 % apart; `hw.resampling` makes rows of one time from
their conversions. A cell that is dead is a column of untrusted counts and a sentence, never a
weight: the three others carry on.
"""

from typing import TYPE_CHECKING

from engine.samples import SensorReport
from hw.calibration import Calibration
from hw.conversions import OfEach
from hw.drivers.cells import LOOK_S, CellGroup
from hw.rate_watch import RATES, RateWatch
from hw.resampling import Conversion, Resampler
from hw.source import Item

if TYPE_CHECKING:
    from engine.trouble import Trouble

SENSOR = "scale"
"""In reports about all cells together; `scale.0` to `scale.3` are the single ones."""


class ScaleReader:
    """Makes rows of what four cells give; `step` never waits."""

    name = SENSOR
    pause_s = LOOK_S

    def __init__(self, group: CellGroup, calibration: Calibration) -> None:
        """Read the cells of a table with this calibration."""
        self.group = group
        self._calibration = calibration
        self._resampler = Resampler(calibration.scale.rate_hz)
        self._rates = RateWatch(calibration.scale.rate_hz)
        self._numbers = [0] * len(group.cells)
        self._troubles: dict[str, Trouble | None] = {}
        self._now_s = float("-inf")

    @property
    def heard_s(self) -> float:
        """No row before this time will come any more."""
        return min(self._resampler.done_to_s, self._now_s)

    def step(self) -> list[Item]:
        """Rows that are complete, and what became of the cells."""
        self._now_s, readings = self.group.take()
        for cell, reading in readings:
            self._numbers[cell] += 1
            number = self._numbers[cell] % 256
            self._resampler.add(cell, Conversion(reading.t_s, number, reading.count, reading.valid))
        rows = self._resampler.take(self._now_s)
        items: list[Item] = [*self._reports()]
        if len(rows):
            items.append(self._calibration.scale_samples(rows.t_s, rows.counts, rows.trusted))
        return items

    def conversions(self, shift_s: float = 0.0) -> OfEach:
        """What each chip has converted since the last call, at times moved by `shift_s`."""
        return self._resampler.log.take(shift_s)

    def close(self) -> None:
        """Let go of the pins."""
        self.group.close()

    def _reports(self) -> list[SensorReport]:
        """What has changed with the cells."""
        singly = {f"{SENSOR}.{n}": cell.problem for n, cell in enumerate(self.group.cells)}
        rates = self._rates.look(self._now_s, self._resampler.rates_hz)
        problems = {SENSOR: self.group.problem, **singly, RATES: rates}
        changed = [name for name in problems if problems[name] != self._troubles.get(name)]
        self._troubles = problems
        return [SensorReport.of(self._now_s, name, problems[name]) for name in changed]

"""Operates four load cells: rows of four weights with times, and a message for each bad cell.

The chips have clocks of their own, up to 15 % apart; `hw.resampling` makes rows of one time from
their conversions. A cell that is dead is a column of untrusted counts and a sentence, never a
weight: the three others carry on.
"""

from collections.abc import Callable, Sequence

from engine.samples import SensorReport
from hw.calibration import Calibration
from hw.drivers.hx711 import (
    CellReader,
    ClockOutput,
    DataInput,
    DataWordReader,
    Hx711Cell,
    read_in_turn,
)
from hw.drivers.hx711_bits import BitReader
from hw.resampling import Conversion, Resampler
from hw.source import Item

LOOK_S = 0.002
"""A fall of DOUT is known to a millisecond then; a data word takes a tenth of that to read."""


DataWordReaderFactory = Callable[[DataInput, ClockOutput, Callable[[], float]], DataWordReader]
"""Makes a reader of data words: `BitReader`, or `AdafruitReader` of the prescribed library."""


def cells_on(
    wires: Sequence[tuple[DataInput, ClockOutput]],
    now: Callable[[], float],
    rate_hz: float,
    make_reader: DataWordReaderFactory = BitReader,
) -> list[Hx711Cell]:
    """Load cells on pairs of DOUT and PD_SCK; see `Hx711Cell`."""
    return [
        Hx711Cell(
            f"Load cell {number}", data, clock, make_reader(data, clock, now), now, rate_hz=rate_hz
        )
        for number, (data, clock) in enumerate(wires, start=1)
    ]


class ScaleReader:
    """Reads four cells in turn; `step` never waits.

    Attributes:
        name: of the group.
        pause_s: time to leave between two steps.
        cells: what is read, for health.
    """

    name = "scale"
    pause_s = LOOK_S

    def __init__(
        self,
        cells: Sequence[CellReader],
        calibration: Calibration,
        clock: Callable[[], float],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """Read cells.

        Args:
            cells: load cells 1 to 4.
            calibration: of the table.
            clock: the time the cells go by, in seconds.
            close: lets go of their pins.
        """
        self.cells = tuple(cells)
        self._calibration, self._clock, self._close = calibration, clock, close
        self._resampler = Resampler(calibration.scale.rate_hz)
        self._numbers = [0] * len(self.cells)
        self._troubles = [""] * len(self.cells)
        self._now_s = float("-inf")

    @property
    def heard_s(self) -> float:
        """No row before this time will come any more."""
        return min(self._resampler.done_to_s, self._now_s)

    def step(self) -> list[Item]:
        """Rows that are complete, and what became of the cells."""
        self._now_s = self._clock()
        for cell, reading in read_in_turn(self.cells):
            self._numbers[cell] += 1
            number = self._numbers[cell] % 256
            self._resampler.add(cell, Conversion(reading.t_s, number, reading.count, reading.valid))
        rows = self._resampler.take(self._now_s)
        items: list[Item] = [*self._reports()]
        if len(rows):
            items.append(self._calibration.scale_samples(rows.t_s, rows.counts, rows.trusted))
        return items

    def close(self) -> None:
        """Let go of the pins."""
        self._close()

    def _reports(self) -> list[SensorReport]:
        """What has changed with the cells."""
        reports = []
        for number, cell in enumerate(self.cells):
            if cell.problem != self._troubles[number]:
                self._troubles[number] = cell.problem
                problem = cell.problem
                sensor = f"scale.{number}"
                reports.append(SensorReport(self._now_s, sensor, ok=not problem, reason=problem))
        return reports

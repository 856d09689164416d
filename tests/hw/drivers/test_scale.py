"""Cells that a test holds in its hand; real drivers on chips are in test_on_pins.py."""

from typing import TYPE_CHECKING

import pytest

from engine.samples import ScaleSamples, SensorReport
from firmware_bridge.messages import CellState
from hw.drivers.cells import CellsHere
from hw.drivers.hx711 import CellTally, CountFlag, Hx711Reading
from hw.drivers.scale import ScaleReader
from hw.troubles import CHIP_SILENT
from lab.mock import quiet_parameters

if TYPE_CHECKING:
    from engine.trouble import Trouble

CALIBRATION = quiet_parameters().calibration


class Cell:
    """Gives a conversion every period, a gram a second."""

    def __init__(self, number: int, period_s: float) -> None:
        self.period_s: float | None = period_s
        self.problem: Trouble | None = None
        self.state, self.tally = CellState.OK, CellTally()
        self.dead = False
        self.now_s = 0.0
        self._next_s = 0.003 * number

    def skip_to(self, t_s: float) -> None:
        """The chip begins anew."""
        self._next_s = t_s

    def poll(self) -> Hx711Reading | None:
        if self.now_s < self._next_s or self.dead:
            return None
        t_s = self._next_s
        self._next_s += self.period_s or 1.0
        flags = CountFlag.SETTLING if t_s < 0.1 else CountFlag(0)
        return Hx711Reading(t_s, round(200_000 + 1000 * t_s), flags)


class Bench:
    def __init__(self) -> None:
        self.cells = [Cell(number, 1 / rate) for number, rate in enumerate((82, 78, 80, 93))]
        self.now_s = 0.0
        self.reader = ScaleReader(CellsHere(self.cells, lambda: self.now_s), CALIBRATION)

    def run(self, seconds: float) -> list:
        items = []
        for _ in range(round(seconds / 0.002)):
            self.now_s += 0.002
            for cell in self.cells:
                cell.now_s = self.now_s
            items += self.reader.step()
        return items


@pytest.fixture
def bench() -> Bench:
    return Bench()


def rows(items: list) -> list[tuple[float, list[float]]]:
    blocks = [item for item in items if isinstance(item, ScaleSamples)]
    return [
        (t_s, grams.tolist())
        for block in blocks
        for t_s, grams in zip(block.t_s, block.mass_g, strict=True)
    ]


def test_rows_are_the_loads_of_one_time_though_the_chips_run_apart(bench: Bench) -> None:
    found = rows(bench.run(3.0))

    assert len(found) == pytest.approx(80 * 2.85, abs=6)
    for t_s, grams in found:
        assert grams == pytest.approx([t_s] * 4, abs=0.002)


def test_nothing_before_the_time_it_has_heard_comes_later(bench: Bench) -> None:
    bench.run(1.0)
    heard_s = bench.reader.heard_s

    assert bench.now_s - heard_s < 0.06
    assert min(t_s for t_s, _ in rows(bench.run(1.0))) >= heard_s


def test_a_dead_cell_is_a_sentence_and_no_weight_and_the_others_go_on(bench: Bench) -> None:
    bench.run(1.0)
    bench.cells[2].dead, bench.cells[2].problem = True, CHIP_SILENT(n="C2")
    items = bench.run(1.0)
    late = rows(items)[-20:]

    (told,) = [i for i in items if isinstance(i, SensorReport)]
    assert told == SensorReport.of(told.t_s, "scale.2", CHIP_SILENT(n="C2"))
    assert told.t_s == pytest.approx(1.002)
    assert all(grams[2] != grams[2] for _, grams in late)  # NaN
    assert late[-1][1][0] == pytest.approx(late[-1][0], abs=0.002)

    bench.cells[2].problem = None
    said = [i for i in bench.run(0.1) if isinstance(i, SensorReport)]
    assert [(report.sensor, report.ok) for report in said] == [("scale.2", True)]

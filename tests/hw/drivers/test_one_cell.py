"""One load cell told as four quarters."""

import numpy as np
import pytest

from engine.samples import ScaleSamples, SensorReport
from hw.building.design import drawn_table
from hw.calibration import calibration_json, parse_calibration
from hw.drivers.cells import CellsHere
from hw.drivers.one_cell import (
    OneCellReader,
    check_fits,
    counts_of,
    counts_per_gram,
    one_cell,
    quarters,
)
from hw.errors import BadCalibration
from hw.troubles import THE_CHIP_SILENT
from tests.hw.drivers.test_scale import Cell

STARTER = one_cell(drawn_table(), -430.0, 12_345.0, 80.0)


def test_the_quarters_add_up_to_the_weight_and_lie_in_the_middle() -> None:
    counts = counts_of(STARTER, np.array([0.0, 3.0, 27.5]))
    block = quarters(STARTER, np.arange(3) * 0.0125, counts, np.array([True, True, False]))

    assert counts == [12_345, 12_345 - 1290, 12_345 - 11_825]
    assert block.mass_g[:2].sum(axis=1) == pytest.approx([0.0, 3.0])
    assert np.isnan(block.mass_g[2]).all()
    assert (block.raw == np.array(counts)[:, None]).all()
    assert block.mass_g[1] @ np.array(STARTER.scale.positions_mm) == pytest.approx([0.0, 0.0])


def test_its_calibration_survives_the_file_and_says_what_it_is() -> None:
    again = parse_calibration(calibration_json(STARTER))

    assert again == STARTER
    assert again.tabletop().weight_only
    assert counts_per_gram(again) == -430.0
    assert not parse_calibration(calibration_json(drawn_table())).weight_only


def test_a_calibration_of_another_kind_of_table_is_refused() -> None:
    check_fits(STARTER, 1)
    check_fits(drawn_table(), 4)
    with pytest.raises(BadCalibration, match="one load cell, but 4 are wired"):
        check_fits(STARTER, 4)
    with pytest.raises(BadCalibration, match="four load cells, but 1 are wired"):
        check_fits(drawn_table(), 1)


def run(cell: Cell, reader: OneCellReader, seconds: float) -> list:
    items: list = []
    for _ in range(round(seconds / 0.002)):
        cell.now_s += 0.002
        items += reader.step()
        rows = [item for item in items if isinstance(item, ScaleSamples)]
        assert all(row.t_s[-1] <= reader.heard_s for row in rows)
    return items


def test_conversions_become_rows_in_order_and_what_settles_is_not_trusted() -> None:
    cell = Cell(0, 0.0125)
    reader = OneCellReader(CellsHere([cell], lambda: cell.now_s), STARTER)
    rows = [item for item in run(cell, reader, 2.0) if isinstance(item, ScaleSamples)]
    times = np.concatenate([row.t_s for row in rows])

    assert len(times) == pytest.approx(160, abs=1)
    assert (np.diff(times) > 0).all()
    assert not rows[0].valid.any()
    assert rows[-1].valid.all()


def test_what_becomes_of_the_cell_is_said_once() -> None:
    cell = Cell(0, 0.0125)
    reader = OneCellReader(CellsHere([cell], lambda: cell.now_s), STARTER)
    run(cell, reader, 0.1)
    cell.problem, cell.dead = THE_CHIP_SILENT(), True
    said = [item for item in run(cell, reader, 1.0) if isinstance(item, SensorReport)]
    cell.problem, cell.dead = None, False
    back = [item for item in run(cell, reader, 0.5) if isinstance(item, SensorReport)]

    assert [(each.sensor, each.ok) for each in said + back] == [("scale", False), ("scale", True)]


def test_a_chip_at_another_rate_than_it_was_calibrated_with_is_said_and_the_table_goes_on() -> None:
    cell = Cell(0, 1 / 10.6)
    reader = OneCellReader(CellsHere([cell], lambda: cell.now_s), STARTER)
    items = run(cell, reader, 6.0)
    (said,) = [item for item in items if isinstance(item, SensorReport)]

    assert (said.sensor, said.ok, said.code) == ("rates", False, "the_rate_slow")
    assert said.reason.startswith("The load cell converts 11 times a second, not 80")
    assert "goes on" in said.reason
    assert [item for item in items if isinstance(item, ScaleSamples)][-1].valid.all()


def test_a_chip_at_its_usual_rate_is_not_spoken_of() -> None:
    cell = Cell(0, 1 / 93.0)
    reader = OneCellReader(CellsHere([cell], lambda: cell.now_s), STARTER)

    assert not [item for item in run(cell, reader, 6.0) if isinstance(item, SensorReport)]

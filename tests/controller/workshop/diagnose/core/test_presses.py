from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from controller.workshop.diagnose.core.figures import cell_figures
from controller.workshop.diagnose.core.findings import CellFigures
from controller.workshop.diagnose.core.presses import CellPress, Tilt, press_findings, tilt_findings
from hw.calibration import Calibration
from hw.stretch import Stretch, gather
from lab.twin.tower import Tower
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, TABLE, rest, tower


def watched(table: Tower, seconds: float) -> Stretch:
    start_s = table.now_s
    return gather(table.poll(start_s + seconds), start_s, start_s + seconds)


def known(table: Tower, calibration: Calibration) -> list[CellFigures]:
    stretch = watched(table, 3.0)
    return [cell_figures(stretch, calibration, cell) for cell in range(4)]


def pressed(
    *,
    faults: tuple[str, ...] = (),
    order: tuple[int, ...] = (0, 1, 2, 3),
    grams: float = 200.0,
    calibration: Calibration = CALIBRATION,
) -> list[tuple[str, str]]:
    """Findings when cell n of `order` is pressed while cell n was asked for."""
    table = tower(*faults)
    rest_figures = known(table, calibration)
    presses = []
    for asked, cell in enumerate(order):
        table.press_base(*TABLE.scale.positions_mm[cell], grams, 2.0)
        presses.append(CellPress(asked, watched(table, 3.0)))
    return [(f.kind, f.sensor) for f in press_findings(presses, calibration, rest_figures)]


def weighed(calibration: Calibration, grams: float = 100.0) -> list[tuple[str, str]]:
    table = tower()
    rest_figures = known(table, calibration)
    presses = []
    for cell in range(4):
        table.put_weight(grams, *TABLE.scale.positions_mm[cell])
        presses.append(CellPress(cell, watched(table, 2.0), 100.0))
        table.take_weights()
        watched(table, 1.0)
    return [(f.kind, f.sensor) for f in press_findings(presses, calibration, rest_figures)]


def scaled(cell: int, factor: float) -> Calibration:
    factors = list(CALIBRATION.scale.counts_per_gram)
    factors[cell] *= factor
    scale = replace(CALIBRATION.scale, counts_per_gram=tuple(factors))
    return replace(CALIBRATION, scale=scale)


@pytest.mark.parametrize(
    ("how", "found"),
    [
        ({}, []),
        ({"calibration": scaled(2, -1)}, [("wires_swapped", "scale.2")]),
        ({"order": (0, 2, 1, 3)}, [("cells_swapped", "scale.1")]),
        ({"order": (1, 2, 3, 0)}, [("wrong_cell_answers", f"scale.{k}") for k in range(4)]),
        ({"faults": ("stuck cell C3",)}, [("cell_deaf", "scale.3")]),
        ({"grams": 4.0}, [("no_press_felt", "scale")]),
    ],
    ids=[
        "good cells",
        "a load that makes the count fall means swapped wires",
        "two that answer for each other are exchanged",
        "a plate turned by a quarter is told cell by cell",
        "one that does not answer is deaf",
        "when nobody presses the cells are not blamed",
    ],
)
def test_cells_answer_as_they_are_pressed(how: Any, found: list[tuple[str, str]]) -> None:
    assert pressed(**how) == found


def test_a_known_weight_finds_a_wrong_gain() -> None:
    assert weighed(CALIBRATION) == []
    assert weighed(scaled(1, 2.0)) == [("wrong_gain", "scale.1")]
    assert weighed(scaled(1, 1.05)) == []
    assert weighed(CALIBRATION, grams=50.0) == [("wrong_scale", "scale")]


def tilted(
    *faults: str,
    turn: Callable[[str], str] = str,
    calibration: Calibration = CALIBRATION,
) -> list[tuple[str, str]]:
    table = tower(*faults)
    rest_figures = known(table, calibration)
    tilts = []
    for side, cell in (((1.0, 0.0), "e3"), ((0.0, 1.0), "c5")):
        watched(table, 1.0)
        start_s = table.now_s
        items = table.poll(start_s + 0.5)
        table.touch(turn(cell), 1.5, 6.0)
        items += table.poll(start_s + 6.0)
        tilts.append(Tilt(side, gather(items, start_s, start_s + 6.0)))
    return [(f.kind, f.sentence[:24]) for f in tilt_findings(tilts, calibration, rest_figures)]


OTHER = {"e3": "c1", "c5": "a3"}


@pytest.mark.parametrize(
    ("faults", "turn", "found"),
    [
        ([], str, []),
        *(
            ([f"imu yawed {degrees}"], str, [("imu_disagrees", "Inertial sensor and load")])
            for degrees in (90, 180, 270)
        ),
        # A push at another side than asked is not the sensor's fault alone.
        ([], OTHER.__getitem__, [("imu_disagrees", "The inertial sensor saw ")]),
    ],
)
def test_a_good_sensor_tilts_where_it_is_pushed(
    faults: list[str], turn: Callable[[str], str], found: list[tuple[str, str]]
) -> None:
    assert tilted(*faults, turn=turn) == found


def test_a_gyroscope_of_the_wrong_range_is_found() -> None:
    gyro = replace(CALIBRATION.imu, gyro_lsb_per_dps=65.5)
    table = replace(TABLE, calibration=replace(CALIBRATION, imu=gyro))
    tower_ = Tower(table, 7)
    figures = known(tower_, CALIBRATION)
    start_s = tower_.now_s
    tower_.at(start_s + 0.5, lambda: tower_.touch("e3", 1.5, 6.0))
    tilt = Tilt((1.0, 0.0), watched(tower_, 6.0))

    assert [f.kind for f in tilt_findings([tilt], CALIBRATION, figures)] == ["gyro_scale"]


def test_a_board_that_was_not_pushed_says_nothing() -> None:
    stretch = rest()
    cells = [cell_figures(stretch, CALIBRATION, cell) for cell in range(4)]

    assert tilt_findings([Tilt((1.0, 0.0), stretch)], CALIBRATION, cells) == []

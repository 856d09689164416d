"""The simulated tower on one load cell."""

import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from lab.twin.one_cell import PLATE_HALF_MM, OneCellTower, on_a_small_plate
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower


def test_it_weighs_what_lies_on_it_and_feels_nothing_else() -> None:
    table = OneCellTower(Tower(preset_parameters("calm"), 1))
    table.tower.at(3.0, lambda: table.tower.put_weight(50.0, 10.0, -20.0))
    items = table.poll(6.0)
    blocks = [item for item in items if isinstance(item, ScaleSamples)]
    weight = np.concatenate([block.mass_g.sum(axis=1) for block in blocks])
    times = np.concatenate([block.t_s for block in blocks])

    assert not any(isinstance(item, ImuSamples) for item in items)
    assert np.nanmedian(weight[times < 2.9]) == pytest.approx(0.0, abs=0.3)
    assert np.nanmedian(weight[times > 4.0]) == pytest.approx(50.0, abs=0.5)
    assert table.tabletop.weight_only
    assert table.simulated


def test_its_plate_is_small() -> None:
    assert on_a_small_plate(preset_parameters("calm")).body.base_half_mm == PLATE_HALF_MM

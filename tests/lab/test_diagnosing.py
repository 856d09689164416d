import numpy as np
import pytest

from engine.samples import ScaleSamples
from lab.diagnosing import TwinHelper
from lab.mock import MockTable


def loads_g(table: MockTable) -> np.ndarray:
    return np.concatenate([i.mass_g for i in table.take() if isinstance(i, ScaleSamples)])


@pytest.mark.parametrize(("weight_g", "at_most"), [(None, 0.75 * TwinHelper.FINGER_G), (80.0, 60)])
def test_the_simulated_helper_loads_the_cell_and_lets_go(
    weight_g: float | None, at_most: float
) -> None:
    table = MockTable()
    TwinHelper(table.tower).press(1, weight_g)
    table.wait(5.0)

    loads = loads_g(table)
    assert loads.max() == pytest.approx(at_most, rel=0.03)
    assert loads[:, 1].max() == loads.max()
    assert np.abs(loads[-1]).max() < 1


def test_the_simulated_helper_pushes_the_board_down_at_the_side() -> None:
    table = MockTable()
    TwinHelper(table.tower).push_down((1.0, 0.0))
    table.wait(1.5)

    assert np.degrees(np.arctan2(*table.tower.board.up[::2])) < -3

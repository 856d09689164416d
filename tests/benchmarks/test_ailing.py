import numpy as np
import pytest

from tests.benchmarks.ailing import AILMENTS, BEGINS_S, Cell


@pytest.mark.parametrize("name", AILMENTS)
def test_the_worst_of_each_ailment_changes_what_the_cell_shows(name: str) -> None:
    ail, sizes = AILMENTS[name]
    chance = np.random.default_rng(3)
    cell = Cell(sizes[-1], tare_g=200.0, rate_hz=80.0, chance=np.random.default_rng(4))
    t_s = BEGINS_S + np.arange(4800) / 80.0
    grams = 20.0 + 10.0 * (t_s % 20.0 < 10.0) + chance.normal(0.0, 0.1, len(t_s))

    off_g = ail(cell, t_s, grams) - grams

    assert np.isfinite(off_g).all()
    assert np.abs(off_g).max() > 3.0
    assert sizes == tuple(sorted(sizes, reverse=name == "gain"))

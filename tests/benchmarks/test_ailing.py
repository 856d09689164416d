import numpy as np
import pytest

from engine.samples import ImuSamples
from hw.calibration import ScaleCalibration
from tests.benchmarks.ailing import AILMENTS, BEGINS_S, MIRRORED, TURNED, Cell, _ailing


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


@pytest.mark.parametrize(
    ("name", "size", "x_y_z"), [(TURNED, 90.0, (-2, 1, 3)), (MIRRORED, 1.0, (1, -2, 3))]
)
def test_an_inertial_sensor_lies_otherwise_from_its_time_on(
    name: str, size: float, x_y_z: tuple[int, int, int]
) -> None:
    felt = np.array([(1.0, 2.0, 3.0)])
    blocks = [
        ImuSamples(np.array([t_s]), felt, felt, np.zeros((1, 6), dtype=np.int32))
        for t_s in (BEGINS_S - 1.0, BEGINS_S)
    ]
    scale = ScaleCalibration(((0.0, 0.0),) * 4, (1000.0,) * 4, (0.0,) * 4)
    before, after = _ailing(blocks, scale, name=name, size=size, cell=0, seed=1)

    assert isinstance(before, ImuSamples)
    assert isinstance(after, ImuSamples)
    assert (before.accel_g == felt).all()
    assert after.accel_g == pytest.approx(np.array([x_y_z]))
    assert after.rate_rad_s == pytest.approx(np.array([x_y_z]))

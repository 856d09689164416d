import numpy as np
import pytest

from lab.twin.plate import PlateLoad

TIMES = np.arange(0.0, 10.0, 0.01)


def test_a_thing_weighs_what_it_weighs_while_it_lies_there_and_nothing_else() -> None:
    weight = PlateLoad(2.0, 170.0, 90.0, 0.0, end_s=7.0, ramp_s=0.1).weight_g(TIMES)

    assert np.allclose(weight[(TIMES > 2.11) & (TIMES < 6.89)], 170.0)
    assert not weight[(TIMES < 2.0) | (TIMES > 7.0)].any()
    assert 0 < weight[np.searchsorted(TIMES, 2.05)] < 170


def test_a_hand_wavers() -> None:
    weight = PlateLoad(0.0, 100.0, 0.0, 0.0, ramp_s=0.1, waver=0.1).weight_g(TIMES)

    settled = weight[TIMES > 0.2]
    assert settled.max() == pytest.approx(110, abs=0.5)
    assert settled.min() == pytest.approx(90, abs=0.5)

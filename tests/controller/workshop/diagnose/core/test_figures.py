from math import isnan

import pytest

from controller.workshop.diagnose.core.figures import cell_figures, imu_figures
from hw.signal_figures import link_gaps
from tests.controller.workshop.diagnose.core.rests import CALIBRATION, rest


def test_figures_of_a_good_cell_are_those_it_was_made_with() -> None:
    figures = cell_figures(rest(), CALIBRATION, 2)

    assert figures.rate_hz == pytest.approx(82.02, rel=0.002)
    assert figures.noise_counts == pytest.approx(100, rel=0.12)
    assert figures.noise_g == pytest.approx(0.1, rel=0.12)
    assert figures.load_g == pytest.approx(0.0, abs=0.3)
    assert figures.heard == figures.given


@pytest.mark.slow
def test_power_cycles_are_counted_and_their_spoilt_words_with_them() -> None:
    figures = cell_figures(rest("resetting 0.03", seconds=10.0), CALIBRATION, 0)

    assert 8 <= figures.resets <= 35
    assert figures.corrupt <= 2
    assert figures.missed <= 1


@pytest.mark.slow
def test_a_lost_link_is_no_power_cycle() -> None:
    stretch = rest("loose usb")

    assert len(link_gaps(stretch)) >= 3
    assert cell_figures(stretch, CALIBRATION, 0).resets <= 1


def test_figures_of_the_inertial_sensor() -> None:
    imu = imu_figures(rest(), CALIBRATION, 31.0)

    assert imu.rate_hz == pytest.approx(200 / 1.0085, rel=0.001)
    assert imu.accel_norm_g == pytest.approx(1.0, abs=0.005)
    assert imu.tilt_error_deg < 0.5
    assert max(map(abs, imu.bias_dps)) < 0.05
    assert imu.temperature_c == 31.0


def test_a_silent_sensor_has_no_figures() -> None:
    assert isnan(imu_figures(rest("imu missing"), CALIBRATION).rate_hz)
    assert isnan(cell_figures(rest("no scale"), CALIBRATION, 0).rate_hz)

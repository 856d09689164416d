from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.diagnosis.figures import (
    cell_figures,
    corrupt,
    drift_per_min,
    gaps,
    imu_figures,
    link_gaps,
    missing_share,
    robust_sd,
)
from tests.hw.diagnosis.rests import CALIBRATION, noise, rest

PERIOD_S = 0.0125


@given(st.floats(1, 1e4), st.floats(-1e4, 1e4), st.floats(-50, 50), st.integers(0, 20))
def test_noise_is_measured_whatever_offset_and_drift(
    sigma: float, offset: float, slope: float, seed: int
) -> None:
    values = offset + slope * sigma / 800 * np.arange(800) + noise(800, sigma, seed)

    assert robust_sd(values) == pytest.approx(sigma, rel=0.2)


def test_a_few_corrupt_words_are_no_noise() -> None:
    values = noise(800, 100)
    values[::50] = 2**23 - 1

    assert robust_sd(values) == pytest.approx(100, rel=0.1)


@given(st.floats(-600, 600))
def test_drift_is_the_slope_in_grams_a_minute(slope: float) -> None:
    t_s = np.arange(0, 10, PERIOD_S)

    assert drift_per_min(t_s, slope / 60 * t_s + noise(800, 0.1)) == pytest.approx(slope, abs=1)


def test_too_little_says_nothing_instead_of_something() -> None:
    few = np.arange(2.0)

    assert isnan(robust_sd(few))
    assert isnan(drift_per_min(few, few))
    assert len(gaps(few)) == 0
    assert missing_share(few) == 0.0


@pytest.mark.parametrize(("periods", "found"), [(1.6, 0), (2.0, 0), (4.45, 1), (40.0, 1)])
def test_a_silence_longer_than_three_periods_is_a_gap(periods: float, found: int) -> None:
    before = np.arange(100) * PERIOD_S
    after = before[-1] + periods * PERIOD_S + before

    silent = gaps(np.concatenate([before, after]))

    assert len(silent) == found
    if found:
        assert silent[0].tolist() == [before[-1], after[0]]


def test_missing_conversions_are_counted_and_power_cycles_are_not() -> None:
    t_s = np.arange(1000) * PERIOD_S
    holes = np.delete(t_s, [100, 200, 300, *range(500, 504)])

    assert missing_share(holes) == pytest.approx(0.003, abs=1e-4)


@pytest.mark.parametrize("ones", range(13, 24))
def test_words_whose_last_bits_became_ones_are_corrupt(ones: int) -> None:
    counts = 200_000 + np.rint(noise(200, 60))
    counts[77] = int(counts[77]) | (2**ones - 1)
    far = abs(counts[77] - 200_000) > 2000

    assert corrupt(counts).sum() == int(far)


def test_a_step_of_the_load_is_not_corrupt() -> None:
    counts = np.concatenate([noise(100, 50), 5e5 + noise(100, 50)])

    assert not corrupt(counts).any()


def test_figures_of_a_good_cell_are_those_it_was_made_with() -> None:
    figures = cell_figures(rest(), CALIBRATION, 2)

    assert figures.rate_hz == pytest.approx(80, rel=0.005)
    assert figures.noise_counts == pytest.approx(100, rel=0.12)
    assert figures.noise_g == pytest.approx(0.1, rel=0.12)
    assert figures.load_g == pytest.approx(0.0, abs=0.3)
    assert figures.heard == figures.rows


def test_power_cycles_are_counted_and_their_spoilt_words_with_them() -> None:
    figures = cell_figures(rest("resetting 1", seconds=20.0), CALIBRATION, 0)

    assert 8 <= figures.resets <= 35
    assert figures.corrupt <= 2


def test_a_lost_link_is_no_power_cycle() -> None:
    stretch = rest("loose usb", seconds=20.0)

    assert len(link_gaps(stretch)) >= 3
    assert cell_figures(stretch, CALIBRATION, 0).resets <= 1


def test_figures_of_the_inertial_sensor() -> None:
    imu = imu_figures(rest(), CALIBRATION, 31.0)

    assert imu.rate_hz == pytest.approx(200, rel=0.005)
    assert imu.accel_norm_g == pytest.approx(1.0, abs=0.005)
    assert imu.tilt_error_deg < 0.5
    assert max(map(abs, imu.bias_dps)) < 0.05
    assert imu.temperature_c == 31.0


def test_a_silent_sensor_has_no_figures() -> None:
    assert isnan(imu_figures(rest("imu missing"), CALIBRATION).rate_hz)
    assert isnan(cell_figures(rest("no scale"), CALIBRATION, 0).rate_hz)

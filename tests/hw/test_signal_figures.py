from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.signal_figures import corrupt, drift_per_min, gaps, missing_share, robust_sd

PERIOD_S = 0.0125


def noise(n: int, sigma: float, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, sigma, n)


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

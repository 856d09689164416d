from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.conversions import Conversions, period_s
from hw.signal_figures import (
    believed,
    corrupt,
    drift_per_min,
    gaps,
    missing,
    own_rate_hz,
    robust_sd,
)

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
    assert missing(few) == 0
    assert isnan(period_s(few))


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

    assert missing(holes) == 3


def conversions(t_s: np.ndarray, steps: np.ndarray | int = 1) -> Conversions:
    numbers = np.broadcast_to(np.asarray(steps, dtype=np.int32), len(t_s))
    counts = np.arange(len(t_s), dtype=np.int32)
    return Conversions(t_s, counts, np.ones(len(t_s), dtype=np.bool_), numbers)


@pytest.mark.parametrize("lost", [0.0, 0.2, 0.5, 0.66])
def test_the_rate_is_the_chip_s_though_most_of_its_conversions_are_lost(lost: float) -> None:
    """The worst of the wires on record: silences of 5.4 periods after words that were read."""
    chance = np.random.default_rng(3)
    silences = chance.random(400) < lost / (4.4 - 3.4 * lost)
    lengths = np.where(silences, 5.4, 1.0) * chance.normal(1, 0.002, 400) / 11.2
    cell = conversions(np.cumsum(lengths))

    assert 1 - 400 / round(cell.t_s[-1] * 11.2) == pytest.approx(lost, abs=0.1)
    assert own_rate_hz(cell) == pytest.approx(11.2, rel=0.01)
    assert len(gaps(cell.t_s, cell.steps)) == pytest.approx(silences.sum(), abs=1)


@pytest.mark.parametrize(("periods", "silent", "lost"), [(2.0, 0, 20), (5.4, 20, 0)])
def test_gaps_of_the_two_lengths_on_record_are_each_told(
    periods: float, silent: int, lost: int
) -> None:
    lengths = np.full(400, 1.0)
    lengths[10::20] = periods
    t_s = np.cumsum(lengths / 11.2)

    assert (len(gaps(t_s)), missing(t_s)) == (silent, lost)


def test_frames_that_the_line_lost_are_no_loss_of_the_chip() -> None:
    steps = np.where(np.arange(400) % 10 == 5, 3, 1)
    cell = conversions(np.cumsum(steps / 80.6 + noise(400, 1e-5)), steps)

    assert missing(cell.t_s, cell.steps) == 0
    assert len(gaps(cell.t_s, cell.steps)) == 0
    assert own_rate_hz(cell) == pytest.approx(80.6, rel=0.001)


def test_nothing_is_made_of_the_time_of_an_outage() -> None:
    steps = np.ones(400, dtype=np.int32)
    steps[200] = 0
    t_s = np.arange(400) / 80 + np.where(np.arange(400) >= 200, 1.0, 0.0) + noise(400, 1e-5)

    assert missing(t_s, steps) == 0
    assert len(gaps(t_s, steps)) == 0


def test_the_grid_of_rows_that_were_resampled_is_the_rate_of_no_chip() -> None:
    grid = np.arange(800) / 80
    holes = np.delete(grid, [100, 101, 300])

    assert isnan(own_rate_hz(conversions(grid)))
    assert isnan(own_rate_hz(conversions(holes)))
    assert own_rate_hz(conversions(grid + noise(800, 1e-6))) == pytest.approx(80, rel=1e-3)


def test_the_last_word_before_a_silence_is_not_believed() -> None:
    t_s = np.cumsum(np.where(np.arange(200) == 100, 4.45, 1.0)) / 80

    assert set(range(200)) - set(believed(conversions(t_s)).counts.tolist()) == {99, 199}


@pytest.mark.parametrize("ones", range(13, 24))
def test_words_whose_last_bits_became_ones_are_corrupt(ones: int) -> None:
    counts = 200_000 + np.rint(noise(200, 60))
    counts[77] = int(counts[77]) | (2**ones - 1)
    far = abs(counts[77] - 200_000) > 2000

    assert corrupt(counts).sum() == int(far)


def test_a_step_of_the_load_is_not_corrupt() -> None:
    counts = np.concatenate([noise(100, 50), 5e5 + noise(100, 50)])

    assert not corrupt(counts).any()

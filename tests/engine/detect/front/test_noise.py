from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.noise import STEP, MedianTracker, Noise, Rate
from engine.detect.front.ticks import TICK_S
from tests.engine.detect.tables import tick


@pytest.mark.parametrize("sd", [0.05, 0.12, 0.6])
def test_the_tracker_finds_the_noise_whatever_it_was_told_first(sd: float) -> None:
    rng = np.random.default_rng(1)
    tracker = MedianTracker(0.12, least=0.01)
    for value in rng.normal(50.0, sd, 800):
        tracker.update(value, STEP)

    assert tracker.sd == pytest.approx(sd, rel=0.3)


@pytest.mark.parametrize("apart", [1, 3])
def test_a_weight_that_rises_steadily_is_no_noise(apart: int) -> None:
    rng = np.random.default_rng(5)
    tracker = MedianTracker(0.12, least=0.01)
    for value in rng.normal(0.0, 0.1, 800) + 0.5 * np.arange(800):
        tracker.update(value, STEP, apart)

    assert tracker.sd == pytest.approx(0.1, rel=0.3)


@pytest.mark.parametrize(("rate_hz", "alike"), [(80.0, 1.0), (10.0, 2.0)])
def test_slow_load_cells_are_as_noisy_as_they_are(rate_hz: float, alike: float) -> None:
    """Between conversions a tick lies on a straight line: that looks quiet (corpus, evening 8)."""
    rng, noise = np.random.default_rng(3), Noise()
    conversions = rng.normal(0.0, 0.1, round(80.0 * rate_hz))
    at_s = np.arange(80.0 / TICK_S) * TICK_S
    for mass in np.interp(at_s, np.arange(conversions.size) / rate_hz, conversions):
        noise.update(tick(0.0, mass_g=float(mass)), touched=False, scale_hz=rate_hz)

    # Within a straight line between two conversions the noise of both is partly averaged.
    assert 0.05 < noise.mass_g < 0.13
    assert noise.alike == pytest.approx(alike)


def test_a_wild_moment_moves_the_estimate_by_a_few_steps_only() -> None:
    rng = np.random.default_rng(2)
    noise = Noise()
    for mass in rng.normal(0.0, 0.1, 600):
        noise.update(tick(0.0, mass_g=mass), touched=False, scale_hz=0.0)
    before = noise.mass_g
    for mass in rng.normal(0.0, 50.0, 40):
        noise.update(tick(0.0, mass_g=mass), touched=True, scale_hz=0.0)

    assert noise.mass_g < 1.25 * before


@pytest.mark.parametrize("seconds", [3, 30])
def test_a_rate_is_counted_and_not_assumed(seconds: int) -> None:
    rate = Rate()
    times = np.arange(0, seconds, 1 / 82.02)
    for part in np.array_split(times, 100):
        rate.update(part)

    assert rate.hz == pytest.approx(82.02, rel=1e-3)


@given(st.sampled_from([0.0, 40.0, 80.0]), st.floats(0.3, 4.0))
def test_the_noise_of_weight_and_moment_is_found_and_no_silence_changes_it(
    scale_hz: float, times: float
) -> None:
    """So many times as noisy as a table is thought to be before anything was measured."""
    rng, noise = np.random.default_rng(3), Noise()
    found = []
    for mass, x, y in rng.normal(0.0, times, (500, 3)):
        now = tick(0.0, mass_g=0.12 * mass, cop_x_gmm=12.0 * x, cop_y_gmm=24.0 * y)
        noise.update(now, touched=False, scale_hz=scale_hz)
        found.append((noise.mass_g, noise.cop_gmm))
    silent = tick(0.0, mass_g=nan, cop_x_gmm=nan, cop_y_gmm=nan)
    noise.update(silent, touched=False, scale_hz=scale_hz)
    mass_g, cop_gmm = np.mean(found[-250:], axis=0).tolist()

    assert noise.alike == 1.0
    assert mass_g == pytest.approx(0.12 * times, rel=0.25)
    assert cop_gmm == pytest.approx(18.0 * times, rel=0.25)
    assert (noise.mass_g, noise.cop_gmm) == found[-1]

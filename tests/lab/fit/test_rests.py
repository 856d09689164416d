import numpy as np
import pytest

from lab.fit.rests import fitted, sums
from tests.lab.fit.evenings import Truth, swung_evening


def test_noise_and_its_colour_are_found_again() -> None:
    truth = Truth(noise_counts=80.0, accel_noise_g=0.004, gyro_noise_dps=0.05, memory=0.5)
    found = {each.name: each for each in fitted(swung_evening(truth))}

    assert found["cell_noise_counts"].value == pytest.approx(80.0, rel=0.04)
    assert found["cell_noise_next"].low < 0.0 < found["cell_noise_next"].high
    assert found["accel_noise_g"].value == pytest.approx(0.004, rel=0.04)
    assert found["accel_noise_next"].value == pytest.approx(0.5, abs=0.03)
    assert found["accel_noise_second"].value == pytest.approx(0.25, abs=0.04)
    assert found["gyro_noise_dps"].value == pytest.approx(0.05, rel=0.05)


def test_a_mean_of_two_samples_is_told_from_a_fading_memory() -> None:
    white = np.random.default_rng(1).standard_normal((20_001, 1))
    part = sums((white[1:] + white[:-1]) / 2)

    assert part is not None
    variance = part.apart / 6
    assert 1 - part.near / 2 / variance == pytest.approx(0.5, abs=0.03)
    assert 1 - part.second / 2 / variance == pytest.approx(0.0, abs=0.03)


def test_a_corrupt_word_is_no_noise() -> None:
    rows = np.random.default_rng(1).standard_normal((400, 4))
    clean, spoilt = sums(rows), rows.copy()
    spoilt[100, 2] = 4000.0
    part = sums(spoilt)

    assert clean is not None
    assert part is not None
    assert part.apart == pytest.approx(clean.apart, rel=0.05)


def test_without_rests_nothing_is_guessed() -> None:
    found = fitted(swung_evening(Truth(friction_deg=0.0, damping_ratio=0.0)))

    assert not any(each.seen for each in found)

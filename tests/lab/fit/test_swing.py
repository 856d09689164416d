from dataclasses import replace

import numpy as np
import pytest

from lab.fit.estimates import Estimate
from lab.fit.evening import Raw
from lab.fit.swing import NAMES, fitted
from tests.lab.fit.evenings import SWINGS, Truth, swung_evening


def by_name(evening_seed: int, truth: Truth, swings: int = SWINGS) -> dict[str, Estimate]:
    return {
        each.name: each for each in fitted(swung_evening(truth, evening_seed, swings)).estimates
    }


@pytest.mark.parametrize("friction_deg", [0.03, 0.14, 0.4])
def test_the_pivots_friction_is_found_again(friction_deg: float) -> None:
    found = by_name(3, Truth(friction_deg=friction_deg))

    assert found["friction_band_deg"].value == pytest.approx(friction_deg, rel=0.08)
    assert found["period_s"].value == pytest.approx(0.724, rel=0.004)
    assert found["gyration_mm"].value == pytest.approx(54.0, rel=0.01)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng, hits = np.random.default_rng(5), []
    for seed in range(10):
        truth = Truth(float(rng.uniform(0.03, 0.4)), float(rng.uniform(0.02, 0.08)))
        found = by_name(seed, truth)
        goals = {"friction_band_deg": truth.friction_deg, "damping_ratio": truth.damping_ratio}
        goals |= {"friction_when_slow": 0.0}
        hits += [found[name].low <= goal <= found[name].high for name, goal in goals.items()]

    assert np.mean(hits) >= 0.8  # 30 intervals of 90 %: fewer than 24 in one run of fifty


def test_a_few_swings_are_not_enough_and_it_says_so() -> None:
    found = by_name(1, Truth(), swings=3)

    assert set(found) == set(NAMES)
    assert not any(each.seen for each in found.values())
    assert "needs 6 swings" in found["period_s"].note


@pytest.mark.filterwarnings("error")
def test_a_dead_accelerometer_breaks_no_fit() -> None:
    evening = swung_evening(Truth(), 1, 10)
    dead = Raw(evening.accel.t_s, np.zeros_like(evening.accel.values))

    assert {each.name for each in fitted(replace(evening, accel=dead)).estimates} == set(NAMES)

import numpy as np
import pytest

from lab.fit.estimates import WalkParts, between, bootstrap, by_likelihood, missing


def test_what_is_missing_says_what_it_needs() -> None:
    found = missing("creep_share", 0, "a load of 100 g")

    assert not found.seen
    assert found.note == "not seen in this recording: needs a load of 100 g"


def test_bootstrapped_means_hold_the_truth_as_often_as_they_say() -> None:
    rng, hits = np.random.default_rng(2), 0
    for _ in range(200):
        values = rng.normal(3.0, 1.0, 8)

        def figure(weights: np.ndarray, _draw: int, values: np.ndarray = values) -> float:
            return float(weights @ values / weights.sum())

        found = between("mean", float(values.mean()), bootstrap(8, figure), 8)
        hits += found.low <= 3.0 <= found.high

    assert 0.85 <= hits / 200 <= 0.96


def test_a_wander_is_told_from_noise() -> None:
    rng = np.random.default_rng(4)
    t_s = np.arange(1.0, 201.0)
    wandering = np.cumsum(rng.normal(0, 0.2, 200)) + rng.normal(0, 1.0, 200)
    parts = WalkParts.of(wandering, np.ones((200, 1)), np.minimum.outer(t_s, t_s))
    grid = np.geomspace(0.01, 3.0, 100)
    logs = np.array([parts.log_likelihood(step, 1.0) for step in grid])
    found = by_likelihood("step", grid, logs, 200)

    assert found.low < 0.2 < found.high
    assert found.high == pytest.approx(0.2, rel=1.5)

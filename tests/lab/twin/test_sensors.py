from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from hw.calibration import COUNTS_MAX, COUNTS_MIN
from lab.mock import MockTable, quiet_parameters
from lab.twin.board import STEP_S
from lab.twin.parameters import ImuParameters, ScaleParameters, preset_parameters
from lab.twin.sensors import Clock, ImuSensor, ScaleSensor, TiltSwitch, _corrupt, fourfold_mean
from lab.twin.truth import Span


def span(seconds: float, load_g: float = 0.0, start_s: float = 0.0, tilt_deg: float = 0.0) -> Span:
    t_s = start_s + np.arange(0, seconds, STEP_S)
    ones = np.ones((len(t_s), 1))
    slope = np.radians(tilt_deg)
    force = ones * [np.sin(slope), 0.0, np.cos(slope)]
    return Span(t_s, ones * [load_g, 0.0, 0.0], force, 0 * force, force)


def scale(seed: int = 1, **changes: Any) -> ScaleSensor:
    plain = replace(ScaleParameters(), missing=0.0, glitch=0.0, reset=0.0, stray=0.0)
    return ScaleSensor(replace(plain, **changes), np.random.default_rng(seed))


def test_a_clock_keeps_its_own_rate_however_often_it_is_asked() -> None:
    whole = Clock(0.0125, 0.0, np.random.default_rng(1)).ticks(10.0)
    clock = Clock(0.0125, 0.0, np.random.default_rng(1))
    pieces = np.concatenate([clock.ticks(end_s) for end_s in np.arange(0.1, 10.05, 0.1)])

    assert pieces[: len(whole)] == pytest.approx(whole)
    assert np.diff(whole) == pytest.approx(0.0125)


def test_times_never_go_back_with_jitter() -> None:
    ticks = Clock(0.0125, 0.002, np.random.default_rng(1)).ticks(100.0)

    assert np.diff(ticks).min() > 0
    assert np.diff(ticks).std() > 0.001


def test_noise_is_white_and_as_strong_as_told() -> None:
    _, raw = scale(drift_g=0.0, noise_counts=(50.0, 100.0, 150.0, 200.0)).sample(span(60.0), [])

    noise = raw - raw.mean(axis=0)
    assert noise.std(axis=0) == pytest.approx([50, 100, 150, 200], rel=0.06)
    assert abs(np.corrcoef(noise[:-1, 0], noise[1:, 0])[0, 1]) < 0.05


def test_a_step_of_load_arrives_after_the_group_delay_of_four_conversions() -> None:
    sensor = scale(noise_counts=(0.0, 0.0, 0.0, 0.0), drift_g=0.0, creep=0.0, jitter_s=0.0)
    before = sensor.sample(span(1.0), [])
    t_s, raw = sensor.sample(span(1.0, load_g=40.0, start_s=1.0), [])

    grams = (raw - 200_000) / 1000
    assert not before[1][-1, 0] - 200_000
    assert grams[t_s > 1.055].sum(axis=1) == pytest.approx(40.0, abs=0.01)
    half_s = np.interp(20.0, grams.sum(axis=1), t_s)
    assert half_s - 1.0 == pytest.approx(0.025, abs=0.004)


def test_the_filter_neither_adds_nor_loses_weight() -> None:
    kernel = fourfold_mean(12)

    assert kernel.sum() == pytest.approx(1.0)
    assert (kernel * np.arange(len(kernel))).sum() == pytest.approx(22, abs=1)


def test_load_shares_follow_the_centre_of_pressure() -> None:
    sensor = scale(noise_counts=(0.0,) * 4, drift_g=0.0, creep=0.0)
    still = span(1.0)
    moved = replace(still, load=np.ones((len(still.t_s), 1)) * [10.0, 10.0 * 70.0, 0.0])

    raw = sensor.sample(moved, [])[1][-1] - 200_000
    assert raw / 1000 == pytest.approx([0.0, 5.0, 5.0, 0.0], abs=0.01)


def test_drift_grows_with_the_root_of_time() -> None:
    ends = [
        scale(seed, drift_g=0.05, noise_counts=(0.0,) * 4).sample(span(40.0), [])[1][-1] - 200_000
        for seed in range(12)
    ]

    assert np.std(ends) / 1000 == pytest.approx(0.05 * np.sqrt(40), rel=0.35)


def test_mishaps_come_as_often_as_told() -> None:
    sensor = scale(missing=0.02, glitch=0.01, noise_counts=(10.0,) * 4, drift_g=0.0)
    t_s, raw = sensor.sample(span(120.0), [])

    assert 1 - len(t_s) / 9596 == pytest.approx(0.02, abs=0.006)
    wrong = (np.abs(raw - np.median(raw, axis=0)) > 1000).any(axis=1).mean()
    assert wrong == pytest.approx(0.01, abs=0.004)


def test_corrupt_words_stay_within_24_bits() -> None:
    rng = np.random.default_rng(1)
    words = [_corrupt(count, rng) for count in rng.integers(COUNTS_MIN, COUNTS_MAX, 500).tolist()]

    assert min(words) >= COUNTS_MIN
    assert max(words) <= COUNTS_MAX


def test_the_imu_feels_gravity_in_its_own_axes() -> None:
    turned = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    parameters = replace(ImuParameters(), rotation=turned, accel_noise_g=0.0, missing=0.0)
    sensor = ImuSensor(parameters, np.random.default_rng(1))

    raw = sensor.sample(span(1.0, tilt_deg=10.0), [])[1][-1, :3] / 16384

    # v_board = R v_imu: the board's x is the sensor's -y.
    assert raw == pytest.approx([0.0, -np.sin(np.radians(10)), np.cos(np.radians(10))], abs=1e-3)


def test_imu_noise_has_the_spread_and_memory_of_its_filter() -> None:
    sensor = ImuSensor(replace(ImuParameters(), missing=0.0), np.random.default_rng(1))

    accel = sensor.sample(span(60.0), [])[1][:, :3] / 16384
    assert accel.std(axis=0) == pytest.approx([0.00275] * 3, rel=0.08)
    assert np.corrcoef(accel[:-1, 0], accel[1:, 0])[0, 1] == pytest.approx(0.55, abs=0.05)


def test_the_tilt_switch_closes_far_beyond_the_tilts_of_a_game() -> None:
    switch = TiltSwitch(ImuParameters(), np.random.default_rng(1))

    assert switch.sample(span(5.0, tilt_deg=6.0)) == []
    edges = switch.sample(span(5.0, start_s=5.0, tilt_deg=32.0))
    assert len(edges) > 10
    assert [edge.closed for edge in edges[:4]] == [True, False, True, False]


def test_calibrated_samples_weigh_right_with_inverted_cells() -> None:
    plain = quiet_parameters()
    factors = (-1000.0, 990.0, -1010.0, 1000.0)
    parameters = replace(
        plain,
        scale=replace(plain.scale, counts_per_gram=factors),
        calibration=replace(
            plain.calibration, scale=replace(plain.calibration.scale, counts_per_gram=factors)
        ),
    )
    table = MockTable(parameters)
    table.place(3.0, "b2")
    table.settle()

    mass_g = [item.mass_g for item in table.take() if isinstance(item, ScaleSamples)][-1]
    assert mass_g.sum(axis=1).mean() == pytest.approx(3.0, abs=0.02)


def test_rates_are_those_of_the_parameters() -> None:
    table = MockTable(preset_parameters("normal"))
    table.wait(20.0)
    items = table.take()

    for kind, rate_hz in ((ScaleSamples, 80.0), (ImuSamples, 200.0)):
        t_s = np.concatenate([item.t_s for item in items if isinstance(item, kind)])
        assert (len(t_s) - 1) / (t_s[-1] - t_s[0]) == pytest.approx(rate_hz, rel=0.01)

"""Noise is laid over a recording as real sensors have it, and changes nothing else."""

import numpy as np
import pytest

from engine.samples import Floats, ImuSamples, ScaleSamples
from hw.source import Item
from lab.mock import MockTable
from tests.benchmarks.real_noise import ACCEL_G, COUNTS, GYRO_DPS, with_real_noise


@pytest.fixture(scope="module")
def clean_and_spoilt() -> list[tuple[Item, Item]]:
    """Two minutes of a table where nothing happens, without and with the noise."""
    table = MockTable()
    table.wait(120.0)
    clean = table.take()
    return list(zip(clean, with_real_noise(clean, table.calibration.scale), strict=True))


def added(pairs: list[tuple[Item, Item]], kind: type, name: str) -> Floats:
    """What was added to every sample of a sensor."""
    return np.concatenate(
        [getattr(now, name) - getattr(was, name) for was, now in pairs if isinstance(was, kind)]
    )


@pytest.mark.slow
def test_the_inertial_sensor_is_as_noisy_as_a_real_one(
    clean_and_spoilt: list[tuple[Item, Item]],
) -> None:
    accel = added(clean_and_spoilt, ImuSamples, "accel_g")
    rate = added(clean_and_spoilt, ImuSamples, "rate_rad_s")

    assert accel.std(axis=0) == pytest.approx(ACCEL_G, rel=0.05)
    assert np.degrees(rate).std(axis=0) == pytest.approx(GYRO_DPS, rel=0.05)


def test_every_load_cell_is_as_noisy_as_a_real_one(
    clean_and_spoilt: list[tuple[Item, Item]],
) -> None:
    counts_per_gram = np.abs(MockTable().calibration.scale.counts_per_gram)
    counts = added(clean_and_spoilt, ScaleSamples, "mass_g") * counts_per_gram

    assert counts.std(axis=0) == pytest.approx([COUNTS] * 4, rel=0.05)


def test_no_time_and_nothing_else_is_changed(clean_and_spoilt: list[tuple[Item, Item]]) -> None:
    for was, now in clean_and_spoilt:
        assert type(was) is type(now)
        if isinstance(was, ImuSamples | ScaleSamples):
            assert isinstance(now, ImuSamples | ScaleSamples)
            assert np.array_equal(was.t_s, now.t_s)
            assert np.array_equal(was.raw, now.raw)
        else:
            assert was == now

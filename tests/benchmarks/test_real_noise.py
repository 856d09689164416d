"""Real noise is laid over a recording as it is, and changes nothing else."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from hw.sim.mock import MockTable
from tests.benchmarks.detection_games import SHARED
from tests.benchmarks.real_noise import STILL, WEIGHED, RealNoise


def recordings(folder: Path) -> Path:
    data = folder / "data"
    data.mkdir()
    with gzip.open(data / STILL, "wt", encoding="utf-8") as file:
        file.write("t_s,ax_g,ay_g,az_g,gx_dps,gy_dps,gz_dps\n")
        file.writelines(f"{k},{k % 2},0,-1,4.5,0,{3 * (k % 2)}\n" for k in range(9))
    (data / WEIGHED).write_text("t_ms,raw\n1,4300\n2,4400\n3,4500\n", encoding="utf-8")
    return folder


def test_noise_is_the_departure_from_the_median(tmp_path: Path) -> None:
    noise = RealNoise.load(recordings(tmp_path))

    assert noise is not None
    assert set(noise.accel_g[:, 0]) == {0.0, 1.0}
    assert not noise.accel_g[:, 1:].any()
    assert noise.rate_rad_s.max() == pytest.approx(np.radians(3.0))
    assert list(noise.counts) == [-100.0, 0.0, 100.0]


def test_every_sample_is_spoilt_and_no_time_is_changed(tmp_path: Path) -> None:
    noise, table = RealNoise.load(recordings(tmp_path)), MockTable()
    assert noise is not None
    table.wait(1.0)
    clean = table.take()
    spoilt = list(noise.over(clean, table.calibration.scale))

    assert [type(item) for item in spoilt] == [type(item) for item in clean]
    for was, now in zip(clean, spoilt, strict=True):
        if isinstance(was, ScaleSamples) and isinstance(now, ScaleSamples):
            assert np.array_equal(was.t_s, now.t_s)
            counts = (now.mass_g - was.mass_g) * np.abs(table.calibration.scale.counts_per_gram)
            assert set(counts.round().ravel()) == {-100.0, 0.0, 100.0}
        if isinstance(was, ImuSamples) and isinstance(now, ImuSamples):
            assert np.array_equal(was.t_s, now.t_s)
            assert set((now.accel_g - was.accel_g)[:, 0].round(6)) <= {0.0, 1.0}


def test_without_the_recordings_there_is_no_noise(tmp_path: Path) -> None:
    assert RealNoise.load(tmp_path) is None


@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="needs ../shared/data beside it")
def test_the_real_sensors_are_as_noisy_as_their_page_says() -> None:
    noise = RealNoise.load()

    assert noise is not None
    assert len(noise.accel_g) > 60_000
    assert 80.0 < noise.counts.std() < 140.0
    assert 0.002 < noise.accel_g[:, 0].std() < 0.005

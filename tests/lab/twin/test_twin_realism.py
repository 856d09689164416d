"""The twin beside recordings made apart from it: what a detector sees must be of the same size."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from hw.source import Item, play
from lab.people.simulation import SimulatedEvening
from lab.twin.parameters import Preset

SECONDS = 110.0
"""About 25 placements: the medians below are then good to a fifth."""


@dataclass(frozen=True)
class Look:
    """Medians over the placements of one trace."""

    weight_noise_counts: float
    accel_noise_g: float
    gyro_noise_dps: float
    contact_spike_g: float
    contact_rate_dps: float
    released_rate_dps: float
    tilt_deg: float


def column(items: list[Item], kind: type, name: str) -> np.ndarray:
    return np.concatenate([getattr(item, name) for item in items if isinstance(item, kind)])


def look_at(items: list[Item], truth: Iterable[dict]) -> Look:
    scale_s, mass = column(items, ScaleSamples, "t_s"), column(items, ScaleSamples, "mass_g")
    imu_s, accel = column(items, ImuSamples, "t_s"), column(items, ImuSamples, "accel_g")
    rate = np.degrees(column(items, ImuSamples, "rate_rad_s"))
    weight, swing = mass.sum(axis=1), np.hypot(rate[:, 0], rate[:, 1])
    spikes, contact, released = [], [], []
    for entry in truth:
        if entry["type"] != "place" or entry["t"] > SECONDS or entry["ended_in_topple"]:
            continue
        begun_s, let_go_s = entry["t_contact"], entry["t"]
        before = weight[(scale_s > begun_s - 0.5) & (scale_s < begun_s - 0.02)]
        during = weight[(scale_s > begun_s) & (scale_s < let_go_s + 0.02)]
        if let_go_s - begun_s > 0.1 and len(during) > 3:
            spikes.append(np.nanmax(during) - np.nanmedian(before))
            contact.append(swing[(imu_s > begun_s) & (imu_s < let_go_s)].max())
        released.append(swing[(imu_s > let_go_s) & (imu_s < let_go_s + 0.5)].max())
    quiet, still = scale_s < 3.5, imu_s < 3.5
    tilt = np.degrees(np.hypot(accel[:, 0], accel[:, 1]))
    return Look(
        float(np.median(column(items, ScaleSamples, "raw")[quiet].std(axis=0))),
        float(np.median(accel[still].std(axis=0))),
        float(np.median(rate[still].std(axis=0))),
        float(np.median(spikes)),
        float(np.median(contact)),
        float(np.median(released)),
        float(np.median(tilt)),
    )


APART: dict[str, Look] = {
    "calm": Look(110.0, 0.00272, 0.0364, 12.9, 25.6, 13.7, 1.16),
    "normal": Look(83.2, 0.00282, 0.0353, 16.1, 38.4, 20.6, 1.88),
    "rough": Look(122.0, 0.00269, 0.0344, 16.9, 47.6, 16.1, 1.22),
}
"""By `look_at` from the first public recording of each preset, 2026-11-22 (docs/traces.md)."""


@pytest.mark.parametrize("preset", list(APART))
def test_twin_and_recordings_made_apart_look_alike(preset: Preset) -> None:
    evening = SimulatedEvening.begin(31, preset)
    twin, apart = look_at(list(play(evening, 1.0, SECONDS)), evening.truth()), APART[preset]

    for figure, factor in {
        "weight_noise_counts": 1.5,
        "accel_noise_g": 1.3,
        "gyro_noise_dps": 1.3,
        "contact_spike_g": 2.0,
        "contact_rate_dps": 2.0,
        "released_rate_dps": 2.0,
        "tilt_deg": 2.2,
    }.items():
        ours, theirs = getattr(twin, figure), getattr(apart, figure)
        assert theirs / factor < ours < theirs * factor, (
            f"{figure}: {ours:.4g} against {theirs:.4g}"
        )

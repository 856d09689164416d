"""Noise of the size of real sensors, laid over a recording: what the tower's own may miss.

The sizes were measured on an MPU-6050 that lay still for ten minutes (65 067 samples) and on 17
conversions of an HX711 at 80 a second. Neither is in the repository: one is under the EUPL, and
these figures say all that it has. Its noise is white (a mean over n samples is smaller by the root
of n, up to n = 100) and normal (none beyond 5 standard deviations); below that it wanders.
The noise is added to what the recording holds already, so the table hears more than either.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from engine.samples import Floats, ImuSamples, ScaleSamples
from hw.calibration import ScaleCalibration
from hw.source import Item

ACCEL_G = (0.0031, 0.0031, 0.0050)
GYRO_DPS = (0.126, 0.091, 0.113)
"""Standard deviation of a sample on each axis."""

COUNTS = 109.0
"""Standard deviation of a conversion of one load cell."""

SAMPLES = 65_000
WANDER_G = (0.00005, 0.00016, 0.00008)
WANDER_DPS = (0.0052, 0.0023, 0.0)
"""Standard deviation of means over a minute, without what white noise leaves there, in as many
samples."""


def with_real_noise(
    items: Iterable[Item], scale: ScaleCalibration, seed: int = 1
) -> Iterator[Item]:
    """The items with this noise added.

    Args:
        items: of a recording.
        scale: says what a count weighs.
        seed: of the noise.
    """
    chance = np.random.default_rng(seed)
    grams = COUNTS / np.abs(scale.counts_per_gram)
    accel = _wandering(ACCEL_G, WANDER_G, chance)
    rate = _wandering(np.radians(GYRO_DPS), np.radians(WANDER_DPS), chance)
    begun = 0
    for item in items:
        if isinstance(item, ScaleSamples):
            heard = chance.normal(size=item.mass_g.shape) * grams
            yield replace(item, mass_g=item.mass_g + heard)
        elif isinstance(item, ImuSamples):
            turn = np.arange(begun, begun + len(item.t_s)) % SAMPLES
            begun += len(item.t_s)
            yield replace(
                item,
                accel_g=item.accel_g + accel[turn],
                rate_rad_s=item.rate_rad_s + rate[turn],
            )
        else:
            yield item


def _wandering(
    white: Iterable[float], wander: Iterable[float], chance: np.random.Generator
) -> Floats:
    """Shape (`SAMPLES`, 3): white noise about a walk that comes back to where it began."""
    steps = chance.normal(size=(SAMPLES, 3))
    walk = np.cumsum(steps - steps.mean(axis=0), axis=0)
    walk *= np.asarray(list(wander)) / walk.std(axis=0)
    heard: Floats = walk - walk.mean(axis=0) + chance.normal(0.0, list(white), (SAMPLES, 3))
    return heard

"""Noise of real sensors, laid over a recording: what the simulated tower's own noise may miss.

From `../shared/data`: a real MPU-6050 that lay still for ten minutes (its slow wandering included,
and every outlier), and the conversions of one real HX711 at 80 a second. Both are added to what
the recording holds already, so the table hears more than either.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.samples import Floats, ImuSamples, ScaleSamples
from hw.calibration import ScaleCalibration
from hw.source import Item
from tests.benchmarks.detection_games import SHARED

STILL = "mpu6050_unmoved-with-x-pointing-forward-10min.csv.gz"
WEIGHED = "hx711_80sps_capture.csv"


@dataclass(frozen=True, slots=True)
class RealNoise:
    """What real sensors say too much.

    Attributes:
        accel_g: shape (n, 3), in the order of the recording.
        rate_rad_s: shape (n, 3), likewise.
        counts: of one load cell.
    """

    accel_g: Floats
    rate_rad_s: Floats
    counts: Floats

    @classmethod
    def load(cls, shared: Path = SHARED) -> "RealNoise | None":
        """The recordings' departures from their medians; None when they are not there."""
        still, weighed = (shared / "data" / name for name in (STILL, WEIGHED))
        if not (still.is_file() and weighed.is_file()):
            return None
        with gzip.open(still, "rt", encoding="utf-8") as lines:
            moved = _departures(np.array(list(csv.reader(lines))[1:], dtype=float)[:, 1:])
        with weighed.open(encoding="utf-8") as lines:
            counts = _departures(np.array(list(csv.reader(lines))[1:], dtype=float)[:, 1])
        return cls(moved[:, :3], np.radians(moved[:, 3:]), counts)

    def over(self, items: Iterable[Item], scale: ScaleCalibration, seed: int = 1) -> Iterator[Item]:
        """The items with this noise added; the inertial sensor's goes round and round.

        Args:
            items: of a recording.
            scale: says what a count weighs.
            seed: which conversion's noise goes to which sample.
        """
        chance = np.random.default_rng(seed)
        grams_per_count = 1.0 / np.abs(scale.counts_per_gram)
        begun = int(chance.integers(len(self.accel_g)))
        for item in items:
            if isinstance(item, ScaleSamples):
                heard = chance.choice(self.counts, item.mass_g.shape) * grams_per_count
                yield replace(item, mass_g=item.mass_g + heard)
            elif isinstance(item, ImuSamples):
                turn = np.arange(begun, begun + len(item.t_s)) % len(self.accel_g)
                begun += len(item.t_s)
                yield replace(
                    item,
                    accel_g=item.accel_g + self.accel_g[turn],
                    rate_rad_s=item.rate_rad_s + self.rate_rad_s[turn],
                )
            else:
                yield item


def _departures(values: Floats) -> Floats:
    gone: Floats = values - np.median(values, axis=0)
    return gone

"""What lies or leans on the base plate beside the tower: a hand, a phone, a cup, a die.

The board's tip carries nothing of it; only the load cells feel it.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from engine.samples import Floats
from lab.twin.furniture import smooth


@dataclass(frozen=True, slots=True)
class PlateLoad:
    """A load on the base plate that comes, stays, and goes.

    Attributes:
        start_s: table time of the first touch.
        end_s: when it has gone; infinite while nobody takes it away.
        grams: at rest.
        x_mm, y_mm: place on the plate.
        ramp_s: time to settle, and to leave: a cup is put down in a tenth of a second.
        waver: share of the weight by which it wavers; 0 for things, more for hands.
        waver_hz: how fast.
    """

    start_s: float
    grams: float
    x_mm: float
    y_mm: float
    end_s: float = inf
    ramp_s: float = 0.0
    waver: float = 0.0
    waver_hz: float = 1.3

    def weight_g(self, t_s: Floats) -> Floats:
        """Weight at each time, shape of `t_s`."""
        since = t_s - self.start_s
        ramp_s = max(self.ramp_s, 1e-6)
        share = np.clip(np.minimum(since, self.end_s - t_s) / ramp_s, 0.0, 1.0)
        wavering = 1 + self.waver * np.sin(2 * np.pi * self.waver_hz * since)
        weight: Floats = self.grams * smooth(share) * wavering
        return weight

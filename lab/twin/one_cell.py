"""The simulated tower as a starter table sees it: one load cell under everything, a tilt switch.

The tower's own four cells are added up; the inertial sensor is not there. The tower stands on a
small plate, as the original pedestal does, so what falls lands beside it and weighs no more.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from engine.samples import Flags, ImuSamples, ScaleSamples
from hw.drivers.one_cell import counts_of, one_cell, quarters
from hw.source import Item
from lab.twin.parameters import TwinParameters
from lab.twin.source import OverTower
from lab.twin.tower import Tower

PLATE_HALF_MM = 45.0
"""A bar of 75 or 80 mm between two small plates."""

COUNTS_PER_GRAM = 500.0
"""A 1 kg bar of 0.6 mV/V: the simulated starter's, and no owner knows it."""
TARE_COUNTS = 87_000.0


def on_a_small_plate(parameters: TwinParameters) -> TwinParameters:
    """The same table on a starter's plate."""
    return replace(parameters, body=replace(parameters.body, base_half_mm=PLATE_HALF_MM))


class OneCell:
    """What one load cell makes of a tower's samples.

    Attributes:
        calibration: of the starter, as it truly is.
    """

    def __init__(self, tower: Tower) -> None:
        known = tower.calibration
        self.calibration = one_cell(known, COUNTS_PER_GRAM, TARE_COUNTS, known.scale.rate_hz)

    def seen(self, items: Iterable[Item]) -> list[Item]:
        """The items a starter gives."""
        return [self._weighed(item) for item in items if not isinstance(item, ImuSamples)]

    def _weighed(self, item: Item) -> Item:
        if not isinstance(item, ScaleSamples):
            return item
        trusted: Flags = np.all(item.valid, axis=1)
        counts = counts_of(self.calibration, item.mass_g.sum(axis=1, where=item.valid))
        return quarters(self.calibration, item.t_s, counts, trusted)


class OneCellTower(OverTower):
    """A tower with one load cell, by itself: for whoever has no players at it."""

    def __init__(self, tower: Tower) -> None:
        """Look at a tower through one cell."""
        self._cell = OneCell(tower)
        super().__init__(tower, self._cell.calibration)

    def poll(self, until_s: float) -> list[Item]:
        """What the starter has seen up to a table time."""
        return self._cell.seen(self.tower.poll(until_s))

"""The curves of a run, thinned while they come: weight on the scale and tilt of the board."""

from math import atan2, degrees

import numpy as np

from engine.samples import ImuSamples, ScaleSamples
from hw.source import Item
from lab.bench.observed import Trace

EVERY_S = 0.1
"""One point a tenth of a second: a picture of a minute has no more pixels."""


class Tracing:
    """Listens to a source and keeps the mean of every tenth of a second."""

    def __init__(self) -> None:
        self._weight: dict[int, list[float]] = {}
        self._force: dict[int, list[list[float]]] = {}

    def take(self, items: list[Item]) -> None:
        """Look at what the source gave."""
        for item in items:
            if isinstance(item, ScaleSamples):
                total = np.where(item.valid, item.mass_g, np.nan).sum(axis=1)
                self._add(self._weight, item.t_s.tolist(), total.tolist())
            elif isinstance(item, ImuSamples):
                self._add(self._force, item.t_s.tolist(), item.accel_g.tolist())

    @staticmethod
    def _add(into: dict[int, list], times: list[float], rows: list) -> None:  # type: ignore[type-arg]
        for t_s, row in zip(times, rows, strict=True):
            into.setdefault(int(t_s / EVERY_S), []).append(row)

    def trace(self) -> Trace:
        """The curves."""
        weight = tuple(
            (round(slot * EVERY_S, 2), round(float(np.mean(values)), 2))
            for slot, values in sorted(self._weight.items())
            if np.isfinite(values).all()
        )
        tilt = []
        for slot, rows in sorted(self._force.items()):
            x, y, z = np.mean(rows, axis=0).tolist()
            tilt.append(
                (round(slot * EVERY_S, 2), round(degrees(atan2(-x, z)), 2),
                 round(degrees(atan2(-y, z)), 2))
            )  # fmt: skip
        return Trace(weight, tuple(tilt))

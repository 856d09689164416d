"""Signals for the simulated chips at any moment, interpolated from the samples of a source.

Any source will do: the simulated tower with its players, a table moved by hand, a recording.
Between two samples lies a straight line. The samples carry their own noise, so the chips add
none; the line takes a little of it away, which makes the lab slightly kinder than a table.
"""

from bisect import bisect_left

from engine.samples import ImuSamples, ScaleSamples
from hw.source import Item

KEPT_S = 2.0
"""A chip asks for the present, which is never far behind the newest sample."""

TEMPERATURE = -4200
"""Of the MPU-6050: 24 degrees."""


class _Line:
    """Numbers over time, with straight lines between."""

    def __init__(self, before: list[int]) -> None:
        self._t_s: list[float] = [0.0]
        self._rows: list[list[int]] = [before]

    def put(self, t_s: list[float], rows: list[list[int]]) -> None:
        if len(self._t_s) == 1:  # until the first sample the table was as it was then
            self._rows[0] = rows[0]
        self._t_s += t_s
        self._rows += rows
        gone = max(0, bisect_left(self._t_s, self._t_s[-1] - KEPT_S) - 1)
        del self._t_s[:gone], self._rows[:gone]

    def at(self, t_s: float, column: int) -> int:
        right = bisect_left(self._t_s, t_s)
        if right == 0 or right == len(self._t_s):
            return self._rows[min(right, len(self._rows) - 1)][column]
        before_s, after_s = self._t_s[right - 1], self._t_s[right]
        before, after = self._rows[right - 1][column], self._rows[right][column]
        return round(before + (after - before) * (t_s - before_s) / (after_s - before_s))


class SampledSignals:
    """Signals made of the samples of a source; counts at any time."""

    def __init__(self) -> None:
        self._scale = _Line([0, 0, 0, 0])
        self._motion = _Line([0, 0, 16384, 0, 0, 0])

    def put(self, item: Item) -> None:
        """Take the next samples; anything else is ignored."""
        if isinstance(item, ScaleSamples) and len(item.t_s):
            self._scale.put(item.t_s.tolist(), item.raw.tolist())
        elif isinstance(item, ImuSamples) and len(item.t_s):
            self._motion.put(item.t_s.tolist(), item.raw.tolist())

    def count(self, cell: int, t_s: float) -> int:
        """Count of a load cell at a table time."""
        return self._scale.at(t_s, cell)

    def motion(self, t_s: float) -> tuple[int, ...]:
        """Registers of the inertial sensor at a table time."""
        ax, ay, az, gx, gy, gz = (self._motion.at(t_s, column) for column in range(6))
        return ax, ay, az, TEMPERATURE, gx, gy, gz

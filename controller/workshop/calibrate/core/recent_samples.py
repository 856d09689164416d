"""The raw samples of the last half minute, with the figures that the steps need."""

from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile
from math import isnan, nan

import numpy as np

from engine.samples import Flags, Floats, ImuSamples, Samples, ScaleSamples
from engine.tabletop import CELL_COUNT
from hw.blocks import Block, joined
from hw.conversions import OfEach, joined_conversions, period_s
from hw.signal_figures import robust_sd
from hw.stretch import NO_IMU, NO_SCALE

KEPT_S = 40.0
"""Longer than any step needs to look back."""

FAR_SIGMAS = 8.0
"""A data word further from the middle of its stretch than that, or `FAR_COUNTS`, is no weight."""
FAR_COUNTS = 3000.0


@dataclass(slots=True)
class RecentSamples:
    """The samples of both sensors until table time `now_s`; the oldest are dropped."""

    now_s: float = 0.0
    _cells: OfEach = ()
    _scale: deque[ScaleSamples] = field(default_factory=deque)
    _imu: deque[ImuSamples] = field(default_factory=deque)

    def add(self, block: Samples) -> None:
        """Take a block that arrived; anything but weights and motion is let pass."""
        if isinstance(block, ScaleSamples) and len(block.t_s):
            self._scale.append(block)
        elif isinstance(block, ImuSamples) and len(block.t_s):
            self._imu.append(block)
        else:
            return
        self.now_s = max(self.now_s, float(block.t_s[-1]))
        for kept in (self._scale, self._imu):
            while kept and kept[0].t_s[-1] < self.now_s - KEPT_S:
                kept.popleft()

    def add_conversions(self, cells: OfEach) -> None:
        """Take what the chips converted, from a source that knows."""
        whole = joined_conversions([self._cells, cells]) if self._cells else cells
        self._cells = tuple(cell.since(self.now_s - KEPT_S) for cell in whole)

    def scale_hz(self, t_s: Floats) -> float:
        """The rate of the middle one of the chips, or of rows at such times; NaN if unknown.

        Rows of a source that resamples lie on the grid it was told, whatever the chips do.
        """
        rates = [1 / period_s(cell.t_s, cell.steps) for cell in self._cells]
        known = [rate for rate in rates if not isnan(rate)]
        return float(np.median(known)) if known else rate_hz(t_s)

    def counts(self, start_s: float, end_s: float) -> tuple[Floats, Floats]:
        """Times and counts, shapes (n,) and (n, 4), after `start_s`; NaN where not to be trusted.

        Single corrupt data words are left out: they stand far away from all others.
        """
        scale = joined([*_since(self._scale, start_s), NO_SCALE])
        inside = (scale.t_s > start_s) & (scale.t_s <= end_s)
        raw = scale.raw[inside].astype(np.float64)
        raw[~scale.valid[inside]] = np.nan
        for column in raw.T:
            column[_spikes(column)] = np.nan
        return scale.t_s[inside], raw

    def motion(self, start_s: float, end_s: float) -> tuple[Floats, Floats]:
        """Times and raw counts of the inertial sensor, shapes (n,) and (n, 6), after `start_s`."""
        imu = joined([*_since(self._imu, start_s), NO_IMU])
        inside = (imu.t_s > start_s) & (imu.t_s <= end_s)
        return imu.t_s[inside], imu.raw[inside].astype(np.float64)


def _since(blocks: deque[Block], start_s: float) -> list[Block]:
    """Blocks that end after a time, in order. They came in order: only the newest are looked at."""
    return list(takewhile(lambda block: block.t_s[-1] > start_s, reversed(blocks)))[::-1]


def _spikes(column: Floats) -> Flags:
    """Which data words are no weights: far from the two before and the two after."""
    heard = np.nan_to_num(column, nan=_median(column))
    if len(heard) < 5:
        return np.zeros(len(heard), dtype=np.bool_)
    padded = np.pad(heard, 2, mode="edge")
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    far: Flags = np.abs(heard - middle) > max(FAR_SIGMAS * robust_sd(heard), FAR_COUNTS)
    return far


def _median(column: Floats) -> float:
    return float(np.nanmedian(column)) if np.isfinite(column).any() else 0.0


def level(counts: Floats) -> Floats:
    """Mean of each column, without what cannot be trusted; NaN for an empty column."""
    return np.array([_mean(column[np.isfinite(column)]) for column in counts.T])


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else nan


def noise(counts: Floats) -> Floats:
    """Standard deviation of single samples of each column; see `robust_sd`."""
    return np.array([robust_sd(column[np.isfinite(column)]) for column in counts.T])


def wander(counts: Floats) -> Floats:
    """How far the two halves of each column lie apart: a load that is changing."""
    half = len(counts) // 2
    apart: Floats = np.abs(level(counts[half:]) - level(counts[:half]))
    return apart


def rate_hz(t_s: Floats) -> float:
    """Samples a second; NaN under three.

    >>> rate_hz(np.array([0.0, 0.1, 0.2]))
    10.0
    """
    return float(round(1 / np.median(np.diff(t_s)), 6)) if len(t_s) >= 3 else nan


def still(rates_dps: Floats, limit_dps: float) -> bool:
    """Whether a board does not swing: means of neighbouring samples stay within a band."""
    if len(rates_dps) < 20:
        return False
    count = len(rates_dps) // 10
    means = rates_dps[: count * 10].reshape(count, 10, 3).mean(axis=1)
    return float(np.ptp(means, axis=0).max()) < limit_dps


def silent_cells(counts: Floats) -> list[int]:
    """Cells that gave hardly anything to be trusted."""
    return [
        cell
        for cell in range(CELL_COUNT)
        if np.isfinite(counts[:, cell]).sum() < max(len(counts) // 2, 5)
    ]

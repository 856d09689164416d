"""Noise, drift, silences and corrupt words of a signal, robust against what they are to show.

Medians throughout: one corrupt data word of 2^23 counts would spoil any mean.
"""

from math import isnan, nan

import numpy as np
import numpy.typing as npt

from engine.samples import GAP_PERIODS, Flags, Floats, Ints
from hw.conversions import LATE_PERIODS, Conversions, period_s
from hw.stretch import Stretch

SD_OF_MAD = 1.4826
"""Standard deviation over the median absolute deviation, for a normal distribution."""

LEAST_GAP_S = 0.04
"""Shorter than any power cycle (50 ms at 80 SPS)."""

CORRUPT_SIGMAS = 12.0
CORRUPT_COUNTS = 2000.0
"""A data word further from its four neighbours than both is corrupt: disturbed read-outs turn the
last k bits into ones (2^k - 1), and from k = 11 on that is more than any cell's noise."""

DRIFT_BLOCK_S = 0.5

ODD_PERIODS = 0.35
"""Times of a chip on pins are looked at every 2 ms of 12.5; an inertial sensor without its INT wire
is asked every 2 ms, so its samples come 4 or 6 ms apart instead of 5."""

GRID_SHARE = 1e-6
"""Of a period: nothing that was measured is as even as that. Jitter of a real chip is 7e-5."""

Gaps = npt.NDArray[np.float64]
"""Shape (n, 2): begin and end of each silence, table time."""


def robust_sd(values: Floats) -> float:
    """Standard deviation of white noise on a slowly moving signal; NaN under three values.

    From the differences of neighbours, so neither drift nor a hand counts as noise.

    >>> round(robust_sd(np.array([0.0, 1.0, 0.0, 1.0, 0.0])), 3)
    1.048
    """
    if len(values) < 3:
        return nan
    steps = np.diff(values)
    return float(SD_OF_MAD * np.median(np.abs(steps - np.median(steps))) / np.sqrt(2))


def drift_per_min(t_s: Floats, values: Floats) -> float:
    """Slope of a signal, in its unit a minute; NaN under three blocks of half a second.

    Fitted to the medians of blocks.
    """
    if len(t_s) < 3:
        return nan
    number = np.floor((t_s - t_s[0]) / DRIFT_BLOCK_S).astype(int)
    blocks = [number == block for block in np.unique(number)]
    if len(blocks) < 3:
        return nan
    middles = np.array([t_s[block].mean() for block in blocks])
    medians = np.array([np.median(values[block]) for block in blocks])
    return float(60 * np.polyfit(middles - middles[0], medians, 1)[0])


def own_rate_hz(cell: Conversions) -> float:
    """Conversions a second of a chip; NaN when unknown.

    Rows that were resampled (a recording holds no others) lie on a grid, and tell nothing of it.
    """
    intervals = np.diff(cell.t_s)
    if len(intervals) < 2:
        return nan
    periods = intervals / intervals.min()
    on_a_grid = bool((np.abs(periods - np.rint(periods)) < GRID_SHARE).all())
    return nan if on_a_grid else 1 / period_s(cell.t_s, cell.steps)


def gaps(t_s: Floats, steps: Ints | None = None) -> Gaps:
    """Silences of a stream longer than three of its own periods."""
    one_s = period_s(t_s, steps)
    if isnan(one_s):
        return np.empty((0, 2))
    silent = np.flatnonzero(_excess(t_s, steps, one_s) + 1 > _gap_periods(one_s))
    return np.column_stack((t_s[silent], t_s[silent + 1]))


def _excess(t_s: Floats, steps: Ints | None, one_s: float) -> Floats:
    """Periods of each interval over those that its numbers account for."""
    if steps is None:
        counted: Floats = np.diff(t_s) / one_s - 1
        return counted
    return np.where(steps[1:] > 0, np.diff(t_s) / one_s - steps[1:], 0.0)


def _gap_periods(one_s: float) -> float:
    return max(GAP_PERIODS, LEAST_GAP_S / one_s)


def believed(cell: Conversions) -> Conversions:
    """The conversions that can be used.

    Those before a silence are the last words of a chip; of the newest nobody knows yet.
    """
    one_s = period_s(cell.t_s, cell.steps)
    good = cell.good.copy()
    if not isnan(one_s):
        good[:-1] &= _excess(cell.t_s, cell.steps, one_s) <= LATE_PERIODS
        good[-1] = False
    return cell.only(good)


def overlapping(some: Gaps, others: Gaps) -> Flags:
    """Which of `some` silences share time with any of the `others`."""
    return np.array(
        [bool(((others[:, 0] < end) & (others[:, 1] > begin)).any()) for begin, end in some],
        dtype=bool,
    )


def link_gaps(stretch: Stretch) -> Gaps:
    """Times in which neither load cells nor inertial sensor sent anything: gaps of the link."""
    cells, imu = gaps(stretch.scale.t_s), gaps(stretch.imu.t_s)
    return cells[overlapping(cells, imu)]


def missing(t_s: Floats, steps: Ints | None = None, one_s: float = nan) -> int:
    """Samples that did not come, silences by a power cycle left out.

    `one_s` is the period, of a stream that is too short to tell it.
    """
    one_s = period_s(t_s, steps) if isnan(one_s) else one_s
    if isnan(one_s) or len(t_s) < 2:
        return 0
    excess = _excess(t_s, steps, one_s)
    # One that came late and the next at its time are a period too many and one too few.
    odd = excess[(np.abs(excess) > ODD_PERIODS) & (excess + 1 <= _gap_periods(one_s))]
    return max(0, round(float(odd.sum())))


def corrupt(counts: Floats) -> Flags:
    """Which single data words stand far away from their neighbours."""
    if len(counts) < 5:
        return np.zeros(len(counts), dtype=bool)
    padded = np.pad(counts, 2, mode="edge")
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    far: Flags = np.abs(counts - middle) > max(CORRUPT_SIGMAS * robust_sd(counts), CORRUPT_COUNTS)
    return far


def angle_deg(one: Floats, other: Floats) -> float:
    """Angle between two directions; NaN when one of them is zero.

    >>> angle_deg(np.array([0.0, 0.0, 2.0]), np.array([0.0, 1.0, 0.0]))
    90.0
    """
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    if not lengths > 0:
        return nan
    return float(np.degrees(np.arccos(np.clip(float(one @ other) / lengths, -1, 1))))

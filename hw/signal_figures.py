"""Noise, drift, silences and corrupt words of a signal, robust against what they are to show.

Medians throughout: one corrupt data word of 2^23 counts would spoil any mean.
"""

from math import nan

import numpy as np
import numpy.typing as npt

from engine.samples import GAP_PERIODS, Flags, Floats
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


def gaps(t_s: Floats) -> Gaps:
    """Silences of a stream longer than three of its own periods."""
    if len(t_s) < 3:
        return np.empty((0, 2))
    steps = np.diff(t_s)
    silent = np.flatnonzero(steps > max(GAP_PERIODS * float(np.median(steps)), LEAST_GAP_S))
    return np.column_stack((t_s[silent], t_s[silent + 1]))


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


def missing_share(t_s: Floats) -> float:
    """Share of the conversions that did not come, silences by a power cycle left out."""
    if len(t_s) < 3:
        return 0.0
    steps = np.diff(t_s) / float(np.median(np.diff(t_s)))
    lost = np.rint(steps[steps <= GAP_PERIODS]) - 1
    return float(np.clip(lost, 0, None).sum() / len(t_s))


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

"""Noise of the sensors and its colour, from rests: a still board that nobody touches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.samples import Floats
from lab.fit.estimates import Estimate, between, drawn_anew, missing
from lab.fit.evening import EveningSignals

STILL_RAD_S = 0.0021
"""0.12 degrees a second, on a mean over `SMOOTH_TICKS`: what swings on by less is no noise yet."""
SMOOTH_TICKS = 12

LEAST_TICKS = 30
"""0.75 s: 150 inertial samples and 60 conversions."""
LEAST_RESTS = 5

EDGE_S = 0.06
"""At each end of a rest the cells' averaging still holds what was before."""

LOUD = 1.5
"""Variance of a rest of 150 samples is known within 12 %: so far off it was no rest."""

APART = 8
"""Samples between those that are compared: by then a chip's filter has forgotten, and a board
that swings out by a tenth of a degree a second has hardly turned."""

FLOORS = (0.008, 0.008, 0.012)
"""Standard deviation of what drift and swing leave in each rest alike (on twins): of the noise, as
a share, and of its correlations."""

OUTLIER = 6.0
"""Beyond so many robust standard deviations a sample is a corrupt word."""


@dataclass(frozen=True, slots=True)
class Sums:
    """What a rest says about the noise of some columns.

    Attributes:
        near, second: mean squares of differences to the next sample and to the one after it.
        apart: of second differences over `APART` samples: free of all that is slow, such as a
            wander, or a board that has not quite come to rest.
        count: samples.
    """

    near: Floats
    second: Floats
    apart: Floats
    count: int


def still(evening: EveningSignals) -> Iterator[slice]:
    """Runs of ticks in which the board lies still and nobody touches it."""
    box = np.ones(SMOOTH_TICKS) / SMOOTH_TICKS
    if len(evening.t_s) < LEAST_TICKS:
        return
    slow = [np.convolve(np.nan_to_num(evening.rate[:, k]), box, mode="same") for k in range(2)]
    yield from evening.runs(evening.free & (np.hypot(*slow) < STILL_RAD_S), LEAST_TICKS)


def sums(values: Floats) -> Sums | None:
    """Sums of one rest, without corrupt words."""
    apart = np.abs(values - np.median(values, axis=0))
    usual = 1.4826 * np.median(apart, axis=0) + 1e-12
    values = values[(apart < OUTLIER * usual).all(axis=1)]
    if len(values) < LEAST_TICKS:
        return None
    bent = values[: -2 * APART] - 2 * values[APART:-APART] + values[2 * APART :]
    return Sums(
        ((values[1:] - values[:-1]) ** 2).mean(axis=0),
        ((values[2:] - values[:-2]) ** 2).mean(axis=0),
        (bent**2).mean(axis=0),
        len(values),
    )


def colour(parts: Sequence[Sums], draws: Floats) -> Floats:
    """Noise of a sample, and its correlation with the next and the one after it: (draws, 3).

    Noise that correlates by r with a neighbour differs from it by 2 (1 - r) variances, whatever
    kind of memory it has.

    Args:
        parts: of the rests.
        draws: how often each counts, (draws, rests).
    """
    weights = draws * np.array([part.count for part in parts])
    weights = weights / weights.sum(axis=1, keepdims=True)
    variance = np.maximum(weights @ np.array([part.apart for part in parts]) / 6, 1e-30)
    near = weights @ np.array([part.near for part in parts])
    second = weights @ np.array([part.second for part in parts])
    alike = [1 - (each / (2 * variance)).mean(axis=1) for each in (near, second)]
    return np.column_stack((np.sqrt(variance.mean(axis=1)), *alike))


def fitted(evening: EveningSignals) -> tuple[Estimate, ...]:
    """Noise of cells, accelerometer and gyroscope, and how long each remembers."""
    spans = [
        (float(evening.t_s[run.start]) + EDGE_S, float(evening.t_s[run.stop - 1]) - EDGE_S)
        for run in still(evening)
    ]
    per_gram = np.abs(evening.calibration.scale.counts_per_gram)
    scale = [evening.scale.between(*span) for span in spans]
    counts = [rows[np.isfinite(rows).all(axis=1)] * per_gram for rows in scale]
    found = [
        *_colour("cell_noise_counts", counts),
        *_colour("accel_noise_g", [evening.accel.between(*span) for span in spans]),
        *_colour("gyro_noise_dps", [evening.gyro.between(*span)[:, :2] for span in spans]),
    ]
    return tuple(found)


def _colour(name: str, rests: Sequence[Floats]) -> Iterator[Estimate]:
    sensor = name.partition("_")[0]
    names = (name, f"{sensor}_noise_next", f"{sensor}_noise_second")
    parts = _quiet([part for rows in rests if len(rows) >= LEAST_TICKS if (part := sums(rows))])
    count = len(parts)
    if count < LEAST_RESTS:
        needs = f"{LEAST_RESTS} rests of a second in which nobody touches (it has {count})"
        yield from (missing(each, count, needs) for each in names)
        return

    value = colour(parts, np.ones((1, count)))[0]
    draws = colour(parts, drawn_anew(count))
    rng = np.random.default_rng(3)
    draws += rng.normal(0, 1, draws.shape) * FLOORS * (value[0], 1, 1)
    for column, each in enumerate(names):
        yield between(each, float(value[column]), draws[:, column], count)


def _quiet(parts: Sequence[Sums]) -> Sequence[Sums]:
    """Without rests in which something still moved: noisier than the usual one by half."""
    if not parts:
        return parts
    variances = np.array([part.apart.max() for part in parts])
    most = LOUD * float(np.median(variances))
    return [part for part, variance in zip(parts, variances, strict=True) if variance <= most]

"""What the load cells do slowly: wander, creep after a load, drift with warmth.

A rigid plate on four feet has three unknowns, so one combination of the four cells answers to no
load at all: the warp. It shows how the cells wander while people play. Creep and warmth move all
cells together; they are seen in the weight of a board that nobody touches, between rests with the
same pieces on it, above what the wander explains.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from engine.samples import Floats
from lab.fit.estimates import CHI_SQUARE_90, Estimate, WalkParts, by_likelihood, missing, normal
from lab.fit.evening import TICK_S, EveningSignals

DRIFT_GRID_G = np.exp(np.linspace(np.log(5e-4), np.log(0.5), 500))
"""Wander of a cell in a square root of a second."""

MOST_BINS = 240
LEAST_BINS = 30
BIN_S = 1.0

CREEP_S = (10.0, 20.0, 40.0, 80.0, 160.0)
"""Time constants that are tried. Data sheets of such cells say how much creeps in three minutes."""

CHUNK_TICKS = 40
"""A rest is cut into levels of one second."""
MOST_LEVELS = 160
LEAST_LEVELS = 12
LEAST_SPAN_S = 60.0

CREEP_BELIEVED = 0.004
"""Before anything is seen: data sheets of such cells say 0.02 to 0.1 % in three minutes, bad cells
creep by half a per cent."""
CREEP_TOLD = 0.6 * CREEP_BELIEVED
"""Standard deviation up to which a recording has told something about creep."""

SWINGING_RAD_S = 0.35
"""Faster than 20 degrees a second the weight holds what the swing's model misses."""


def reml(target: Floats, design: Floats, covariance: Floats) -> tuple[float, Floats, Floats]:
    """Restricted log-likelihood, generalised least squares and their covariance."""
    factor = np.linalg.cholesky(covariance)
    rows, aim = np.linalg.solve(factor, design), np.linalg.solve(factor, target)
    normal_matrix = rows.T @ rows
    cov = np.linalg.inv(normal_matrix)
    mean = cov @ (rows.T @ aim)
    left = aim - rows @ mean
    _, size = np.linalg.slogdet(normal_matrix)
    log = -np.log(np.diag(factor)).sum() - 0.5 * size - 0.5 * float(left @ left)
    return float(log), mean, cov


def fitted(evening: EveningSignals) -> tuple[Estimate, ...]:
    """Wander, creep and warmth of the cells."""
    drift, noise_g = _wander(evening)
    if not drift.seen:
        needs = "the wander of the cells"
        names = ("weight_drift_g_per_min", "creep_share", "creep_s")
        return drift, *(missing(name, 0, needs) for name in names)
    return drift, *_slow(evening, drift, noise_g)


# --- wander -----------------------------------------------------------------------------------


def _wander(evening: EveningSignals) -> tuple[Estimate, float]:
    """Wander of one cell in g per root second, and the noise of one conversion of it."""
    name = "cell_drift_g_per_sqrt_s"
    positions = np.array(evening.calibration.scale.positions_mm)
    heard = np.isfinite(evening.scale.values).all(axis=1)
    t_s, grams = evening.scale.t_s[heard], evening.scale.values[heard]
    needs = f"{LEAST_BINS} s of all four load cells"
    if len(t_s) < 80 or t_s[-1] - t_s[0] < LEAST_BINS * BIN_S:
        return missing(name, 0, needs), 0.0
    warp = grams @ _warp_of(positions)
    good = _undisturbed(warp)
    width_s = max(BIN_S, float(t_s[-1] - t_s[0]) / MOST_BINS)
    number = ((t_s[good] - t_s[0]) / width_s).astype(int)
    bins, counts = np.unique(number, return_counts=True)
    full = counts >= counts.max() / 2
    if full.sum() < LEAST_BINS:
        return missing(name, int(full.sum()), needs), 0.0

    def mean(values: Floats) -> Floats:
        means: Floats = np.bincount(number, values)[bins][full] / counts[full]
        return means

    load = np.column_stack((np.ones(4), positions))
    loads = [mean((grams[good] @ load)[:, k]) for k in range(3)]
    middle_s = (bins[full] + 0.5) * width_s
    design = np.column_stack((np.ones(len(middle_s)), middle_s / middle_s[-1], *loads))
    design[:, 1:] -= design[:, 1:].mean(axis=0)
    scale = np.abs(design).max(axis=0)
    design = design[:, scale > 1e-9] / scale[scale > 1e-9]
    noise_g = float(np.std(np.diff(warp[good], 2)) / np.sqrt(6))
    walk = np.minimum.outer(middle_s, middle_s) - np.eye(len(middle_s)) * width_s / 6
    heard_g = noise_g / float(np.sqrt(np.mean(counts[full])))
    parts = WalkParts.of(mean(warp[good]), design, walk)
    logs = [parts.log_likelihood(sd, heard_g) for sd in DRIFT_GRID_G]
    return by_likelihood(name, DRIFT_GRID_G, np.array(logs), len(middle_s)), noise_g


def _warp_of(positions_mm: Floats) -> Floats:
    """The combination of cells that no load moves, of length one."""
    warp: Floats = np.linalg.svd(np.vstack((np.ones(4), positions_mm.T)))[2][3]
    return warp


def _undisturbed(warp: Floats) -> np.ndarray:
    """Without corrupt words, by their neighbours."""
    apart = np.abs(warp - np.concatenate((warp[:1], (warp[:-2] + warp[2:]) / 2, warp[-1:])))
    return np.asarray(apart < 6 * 1.4826 * np.median(apart))


# --- creep and warmth -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Level:
    """A second of the weight of a board that nobody touches."""

    t_s: float
    weight_g: float
    ticks: int
    group: int


def _levels(evening: EveningSignals) -> list[_Level]:
    """Levels, in groups of the same pieces on the board; the empty board is always the same."""
    found: list[_Level] = []
    groups = {id(c): 0 if c.cells == () else 1 + n for n, c in enumerate(evening.contents)}
    quiet = evening.free & (np.hypot(*evening.rate[:, :2].T) < SWINGING_RAD_S)
    for run in evening.runs(quiet, CHUNK_TICKS):
        content = evening.content_at(float(evening.t_s[run.start]))
        if content.cells is None:
            continue
        for first in range(run.start, run.stop - CHUNK_TICKS + 1, CHUNK_TICKS):
            part = slice(first, first + CHUNK_TICKS)
            weight = float(np.mean(evening.weight_g[part]))
            middle_s = float(evening.t_s[part].mean())
            found.append(_Level(middle_s, weight, CHUNK_TICKS, groups[id(content)]))
    step = -(-len(found) // MOST_LEVELS)
    return found[:: max(step, 1)]


def _slow(evening: EveningSignals, drift: Estimate, noise_g: float) -> tuple[Estimate, ...]:
    names = ("weight_drift_g_per_min", "creep_share", "creep_s")
    levels = _levels(evening)
    span_s = levels[-1].t_s - levels[0].t_s if levels else 0.0
    if len(levels) < LEAST_LEVELS or span_s < LEAST_SPAN_S:
        needs = f"{LEAST_LEVELS} rests of a second in a minute or more (it has {len(levels)})"
        return tuple(missing(name, len(levels), needs) for name in names)
    t_s = np.array([level.t_s for level in levels])
    weight_g = np.array([level.weight_g for level in levels])
    walk = np.minimum.outer(t_s, t_s) * (2 * drift.value) ** 2
    per_level = CHUNK_TICKS * TICK_S * evening.calibration.scale.rate_hz
    covariance = walk + np.eye(len(t_s)) * ((2 * noise_g) ** 2 / per_level + 1e-6)
    groups = np.array([level.group for level in levels])
    own = (groups[:, None] == np.unique(groups)[None, :]).astype(float)
    weight_g, own, covariance, t_s = _without_strays(weight_g, own, covariance, t_s)
    minutes = (t_s - t_s.mean()) / 60
    found = []
    for tau_s in CREEP_S:
        design = np.column_stack((own, minutes, _crept(evening, tau_s, t_s)))
        found.append(_safe(weight_g, design, covariance))
    return _told(found, drift, len(t_s))


def _safe(target: Floats, design: Floats, covariance: Floats) -> tuple[float, Floats, Floats]:
    """`reml`, with creep held near nothing as far as the rests do not say otherwise."""
    size, columns = design.shape
    floor = np.vstack((design, np.eye(columns)))
    whole = np.eye(size + columns) * 1e4**2
    whole[:size, :size] = covariance
    whole[-1, -1] = CREEP_BELIEVED**2
    return reml(np.concatenate((target, np.zeros(columns))), floor, whole)


def _without_strays(
    weight_g: Floats, own: Floats, covariance: Floats, t_s: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Without levels that stand far from the others of their group: a hand lay there."""
    apart = np.empty(len(weight_g))
    for column in own.T.astype(bool):
        apart[column] = np.abs(weight_g[column] - np.median(weight_g[column]))
    usual = max(1.4826 * float(np.median(apart)), float(np.sqrt(np.median(np.diag(covariance)))))
    keep = apart < max(8 * usual, 1.0)
    own = own[keep]
    own = own[:, own.any(axis=0)]
    return weight_g[keep], own, covariance[np.ix_(keep, keep)], t_s[keep]


def _crept(evening: EveningSignals, tau_s: float, at_s: Floats) -> Floats:
    """The load as it was on average lately: what creep with this time constant follows."""
    load, lately, share = 0.0, np.empty(len(evening.t_s)), TICK_S / tau_s
    state = 0.0
    for index, weight in enumerate(evening.weight_g.tolist()):
        load = load if isnan(weight) else weight
        state += (load - state) * share
        lately[index] = state
    crept: Floats = np.interp(at_s, evening.t_s, lately)
    return crept


def _told(
    found: Sequence[tuple[float, Floats, Floats]], drift: Estimate, count: int
) -> tuple[Estimate, ...]:
    logs = np.array([log for log, _, _ in found])
    best = int(np.argmax(logs))
    _, mean, cov = found[best]
    # The wander is itself an estimate: its interval widens what rests on it.
    unsure = max(1.0, min(drift.high, 3 * drift.value) / drift.value) ** 0.5
    warmth_sd = float(np.sqrt(cov[-2, -2])) * unsure
    warmth = normal("weight_drift_g_per_min", float(mean[-2]), warmth_sd, count)
    sds = np.array([np.sqrt(each[-1, -1]) for _, _, each in found])
    near = np.flatnonzero(logs > logs[best] - CHI_SQUARE_90 / 2)
    needs = "100 g or more laid down and taken away, with a minute of rest each"
    if sds[near].min() * unsure > CREEP_TOLD:
        return warmth, missing("creep_share", count, needs), missing("creep_s", count, needs)
    ends = [
        normal("", float(found[k][1][-1]), float(sds[k]) * unsure, count) for k in near.tolist()
    ]
    creep = Estimate(
        "creep_share",
        float(mean[-1]),
        min(each.low for each in ends),
        max(each.high for each in ends),
        count,
    )
    if creep.low <= 0:
        return warmth, creep, missing("creep_s", count, needs)
    low, high = CREEP_S[int(near[0])], CREEP_S[int(near[-1])]
    return warmth, creep, Estimate("creep_s", CREEP_S[best], low / 1.4, high * 1.4, count)

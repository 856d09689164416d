"""Evenings whose parameters are known, worked out without tower, people or detector: in no time."""

from dataclasses import dataclass, replace

import numpy as np

from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2
from lab.fit.evening import TICK_S, Content, EveningSignals, Placement, Raw
from lab.twin.parameters import preset_parameters

STEPS = 25
"""Of the integration, in a tick."""
TICKS = 100
SWINGS = 30


@dataclass(frozen=True, slots=True)
class Truth:
    """What such an evening is made with."""

    friction_deg: float = 0.14
    damping_ratio: float = 0.04
    gyration_mm: float = 54.0
    noise_counts: float = 100.0
    accel_noise_g: float = 0.0028
    gyro_noise_dps: float = 0.035
    memory: float = 0.5
    drift_g: float = 0.01
    warmth_g_min: float = 0.0


PLAIN = preset_parameters("normal").calibration


def swung_evening(truth: Truth, seed: int = 0, swings: int = SWINGS) -> EveningSignals:
    """An empty board that is nudged again and again, and comes to rest each time."""
    rng = np.random.default_rng(seed)
    tilt, rate = _pendulum(truth, rng, swings)
    still = swings * TICKS
    t_s = TICK_S * np.arange(1.0, still + 1)
    gyro = np.column_stack((rate[..., 1].T.ravel(), -rate[..., 0].T.ravel(), np.zeros(still)))
    edges = np.concatenate((gyro[:1], gyro))
    # Rates at the ends of ticks, and the vertical in their middle.
    middle = np.column_stack((tilt[..., 0].T.ravel(), tilt[..., 1].T.ravel()))
    up = np.column_stack((middle, np.sqrt(1 - (middle**2).sum(axis=1))))
    free = np.ones(still, dtype=np.bool_)
    free[::TICKS] = False
    raw = _samples(truth, rng, t_s, up, gyro)
    return EveningSignals(
        calibration=PLAIN,
        t_s=t_s,
        weight_g=raw[0].values.sum(axis=1).reshape(-1, 2).mean(axis=1),
        up=up,
        rate=(edges[1:] + edges[:-1]) / 2,
        spin=np.diff(edges, axis=0)[:, :2] / TICK_S,
        free=free,
        scale=raw[0],
        accel=raw[1],
        gyro=raw[2],
        contents=(Content(-np.inf, float(t_s[-1]), (), 0, 0),),
        placements=(),
    )


def _pendulum(truth: Truth, rng: np.random.Generator, swings: int) -> tuple[Floats, Floats]:
    """Tilt in the middle of each tick and its rate at the end: (ticks, swings, 2)."""
    sz = -PLAIN.empty_moment_gmm[2]
    stiffness = STANDARD_GRAVITY_MM_S2 * sz / (PLAIN.empty_mass_g * truth.gyration_mm**2)
    damping = 2 * truth.damping_ratio * np.sqrt(stiffness)
    friction = stiffness * np.radians(truth.friction_deg)
    step_s = TICK_S / STEPS
    at, speed = np.zeros((swings, 2)), rng.normal(0, 0.25, (swings, 2))
    tilts, rates = [], []
    for _ in range(TICKS):
        passed = np.zeros((swings, 2))
        for _ in range(STEPS):
            speed = speed - step_s * (stiffness * at + damping * speed)
            size = np.linalg.norm(speed, axis=1)[:, None]
            speed = speed * np.maximum(1 - friction * step_s / np.maximum(size, 1e-12), 0)
            at = at + step_s * speed
            passed += at / STEPS
        tilts.append(passed)
        rates.append(speed)
    return np.array(tilts), np.array(rates)


def _samples(
    truth: Truth, rng: np.random.Generator, t_s: Floats, up: Floats, gyro: Floats
) -> tuple[Raw, Raw, Raw]:
    """Samples of cells (80 Hz), accelerometer and gyroscope (200 Hz)."""
    scale_t = np.arange(2 * len(t_s)) * TICK_S / 2
    walk = np.cumsum(rng.normal(0, truth.drift_g * np.sqrt(TICK_S / 2), (len(scale_t), 4)), axis=0)
    noise_g = truth.noise_counts / 1000 * rng.standard_normal((len(scale_t), 4))
    warmth = truth.warmth_g_min * scale_t[:, None] / 240
    imu_t = np.arange(8 * len(t_s)) * TICK_S / 8
    slow = [np.interp(imu_t, t_s, column) for column in up.T]
    accel = np.column_stack(slow) + truth.accel_noise_g * _coloured(truth, rng, len(imu_t))
    turn = np.degrees(np.column_stack([np.interp(imu_t, t_s, column) for column in gyro.T]))
    turn += truth.gyro_noise_dps * _coloured(truth, rng, len(imu_t))
    return Raw(scale_t, walk + noise_g + warmth), Raw(imu_t, accel), Raw(imu_t, turn)


def _coloured(truth: Truth, rng: np.random.Generator, count: int) -> Floats:
    """Noise with a fading memory."""
    fresh = rng.standard_normal((count, 3)) * np.sqrt(1 - truth.memory**2)
    noise = np.empty((count, 3))
    last = rng.standard_normal(3)
    for index in range(count):
        last = truth.memory * last + fresh[index]
        noise[index] = last
    return noise


def with_rounds(evening: EveningSignals, step_mm: float, seed: int = 0) -> EveningSignals:
    """The board cleared after each swing, ten pieces having been placed in between."""
    rng = np.random.default_rng(seed)
    lean = step_mm * PLAIN.empty_mass_g / -PLAIN.empty_moment_gmm[2] * np.sqrt(10)
    up, accel = evening.up.copy(), evening.accel.values.copy()
    contents, wander = [], np.zeros(2)
    for number, first in enumerate(range(0, len(evening.t_s), TICKS)):
        wander = wander + rng.normal(0, lean, 2)
        up[first : first + TICKS, :2] += wander
        accel[8 * first : 8 * (first + TICKS), :2] += wander
        start_s, end_s = first * TICK_S, (first + TICKS) * TICK_S
        contents.append(Content(start_s, end_s, (), number, 10 * number))
    return replace(evening, up=up, accel=Raw(evening.accel.t_s, accel), contents=tuple(contents))


def with_hands(
    evening: EveningSignals, lasts_s: float = 0.4, grams: float = 10.0
) -> EveningSignals:
    """A hand puts a piece down in each swing, at its middle, and presses for a while."""
    weight, free = evening.weight_g.copy(), evening.free.copy()
    placements = []
    for first in range(0, len(evening.t_s) - TICKS, TICKS):
        begin, ticks = first + TICKS // 2, round(lasts_s / TICK_S)
        weight[begin : begin + ticks] += grams
        free[begin - 5 : begin + ticks + 4] = False
        placements.append(Placement(float(evening.t_s[begin + ticks]), "c3"))
    return replace(evening, weight_g=weight, free=free, placements=tuple(placements))

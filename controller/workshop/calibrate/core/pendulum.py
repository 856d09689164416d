"""Fits a free swing of the board with friction: rest position, stiffness and damping.

With t the upward vector's (x, y) over its z, c the centre, w the board's rate turned so that
t' = w (small tilts), a swing obeys

    w' = -k (t - c) - d w - k f w/|w|

k stiffness, d damping, f the friction band. Integrated from one instant to another nothing has to
be differentiated, and all of k, k c, d, k f are linear: least squares, Huber weights. At rest c
is only known to lie within f of t; that counts as one more, soft equation.
"""

from dataclasses import dataclass

import numpy as np

from controller.workshop.calibrate.core.recent_samples import RecentSamples, level
from controller.workshop.calibrate.core.steps import FreeSwing, Hang, Notes
from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2
from hw.calibration import ImuCalibration

TICK_S = 0.025
SPAN_TICKS = 4
"""Each equation spans 0.1 s: long against the sensor's filter, short against the period."""

MOVING_DPS = 2.0
"""Slower than this the direction of friction is not certain; noise of a tick is 0.02 to 0.06."""

CALM_DPS = 3.0
"""The accelerometer says "up" best while the board hardly moves."""

HANG_S = 1.44
"""Two periods: what is left of a swing averages out."""

NOISE_RAD_S = 0.002
"""Least misfit believed of one equation: the rigid model is not better than that."""

STUCK_SHARE = 0.6
"""A board at rest hangs anywhere within its band: uniform on a disc, half a band on each axis."""


@dataclass(frozen=True, slots=True)
class Track:
    """The board's motion on even ticks, in the board's axes as far as they are known.

    Attributes:
        t_s: shape (n,); tilt: x and y of up over its z, shape (n, 2); rate: of the tilt, rad/s.
    """

    t_s: Floats
    tilt: Floats
    rate: Floats

    def since(self, start_s: float) -> "Track":
        """The part from a time on."""
        part = self.t_s >= start_s
        return Track(self.t_s[part], self.tilt[part], self.rate[part])


def track(notes: Notes, signals: RecentSamples, start_s: float, end_s: float) -> Track | None:
    """The motion between two times; None without samples enough."""
    t_s, raw = signals.motion(start_s, end_s)
    if len(t_s) < 40 or notes.rotation is None:
        return None
    imu = notes.design.imu
    even_s = np.arange(t_s[0], t_s[-1], TICK_S)
    smooth = np.column_stack([_averaged(t_s, column, even_s) for column in raw.T])
    accel = (smooth[:, :3] / imu.accel_lsb_per_g - notes.accel_bias_g) @ notes.rotation.T
    turn = np.radians(smooth[:, 3:] / imu.gyro_lsb_per_dps - notes.rested.bias_dps)
    turn = turn @ notes.rotation.T
    up = _up(accel, turn, imu)
    tilt = up[:, :2] / up[:, 2:]
    return Track(even_s, tilt, np.gradient(tilt, TICK_S, axis=0))


def hanging(notes: Notes, signals: RecentSamples, motion: Track, end_s: float) -> Hang:
    """Mean tilt and mean moment of the load cells over the last two periods."""
    begin_s = max(end_s - HANG_S, float(motion.t_s[0]))
    tilt = motion.since(begin_s).tilt.mean(axis=0)
    grams = notes.grams(level(signals.counts(begin_s, end_s)[1]))
    moment = grams @ notes.places_mm()
    return Hang(
        (float(tilt[0]), float(tilt[1])), (float(moment[0]), float(moment[1])), float(grams.sum())
    )


def _averaged(t_s: Floats, values: Floats, even_s: Floats) -> Floats:
    """Means over ticks, from the integral of the interpolated signal."""
    total = np.concatenate(([0.0], np.cumsum(np.diff(t_s) * (values[1:] + values[:-1]) / 2)))
    edges = np.append(even_s, even_s[-1] + TICK_S) - TICK_S / 2
    at = np.interp(edges, t_s, total)
    inside = np.clip(edges, t_s[0], t_s[-1])
    means: Floats = np.diff(at) / np.maximum(np.diff(inside), 1e-9)
    return means


def _up(accel_g: Floats, turn_rad_s: Floats, imu: ImuCalibration) -> Floats:
    """Upward vectors: shape by the gyroscope, place by the accelerometer when it is calm."""
    count = len(turn_rad_s)
    up = np.empty((count, 3))
    up[0] = (0.0, 0.0, 1.0)
    for index in range(1, count):
        middle = (turn_rad_s[index] + turn_rad_s[index - 1]) / 2
        half = up[index - 1] - TICK_S / 2 * np.cross(middle, up[index - 1])
        step = up[index - 1] - TICK_S * np.cross(middle, half)
        up[index] = step / np.linalg.norm(step)
    speed = np.degrees(np.linalg.norm(turn_rad_s[:, :2], axis=1))
    weight = 1 / (1 + (speed / CALM_DPS) ** 2)
    felt = accel_g - _swung(turn_rad_s, np.asarray(imu.position_mm))
    # The gyroscope's start was a guess: turn all of it so that both agree on the calm parts.
    for _ in range(3):
        # Across only: the bias along up would change the scale of a tilt from all three.
        apart = (felt[:, :2] - up[:, :2]) * weight[:, None]
        dx, dy = apart.sum(axis=0) / weight.sum()
        turn = np.array([-dy, dx, 0.0])
        up += np.cross(turn, up)
        up /= np.linalg.norm(up, axis=1)[:, None]
    return up


def _swung(turn: Floats, lever_mm: Floats) -> Floats:
    """Acceleration of the sensor's place by the board's turning, in g."""
    spin = np.gradient(turn, TICK_S, axis=0)
    lever = np.broadcast_to(lever_mm, turn.shape)
    swung: Floats = np.cross(spin, lever) + np.cross(turn, np.cross(turn, lever))
    return swung / STANDARD_GRAVITY_MM_S2


def fit(motion: Track, prior: FreeSwing | None = None) -> FreeSwing | None:
    """The swing's centre and law, free of hands; None when there is too little of it.

    `prior` is the empty board's law, for a few small swings that cannot tell it anew.
    """
    rows, target, sd = _equations(motion)
    rest_rows, rest_target, at_rest = _resting(motion, prior)
    if len(rows) < 20 and not (at_rest and prior):
        return None
    law_rows, law_target, law_sd = _law(prior)
    guess = max(prior.friction_rad if prior else 0.003, 0.0005) * (
        prior.stiffness_s2 if prior else 76.0
    )
    matrix = np.vstack([rows, rest_rows, law_rows])
    wanted = np.concatenate([target, rest_target, law_target])
    spread = np.concatenate([sd, np.full(len(rest_target), STUCK_SHARE * guess), law_sd])
    mean, cov, misfit = _robust(matrix, wanted, spread, len(rows))
    stiffness = float(mean[0])
    if not stiffness > 1.0:
        return None
    centre = mean[1:3] / stiffness
    return FreeSwing(
        centre=(float(centre[0]), float(centre[1])),
        stiffness_s2=stiffness,
        damping_s=max(float(mean[3]), 0.0),
        friction_rad=max(float(mean[4]) / stiffness, 0.0),
        friction_sd_rad=float(np.sqrt(cov[4, 4])) / stiffness,
        misfit=misfit,
        centre_sd=float(np.sqrt(max(cov[1, 1], cov[2, 2]))) / stiffness,
    )


def _equations(motion: Track) -> tuple[Floats, Floats, Floats]:
    """Rows of the integrated law in (k, k cx, k cy, d, k f), while the board surely moves."""
    count = len(motion.t_s) - SPAN_TICKS
    if count < 1:
        return np.empty((0, 5)), np.empty(0), np.empty(0)
    speed = np.linalg.norm(motion.rate, axis=1)
    unit = motion.rate / np.maximum(speed, 1e-9)[:, None]
    # Gravity's pull goes with the sine of the tilt, not with its tangent.
    lean = motion.tilt / np.sqrt(1 + (motion.tilt**2).sum(axis=1))[:, None]
    span_s = SPAN_TICKS * TICK_S
    first = slice(0, count)
    moving = np.lib.stride_tricks.sliding_window_view(speed, SPAN_TICKS + 1)
    clear = moving.min(axis=1)[first] > np.radians(MOVING_DPS)
    rows, target = [], []
    for axis in range(2):
        row = np.zeros((count, 5))
        row[:, 0] = -_over_span(lean[:, axis])[first]
        row[:, 1 + axis] = span_s
        row[:, 3] = -_over_span(motion.rate[:, axis])[first]
        row[:, 4] = -_over_span(unit[:, axis])[first]
        change = motion.rate[SPAN_TICKS:, axis] - motion.rate[:-SPAN_TICKS, axis]
        rows.append(row[clear])
        target.append(change[first][clear])
    size = 2 * int(clear.sum())
    # Equations a tick apart share three quarters of their span: four count as one.
    sd = np.full(size, NOISE_RAD_S * np.sqrt(SPAN_TICKS))
    return np.vstack(rows), np.concatenate(target), sd


def _over_span(values: Floats) -> Floats:
    """Integral over each span, by trapezes."""
    steps = np.concatenate(([0.0], np.cumsum((values[1:] + values[:-1]) / 2 * TICK_S)))
    spans: Floats = steps[SPAN_TICKS:] - steps[:-SPAN_TICKS]
    return spans


def _resting(motion: Track, prior: FreeSwing | None) -> tuple[Floats, Floats, bool]:
    """The two soft equations of a board that has come to rest: k (t - c) = 0 within k f."""
    last = motion.since(motion.t_s[-1] - 0.4)
    speed = np.degrees(np.linalg.norm(last.rate, axis=1))
    if len(speed) < 8 or speed.mean() > MOVING_DPS / 2:
        return np.empty((0, 5)), np.empty(0), False
    stiffness = prior.stiffness_s2 if prior else 76.0
    where = last.tilt.mean(axis=0)
    rows = np.zeros((2, 5))
    rows[0, 1] = rows[1, 2] = 1.0
    return rows, stiffness * where, True


LAW_SHARE = 0.06
"""Three pieces at the rim change the board's frequency by some per cent."""


def _law(prior: FreeSwing | None) -> tuple[Floats, Floats, Floats]:
    """What the empty board's swing already told."""
    if prior is None:
        return np.empty((0, 5)), np.empty(0), np.empty(0)
    rows = np.zeros((3, 5))
    rows[0, 0] = rows[1, 3] = rows[2, 4] = 1.0
    friction = prior.friction_rad * prior.stiffness_s2
    target = np.array([prior.stiffness_s2, prior.damping_s, friction])
    sd = np.array([LAW_SHARE * prior.stiffness_s2, 0.3 * prior.damping_s + 0.05, 0.3 * friction])
    return rows, target, np.maximum(sd, 1e-4)


def _robust(matrix: Floats, target: Floats, sd: Floats, told: int) -> tuple[Floats, Floats, float]:
    """Least squares with Huber weights: mean, covariance, rms misfit of the first `told` rows."""
    floor = np.diag([1e-8, 1e-4, 1e-4, 1e-4, 1e-4])
    weights = 1 / sd**2
    scale = 1.0
    for _ in range(4):
        weighted = matrix.T * weights
        cov = np.linalg.inv(weighted @ matrix + floor)
        mean = cov @ (weighted @ target)
        off = np.abs(target - matrix @ mean) / sd
        if told > 5:
            scale = max(1.0, float(np.sqrt(np.mean(np.minimum(off[:told], 6.0) ** 2))))
        weights = np.minimum(1.0, 2.0 * scale / np.maximum(off, 1e-9)) / sd**2
    left = (target - matrix @ mean)[:told]
    return (
        np.asarray(mean),
        np.asarray(cov * scale**2),
        float(np.sqrt(np.mean(left**2))) if told else 0.0,
    )

"""Draws the parameters of tables as different owners might build them."""

from dataclasses import replace
from math import log

import numpy as np

from engine.samples import Floats
from engine.tabletop import Piece
from hw.calibration import Calibration, Matrix3, Row3
from hw.errors import BadTwin
from lab.twin.build import ASSUMED, Build
from lab.twin.parameters import (
    FRICTION_BAND_DEG,
    MANNERS,
    SEAT_STEP_MM,
    BodyParameters,
    FourFloats,
    ImuParameters,
    Preset,
    ScaleParameters,
    TwinParameters,
    check_preset,
    exact_table,
    placing,
)

UNLIKE_GAINS = (0.7, 1.4)
"""Half as sensitive as another: cells of 1 kg and of 2 kg are sold with the same thread."""


def draw(
    rng: np.random.Generator,
    preset: Preset,
    *,
    build: Build = ASSUMED,
    spread: float = 1.0,
    turned_imu: bool = False,
    inverted_cells: bool = False,
    unlike_cells: bool = False,
) -> TwinParameters:
    """Draw the parameters of one table.

    Args:
        rng: all chance comes from here.
        preset: how good the pivot is and how people handle the pieces.
        build: of another game than the assumed one.
        spread: 1 varies geometry and masses by some 10-15 % and calibration errors as in the
            public traces; 2 twice as widely; 0 not at all.
        turned_imu: mount the inertial sensor in any of the 24 right-angled positions.
        inverted_cells: give some load cells the opposite sign.
        unlike_cells: give each a gain of its own, within `UNLIKE_GAINS`, as cells from a drawer.

    Raises:
        BadTwin: no such preset, or a spread outside 0 to 3.
    """
    check_preset(preset)
    if not 0 <= spread <= 3:
        raise BadTwin(f"spread is {spread}; it must be 0 to 3")
    pitch_mm = build.cell_pitch_mm * _about(rng, 0.05 * spread)
    step_mm = build.level_step_mm * _about(rng, 0.12 * spread)
    piece = _draw_piece(rng, build, spread)
    body = _draw_body(rng, preset, build, spread)
    scale = _draw_scale(rng, build, spread, inverted_cells=inverted_cells)
    if unlike_cells:
        low, high = UNLIKE_GAINS
        scale = _with_gains(scale, np.exp(rng.uniform(log(low), log(high), 4)))
    imu = _draw_imu(rng, build, spread, turned=turned_imu)
    usual = placing(MANNERS[preset], build)
    manners = replace(usual, sliding_friction=0.34 * _about(rng, 0.15 * spread))
    owned = replace(
        build,
        cell_pitch_mm=pitch_mm,
        level_step_mm=step_mm,
        centre_height_mm=build.centre_height_mm * _about(rng, 0.1 * spread),
        piece=piece,
    )
    exact = exact_table(owned, body, scale, imu, manners)
    return replace(exact, calibration=with_errors(rng, exact.calibration, spread))


def _about(rng: np.random.Generator, spread: float) -> float:
    """A factor about 1, uniform within `spread`."""
    return float(1 + spread * rng.uniform(-1, 1))


def _draw_piece(rng: np.random.Generator, build: Build, spread: float) -> Piece:
    usual = build.piece
    mass_g = usual.mass_mean_g * _about(rng, 0.15 * spread)
    return Piece(
        diameter_mm=usual.diameter_mm * _about(rng, 0.04 * spread),
        height_mm=usual.height_mm * _about(rng, 0.08 * spread),
        mass_mean_g=mass_g,
        mass_std_g=0.03 * mass_g * _about(rng, 0.3 * spread),
    )


def _draw_body(
    rng: np.random.Generator, preset: Preset, build: Build, spread: float
) -> BodyParameters:
    mass_g = build.empty_mass_g * _about(rng, 0.1 * spread)
    off_centre = rng.normal(0, build.trim_gmm * max(spread, 0.0), 2)
    low, high = FRICTION_BAND_DEG[preset]
    return BodyParameters(
        empty_mass_g=mass_g,
        empty_moment_gmm=(
            float(off_centre[0]),
            float(off_centre[1]),
            -mass_g * build.hangs_mm * _about(rng, 0.1 * spread),
        ),
        gyration_mm=build.gyration_mm * _about(rng, 0.07 * spread),
        yaw_gyration_mm=build.yaw_gyration_mm * _about(rng, 0.07 * spread),
        friction_band_deg=float(rng.uniform(low, high)) * build.friction,
        damping_ratio=0.04 * _about(rng, 0.3 * spread),
        seat_step_mm=SEAT_STEP_MM[preset] * _about(rng, 0.3 * spread),
        tip_height_mm=build.tip_height_mm * _about(rng, 0.15 * spread),
        base_mass_g=build.base_mass_g * _about(rng, 0.2 * spread),
        base_half_mm=build.base_half_mm * _about(rng, 0.05 * spread),
        stop_deg=build.stop_deg,
    )


def _draw_scale(
    rng: np.random.Generator, build: Build, spread: float, *, inverted_cells: bool
) -> ScaleParameters:
    factor = 1000.0 * _about(rng, 0.3 * max(0.0, spread - 1))
    signs = np.where(rng.random(4) < 0.4, -1, 1) if inverted_cells else np.ones(4)
    side_mm = build.cell_mm * _about(rng, 0.1 * spread)
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return ScaleParameters(
        counts_per_gram=_four(signs * factor * (1 + 0.02 * spread * rng.uniform(-1, 1, 4))),
        tare_counts=_four(rng.uniform(70_000, 310_000, 4).round() * signs),
        positions_mm=tuple((round(x * side_mm, 1), round(y * side_mm, 1)) for x, y in corners),
        rate_hz=80.0 * _about(rng, 0.015),
        noise_counts=_four(rng.uniform(60, 155, 4) * _about(rng, 0.2 * spread)),
        drift_g=0.012 * _about(rng, 0.6 * min(spread, 1.5)),
        glitch=2e-4 * _about(rng, 0.5),
    )


def _with_gains(scale: ScaleParameters, gains: Floats) -> ScaleParameters:
    return replace(scale, counts_per_gram=_four(np.multiply(scale.counts_per_gram, gains)))


def _draw_imu(
    rng: np.random.Generator, build: Build, spread: float, *, turned: bool
) -> ImuParameters:
    upright = _right_angles(rng) if turned else np.eye(3)
    rotation = _small_rotation(rng, np.radians(0.8) * spread) @ upright
    return ImuParameters(
        accel_bias_g=_three(rng.uniform(-0.035, 0.035, 3)),
        gyro_bias_dps=_three(rng.normal(0, 1.7, 3)),
        rotation=_matrix(rotation),
        position_mm=(
            float(rng.normal(build.imu_position_mm[0], 4)),
            float(rng.normal(build.imu_position_mm[1], 4)),
            float(rng.uniform(*build.imu_depth_mm)),
        ),
        rate_hz=200.0 * _about(rng, 0.015),
        accel_noise_g=0.00275 * _about(rng, 0.25 * spread),
        gyro_noise_dps=0.035 * _about(rng, 0.25 * spread),
    )


def with_errors(rng: np.random.Generator, exact: Calibration, spread: float) -> Calibration:
    """What a careful owner would have measured.

    The sizes are those of the public traces: rest tilts predicted from their calibration are
    off by 0.03-0.35 degrees, weights by 1 %.
    """

    def off(value: float, error: float, digits: int) -> float:
        return round(float(value + spread * error * rng.normal()), digits)

    piece, scale, imu = exact.piece, exact.scale, exact.imu
    rotation = _small_rotation(rng, np.radians(0.05) * spread) @ np.asarray(imu.rotation)
    mx, my, mz = exact.empty_moment_gmm
    return Calibration(
        cell_pitch_mm=off(exact.cell_pitch_mm, 0.05, 2),
        level_step_mm=off(exact.level_step_mm, 0.1, 2),
        centre_height_mm=off(exact.centre_height_mm, 0.1, 2),
        piece=Piece(
            off(piece.diameter_mm, 0.05, 2),
            off(piece.height_mm, 0.05, 2),
            off(piece.mass_mean_g, 0.008 * piece.mass_mean_g, 3),
            round(piece.mass_std_g, 3),
        ),
        scale=replace(
            scale,
            counts_per_gram=_four([off(c, 0.005 * c, 3) for c in scale.counts_per_gram]),
            tare_counts=_four([off(c, 20, 0) for c in scale.tare_counts]),
        ),
        imu=replace(
            imu,
            accel_bias_g=_three([off(b, 0.0015, 5) for b in imu.accel_bias_g]),
            gyro_bias_dps=_three([off(b, 0.03, 4) for b in imu.gyro_bias_dps]),
            rotation=_matrix(rotation.round(6)),
            position_mm=_three([off(p, 0.7, 0) for p in imu.position_mm]),
        ),
        empty_moment_gmm=(off(mx, 4, 1), off(my, 4, 1), off(mz, 0.006 * mz, 1)),
        empty_mass_g=off(exact.empty_mass_g, 0.6, 1),
    )


def _small_rotation(rng: np.random.Generator, angle_rad: float) -> Floats:
    """A rotation by an angle of about `angle_rad` about any axis (Rodrigues)."""
    x, y, z = rng.normal(0, max(angle_rad, 0.0), 3)
    angle = float(np.sqrt(x * x + y * y + z * z))
    if angle == 0:
        return np.eye(3)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) / angle
    rotation: Floats = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return rotation


def _right_angles(rng: np.random.Generator) -> Floats:
    """One of the 24 rotations that map axes to axes."""
    matrix: Floats = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
    if np.linalg.det(matrix) < 0:
        matrix[2] *= -1
    return matrix


def _four(values: Floats | list[float]) -> FourFloats:
    a, b, c, d = (float(value) for value in values)
    return a, b, c, d


def _three(values: Floats | list[float]) -> Row3:
    a, b, c = (float(value) for value in values)
    return a, b, c


def _matrix(values: Floats) -> Matrix3:
    a, b, c = (_three(row) for row in values)
    return a, b, c

"""What one simulated tower is made of: all its numbers in one frozen value.

The presets are fitted to the six public traces; `lab.twin.drawing.draw` makes other tables by
varying everything an owner could build differently. True values and the owner's calibration are
kept apart: the tower moves by the first, the samples are turned into grams and g by the second.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.tabletop import Piece, SteppedWithPiece, Vector
from hw.calibration import (
    Calibration,
    ImuCalibration,
    Matrix3,
    Row3,
    ScaleCalibration,
)
from hw.errors import BadTwin
from lab.twin.build import ASSUMED, Build

Preset = Literal["calm", "normal", "rough"]
PRESETS: tuple[Preset, ...] = ("calm", "normal", "rough")
FourFloats = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class BodyParameters:
    """The board, its pivot, and the base it stands on.

    Attributes:
        empty_mass_g: the tilting board.
        empty_moment_gmm: its first moment of mass about the tip.
        gyration_mm: radius of gyration about a horizontal axis through the tip.
        yaw_gyration_mm: the same about the vertical.
        friction_band_deg: half width of the band of tilts at which the empty board stays put.
        damping_ratio: of the free swing of the empty board, by air and skin of the pivot.
        seat_step_mm: spread of the wander of the board on its tip from one placement to the next.
        tip_height_mm: height of the tip over the plane of the load cells.
        base_mass_g: everything on the load cells but the board.
        base_height_mm: height of the base's centre of gravity over the load cells.
        base_half_mm: half the side of the base plate; what falls within stays weighed.
        stop_deg: tilt at which the board hits the base.
        cloth_sink_mm: how far the base sinks into a soft tablecloth under its own weight; 0 on a
            hard table. A load beside the middle then tilts the whole base.
        cloth_s: time constant with which the cloth gives way and recovers.
    """

    empty_mass_g: float = 181.0
    empty_moment_gmm: Vector = (0.0, 0.0, -4030.0)
    gyration_mm: float = 54.0
    yaw_gyration_mm: float = 58.0
    friction_band_deg: float = 0.14
    damping_ratio: float = 0.04
    seat_step_mm: float = 0.02
    tip_height_mm: float = 125.0
    base_mass_g: float = 690.0
    base_height_mm: float = 22.0
    base_half_mm: float = 104.0
    stop_deg: float = 38.0
    cloth_sink_mm: float = 0.0
    cloth_s: float = 0.4


@dataclass(frozen=True, slots=True)
class ScaleParameters:
    """Four HX711 on one clock.

    Attributes:
        noise_counts: standard deviation of one conversion, white.
        drift_g: wander of each cell in one square root of a second.
        creep: part of a load step that comes late, with `creep_s` as time constant.
        jitter_s: spread of the time stamps.
        missing, glitch, reset: probability per conversion of a lost one, of a corrupt data word in
            one cell, and of a power cycle (a corrupt data word, then 50 ms of silence).
        stray: spread of the share each cell takes of a load besides the centre of pressure.
        gain_drift: by which share the amplification changes in a second (warming up); it acts on
            what stands on the cell all the time, `tare_load_g`, as well.
    """

    counts_per_gram: FourFloats = (1000.0, 1000.0, 1000.0, 1000.0)
    tare_counts: FourFloats = (200000.0, 200000.0, 200000.0, 200000.0)
    positions_mm: tuple[tuple[float, float], ...] = ((-70, -70), (70, -70), (70, 70), (-70, 70))
    rate_hz: float = 80.0
    noise_counts: FourFloats = (100.0, 100.0, 100.0, 100.0)
    drift_g: float = 0.012
    creep: float = 0.0008
    creep_s: float = 40.0
    jitter_s: float = 0.00024
    missing: float = 2e-4
    glitch: float = 2e-4
    reset: float = 5e-5
    stray: float = 0.004
    gain_drift: float = 0.0
    tare_load_g: float = 218.0


@dataclass(frozen=True, slots=True)
class ImuParameters:
    """A MPU-6050 under the board.

    Attributes:
        rotation: turns sensor axes into board axes.
        accel_noise_g, gyro_noise_dps: standard deviation of one sample.
        noise_memory: correlation of neighbouring samples, from the chip's low-pass filter.
        switch_deg: angle of the apparent vertical at which the tilt switch closes.
    """

    accel_bias_g: Row3 = (0.0, 0.0, 0.0)
    gyro_bias_dps: Row3 = (0.0, 0.0, 0.0)
    rotation: Matrix3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    position_mm: Vector = (0.0, 0.0, -16.0)
    accel_lsb_per_g: float = 16384.0
    gyro_lsb_per_dps: float = 131.0
    rate_hz: float = 200.0
    accel_noise_g: float = 0.00275
    gyro_noise_dps: float = 0.035
    noise_memory: float = 0.55
    jitter_s: float = 0.00018
    missing: float = 6e-5
    switch_deg: float = 32.0


@dataclass(frozen=True, slots=True)
class Manners:
    """How people handle the tower.

    Attributes:
        contact_s: shortest and longest time from first contact to release.
        offset_mm: spread of a piece about the centre of its cell, each axis.
        press_mm: how far a hand presses below the surface it aims at.
        approach_mm_s: speed at which a piece comes down.
        stiffness_gf_mm: stiffness of finger and piece; a palm has a fifth of it.
        slip: probability that a placement goes over an edge or off its stack.
        sliding_friction: mean coefficient of friction of pieces.
    """

    contact_s: tuple[float, float] = (0.2, 0.65)
    offset_mm: float = 2.5
    press_mm: tuple[float, float] = (0.1, 1.4)
    approach_mm_s: tuple[float, float] = (28.0, 80.0)
    stiffness_gf_mm: float = 15.0
    slip: float = 0.012
    sliding_friction: float = 0.34


@dataclass(frozen=True, slots=True)
class TwinParameters:
    """One simulated tower, and what its owner believes about it.

    Attributes:
        calibration: what the owner measured: true values with small errors.
        lost_g: what one piece of a colour has lost, g.
    """

    cell_pitch_mm: float
    level_step_mm: float
    centre_height_mm: float
    piece: Piece
    body: BodyParameters
    scale: ScaleParameters
    imu: ImuParameters
    manners: Manners
    calibration: Calibration
    lost_g: tuple[tuple[str, float], ...] = ()


FRICTION_BAND_DEG: Mapping[Preset, tuple[float, float]] = {
    "calm": (0.02, 0.07),
    "normal": (0.10, 0.19),
    "rough": (0.36, 0.54),
}
"""Public traces: the decay of swings says 0.01-0.05, 0.11-0.14 and 0.34-0.38 degrees, the
scatter of rest tilts a little more."""
SEAT_STEP_MM: Mapping[Preset, float] = {"calm": 0.006, "normal": 0.02, "rough": 0.052}
"""Public traces: spread of the seat from placement to placement."""
MANNERS: Mapping[Preset, Manners] = {
    "calm": Manners(contact_s=(0.18, 0.48), offset_mm=2.3, press_mm=(0.7, 1.9), slip=0.006),
    "normal": Manners(contact_s=(0.18, 0.65), offset_mm=2.6, press_mm=(0.8, 2.3), slip=0.012),
    "rough": Manners(contact_s=(0.1, 0.82), offset_mm=2.8, press_mm=(0.8, 3.0), slip=0.02),
}


def preset_parameters(preset: Preset, build: Build = ASSUMED) -> TwinParameters:
    """The plain table of a preset: mean values, a perfect calibration, noise as usual.

    Args:
        preset: how good the pivot is and how people handle the pieces.
        build: of another game than the assumed one.

    Raises:
        BadTwin: no such preset.
    """
    check_preset(preset)
    low, high = FRICTION_BAND_DEG[preset]
    body = BodyParameters(
        empty_mass_g=build.empty_mass_g,
        empty_moment_gmm=(0.0, 0.0, -build.empty_moment_gmm),
        gyration_mm=build.gyration_mm,
        yaw_gyration_mm=build.yaw_gyration_mm,
        friction_band_deg=(low + high) / 2 * build.friction,
        seat_step_mm=SEAT_STEP_MM[preset],
        tip_height_mm=build.tip_height_mm,
        base_mass_g=build.base_mass_g,
        base_half_mm=build.base_half_mm,
        stop_deg=build.stop_deg,
    )
    side_mm = build.cell_mm
    places = tuple((x * side_mm, y * side_mm) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    scale = ScaleParameters(positions_mm=places)
    imu = ImuParameters(position_mm=build.imu_position_mm)
    return exact_table(build, body, scale, imu, placing(MANNERS[preset], build))


def placing(manners: Manners, build: Build) -> Manners:
    """The same people at a game with larger or smaller cells."""
    return replace(manners, offset_mm=manners.offset_mm * build.placing)


def check_preset(preset: str) -> None:
    """Raise `BadTwin` when there is no such preset."""
    if preset not in PRESETS:
        raise BadTwin(f"preset is {preset!r}; it must be one of {', '.join(PRESETS)}")


def exact_table(
    game: SteppedWithPiece,
    body: BodyParameters,
    scale: ScaleParameters,
    imu: ImuParameters,
    manners: Manners,
) -> TwinParameters:
    """A tower whose owner knows everything exactly but the true clock rates."""
    calibration = Calibration(
        cell_pitch_mm=game.cell_pitch_mm,
        level_step_mm=game.level_step_mm,
        centre_height_mm=game.centre_height_mm,
        piece=game.piece,
        scale=ScaleCalibration(scale.positions_mm, scale.counts_per_gram, scale.tare_counts),
        imu=ImuCalibration(
            imu.accel_bias_g,
            imu.gyro_bias_dps,
            imu.rotation,
            imu.position_mm,
            imu.accel_lsb_per_g,
            imu.gyro_lsb_per_dps,
        ),
        empty_moment_gmm=body.empty_moment_gmm,
        empty_mass_g=body.empty_mass_g,
    )
    return TwinParameters(
        game.cell_pitch_mm,
        game.level_step_mm,
        game.centre_height_mm,
        game.piece,
        body,
        scale,
        imu,
        manners,
        calibration,
    )

"""A simulated tower with the parameters that were fitted to a real table (`lab.fit`).

The file that keeps them holds only what the recording could tell; all else is as on the plain
table. What the owner measured is in it too, so that the twin has that table's geometry.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import sqrt
from typing import Any

import msgspec
import numpy as np

from engine.errors import UNREADABLE
from hw.calibration import Calibration, calibration_document, parse_calibration
from hw.errors import BadCalibration, BadTwin
from lab.fit.estimates import Estimate
from lab.twin.drawing import with_errors
from lab.twin.parameters import (
    PRESETS,
    ImuParameters,
    Preset,
    ScaleParameters,
    TwinParameters,
    exact_table,
    preset_parameters,
)

FORMAT = "topple-table fitted table 1"

CALM_TO_DEG, NORMAL_TO_DEG = 0.085, 0.28
"""Between the bands of the presets: their people come with the pivot."""

CLOSED_SHARE = 0.8
"""Part of an even spread between its 10 and 90 % points."""

PRESSED_G, PRESSED_G_MM = 1.2, 8.1
"""What the cells feel at most of a hand with its piece, by how far it means to press: nine twins
with known hands, 0.6 to 1.9 mm, within 15 %. The board gives way, so it is half of the finger's
stiffness."""

LEAST_OFFSET_MM = 0.5


LIMITS: Mapping[str, tuple[float, float]] = {
    "friction_band_deg": (0.0, 3.0),
    "damping_ratio": (0.0, 0.5),
    "gyration_mm": (10.0, 300.0),
    "seat_step_mm": (0.0, 2.0),
    "noise_counts": (0.0, 1e5),
    "drift_g": (0.0, 5.0),
    "gain_drift": (-1e-3, 1e-3),
    "creep": (-0.05, 0.05),
    "creep_s": (1.0, 3600.0),
    "accel_noise_g": (0.0, 0.5),
    "gyro_noise_dps": (0.0, 50.0),
    "noise_memory": (0.0, 0.95),
    "contact_s": (0.02, 10.0),
    "press_mm": (0.0, 20.0),
    "offset_mm": (0.0, 15.0),
}
"""What a tower may have; beyond it no simulation is worth running."""


class _File(msgspec.Struct):
    format: str
    preset: Preset
    calibration: dict[str, Any]
    body: dict[str, float]
    scale: dict[str, float]
    imu: dict[str, float]
    manners: dict[str, tuple[float, float] | float]


def table_file(found: Mapping[str, Estimate], calibration: Calibration) -> bytes:
    """The file for what was fitted to a table."""
    value = {name: float(each.value) for name, each in found.items() if each.seen}
    file = _File(
        FORMAT,
        _preset(value.get("friction_band_deg")),
        calibration_document(calibration),
        _picked(value, "friction_band_deg", "damping_ratio", "gyration_mm", "seat_step_mm"),
        _scale(found, value),
        _imu(value),
        _manners(value, calibration),
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"


def _preset(friction_deg: float | None) -> Preset:
    if friction_deg is None:
        return "normal"
    if friction_deg < CALM_TO_DEG:
        return "calm"
    return "normal" if friction_deg < NORMAL_TO_DEG else "rough"


def _picked(value: Mapping[str, float], *names: str) -> dict[str, float]:
    return {name: value[name] for name in names if name in value}


def _scale(found: Mapping[str, Estimate], value: Mapping[str, float]) -> dict[str, float]:
    scale = {}
    names = {"cell_noise_counts": "noise_counts", "cell_drift_g_per_sqrt_s": "drift_g"}
    for name, own in names.items():
        if name in value:
            scale[own] = value[name]
    warmth, creep = found.get("weight_drift_g_per_min"), found.get("creep_share")
    if warmth is not None and warmth.seen and warmth.low * warmth.high > 0:
        scale["gain_drift"] = warmth.value / 60 / (4 * ScaleParameters().tare_load_g)
    if creep is not None and creep.seen and creep.low > 0:
        scale["creep"] = creep.value
        scale |= _picked(value, "creep_s")
    return scale


def _imu(value: Mapping[str, float]) -> dict[str, float]:
    imu = _picked(value, "accel_noise_g", "gyro_noise_dps")
    memories = list(_picked(value, "accel_noise_next", "gyro_noise_next").values())
    if memories:
        imu["noise_memory"] = min(max(sum(memories) / len(memories), 0.0), 0.9)
    return imu


def _manners(
    value: Mapping[str, float], calibration: Calibration
) -> dict[str, tuple[float, float] | float]:
    manners: dict[str, tuple[float, float] | float] = {}
    if "contact_s_typical" in value and "contact_s_spread" in value:
        middle, half = value["contact_s_typical"], value["contact_s_spread"] / CLOSED_SHARE / 2
        manners["contact_s"] = (max(middle - half, 0.05), middle + half)
    if "press_g_most_typical" in value:
        middle = max((value["press_g_most_typical"] - PRESSED_G) / PRESSED_G_MM, 0.1)
        manners["press_mm"] = (0.5 * middle, 1.5 * middle)
    if "place_scatter_mm" in value and "seat_step_mm" in value:
        lever = calibration.empty_mass_g / calibration.piece.mass_mean_g
        own = value["place_scatter_mm"] ** 2 - (lever * value["seat_step_mm"]) ** 2
        manners["offset_mm"] = sqrt(max(own, LEAST_OFFSET_MM**2))
    return manners


def read_table(data: bytes, name: str) -> tuple[Preset, TwinParameters]:
    """The twin of a fitted table, whose owner knows everything exactly, and its people's preset.

    Raises:
        BadTwin: the file cannot be used; the message says why.
    """
    try:
        file = msgspec.json.decode(data, type=_File)
    except UNREADABLE as problem:
        raise BadTwin(f"{name} is no table of topple-table fit: {problem}") from None
    if file.format != FORMAT or file.preset not in PRESETS:
        raise BadTwin(f"{name} is not of this format: {FORMAT!r}")
    try:
        _check(file)
        known = parse_calibration(msgspec.json.encode(file.calibration))
        return file.preset, _parameters(file, known)
    except (BadCalibration, TypeError, ValueError) as problem:
        raise BadTwin(f"{name}: {problem}") from None


def _check(file: _File) -> None:
    for part in (file.body, file.scale, file.imu, file.manners):
        for name, value in part.items():
            if name not in LIMITS:
                raise ValueError(f"{name} is no parameter that is fitted")
            low, high = LIMITS[name]
            values = value if isinstance(value, tuple) else (value,)
            if not all(low <= each <= high for each in values):
                raise ValueError(f"{name} is {value}; it must be {low:g} to {high:g}")


def _parameters(file: _File, known: Calibration) -> TwinParameters:
    plain = preset_parameters(file.preset)
    noise: Any = {}
    scale_changes: dict[str, Any] = dict(file.scale)
    if "noise_counts" in scale_changes:
        noise["noise_counts"] = (scale_changes.pop("noise_counts"),) * 4
    scale = ScaleParameters(
        counts_per_gram=_four(known.scale.counts_per_gram),
        tare_counts=_four(known.scale.tare_counts),
        positions_mm=known.scale.positions_mm,
        rate_hz=known.scale.rate_hz,
    )
    imu = ImuParameters(
        known.imu.accel_bias_g,
        known.imu.gyro_bias_dps,
        known.imu.rotation,
        known.imu.position_mm,
        known.imu.accel_lsb_per_g,
        known.imu.gyro_lsb_per_dps,
        known.imu.rate_hz,
    )
    body = replace(
        plain.body, empty_mass_g=known.empty_mass_g, empty_moment_gmm=known.empty_moment_gmm
    )
    body_changes: dict[str, Any] = dict(file.body)
    imu_changes: dict[str, Any] = dict(file.imu)
    changes: dict[str, Any] = dict(file.manners)
    return exact_table(
        known,
        replace(body, **body_changes),
        replace(scale, **scale_changes, **noise),
        replace(imu, **imu_changes),
        replace(plain.manners, **changes),
    )


def _four(values: tuple[float, ...]) -> tuple[float, float, float, float]:
    a, b, c, d = values
    return a, b, c, d


def drawn_owner(table: TwinParameters, rng: np.random.Generator) -> TwinParameters:
    """The same table with an owner who measured it as well as a careful one does."""
    return replace(table, calibration=with_errors(rng, table.calibration, 1.0))

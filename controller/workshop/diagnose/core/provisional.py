"""A provisional calibration for a table that is still being built, from its rest alone.

Positions and orientations are those of the drawing; the zeros of load cells and gyroscope come from
the empty table at rest. The gains are guesses: grams may be wrong by a factor of two or three, and
the sign of a cell is unknown. Whatever uses such a calibration must allow for that.
"""

from collections.abc import Iterable
from dataclasses import replace
from math import isnan

import numpy as np

from controller.workshop.diagnose.core.findings import Finding, Severity
from controller.workshop.diagnose.core.presses import CellPress, Tilt
from engine.samples import Floats
from engine.tabletop import CELL_COUNT
from hw.calibration import BIAS_MAX_DPS, COUNTS_MAX, Calibration, Row3
from hw.signal_figures import believed
from hw.stretch import Stretch

CHIP_BIAS_G = 0.12
"""Datasheet: zero-g offset up to 0.08 g. What is further off is no offset but a mounting."""

NO_HARM = "No harm: the calibration takes it into account. Or exchange A+ and A- at its HX711."


def provisional(drawn: Calibration, rest: Stretch) -> Calibration:
    """The drawing's calibration with the zeros of this rest, empty and with nobody touching it."""
    scale, imu = drawn.scale, drawn.imu
    tare = tuple(_tare(rest, cell, scale.tare_counts[cell]) for cell in range(CELL_COUNT))
    drawn = replace(drawn, scale=replace(scale, tare_counts=tare))
    if len(rest.imu.t_s) < 3:
        return drawn
    raw = np.median(rest.imu.raw, axis=0)
    turning = np.clip(raw[3:] / imu.gyro_lsb_per_dps, -BIAS_MAX_DPS, BIAS_MAX_DPS)
    felt_g = raw[:3] / imu.accel_lsb_per_g
    off_g = felt_g - np.asarray(imu.rotation).T @ (0.0, 0.0, 1.0)
    mounted_as_drawn = float(np.abs(off_g).max()) < CHIP_BIAS_G
    return replace(
        drawn,
        imu=replace(
            imu,
            gyro_bias_dps=_row(turning),
            accel_bias_g=_row(off_g) if mounted_as_drawn else imu.accel_bias_g,
        ),
    )


def _tare(rest: Stretch, cell: int, otherwise: float) -> float:
    counts = believed(rest.conversions(cell)).counts
    middle = float(np.median(counts)) if len(counts) else float("nan")
    return otherwise if isnan(middle) or abs(middle) >= COUNTS_MAX - 1 else middle


def _row(values: Floats) -> Row3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def restated(stretch: Stretch, calibration: Calibration) -> Stretch:
    """The same stretch by another calibration."""
    scale, imu = stretch.scale, stretch.imu
    return replace(
        stretch,
        scale=calibration.scale_samples(scale.t_s, scale.raw, scale.valid),
        imu=calibration.imu_samples(imu.t_s, imu.raw),
    )


def restated_tilt(tilt: Tilt, calibration: Calibration) -> Tilt:
    """The same tilt by another calibration."""
    return replace(tilt, stretch=restated(tilt.stretch, calibration))


def unweighed(press: CellPress, calibration: Calibration) -> CellPress:
    """The same press by another calibration; nobody knows yet what a known weight should show."""
    return replace(press, stretch=restated(press.stretch, calibration), weight_g=None)


def forgiven(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings without those that a calibration corrects; reversed signs become a note."""
    return tuple(
        replace(finding, severity=Severity.NOTE, check=NO_HARM)
        if finding.kind == "wires_swapped"
        else finding
        for finding in findings
    )

"""The figures of each sensor at rest, robust against the faults they are to show."""

from math import nan

import numpy as np

from controller.workshop.diagnose.core.findings import CellFigures, ImuFigures
from hw.calibration import COUNTS_MAX, COUNTS_MIN, Calibration
from hw.conversions import period_s
from hw.signal_figures import (
    angle_deg,
    believed,
    corrupt,
    drift_per_min,
    gaps,
    missing,
    overlapping,
    own_rate_hz,
    robust_sd,
)
from hw.stretch import Stretch


def cell_figures(stretch: Stretch, calibration: Calibration, cell: int) -> CellFigures:
    """What one load cell delivered."""
    given = stretch.conversions(cell)
    used = believed(given)
    counts = used.counts.astype(np.float64)
    factor = calibration.scale.counts_per_gram[cell]
    grams = (counts - calibration.scale.tare_counts[cell]) / factor
    noise_counts = robust_sd(counts)
    far = corrupt(counts)
    silent = gaps(given.t_s, given.steps)
    # The word that drove the chip into its power cycle is spoilt too; it counts as the cycle.
    column = given.counts[~np.isin(given.t_s, silent[:, 0])]
    return CellFigures(
        rate_hz=own_rate_hz(given),
        mean_counts=float(np.median(counts)) if len(counts) else nan,
        noise_counts=noise_counts,
        noise_g=noise_counts / abs(factor),
        load_g=float(np.median(grams)) if len(grams) else nan,
        drift_g_min=drift_per_min(used.t_s[~far], grams[~far]),
        heard=int(given.good.sum()),
        given=len(given),
        saturated=int(((column >= COUNTS_MAX) | (column <= COUNTS_MIN)).sum()),
        corrupt=int(far.sum()),
        resets=int((~overlapping(silent, gaps(stretch.imu.t_s))).sum()),
        missed=missing(given.t_s, given.steps),
    )


def imu_figures(
    stretch: Stretch, calibration: Calibration, temperature_c: float | None = None
) -> ImuFigures:
    """What the inertial sensor delivered."""
    imu = stretch.imu
    if len(imu.t_s) < 3:
        return ImuFigures(nan, nan, nan, nan, (nan, nan, nan), nan, len(imu.t_s), temperature_c)
    felt_g = np.median(imu.accel_g, axis=0)
    bias = np.degrees(np.median(imu.rate_rad_s, axis=0))
    return ImuFigures(
        rate_hz=1 / period_s(imu.t_s),
        accel_norm_g=float(np.linalg.norm(felt_g)),
        accel_noise_g=max(robust_sd(axis) for axis in imu.accel_g.T),
        gyro_noise_dps=max(robust_sd(axis) for axis in np.degrees(imu.rate_rad_s).T),
        bias_dps=(float(bias[0]), float(bias[1]), float(bias[2])),
        tilt_error_deg=angle_deg(felt_g, -np.asarray(calibration.empty_moment_gmm)),
        heard=len(imu.t_s),
        temperature_c=temperature_c,
    )

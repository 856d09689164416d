"""The figures of each sensor at rest, robust against the faults they are to show."""

from math import nan

import numpy as np

from controller.workshop.diagnose.core.findings import CellFigures, ImuFigures
from hw.calibration import COUNTS_MAX, COUNTS_MIN, Calibration
from hw.signal_figures import angle_deg, corrupt, drift_per_min, gaps, overlapping, robust_sd
from hw.stretch import Stretch


def cell_figures(stretch: Stretch, calibration: Calibration, cell: int) -> CellFigures:
    """What one load cell delivered."""
    scale = stretch.scale
    column, fresh = scale.raw[:, cell], stretch.fresh(cell)
    counts = column[fresh].astype(np.float64)
    t_s = scale.t_s[fresh]
    far = corrupt(counts)
    factor = calibration.scale.counts_per_gram[cell]
    grams = (counts - calibration.scale.tare_counts[cell]) / factor
    noise_counts = robust_sd(counts)
    silent = gaps(t_s)
    # The read that drove the chip into its power cycle is spoilt too; it counts as the cycle.
    last_words = np.isin(t_s, silent[:, 0])
    return CellFigures(
        rate_hz=float(1 / np.median(np.diff(t_s))) if len(t_s) >= 3 else nan,
        mean_counts=float(np.median(counts)) if len(counts) else nan,
        noise_counts=noise_counts,
        noise_g=noise_counts / abs(factor),
        load_g=float(np.median(grams)) if len(grams) else nan,
        drift_g_min=drift_per_min(t_s[~far], grams[~far]),
        heard=int(scale.valid[:, cell].sum()),
        rows=len(column),
        saturated=int(((column >= COUNTS_MAX) | (column <= COUNTS_MIN)).sum()),
        corrupt=int((far & ~last_words).sum()),
        resets=int((~overlapping(silent, gaps(stretch.imu.t_s))).sum()),
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
        rate_hz=float(1 / np.median(np.diff(imu.t_s))),
        accel_norm_g=float(np.linalg.norm(felt_g)),
        accel_noise_g=max(robust_sd(axis) for axis in imu.accel_g.T),
        gyro_noise_dps=max(robust_sd(axis) for axis in np.degrees(imu.rate_rad_s).T),
        bias_dps=(float(bias[0]), float(bias[1]), float(bias[2])),
        tilt_error_deg=angle_deg(felt_g, -np.asarray(calibration.empty_moment_gmm)),
        heard=len(imu.t_s),
        temperature_c=temperature_c,
    )

"""Sources of samples: drivers, recordings, the simulated tower; and the calibration."""

"""Calibration at home: the steps, whether each was done, and the result."""

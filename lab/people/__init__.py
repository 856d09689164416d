"""Simulated people, and the evening that they play on the simulated tower."""

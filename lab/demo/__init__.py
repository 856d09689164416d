"""Demonstrations: simulated people, games without sensors, and a game on the real firmware."""

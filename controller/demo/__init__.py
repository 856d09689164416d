"""Evenings to look at: simulated people, games by hand, and a game on the real firmware."""

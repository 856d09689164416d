"""Calibrating a table at the kitchen table: what to do, whether it was done, what follows."""

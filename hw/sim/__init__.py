"""Simulated hardware: tower, chips, microcontroller, and whole tables."""

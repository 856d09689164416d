"""Samples to observations: contacts and rests as the sensors saw them; no rules in it."""

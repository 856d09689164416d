"""Samples to table events, with probabilities. See `engine.detect.detector`."""

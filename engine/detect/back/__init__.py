"""Observations to table events, by weighing hypotheses of what lies where."""

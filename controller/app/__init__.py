"""A table that runs: joined by its configuration, driven by the clock."""

"""Pages served to browsers: scoreboard first."""

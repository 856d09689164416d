"""A finished game, move by move, as a page and as a file to keep."""

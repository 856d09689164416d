"""A recording or a game record once more: as lines, as a page, as scores."""

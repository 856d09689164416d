"""Replays a recording or a game record: as lines, as a page, as scores."""

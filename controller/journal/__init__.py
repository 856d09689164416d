"""The journal: everything that made the game what it is, safe before anybody sees it."""

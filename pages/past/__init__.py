"""All games of a table over the months."""

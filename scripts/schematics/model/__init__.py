"""The table in three dimensions: solids, collisions, files for making it, pictures of building it.

Needs build123d (the extra `drawings`; `make schematics` installs it), which nothing else here
does.
"""

"""The table in three dimensions: solids, collisions, files for making it, pictures of building it.

Needs build123d (`pip install topple-table[drawings]`), which nothing else here does.
"""

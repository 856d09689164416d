"""Recordings of a table: their format, how they are written, how they are replayed."""

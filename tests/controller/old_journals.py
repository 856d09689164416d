"""Journals as older versions of the program left them."""

import sqlite3
from contextlib import closing
from pathlib import Path


def made_version_1(path: Path) -> None:
    """Take from a closed journal what version 1 did not have."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for table in ("games", "entries"):
            database.execute(f"ALTER TABLE {table} DROP COLUMN seal")
        database.execute("DROP TABLE refused")
        database.execute("PRAGMA user_version = 1")

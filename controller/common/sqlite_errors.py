"""The result code of an SQLite error, so that nothing depends on the words of the library."""

import sqlite3

IN_USE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
"""Another connection holds the file."""


def primary_code(error: sqlite3.Error) -> int:
    """The primary result code, such as `sqlite3.SQLITE_FULL`.

    Errors of Python's own module have no code; they count as `SQLITE_ERROR`.
    """
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF

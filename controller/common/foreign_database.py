"""A SQLite file from somewhere else may do more than hold data."""

import sqlite3


class ActsByItself(sqlite3.DatabaseError):
    """A database that does things of its own; the words name the first."""


def check_data_only(database: sqlite3.Connection) -> None:
    """Refuse a database that acts when it is read or written, before it is.

    A view in place of a table can count for ever, and no timeout ends that; a trigger, an index of
    an expression or a virtual table can change what is written. Asking for them runs none. What is
    left may call no function from outside (`trusted_schema`).

    Raises:
        ActsByItself: it does.
        sqlite3.Error: it cannot be read.
    """
    database.execute("PRAGMA trusted_schema=OFF")
    for kind, name, text in database.execute("SELECT type, name, sql FROM sqlite_master"):
        # An index without a text is SQLite's own, of a key.
        plain = kind == "table" or (kind == "index" and text is None)
        if not plain or "VIRTUAL" in str(text).partition("(")[0].upper():
            raise ActsByItself(f"it holds {kind} {str(name)[:40]!r}, which no table has made")

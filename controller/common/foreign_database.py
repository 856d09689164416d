"""A SQLite file from somewhere else may do more than hold data."""

import re
import sqlite3

LARGEST_ROW_BYTES = 16 * 1024 * 1024
"""Of a row, read or made of one; ours have some kilobytes."""

_NO_WORDS = re.compile(
    r"""--[^\n]*|/\*.*?(?:\*/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^]]*\]""",
    re.DOTALL,
)
"""Comments, texts and quoted names, in which a word is none of SQL's."""

_ACTS = re.compile(
    r"\b(?:VIRTUAL|AS|CHECK|GENERATED|COLLATE|REFERENCES|ON)\b|\bDEFAULT\s*\(", re.IGNORECASE
)
"""In a table: columns that are computed when they are read or written; rows that replace others."""

_OF_COLUMNS = re.compile(r"CREATE INDEX \w+ ON \w+ ?\(\w+(?:, ?\w+)*\)")


class ActsByItself(sqlite3.DatabaseError):
    """A database that does things of its own; the words name the first."""


def check_data_only(database: sqlite3.Connection) -> None:
    """Refuse a database that acts when it is read or written, before it is.

    A view in place of a table can count for ever, and no timeout ends that, nor what a column is
    computed by; a trigger, an index of an expression or a virtual table can change what is
    written. Asking for them runs none. What is left may call no function from outside
    (`trusted_schema`), and holds no row that would not fit the memory.

    Raises:
        ActsByItself: it does.
        sqlite3.Error: it cannot be read.
    """
    database.execute("PRAGMA trusted_schema=OFF")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW_BYTES)
    for kind, name, text in database.execute("SELECT type, name, sql FROM sqlite_master"):
        if not _is_plain(str(kind), text):
            raise ActsByItself(f"it holds {kind} {str(name)[:40]!r}, which no table has made")


def _is_plain(kind: str, text: str | None) -> bool:
    if kind == "index":
        # One without a text is SQLite's own, of a key.
        return text is None or _OF_COLUMNS.fullmatch(text) is not None
    return kind == "table" and not _ACTS.search(_NO_WORDS.sub(" x ", str(text)))

import sqlite3
from pathlib import Path

import pytest

from controller.common.sqlite_errors import IN_USE, primary_code


def test_a_locked_file_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "file"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    other = sqlite3.connect(path, timeout=0.0)

    with pytest.raises(sqlite3.OperationalError) as refused:
        other.execute("PRAGMA user_version").fetchone()
    assert primary_code(refused.value) in IN_USE
    other.close()
    holder.close()


def test_an_extended_code_is_reduced_to_its_primary_code(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as refused:
        sqlite3.connect(tmp_path)  # a folder

    refused.value.sqlite_errorcode |= 2 << 8
    assert primary_code(refused.value) == sqlite3.SQLITE_CANTOPEN
    # An error of Python's own module has no particular code.
    assert primary_code(sqlite3.ProgrammingError()) == sqlite3.SQLITE_ERROR

"""Files that commands write their results to: checked before the work, never lost after it.

Missing folders are created. A place that cannot be written is refused before the work begins. If
writing fails afterwards all the same (a full disk, a removed stick), the result goes to the folder
for temporary files, and the message says where.
"""

import os
import tempfile
from pathlib import Path

from controller.common.errors import BadInput


def ready_for_file(option: str, path: Path) -> None:
    """Check that a file can be written, and create its folder; an existing file stays.

    Raises:
        BadInput: it cannot be written; the words name the option.
    """
    if path.is_dir():
        raise BadInput(f"{option} {path}: it is a folder; name a file in it")
    existed = path.exists()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as problem:
        raise BadInput(_words(option, path, problem)) from None


def ready_for_folder(option: str, folder: Path) -> None:
    """Check that files can be written into a folder, and create it.

    Raises:
        BadInput: they cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".topple-table-", dir=folder)
        os.close(handle)
        Path(name).unlink()
    except OSError as problem:
        raise BadInput(_words(option, folder, problem)) from None


def write_result(option: str, path: Path, text: str | bytes) -> None:
    """Write a result.

    Raises:
        BadInput: it cannot be written; the message says where the result is instead.
    """
    data = text.encode() if isinstance(text, str) else text
    try:
        path.write_bytes(data)
    except OSError as problem:
        raise BadInput(f"{_words(option, path, problem)}; {rescued(path.name, data)}") from None


def rescued(name: str, data: bytes) -> str:
    """Keep a result in the folder for temporary files, and say where it is."""
    try:
        handle, kept = tempfile.mkstemp(prefix="topple-table-", suffix=f"-{name}")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as problem:
        return f"it could not be kept in {tempfile.gettempdir()} ({problem.strerror})"
    return f"the result is kept as {kept}"


def _words(option: str, path: Path, problem: OSError) -> str:
    where = "" if problem.filename in (None, str(path)) else f" ({problem.filename})"
    return (
        f"{option} {path} cannot be written: {problem.strerror}{where}; check path, rights and "
        "free space"
    )

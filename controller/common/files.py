"""Reading files that people name, and writing files so that they are whole after a power cut.

Never more is read than such a file can honestly hold. A slip (`--config /dev/zero`, a recording in
place of a record) must end in words, not in a machine without memory. What is too large is an
`OSError` like any other that reading can raise, so callers have one thing to catch.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

CONFIG_BYTES = 256 * 2**10
"""A configuration or a scenario: a hundred times those that are shipped."""

CALIBRATION_BYTES = 2**20
"""With figures and notices a calibration has 6 kB."""

SECRET_BYTES = 4096
"""A password file; only its first line counts."""

LINE_BYTES = 2**20
"""A line of a game record: with the view of the largest game it has 20 kB."""

LONGEST_WORDS = 600
"""Of a refusal: who sent a megabyte does not get it back."""


def read_bytes(path: Path, most: int) -> bytes:
    """The whole file.

    Raises:
        OSError: it cannot be read, or has more than `most` bytes.
    """
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _too_large(path, f"it has more than {most:,} bytes; is it another file?")
    return data


def read_text(path: Path, most: int) -> str:
    """The whole file as text.

    Raises:
        OSError: as `read_bytes`.
        UnicodeDecodeError: it is no UTF-8.
    """
    return read_bytes(path, most).decode("utf-8")


def read_lines(path: Path, most: int = LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file, one at a time.

    Raises:
        OSError: it cannot be read, or a line has more than `most` bytes.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(most + 1):
            number += 1
            if len(line) > most:
                message = f"line {number} has more than {most:,} bytes; is it another file?"
                raise _too_large(path, message)
            yield line


def _too_large(path: Path, message: str) -> OSError:
    return OSError(errno.EFBIG, message, str(path))


def write_whole(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that it is there whole, or as it was before, whatever happens meanwhile.

    Args:
        path: of the file.
        data: all of it.
        mode: who may do what with it, less what the umask forbids; at no moment more.

    Raises:
        OSError: nothing has changed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    flush(path.parent)


def flush(path: Path) -> None:
    """Have a file, or what a folder calls its files, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def clipped(message: str, most: int = LONGEST_WORDS) -> str:
    """A message that holds what somebody wrote, at a length that can be read.

    >>> clipped("x" * 9, 5)
    'xx...'
    """
    return message if len(message) <= most else f"{message[: most - 3]}..."

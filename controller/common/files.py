"""Reads files named by the user, and writes files so that a power cut leaves them complete.

Each kind of file has a size limit, so a mistake (`--config /dev/zero`, a recording instead of a
record) ends in a message and not in a machine without memory. A file that is too large raises
`OSError`, like every other failed read.
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
"""Longest message about a wrong input; the input itself may be much longer."""


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
    """Write a file completely or not at all, also when the power fails meanwhile.

    At no moment may more be done with it than `mode` says, less what the umask forbids. A link in
    its place is replaced, and what it leads to stays.

    Raises:
        OSError: nothing has changed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        # A leftover of a process before us, or somebody's link to another file.
        temporary.unlink(missing_ok=True)
        made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with os.fdopen(made, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    flush(path.parent)


def flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def clipped(message: str, most: int = LONGEST_WORDS) -> str:
    """A message shortened to a readable length.

    >>> clipped("x" * 9, 5)
    'xx...'
    """
    return message if len(message) <= most else f"{message[: most - 3]}..."

"""Client ids that nobody can guess.

A broker knows its clients by their ids alone, whatever their users: who connects with the id of
another pushes it off, and Mosquitto's rules give replies to whoever bears the id they are
addressed to. So every id of ours ends in something random.

A table keeps its ending over restarts. When it comes back after a power cut with the id it had,
the broker ends the old connection at once and says the last will *before* the new birth; under a
new id `offline` would be said over the new `online`, up to 23 s later.
"""

import contextlib
import os
import re
import secrets
from pathlib import Path

_RANDOM_BYTES = 6
"""2.8e14 endings. More would make `table-<id>-...` longer than the 23 characters that every
MQTT 3.1.1 broker must take."""

_ENDING = re.compile(r"[0-9a-f]{12}\n?")


def fresh(name: str) -> str:
    """An id for one run.

    >>> fresh("scoreboard") != fresh("scoreboard")
    True
    """
    return f"{name}-{secrets.token_hex(_RANDOM_BYTES)}"


def kept(name: str, file: Path) -> str:
    """An id whose ending is kept in a file, which only its owner may read.

    A file that others can read, or that holds something else, is replaced; without a folder that
    can be written the id is as good, but only for this run.
    """
    with contextlib.suppress(OSError, UnicodeDecodeError):
        found = file.read_text(encoding="ascii")
        if _ENDING.fullmatch(found) and not file.stat().st_mode & 0o077:
            return f"{name}-{found.strip()}"
    made = fresh(name)
    with contextlib.suppress(OSError):
        _write(file, made.rsplit("-", 1)[1])
    return made


def _write(file: Path, ending: str) -> None:
    """In place and complete, or not at all; nobody else could read it at any moment."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as out:
        out.write(f"{ending}\n")
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)

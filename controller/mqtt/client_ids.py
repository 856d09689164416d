"""Client ids that nobody can guess.

A broker knows its clients by their ids alone: a client that connects with the id of another one
disconnects it, and Mosquitto's rules give replies to the client with the addressed id. So every id
of ours ends in something random.

A table keeps its ending over restarts. When it comes back after a power cut with the id it had,
the broker ends the old connection at once and says the last will *before* the new birth; under a
new id `offline` would be said over the new `online`, up to 23 s later.
"""

import contextlib
import re
import secrets
from pathlib import Path

from controller.common.files import write_whole

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
        write_whole(file, f"{made.rsplit('-', 1)[1]}\n".encode(), mode=0o600)
    return made

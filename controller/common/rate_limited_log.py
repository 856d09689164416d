"""Limits the log lines that others can cause: a few a minute, the rest only counted.

Anybody who can send one message can send thousands; a log full of them is useless and wears out
the SD card.
"""

import logging
import threading
import time
from collections.abc import Callable

from controller.common.files import clipped
from engine.games.checks import is_showable

EVERY_S = 60.0
MOST = 5
"""Lines in a minute."""

LONGEST = 120
"""Characters of somebody else's text in a line."""


def quoted(text: str) -> str:
    r"""Text from others, made safe for a log line: short, without control characters.

    >>> quoted("topple/1/t1/cmd/undo"), quoted("cmd/\x1b[2J")
    ('topple/1/t1/cmd/undo', "'cmd/\\x1b[2J'")
    """
    short = clipped(text, LONGEST)
    return short if is_showable(short) else clipped(repr(short), LONGEST)


class RateLimitedLog:
    """Warnings of one kind, limited in rate by a steady clock. Any thread may use it."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = threading.Lock()
        self._since_s = float("-inf")
        self._said = self._kept_back = 0

    def warning(self, text: str, *args: object) -> None:
        """Log a warning unless there were many lately; the next says how many were left out."""
        with self._lock:
            now_s = self._clock()
            kept_back = 0
            if now_s - self._since_s >= EVERY_S:
                kept_back, self._kept_back = self._kept_back, 0
                self._since_s, self._said = now_s, 0
            self._said += 1
            if self._said > MOST:
                self._kept_back += 1
                return
        more = f" ({kept_back} more like it were not logged)" if kept_back else ""
        self._log.warning(f"{text}%s", *args, more)

"""The league for the pages: one document, read from the database now and then."""

import threading
import time
from collections.abc import Callable

import msgspec

from controller.league.standings import league
from controller.league.store import existing

FRESH_S = 10.0
"""However many screens ask, the database is read this often at most."""

MOST_LINES = 200
"""Players of each kind of game; a page shows fewer."""


class LeagueDocument:
    """The standings of a league as JSON; its database is named as on the command line."""

    def __init__(self, where: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._where = where
        self._clock = clock
        self._lock = threading.Lock()
        self._read_s = float("-inf")
        self._found = b""

    def read(self) -> bytes:
        """The standings, at most `FRESH_S` old. May be called from any thread.

        Raises:
            LeagueError: the database cannot be used just now.
            BadInput: there is none.
        """
        with self._lock:
            if self._clock() - self._read_s >= FRESH_S:
                with existing(self._where) as store:
                    # Who may be one person is for the owner of the league, not for the hall.
                    found = league(store.games(), compared=False)
                short = tuple(
                    msgspec.structs.replace(one, lines=one.lines[:MOST_LINES])
                    for one in found.standings
                )
                found = msgspec.structs.replace(found, standings=short)
                self._found, self._read_s = msgspec.json.encode(found), self._clock()
            return self._found

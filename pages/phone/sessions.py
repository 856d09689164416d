"""The phones that have joined: a session for each, and the seat its owner has taken.

A session is a random token in a cookie that scripts cannot read. Kept here is only its hash, so
that nothing in memory or in a log can be used in its place. A seat is one phone's: its hand or
rack is shown there and nowhere else. A seat whose phone has been silent for a while can be
taken by another one, since batteries die; the first phone then sees that it has no seat.

Time is passed in; tokens are drawn by a function passed in.
"""

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

IDLE_S = 6 * 3600.0
"""A session not used for so long is over: the evening is."""

LASTS_S = 18 * 3600.0
"""No session is longer, used or not."""

SEAT_SILENT_S = 120.0
"""A phone that shows the page says so every half minute; after this its seat may be taken."""

MOST_SESSIONS = 64
"""At one table. One more ends the one silent for longest."""


@dataclass(frozen=True, slots=True)
class Session:
    """One phone at one table.

    Attributes:
        name: short and public; part of the ids of its commands, so that no phone can use
            another one's.
        player: whose seat; None for a phone that speaks for the whole table.
    """

    name: str
    since_s: float
    seen_s: float
    player: str | None = None


class SeatTakenError(Exception):
    """Another phone that is awake has this seat."""


class Sessions:
    """All phones at one table."""

    def __init__(self, draw: Callable[[], str] = lambda: secrets.token_urlsafe(24)) -> None:
        self._draw = draw
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, now_s: float) -> str:
        """Open a session; returns its token, which is given out only here."""
        token = self._draw()
        key = _hash(token)
        self._sessions[key] = Session(key[:12], now_s, now_s)
        while len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return token

    def find(self, token: str | None, now_s: float) -> Session | None:
        """The session of a token, and note that it is alive; None when there is none (any more)."""
        self._end_old(now_s)
        key = _hash(token or "")
        found = self._sessions.get(key)
        if found is None:
            return None
        self._sessions[key] = replace(found, seen_s=now_s)
        self._sessions.move_to_end(key)
        return self._sessions[key]

    def close(self, token: str | None) -> None:
        """End a session; its seat is free."""
        self._sessions.pop(_hash(token or ""), None)

    def close_all(self) -> None:
        """Everybody has to join again."""
        self._sessions.clear()

    def sit(self, token: str, player: str | None, now_s: float) -> None:
        """Take a seat, and leave the one taken before; None only leaves it.

        Raises:
            SeatTakenError: by another phone that was heard of lately.
        """
        key = _hash(token)
        for other, session in self._sessions.items():
            if player is None or other == key or session.player != player:
                continue
            if now_s - session.seen_s < SEAT_SILENT_S:
                raise SeatTakenError(player)
            self._sessions[other] = replace(session, player=None)
        self._sessions[key] = replace(self._sessions[key], player=player)

    def taken(self) -> tuple[str, ...]:
        """The seats that have a phone. May be asked from any thread."""
        return tuple(s.player for s in list(self._sessions.values()) if s.player is not None)

    def _end_old(self, now_s: float) -> None:
        over = [
            key
            for key, session in self._sessions.items()
            if now_s - session.seen_s >= IDLE_S or now_s - session.since_s >= LASTS_S
        ]
        for key in over:
            del self._sessions[key]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()

"""The phones that have joined: a session for each, and the seat its owner has taken.

A session is a random token in a cookie that scripts cannot read. Kept here is only its hash, so
that nothing in memory or in a log can be used in its place. A seat is one phone's: its hand or
rack is shown there and nowhere else. Another phone gets it when the first one gives it or, since
batteries die, has been silent for long; that is said on both.

Time is passed in; tokens are drawn by a function passed in.
"""

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

IDLE_S = 6 * 3600.0
"""A session not used for so long is over: the evening is."""

LASTS_S = 18 * 3600.0
"""No session is longer, used or not."""

SEAT_SILENT_S = 600.0
"""A phone that shows the page says so every ten seconds. One that sleeps while others play a round
keeps its seat; one whose battery is empty does not hold up the game for longer."""

MOST_SESSIONS = 64
"""At one table. One more ends one that is silent, never one that is awake."""

MOST_EACH = 8
"""Of one address, if that is known: a phone joins anew in each of its browsers at most."""

ACTS_A_SECOND = 5.0
"""Of one phone, over time. A finger taps seldom faster; a page asks once more for each change."""

ACTS_AT_ONCE = 30.0
"""What a phone may have saved up: somebody corrects a whole round in one go."""

CLAIM_S = 60.0
"""So long the owner of a seat is asked whether another phone may have it."""


@dataclass(frozen=True, slots=True)
class Session:
    """One phone at one table.

    Attributes:
        name: short and public; part of the ids of its commands, so that no phone can use
            another one's.
        player: whose seat; None for a phone that speaks for the whole table, or has not said.
        for_all: it has said that it speaks for the whole table.
        lost: the seat it had until another phone took it.
        address: whose joins count together; empty where that is not known.
        acted_s: when it acted last, and `spare` acts were left then.
    """

    name: str
    since_s: float
    seen_s: float
    player: str | None = None
    for_all: bool = False
    lost: str | None = None
    address: str = ""
    acted_s: float = 0.0
    spare: float = ACTS_AT_ONCE


@dataclass(frozen=True, slots=True)
class SeatClaim:
    """A phone asks for a seat that another one has.

    Attributes:
        key: of the session that asks.
        refused: the owner said no; it is not asked again at once.
    """

    key: str
    since_s: float
    refused: bool = False


class SeatTakenError(Exception):
    """Another phone has this seat; it is asked whether to give it."""


class TooManyPhonesError(Exception):
    """All places are taken by phones that are awake."""


class Sessions:
    """All phones at one table."""

    def __init__(self, draw: Callable[[], str] = lambda: secrets.token_urlsafe(24)) -> None:
        self._draw = draw
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._claims: dict[str, SeatClaim] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, now_s: float, address: str = "") -> str:
        """Open a session; returns its token, which is given out only here.

        Args:
            now_s: the time.
            address: where the phone is, if that is known.

        Raises:
            TooManyPhonesError: at this address or in all, and each of them holds a seat or is
                awake.
        """
        self._end_old(now_s)
        own = [key for key, one in self._sessions.items() if one.address == address != ""]
        if len(own) >= MOST_EACH:
            # Its own browsers push each other out, but none that sits at the table.
            self._end_one(key for key in own if self._sessions[key].player is None)
        if len(self._sessions) >= MOST_SESSIONS:
            self._end_one(self._silent(now_s))
        token = self._draw()
        key = _hash(token)
        self._sessions[key] = Session(key[:12], now_s, now_s, address=address)
        return token

    def _silent(self, now_s: float) -> list[str]:
        """Phones that have been silent for long, those without a seat first, oldest first."""
        silent = [key for key, one in self._sessions.items() if _sleeps(one, now_s)]
        return sorted(silent, key=lambda key: self._sessions[key].player is not None)

    def _end_one(self, keys: Iterable[str]) -> None:
        key = next(iter(keys), None)
        if key is None:
            raise TooManyPhonesError
        del self._sessions[key]

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

    def admits_act(self, token: str, now_s: float) -> bool:
        """Count an act of a phone; false when it acts faster than people do."""
        key = _hash(token)
        phone = self._sessions[key]
        saved = phone.spare + ACTS_A_SECOND * (now_s - phone.acted_s)
        spare = min(ACTS_AT_ONCE, saved) - 1.0
        if spare < 0.0:
            return False
        self._sessions[key] = replace(phone, acted_s=now_s, spare=spare)
        return True

    def close(self, token: str | None) -> None:
        """End a session; its seat is free."""
        self._sessions.pop(_hash(token or ""), None)

    def close_all(self) -> None:
        """Everybody has to join again."""
        self._sessions.clear()

    def sit(self, token: str, player: str | None, now_s: float) -> bool:
        """Take a seat, and leave the one taken before; None leaves it, to speak for all.

        Returns:
            Whether a phone lost it by that.

        Raises:
            SeatTakenError: by another phone that was heard of lately; `give` answers.
        """
        key = _hash(token)
        owner = None if player is None else self._owner(player)
        self._withdraw(key)
        if player is None or owner in (None, key):
            self._seat(key, player)
            return False
        if not _sleeps(self._sessions[owner], now_s):
            if self._claim(player, now_s) is None:
                self._claims[player] = SeatClaim(key, now_s)
            raise SeatTakenError(player)
        self._hand_over(owner, key)
        return True

    def claimed(self, token: str, now_s: float) -> bool:
        """Whether another phone asks for the seat of this one."""
        player = self._sessions[_hash(token)].player
        return player is not None and self._open_claim(player, now_s) is not None

    def claims(self, token: str, now_s: float) -> bool:
        """Whether this phone still waits for a seat that another one has."""
        key = _hash(token)
        asked = [self._open_claim(player, now_s) for player in tuple(self._claims)]
        return any(claim is not None and claim.key == key for claim in asked)

    def give(self, token: str, now_s: float, *, yes: bool) -> None:
        """Answer a phone that asks for this one's seat; without a seat or a claim it is nothing."""
        key = _hash(token)
        player = self._sessions[key].player
        claim = None if player is None else self._open_claim(player, now_s)
        if player is None or claim is None:
            return
        if yes:
            self._hand_over(key, claim.key)
        else:
            self._claims[player] = replace(claim, refused=True)

    def _withdraw(self, key: str) -> None:
        """A phone that takes another seat does not want the one it asked for."""
        for player, claim in tuple(self._claims.items()):
            if claim.key == key and not claim.refused:
                del self._claims[player]

    def _open_claim(self, player: str, now_s: float) -> SeatClaim | None:
        claim = self._claim(player, now_s)
        return None if claim is None or claim.refused else claim

    def _claim(self, player: str, now_s: float) -> SeatClaim | None:
        """The claim to a seat, while it lasts, its phone is there and the seat is another's."""
        claim = self._claims.get(player)
        if claim is None:
            return None
        over = now_s - claim.since_s >= CLAIM_S or claim.key not in self._sessions
        if over or self._owner(player) in (None, claim.key):
            del self._claims[player]
            return None
        return claim

    def _owner(self, player: str) -> str | None:
        keys = (key for key, session in self._sessions.items() if session.player == player)
        return next(keys, None)

    def _hand_over(self, owner: str, key: str) -> None:
        player = self._sessions[owner].player
        self._sessions[owner] = replace(self._sessions[owner], player=None, lost=player)
        self._seat(key, player)

    def _seat(self, key: str, player: str | None) -> None:
        self._sessions[key] = replace(
            self._sessions[key], player=player, for_all=player is None, lost=None
        )

    def taken(self) -> tuple[str, ...]:
        """The seats that have a phone. May be asked from any thread."""
        return tuple(s.player for s in list(self._sessions.values()) if s.player is not None)

    def awake(self, now_s: float, within_s: float) -> tuple[str, ...]:
        """Those whose phone was heard of within so long. May be asked from any thread."""
        phones = list(self._sessions.values())
        return tuple(s.player for s in phones if s.player and now_s - s.seen_s < within_s)

    def _end_old(self, now_s: float) -> None:
        over = [
            key
            for key, session in self._sessions.items()
            if now_s - session.seen_s >= IDLE_S or now_s - session.since_s >= LASTS_S
        ]
        for key in over:
            del self._sessions[key]


def _sleeps(session: Session, now_s: float) -> bool:
    return now_s - session.seen_s >= SEAT_SILENT_S


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()

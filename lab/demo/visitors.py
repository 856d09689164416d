"""Visitors at the simulated table: what their browsers ask for, and what the table waits for.

The pages ask in their thread, the simulated people act in the table's. Both meet here and nobody
waits: a wish is taken when the people get to it, and refused at once when it is not its moment.
"""

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Phase = Literal["roll", "act"]
Refusal = Literal["no-seat", "not-now", "not-there"]

GONE_S = 20.0
"""A page asks twice a second. One that has not for so long is closed, and its seat is free."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a visitor is to do.

    Attributes:
        cells: where a piece may go; with `act`.
        colours: that still have pieces; with `act`.
        may_pass: whether the rules allow it.
    """

    player: str
    phase: Phase
    cells: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    may_pass: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """What a visitor wants: `roll`, `pass`, or `place` with a cell and a colour."""

    verb: Literal["roll", "place", "pass"]
    cell: str = ""
    colour: str = ""


@dataclass(slots=True)
class _Guest:
    player: str
    heard_s: float


class Visitors:
    """The seats that visitors have taken, and what they want.

    Args:
        players: whose seats there are.
        clock: a steady clock, in seconds.

    Attributes:
        counted: points as the people counted them, where the table says otherwise.
    """

    def __init__(
        self, players: tuple[str, ...], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.players = players
        self.counted: Mapping[str, int] | None = None
        self._clock = clock
        self._lock = threading.Lock()
        self._guests: dict[str, _Guest] = {}
        self._awaited: Awaited | None = None
        self._wish: Wish | None = None
        self._bumper: str | None = None
        self._new_game = self._undo = False

    # --- for the pages --------------------------------------------------------------------------

    def sit(self, player: str) -> str | None:
        """Take a seat: the token by which it is known; None when it is taken or there is none."""
        with self._lock:
            if player not in self.players or player in self._taken():
                return None
            token = secrets.token_urlsafe(16)
            self._guests[token] = _Guest(player, self._clock())
            return token

    def leave(self, token: str) -> None:
        """Give the seat back to the simulated player."""
        with self._lock:
            self._guests.pop(token, None)

    def player(self, token: str) -> str | None:
        """Whose seat it is; being asked, the page is there."""
        with self._lock:
            guest = self._guests.get(token)
            if guest is None or guest.player not in self._taken():
                return None
            guest.heard_s = self._clock()
            return guest.player

    @property
    def taken(self) -> tuple[str, ...]:
        """Players whose seats visitors have."""
        with self._lock:
            return self._taken()

    @property
    def awaited(self) -> Awaited | None:
        """What the table waits for; None while it waits for nobody."""
        with self._lock:
            return self._awaited if self._wish is None else None

    def ask(self, token: str, wish: Wish) -> Refusal | None:
        """Want something.

        Returns:
            Why not; None when it will be done.
        """
        player = self.player(token)
        with self._lock:
            awaited = self._awaited
            if player is None:
                return "no-seat"
            if awaited is None or awaited.player != player or self._wish is not None:
                return "not-now"
            if refusal := _flaw(awaited, wish):
                return refusal
            self._wish = wish
            return None

    def bump(self, token: str) -> Refusal | None:
        """Walk into the table. `ask` tells the result."""
        player = self.player(token)
        self._bumper = player or self._bumper
        return None if player else "no-seat"

    def start_anew(self, token: str) -> Refusal | None:
        """Break the game off and begin another. `ask` tells the result."""
        player = self.player(token)
        self._new_game = self._new_game or player is not None
        return None if player else "no-seat"

    def take_back(self, token: str) -> Refusal | None:
        """Take back how the game ended. `ask` tells the result."""
        player = self.player(token)
        self._undo = self._undo or player is not None
        return None if player else "no-seat"

    # --- for the people -------------------------------------------------------------------------

    def wait_for(self, awaited: Awaited | None) -> None:
        """From now on this is what the table waits for; an older wish is forgotten."""
        with self._lock:
            if awaited != self._awaited:
                self._awaited, self._wish = awaited, None

    def wish(self) -> Wish | None:
        """What the visitor wants, once."""
        with self._lock:
            wish, self._wish = self._wish, None
            if wish is not None:
                self._awaited = None
            return wish

    def bumped_by(self) -> str | None:
        """Who walks into the table now, once."""
        player, self._bumper = self._bumper, None
        return player

    def wants_new_game(self) -> bool:
        """Whether somebody wants another game, once."""
        wanted, self._new_game = self._new_game, False
        return wanted

    def wants_undo(self) -> bool:
        """Whether somebody wants the end of the game taken back, once."""
        wanted, self._undo = self._undo, False
        return wanted

    def _taken(self) -> tuple[str, ...]:
        since_s = self._clock() - GONE_S
        self._guests = {
            token: guest for token, guest in self._guests.items() if guest.heard_s >= since_s
        }
        return tuple(guest.player for guest in self._guests.values())


def _flaw(awaited: Awaited, wish: Wish) -> Refusal | None:
    if (wish.verb == "roll") != (awaited.phase == "roll"):
        return "not-now"
    if wish.verb == "pass" and not awaited.may_pass:
        return "not-now"
    if wish.verb == "place" and (
        wish.cell not in awaited.cells or wish.colour not in awaited.colours
    ):
        return "not-there"
    return None

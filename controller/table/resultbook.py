"""The last games of a table, for the topic `results`; updated when they end or change.

The results are kept in the journal, many more than are published, so that a game that ended while a
club's broker could not be reached is still published later, even after restarts.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from msgspec.structs import replace

from controller.common.errors import JournalError
from controller.table.highlights import NOTHING, highlights
from engine.referee import RefereeState
from engine.results import GameResult, result
from engine.tabletop import Tabletop

MOST_GAMES = 20
"""Games in one document: more than an evening has, and with four players some 40 kB."""


MOST_PAST = 200
"""Games that are told of when somebody asks for all: what a journal keeps, half a year of a family
that plays twice a week."""


def _nowhere(_result: GameResult) -> None:
    """Keep nothing."""


class ResultStore(Protocol):
    """Where results are kept for longer than they are published."""

    def results(self, most: int) -> tuple[GameResult, ...]:
        """The last so many results, the oldest first."""

    def forget(self, game: str) -> None:
        """Keep nothing of a game any more: neither its result nor its moves nor its films."""


class ResultBook:
    """How the last games ended, oldest first; `keep` makes a result durable before it is told.

    `store` has older ones; without one there are only those of this book.
    """

    def __init__(
        self,
        kept: Iterable[GameResult] = (),
        keep: Callable[[GameResult], None] = _nowhere,
        store: ResultStore | None = None,
    ) -> None:
        self._games = {found.game: found for found in kept}
        self._keep = keep
        self._store = store

    @property
    def games(self) -> tuple[GameResult, ...]:
        """The last games, the oldest first."""
        return tuple(self._games.values())[-MOST_GAMES:]

    def past(self) -> tuple[GameResult, ...]:
        """Every game that ended, as far back as they are kept, without curves and lists of falls.

        A game whose end was undone is none. A store that is damaged is no reason to stop playing:
        then there are those of this book.
        """
        found = tuple(self._games.values())
        if self._store:
            with contextlib.suppress(JournalError):
                found = self._store.results(MOST_PAST)
        return tuple(_in_short(game) for game in found[-MOST_PAST:] if game.over)

    def knows(self, game: str) -> bool:
        """Whether there is a result of that name, which another one would replace."""
        return game in self._games or any(one.game == game for one in self.past())

    def forget(self, *, game: str = "", player: str = "") -> list[str]:
        """Forget one game, or all of a player; which there were."""
        gone = [
            one.game
            for one in self.past()
            if one.game == game or player in [seat.name for seat in one.players]
        ]
        for name in gone:
            self._games.pop(name, None)
            if self._store:
                self._store.forget(name)
        return gone

    def note(
        self,
        state: RefereeState,
        unix_s: float,
        tabletop: Tabletop,
        press_g: Mapping[int, float] = NOTHING,
    ) -> bool:
        """Take note of where the game stands; whether there is something new to tell.

        `press_g` is of placements, where it is measured (`controller.table.hands`).
        """
        known = self._games.get(state.game_id or "")
        told = highlights(state, tabletop, press_g) if state.position.over else None
        found = result(state, _ended(known, unix_s), told)
        if found is None:
            if known is None or not known.over:
                return False
            found = replace(known, rev=state.rev, over=False, winners=(), asked=False)
        if known is not None and replace(found, rev=known.rev) == known:
            return False
        self._keep(found)
        self._games[found.game] = found
        return True


def _in_short(game: GameResult) -> GameResult:
    if game.highlights is None:
        return game
    return replace(game, highlights=replace(game.highlights, scores=(), topples=()))


def _ended(known: GameResult | None, unix_s: float) -> str:
    """A corrected result keeps the time of its end; one that was taken back ends anew."""
    if known is not None and known.over:
        return known.ended
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="seconds")

"""The last games of a table, for the topic `results`; updated when they end or change.

The results are kept in the journal, so that a game that ended while a club's broker could not be
reached is still published later, even after restarts.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

from msgspec.structs import replace

from controller.table.highlights import NOTHING, highlights
from engine.referee import RefereeState
from engine.results import GameResult, result
from engine.tabletop import Tabletop

MOST_GAMES = 20
"""Games in one document: more than an evening has, and with four players some 40 kB."""


def _nowhere(_result: GameResult) -> None:
    """Keep nothing."""


class ResultBook:
    """How the last games ended, oldest first; `keep` makes a result durable before it is told."""

    def __init__(
        self, kept: Iterable[GameResult] = (), keep: Callable[[GameResult], None] = _nowhere
    ) -> None:
        self._games = {found.game: found for found in kept}
        self._keep = keep

    @property
    def games(self) -> tuple[GameResult, ...]:
        """The last games, the oldest first."""
        return tuple(self._games.values())[-MOST_GAMES:]

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


def _ended(known: GameResult | None, unix_s: float) -> str:
    """A corrected result keeps the time of its end; one that was taken back ends anew."""
    if known is not None and known.over:
        return known.ended
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="seconds")

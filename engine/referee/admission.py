"""Checks the names in an input, whether it comes from a phone, a button or a recording.

A name is shown on every screen, printed on terminals and in logs, and published in documents of
limited size, so every new one is checked here. Names from a journal are not checked again, because
an older version may have allowed longer ones. All names come with a `start`; later ones must be
those of the game.
"""

from collections.abc import Mapping
from typing import Any

from engine.errors import IllegalAction
from engine.events import HumanInput
from engine.games.checks import check_start, check_told_apart
from engine.games.registry import DEFAULT_GAME, GAMES


def objection(said: HumanInput) -> IllegalAction | None:
    """Why an input is refused; None if it is accepted.

    Args:
        said: as `engine.referee.spelled_out` gives it, so that a start is called one.

    >>> objection(HumanInput(0.0, "start", {"red": "Ann", "black": "B" * 41})).code
    'bad_name'
    """
    try:
        if said.type == "start":
            check_start(said.data)
            check_told_apart(_players(said.data))
    except IllegalAction as refused:
        return refused
    return None


def _players(start: Mapping[str, Any]) -> list[Any]:
    """The names of all who are to play, as far as there are any."""
    named = start.get("game", DEFAULT_GAME)
    game = GAMES.get(named) if isinstance(named, str) else None
    if game is not None and game.sides:
        return [start.get(side) for side in game.sides]
    players = start.get("players")
    if not isinstance(players, (list, tuple)):
        return []
    return [each.get("name") if isinstance(each, Mapping) else each for each in players]

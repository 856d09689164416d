"""A roll becomes a command: whose it is, and whether it replaces one.

Pure. Whose roll it was is evidence for the table, not a verdict: with the name of another player
`cmd/roll` makes it that player's turn, as on a phone.
"""

from dataclasses import dataclass
from typing import Any

from engine.scoreboard import Scoreboard

EVERYBODY = "all"
"""Owner of a die with which all players roll."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A command about a roll: see docs/mqtt.md."""

    verb: str
    player: str | None
    data: dict[str, Any]


def player_of(owner: str, board: Scoreboard) -> str | None:
    """Who rolls a die in this game: the player of that name, or of that colour; else None."""
    for player in board.players:
        if owner == player.name or owner in player.colours:
            return player.name
    return None


def telling(owner: str, value: int, board: Scoreboard) -> Telling | None:
    """How to tell a roll of 1 to 6; None when no game is being played.

    A die of one player that is thrown again before that player's piece was seen replaces the roll.
    With a die for all nobody can know whether the next player is early, so the table hears of it as
    if somebody had said it, and judges by what follows.
    """
    if board.phase in ("idle", "over"):
        return None
    player, last = player_of(owner, board), board.last
    again = (
        player is not None
        and board.phase == "act"
        and board.turn is not None
        and board.turn.player == player
        and last is not None
        and "rolled" in (last.type, last.of)
    )
    if again and last is not None and last.ref is not None:
        return Telling("correct", player, {"ref": last.ref, "value": value})
    return Telling("roll", player, {"value": value})

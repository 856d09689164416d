"""A moment of Topple as a value: what is fixed for a game, and what changes with each action."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.games.topple.board import Board, Way

STANDARD, TWO_COLOUR, YOUNG = "standard", "two-colour", "young"


class ToppleMatch(msgspec.Struct, frozen=True):
    """What stays fixed for a whole game. Players and colours are numbered in seating order.

    Attributes:
        owner: player of each colour; `hands` is the inverse.
        target: points that win; None in the young people's version.
        rules: the house rules, every switch present.
    """

    players: tuple[str, ...]
    colours: tuple[str, ...]
    hands: tuple[tuple[int, ...], ...]
    owner: tuple[int, ...]
    target: int | None
    variant: str
    first: int
    rules: Mapping[str, Any]

    @property
    def opening_phase(self) -> str:
        """Where a turn begins: at the roll, or at once when the die is not told."""
        return "act" if self.rules["dice"] == "untold" else "roll"


class CompletedTurn(msgspec.Struct, frozen=True):
    """A completed turn. `colour`: number of the own colour placed; None for a pass."""

    player: int
    colour: int | None


class Last(msgspec.Struct, frozen=True):
    """What the last action was and did; `colour` and `cell` only of a placement."""

    type: str
    player: str
    changes: Mapping[str, int] = {}
    colour: str = ""
    cell: str = ""
    points: int = 0
    ways: tuple[Way, ...] = ()
    cause: str = ""
    bonus: str | None = None


class RoundEnd(msgspec.Struct, frozen=True):
    """How the round that has just ended ended: `topple`, `all_played` or `agreed`."""

    reason: str
    game_over: bool


class ToppleState(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of a game.

    Attributes:
        phase: `roll`, `act` or `over`.
        current: number of the player to act; meaningless once the game is over.
        left, scores: per colour number.
        previous: last completed turn of this round (rule T17).
        last_placing: last placement of this round (house rule `bonus_to`).
        round_before: the last turn of the round before (house rule `first_move_bonus`).
        placed_last: per player, the colour placed last in the game (rules T32, T33).
        starter: who started this round.
        out: eliminated players, in order.
    """

    match: ToppleMatch
    round: int
    phase: str
    current: int
    board: Board
    left: tuple[int, ...]
    scores: tuple[int, ...]
    placed_last: tuple[int | None, ...]
    starter: int
    die: int | None = None
    previous: CompletedTurn | None = None
    last_placing: CompletedTurn | None = None
    round_before: CompletedTurn | None = None
    out: tuple[int, ...] = ()
    last: Last | None = None
    round_end: RoundEnd | None = None
    winners: tuple[int, ...] = ()


def left_of(state: ToppleState, player: int) -> int:
    """The next player clockwise who is still in."""
    seats = len(state.match.players)
    following = ((player + step) % seats for step in range(1, seats + 1))
    return next(seat for seat in following if seat not in state.out)

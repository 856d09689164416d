"""A moment of a match of Topominos, and what can be read off it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from engine.games.topominos.dots import DOTS, ORBITS
from engine.games.topominos.start import TopominosMatch, rack_size

COMPARTMENTS = 9
NINE_POINTS = 9
EMPTY = (0,) * COMPARTMENTS

Pieces = tuple[int, ...]


class TopominosState(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of a match. Players and compartments are numbered from 0.

    Attributes:
        phase: `turn`, `placing`, `draw` (rack empty: one piece must be drawn, rule M9), `between`
            rounds or `over`.
        first: who began this round.
        opening: true until the first turn of the round is done (rule M7).
        dots: per compartment, the pattern of its stack; `stacks` its pieces, bottom first.
        bag: pieces not yet drawn, sorted; `aside` those of completed stacks (rule M21).
        scores: sum of turn scores in this round; `match_scores` of the rounds before it.
        mode: `A` or `B` once the turn has one, also after a draw (rule M8); `opened` is the
            compartment of A.
        touched: compartments with a stack touched in this turn, sorted.
        completed: stacks of nine completed in this turn.
        final: true once the end of the round is triggered (rule M13).
        left, result: leftover dots and results of the round that has ended (rule M15).
    """

    match: TopominosMatch
    round: int
    phase: str
    current: int
    first: int
    racks: tuple[Pieces, ...]
    bag: Pieces
    scores: tuple[int, ...]
    match_scores: tuple[int, ...]
    opening: bool = True
    dots: tuple[int, ...] = EMPTY
    stacks: tuple[Pieces, ...] = ((),) * COMPARTMENTS
    aside: Pieces = ()
    mode: str | None = None
    opened: int | None = None
    touched: tuple[int, ...] = ()
    completed: int = 0
    final: bool = False
    left: tuple[int, ...] | None = None
    result: tuple[int, ...] | None = None
    winners: tuple[int, ...] = ()
    match_winners: tuple[int, ...] = ()
    last: Mapping[str, Any] | None = None


def turn_points(state: TopominosState) -> int:
    """What the turn would score now: nines, and every other touched stack once (rules M4 to M6)."""
    return NINE_POINTS * state.completed + sum(DOTS[state.dots[at]] for at in state.touched)


def fits(state: TopominosState, piece: int) -> bool:
    """Whether a piece fits somewhere on the board in some way."""
    return _fits_one_of(state.match.patterns[piece], state.dots)


@lru_cache(maxsize=1 << 12)
def _fits_one_of(pattern: int, stacks: tuple[int, ...]) -> bool:
    return any(not way & dots for dots in stacks for way in ORBITS[pattern])


def draw_count(state: TopominosState) -> int:
    """How many pieces the player in turn draws at the end of the turn (rule M11)."""
    wanted = rack_size(len(state.racks)) - len(state.racks[state.current])
    return max(0, min(wanted, len(state.bag)))

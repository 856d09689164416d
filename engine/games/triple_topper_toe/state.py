"""A moment of Triple Topper Toe as a value."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.games.triple_topper_toe.cube import CELLS, DECK

HAND = 3
SEATS = ("x", "o")
STANDARD, QUIZ = "standard", "quiz"

DECK_CARDS = frozenset(DECK)

Cards = tuple[str, ...]


class TripleTopperState(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of a game.

    Attributes:
        players: names of X and O.
        phase: `turn`, `play` (a card was drawn), `question`, `tiebreak` or `over`.
        current: seat to act, 0 for X; meaningless in a question and at the end.
        pile: cards to draw, the next one first.
        marks: per cell `x`, `o` or empty.
        winner: `x`, `o` or `tie`.
    """

    players: tuple[str, str]
    variant: str
    phase: str
    hands: tuple[Cards, Cards]
    pile: Cards
    current: int = 0
    facedown: int = 0
    faceup: int = 0
    marks: tuple[str, ...] = ("",) * len(CELLS)
    winner: str | None = None
    won_by: str | None = None
    lines: tuple[tuple[int, ...], ...] = ()
    last: Mapping[str, Any] | None = None


def unseen_cards(state: TripleTopperState) -> frozenset[str]:
    """Used cards, face up or down: what a reshuffle would put into a new pile (rule X5)."""
    return DECK_CARDS.difference(state.pile, *state.hands)

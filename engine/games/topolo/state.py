"""A moment of Topolo as a value: the board, what is left, and who has won.

A board is a tuple of 64 texts in the order of `CELLS`: empty, or colour and size (`red-S`).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

FILES = "abcdefgh"
RANKS = "12345678"
CELLS: tuple[str, ...] = tuple(file + rank for rank in RANKS for file in FILES)
INDEX: dict[str, int] = {cell: at for at, cell in enumerate(CELLS)}

RED, BLACK = "red", "black"
COLOURS = (RED, BLACK)
HEIGHTS: dict[str, int] = {"S": 1, "M": 2, "L": 3}
SIZES = tuple(HEIGHTS)
PIECES: tuple[int, ...] = (16, 8, 8)
"""Small, mid and large pieces of each player (rule P3)."""

Board = tuple[str, ...]
Group = tuple[int, int]
"""Number of pieces and sum of their heights."""

EMPTY_BOARD: Board = ("",) * len(CELLS)


class TopoloResult(NamedTuple):
    """Who won and what decided: `size` or `height` of the nth largest group."""

    winner: str
    by: str | None
    group: int | None


DRAW = TopoloResult("draw", None, None)


class TopoloState(msgspec.Struct, frozen=True, kw_only=True):
    """A moment of a game.

    Attributes:
        players: names of Red and Black.
        turn: how many pieces lie on the board; even when Red is to move.
        odd_first: whether the odd rows are filled first (rule P2); None before Red's first piece.
        left: per colour, the pieces of each size off the board.
        result: None until the board is full.
    """

    players: tuple[str, str]
    rules: Mapping[str, Any]
    board: Board = EMPTY_BOARD
    turn: int = 0
    odd_first: bool | None = None
    left: tuple[tuple[int, ...], tuple[int, ...]] = (PIECES, PIECES)
    result: TopoloResult | None = None

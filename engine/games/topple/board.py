"""The Topple board and what a placement on it is worth (docs/rules.md).

A board is a tuple of 25 stacks in the order of `CELLS`; a stack is a tuple of colours, bottom
first. Nothing here knows players or turns.
"""

from typing import Any, NamedTuple

from engine.errors import IllegalAction
from engine.plainly import as_said
from engine.tabletop import CELLS, FILES, RANKS, level

Stack = tuple[str, ...]
Board = tuple[Stack, ...]

EMPTY_BOARD: Board = ((),) * len(CELLS)
INDEX: dict[str, int] = {cell: at for at, cell in enumerate(CELLS)}

# Ranks, files, diagonals: the order in which the rule document lists the ways of scoring.
ROWS: dict[str, tuple[str, ...]] = (
    {rank: tuple(file + rank for file in FILES) for rank in RANKS}
    | {file: tuple(file + rank for rank in RANKS) for file in FILES}
    | {
        "a1e5": tuple(map("".join, zip(FILES, RANKS, strict=True))),
        "a5e1": tuple(map("".join, zip(FILES, reversed(RANKS), strict=True))),
    }
)

COMPLETED_ROW_POINTS = 3
STACK_SCORES_FROM = 3
"""Height a stack must have before the placement to score as a stack (rule T11)."""


def known_cell(cell: Any) -> str:
    """A cell that somebody named.

    Raises:
        IllegalAction: the board has no such cell.
    """
    if not isinstance(cell, str) or cell not in INDEX:
        raise IllegalAction("unknown_cell", f"there is no cell {as_said(cell)}; cells are a1 to e5")
    return cell


def cells_for(die: int) -> tuple[str, ...]:
    """The cells a die allows: its level, or all 25 for a six (rules T1, T2).

    >>> cells_for(2)
    ('c2', 'b3', 'd3', 'c4')
    """
    return CELLS if die == 6 else tuple(cell for cell in CELLS if level(cell) == die)


CELLS_FOR: dict[int, tuple[str, ...]] = {die: cells_for(die) for die in range(1, 7)}

UNTOLD_SHARES = tuple(
    sum((cell in cells) / len(cells) for cells in CELLS_FOR.values()) / len(CELLS_FOR)
    for cell in CELLS
)
"""How likely each cell is by a die that nobody has told: c3 alone has a number of its own."""


Others = tuple[int, int, int, int]


def _others(cells: tuple[str, ...], cell: str) -> Others:
    a, b, c, d = (INDEX[other] for other in cells if other != cell)
    return a, b, c, d


_ROWS_AT: tuple[tuple[tuple[str, Others], ...], ...] = tuple(
    tuple((name, _others(cells, cell)) for name, cells in ROWS.items() if cell in cells)
    for cell in CELLS
)


class Way(NamedTuple):
    """One way in which a placement scores: `complete` or `add` a row, or a `stack`."""

    way: str
    where: str
    points: int


def put(board: Board, at: int, colour: str) -> Board:
    """The board with one more piece on top of stack number `at`."""
    return (*board[:at], (*board[at], colour), *board[at + 1 :])


def ways_of(board: Board, at: int, colour: str) -> tuple[Way, ...]:
    """Every way in which `colour`, placed on stack number `at` of `board`, scores.

    Args:
        board: the board before the placement.
        at: index of the cell in `CELLS`.
        colour: colour of the piece placed.
    """
    before = board[at]
    kind, base = ("add", 1) if before else ("complete", COMPLETED_ROW_POINTS)
    ways = []
    for where, (a, b, c, d) in _ROWS_AT[at]:
        first, second, third, fourth = board[a], board[b], board[c], board[d]
        if first and second and third and fourth:
            own = (
                (first[-1] == colour)
                + (second[-1] == colour)
                + (third[-1] == colour)
                + (fourth[-1] == colour)
            )
            ways.append(Way(kind, where, base + own))
    if len(before) >= STACK_SCORES_FROM:
        ways.append(Way("stack", CELLS[at], before.count(colour) + 1))
    return tuple(ways)


def points_of(ways: tuple[Way, ...], *, shared_once: bool = False) -> int:
    """Sum of the ways.

    Args:
        ways: as from `ways_of`.
        shared_once: count the piece just played only once over all rows added to and the
            stack (house rule `share = once`, T13); completed rows never counted it.
    """
    points = sum(way.points for way in ways)
    if shared_once:
        points -= max(0, sum(way.way != "complete" for way in ways) - 1)
    return points

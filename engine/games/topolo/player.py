"""A decent Topolo player: joins own groups, cuts the other's, and looks at the best answer."""

from collections.abc import Mapping

from engine.games.chance import Chance, pick
from engine.games.contract import Action
from engine.games.topolo.rules import TOPOLO, neighbours
from engine.games.topolo.state import CELLS, COLOURS, SIZES, TopoloState

DENIAL = 0.8
"""What taking a cell from the other is worth, against taking it for oneself: the turn passes,
so a cell denied is a little less than a cell won."""

ANSWER = 0.6
"""How much the other's best answer counts: he may not have it any more in the end."""

CANDIDATES = 6
"""Cells for which the answer is looked at: enough for variety, few enough for a Pi."""

Sizes = Mapping[int, int]
"""First cell of a group -> number of pieces in it."""


def choose_topolo(state: TopoloState, chance: Chance) -> Action:
    """The cell that gains most after the other's best answer, with a fitting size."""
    mover = COLOURS[state.turn % 2]
    open_cells = sorted({CELLS.index(action["cell"]) for action in TOPOLO.legal_actions(state)})
    worth = _worths(state.board, open_cells, mover)
    best = sorted(open_cells, key=lambda at: -worth[at] - 0.01 * chance())[:CANDIDATES]
    values = {at: worth[at] - ANSWER * _answer(state, open_cells, at, mover) for at in best}
    at = max(values, key=lambda cell: values[cell])
    return {"type": "place", "cell": CELLS[at], "size": _size(state, at, mover, chance)}


def _answer(state: TopoloState, open_cells: list[int], at: int, mover: str) -> float:
    """Worth of the other's best cell once `at` is taken."""
    board = (*state.board[:at], f"{mover}-S", *state.board[at + 1 :])
    remaining = [cell for cell in open_cells if cell != at]
    return max(_worths(board, remaining, _other(mover)).values(), default=0.0)


def _other(colour: str) -> str:
    return COLOURS[1 - COLOURS.index(colour)]


def _worths(board: tuple[str, ...], cells: list[int], mover: str) -> dict[int, float]:
    roots, sizes = _groups(board)
    return {
        at: _gain(board, at, mover, roots, sizes)
        + DENIAL * _gain(board, at, _other(mover), roots, sizes)
        for at in cells
    }


def _gain(
    board: tuple[str, ...], at: int, colour: str, roots: Mapping[int, int], sizes: Sizes
) -> float:
    """Growth of the squares of group sizes, and a little for room to grow."""
    joined = {roots[cell] for cell in neighbours(at) if board[cell].startswith(colour)}
    room = sum(not board[cell] for cell in neighbours(at))
    parts = [sizes[root] for root in joined]
    return (1 + sum(parts)) ** 2 - sum(part**2 for part in parts) + 0.5 * room


def _groups(board: tuple[str, ...]) -> tuple[dict[int, int], dict[int, int]]:
    """Root of every filled cell's group, and the number of pieces of each root."""
    roots: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for start, piece in enumerate(board):
        if not piece or start in roots:
            continue
        roots[start], front, sizes[start] = start, [start], 1
        while front:
            for cell in neighbours(front.pop()):
                if cell not in roots and board[cell][:3] == piece[:3]:
                    roots[cell] = start
                    sizes[start] += 1
                    front.append(cell)
    return roots, sizes


def _size(state: TopoloState, at: int, mover: str, chance: Chance) -> str:
    """High pieces into groups, low ones elsewhere: heights break ties of the largest group."""
    left = state.left[state.turn % 2]
    have = [size for size, count in zip(SIZES, left, strict=True) if count]
    joins = any(state.board[cell].startswith(mover) for cell in neighbours(at))
    return have[-1] if joins and chance() < 0.5 else pick(have, chance) if joins else have[0]

"""The rules of Topolo (docs/rules.md): fill the board, own the largest group."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine.errors import IllegalAction
from engine.games.checks import chosen_options, distinct_names, rule_for
from engine.games.contract import Action, View
from engine.games.topolo.state import (
    BLACK,
    CELLS,
    COLOURS,
    DRAW,
    HEIGHTS,
    INDEX,
    RED,
    SIZES,
    Board,
    Group,
    TopoloResult,
    TopoloState,
)
from engine.plainly import as_said

_HALF = len(CELLS) // 2


def _orthogonal(at: int) -> tuple[int, ...]:
    file, rank = at % 8, at // 8
    steps = ((file - 1, rank), (file + 1, rank), (file, rank - 1), (file, rank + 1))
    return tuple(x + 8 * y for x, y in steps if 0 <= x < 8 and 0 <= y < 8)


_NEIGHBOURS: tuple[tuple[int, ...], ...] = tuple(map(_orthogonal, range(len(CELLS))))
_ODD: tuple[bool, ...] = tuple(cell[1] in "1357" for cell in CELLS)


_PLACEMENTS: tuple[tuple[Action, ...], ...] = tuple(
    tuple({"type": "place", "cell": cell, "size": size} for cell in CELLS) for size in SIZES
)
"""Size -> cell -> the action; the same values each time, for speed."""


class Topolo:
    """Topolo under the contract of all games."""

    id = "topolo"
    title = "Topolo"
    options: Mapping[str, tuple[Any, ...]] = {
        "parity": ("strict", "none"),
        "tie_break": ("lexicographic", "sizes_first", "next_heights_added"),
    }

    def start(self, action: Action, options: Mapping[str, Any] | None = None) -> TopoloState:
        """Open a game between the players `red` and `black`."""
        players = (action.get("red"), action.get("black"))
        if not distinct_names(players):
            raise IllegalAction("bad_players", "Topolo needs two names, red and black")
        rules = chosen_options(self.options, options)
        return TopoloState(players=(str(players[0]), str(players[1])), rules=rules)

    def current_player(self, state: TopoloState) -> str | None:
        """Red and Black in turn."""
        return None if state.result else state.players[state.turn % 2]

    def legal_actions(self, state: TopoloState) -> Sequence[Action]:
        """Every open cell with every size left."""
        if state.result:
            return ()
        cells = _open(state)
        return [
            placements[at]
            for placements, count in zip(_PLACEMENTS, state.left[state.turn % 2], strict=True)
            if count
            for at in cells
        ]

    def apply(self, state: TopoloState, action: Action) -> TopoloState:
        """The state after a placement."""
        return rule_for(action, {"place": _place}, over=state.result is not None)(state, action)

    def is_over(self, state: TopoloState) -> bool:
        """Whether the board is full."""
        return state.result is not None

    def winners(self, state: TopoloState) -> tuple[str, ...]:
        """The winner; nobody in a draw."""
        if state.result is None or state.result == DRAW:
            return ()
        return (state.players[COLOURS.index(state.result.winner)],)

    def scores(self, state: TopoloState) -> Mapping[str, int]:
        """Pieces in the largest group of each player; heights do not count (rule P8)."""
        return {
            name: next(iter(groups(state.board, colour)), (0, 0))[0]
            for name, colour in zip(state.players, COLOURS, strict=True)
        }

    def view(self, state: TopoloState) -> View:
        """The view that docs/rules.md describes."""
        result = state.result
        return {
            "phase": "over" if result else "play",
            "current": None if result else COLOURS[state.turn % 2],
            "parity": None if state.odd_first is None else "odd" if state.odd_first else "even",
            "open": [CELLS[at] for at in _open(state)],
            "board": {cell: piece for cell, piece in zip(CELLS, state.board, strict=True) if piece},
            "left": {
                colour: dict(zip(SIZES, left, strict=True))
                for colour, left in zip(COLOURS, state.left, strict=True)
            },
            "groups": {
                colour: [list(group) for group in groups(state.board, colour)] for colour in COLOURS
            },
            "result": result and result._asdict(),
        }

    def public_view(self, state: TopoloState) -> View:
        """The whole view: nothing is hidden in Topolo. `won`: the group that decided the game."""
        return {**self.view(state), "won": won_by(state.board, state.result)}

    def player_view(self, state: TopoloState, player: str) -> View:  # noqa: ARG002
        """As `public_view`."""
        return self.public_view(state)


TOPOLO = Topolo()


# --- placing ---------------------------------------------------------------------------------


def _place(state: TopoloState, action: Action) -> TopoloState:
    mover = state.turn % 2
    at, size = _cell(action.get("cell")), _size(action.get("size"))
    _check_open(state, at)
    if not state.left[mover][size]:
        raise IllegalAction("no_piece_left", f"{COLOURS[mover]} has no {SIZES[size]} piece left")
    board = (*state.board[:at], f"{COLOURS[mover]}-{SIZES[size]}", *state.board[at + 1 :])
    left = tuple(n - (s == size) for s, n in enumerate(state.left[mover]))
    full = state.turn + 1 == len(CELLS)
    return msgspec.structs.replace(
        state,
        board=board,
        turn=state.turn + 1,
        odd_first=_ODD[at] if state.odd_first is None else state.odd_first,
        left=(state.left[0], left) if mover else (left, state.left[1]),
        result=result_of(board, state.rules["tie_break"]) if full else None,
    )


def _cell(cell: Any) -> int:
    if not isinstance(cell, str) or cell not in INDEX:
        raise IllegalAction("unknown_cell", f"there is no cell {as_said(cell)}; cells are a1 to h8")
    return INDEX[cell]


def _size(size: Any) -> int:
    if not isinstance(size, str) or size not in HEIGHTS:
        raise IllegalAction(
            "unknown_size", f"there is no size {as_said(size)}; sizes are S, M and L"
        )
    return SIZES.index(size)


def _check_open(state: TopoloState, at: int) -> None:
    if state.board[at]:
        raise IllegalAction("occupied", f"{CELLS[at]} is taken by {state.board[at]}")
    wanted = _rows_wanted(state)
    if wanted not in (None, _ODD[at]):
        rows = "odd" if wanted else "even"
        raise IllegalAction("wrong_row", f"the {rows} rows must be filled first, not {CELLS[at]}")


def _rows_wanted(state: TopoloState) -> bool | None:
    """Whether odd (True) or even (False) rows are to be filled now; None for any (rule P1)."""
    if state.odd_first is None or state.rules["parity"] == "none":
        return None
    return state.odd_first if state.turn < _HALF else not state.odd_first


def _open(state: TopoloState) -> list[int]:
    wanted = _rows_wanted(state)
    if wanted is None:
        return [at for at, piece in enumerate(state.board) if not piece]
    return [at for at, piece in enumerate(state.board) if not piece and _ODD[at] is wanted]


# --- groups and the result -------------------------------------------------------------------


def neighbours(at: int) -> tuple[int, ...]:
    """Indices of the two to four cells beside cell number `at`."""
    return _NEIGHBOURS[at]


def groups(board: Board, colour: str) -> list[Group]:
    """Number and height sum of every group of a colour, largest first (rule P4).

    Args:
        board: 64 cells.
        colour: `red` or `black`.
    """
    heights = [[HEIGHTS[board[at][-1]] for at in cells] for cells in _joined(board, colour)]
    return sorted(((len(group), sum(group)) for group in heights), reverse=True)


def won_by(board: Board, result: TopoloResult | None) -> list[str]:
    """The cells of the winner's group that decided; none before the end and in a draw."""
    if result is None or result.group is None:
        return []
    size = groups(board, result.winner)[result.group - 1]
    decided = next(
        cells
        for cells in _joined(board, result.winner)
        if (len(cells), sum(HEIGHTS[board[at][-1]] for at in cells)) == size
    )
    return [CELLS[at] for at in sorted(decided)]


def _joined(board: Board, colour: str) -> list[list[int]]:
    """The cells of each group of a colour."""
    left = {at for at, piece in enumerate(board) if piece.startswith(colour)}
    found = []
    while left:
        cells = [left.pop()]
        for at in cells:
            near = [beside for beside in _NEIGHBOURS[at] if beside in left]
            left.difference_update(near)
            cells += near
        found.append(cells)
    return found


def result_of(board: Board, tie_break: str = "lexicographic") -> TopoloResult:
    """Who has won a full board (rules P4 to P7).

    Args:
        board: 64 cells, all filled.
        tie_break: `lexicographic` compares number, then height, of one group after the other
            (rule P5);
            `sizes_first` all numbers before any height; `next_heights_added` adds the heights of
            the following groups to the number of the first.
    """
    red, black = groups(board, RED), groups(board, BLACK)
    missing = [(0, 0)] * abs(len(red) - len(black))  # rule P6
    pairs = list(zip(red + missing, black + missing, strict=False))
    for by, group, red_worth, black_worth in _COMPARISONS[tie_break](pairs):
        if red_worth != black_worth:
            return TopoloResult(RED if red_worth > black_worth else BLACK, by, group)
    return DRAW


Comparison = tuple[str, int, int, int]
Pairs = Sequence[tuple[Group, Group]]


def _by_size(pairs: Pairs) -> Iterator[Comparison]:
    return (("size", nth, red[0], black[0]) for nth, (red, black) in enumerate(pairs, start=1))


def _by_height(pairs: Pairs) -> Iterator[Comparison]:
    return (("height", nth, red[1], black[1]) for nth, (red, black) in enumerate(pairs, start=1))


def _lexicographic(pairs: Pairs) -> Iterable[Comparison]:
    return (
        comparison
        for both in zip(_by_size(pairs), _by_height(pairs), strict=True)
        for comparison in both
    )


def _sizes_first(pairs: Pairs) -> Iterable[Comparison]:
    return (*_by_size(pairs), *_by_height(pairs))


def _next_heights_added(pairs: Pairs) -> Iterable[Comparison]:
    (red, black), *following = [(red[0], black[0]) for red, black in pairs[:1]] + [
        (red[1], black[1]) for red, black in pairs[1:]
    ]
    yield "size", 1, red, black
    for nth, (red_height, black_height) in enumerate(following, start=2):
        red, black = red + red_height, black + black_height
        yield "height", nth, red, black


_COMPARISONS = {
    "lexicographic": _lexicographic,
    "sizes_first": _sizes_first,
    "next_heights_added": _next_heights_added,
}

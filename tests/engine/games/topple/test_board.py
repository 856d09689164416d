"""The board against a second, slow and independent way of saying the same."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from engine.games.topple.board import CELLS_FOR, INDEX, ROWS, Board, points_of, put, ways_of
from engine.tabletop import CELLS
from tests.soaked import examples

COLOURS = ("pink", "blue", "green")
stacks = st.lists(st.sampled_from(COLOURS), max_size=6).map(tuple)
boards = st.lists(stacks, min_size=25, max_size=25).map(tuple)


def brute_force_rows() -> set[frozenset[str]]:
    """Walk five steps in every direction from every cell and keep the walks that stay on."""
    rows = set()
    steps = [step for step in itertools.product((-1, 0, 1), repeat=2) if step != (0, 0)]
    for (file, rank), (dx, dy) in itertools.product(itertools.product(range(5), repeat=2), steps):
        walk = [(file + n * dx, rank + n * dy) for n in range(5)]
        if all(0 <= x < 5 and 0 <= y < 5 for x, y in walk):
            rows.add(frozenset("abcde"[x] + "12345"[y] for x, y in walk))
    return rows


def brute_force_points(board: Board, cell: str, colour: str) -> int:
    """The rule text, word for word, on a board of dictionaries."""
    before = {name: list(stack) for name, stack in zip(CELLS, board, strict=True)}
    now = {name: list(stack) for name, stack in before.items()}
    now[cell].append(colour)
    points = 0
    for row in brute_force_rows():
        if cell not in row or not all(now[name] for name in row):
            continue
        tops = {name: now[name][-1] for name in row}
        if all(before[name] for name in row):
            points += sum(top == colour for top in tops.values())
        else:
            points += 3 + sum(top == colour for name, top in tops.items() if name != cell)
    if len(before[cell]) >= 3:
        points += sum(piece == colour for piece in now[cell])
    return points


def test_there_are_twelve_rows_and_they_are_the_right_ones() -> None:
    assert len(ROWS) == 12
    assert {frozenset(cells) for cells in ROWS.values()} == brute_force_rows()


def test_the_five_levels_share_the_25_cells_as_1_4_8_8_4() -> None:
    assert [len(CELLS_FOR[die]) for die in range(1, 7)] == [1, 4, 8, 8, 4, 25]
    assert {cell for die in range(1, 6) for cell in CELLS_FOR[die]} == set(CELLS)


@examples(30)
@given(boards, st.sampled_from(CELLS), st.sampled_from(COLOURS))
def test_points_are_those_of_the_rule_text(board: Board, cell: str, colour: str) -> None:
    ways = ways_of(board, INDEX[cell], colour)

    assert points_of(ways) == brute_force_points(board, cell, colour)


@examples(30)
@given(boards, st.sampled_from(CELLS), st.sampled_from(COLOURS))
def test_a_placement_completes_or_adds_but_never_both(board: Board, cell: str, colour: str) -> None:
    kinds = {way.way for way in ways_of(board, INDEX[cell], colour)}

    assert kinds in ({"complete"}, {"add"}, {"stack"}, {"add", "stack"}, set())


@examples(30)
@given(boards, st.sampled_from(CELLS), st.sampled_from(COLOURS))
def test_counted_once_pays_less_by_every_way_beyond_the_first(
    board: Board, cell: str, colour: str
) -> None:
    ways = ways_of(board, INDEX[cell], colour)
    counting = [way for way in ways if way.way != "complete"]

    less = points_of(ways) - points_of(ways, shared_once=True)

    assert less == max(0, len(counting) - 1)


@examples(30)
@given(boards, st.sampled_from(CELLS))
def test_putting_a_piece_changes_one_stack_only(board: Board, cell: str) -> None:
    after = put(board, INDEX[cell], "pink")

    assert after[INDEX[cell]] == (*board[INDEX[cell]], "pink")
    assert [s for n, s in enumerate(after) if n != INDEX[cell]] == [
        s for n, s in enumerate(board) if n != INDEX[cell]
    ]

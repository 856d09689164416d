"""Topolo against a second, naive writing of its rules."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.playthrough import play_through
from engine.games.topolo.rules import TOPOLO, groups, result_of
from engine.games.topolo.state import CELLS, Board, TopoloState
from tests.engine.games.helpers import code_of, random_states, states_of
from tests.rules_cases import cases_of, play, run_case
from tests.soaked import examples

START = {"type": "start", "red": "Ann", "black": "Bob"}


def place(cell: str, size: str = "S") -> dict:
    return {"type": "place", "cell": cell, "size": size}


@pytest.mark.parametrize("case", cases_of("topolo"))
def test_worked_case(case: dict) -> None:
    run_case(case)


def test_red_begins_and_the_players_take_turns() -> None:
    state, names = TOPOLO.start(START), []
    for _ in range(3):
        names.append(TOPOLO.current_player(state))
        state = TOPOLO.apply(state, TOPOLO.legal_actions(state)[0])

    assert names == ["Ann", "Bob", "Ann"]


def naive_legal(placed: list[tuple[str, str]], *, strict: bool) -> set[tuple[str, str]]:
    """Legal (cell, size) from the list of placements alone."""
    taken = {cell for cell, _ in placed}
    mine = placed[len(placed) % 2 :: 2]
    open_cells = {cell for cell in CELLS if cell not in taken}
    if strict and placed:
        first_parity = int(placed[0][0][1]) % 2
        first_half = {cell for cell in open_cells if int(cell[1]) % 2 == first_parity}
        open_cells = first_half or open_cells
    used = [size for _, size in mine]
    sizes = {s for s, n in {"S": 16, "M": 8, "L": 8}.items() if used.count(s) < n}
    return {(cell, size) for cell in open_cells for size in sizes}


def naive_groups(board: Board, colour: str) -> list[tuple[int, int]]:
    """Grow every piece's set of connected pieces until nothing changes."""
    mine = {
        (at % 8, at // 8): "-SML".index(piece[-1])
        for at, piece in enumerate(board)
        if piece.startswith(colour)
    }
    label = {cell: cell for cell in mine}
    changed = True
    while changed:
        changed = False
        for x, y in mine:
            for beside in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
                if beside in mine and label[beside] < label[x, y]:
                    label[x, y] = label[beside]
                    changed = True
    found: dict[tuple[int, int], list[int]] = {}
    for cell, name in label.items():
        found.setdefault(name, []).append(mine[cell])
    return sorted(((len(h), sum(h)) for h in found.values()), reverse=True)


@examples(25)
@given(st.integers(0, 2**32), st.sampled_from(["strict", "none"]))
def test_legal_actions_are_those_of_the_naive_rules(seed: int, parity: str) -> None:
    placed: list[tuple[str, str]] = []
    states = random_states("topolo", seed, 64, options={"parity": parity})
    for state, after in zip(states, [*states[1:], None], strict=True):
        legal = {(a["cell"], a["size"]) for a in TOPOLO.legal_actions(state)}
        if state.result is None:
            assert legal == naive_legal(placed, strict=parity == "strict")
        if after is not None:
            at = next(n for n in range(64) if after.board[n] != state.board[n])
            placed.append((CELLS[at], after.board[at][-1]))


@examples(25)
@given(states_of("topolo", steps=64))
def test_groups_are_those_of_the_naive_rules(state: TopoloState) -> None:
    for colour in ("red", "black"):
        assert groups(state.board, colour) == naive_groups(state.board, colour)


@examples(25)
@given(states_of("topolo", steps=64))
def test_open_cells_with_sizes_left_are_accepted_and_nothing_else(state: TopoloState) -> None:
    legal = TOPOLO.legal_actions(state)
    for cell in CELLS[::3]:
        for size in "SML":
            accepted = code_of(TOPOLO, state, place(cell, size)) is None
            assert accepted == (place(cell, size) in legal)


def test_first_two_placements_can_be_made_in_17856_ways() -> None:
    # 64 cells with 3 sizes, then the 31 other cells of the same parity with 3 sizes.
    state = TOPOLO.start(START)

    ways = sum(
        len(TOPOLO.legal_actions(TOPOLO.apply(state, first)))
        for first in TOPOLO.legal_actions(state)
    )

    assert ways == 64 * 3 * 31 * 3


def test_wrong_row_and_missing_size_have_their_codes() -> None:
    state = play("topolo", [START, place("a1", "L")])[-1]
    assert code_of(TOPOLO, state, place("a2")) == "wrong_row"

    cells = [cell for cell in CELLS if int(cell[1]) % 2 and cell != "a1"]
    for number, cell in enumerate(cells[:15]):
        state = TOPOLO.apply(state, place(cell, "SL"[number % 2]))
    assert code_of(TOPOLO, state, place(cells[15], "L")) == "no_piece_left"


@examples(25)
@given(st.integers(0, 2**32), st.sampled_from(TOPOLO.options["tie_break"]))
def test_swapping_the_colours_swaps_the_result(seed: int, tie_break: str) -> None:
    board = random_states("topolo", seed, 64)[-1].board
    other = {"red": "black", "black": "red", "draw": "draw"}
    swapped = tuple(f"{other[piece[:-2]]}{piece[-2:]}" for piece in board)

    result, mirrored = result_of(board, tie_break), result_of(swapped, tie_break)

    assert mirrored == (other[result.winner], result.by, result.group)


def test_the_group_that_decided_is_told_once_the_game_is_won() -> None:
    won = 0
    for seed in range(12):
        *steps, last = play_through("topolo", random.Random(seed).random)
        assert all(TOPOLO.public_view(step.after)["won"] == [] for step in steps)
        view = TOPOLO.public_view(last.after)
        if view["result"]["winner"] == "draw":
            assert view["won"] == []
            continue
        winner, group = view["result"]["winner"], view["result"]["group"]
        pieces = [view["board"][cell] for cell in view["won"]]
        heights = [{"S": 1, "M": 2, "L": 3}[piece[-1]] for piece in pieces]
        assert {piece.partition("-")[0] for piece in pieces} == {winner}
        assert [len(pieces), sum(heights)] == view["groups"][winner][group - 1]
        won += 1
    assert won > 6

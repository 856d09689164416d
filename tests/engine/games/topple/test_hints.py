import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.topple.board import EMPTY_BOARD, INDEX, put
from engine.games.topple.hints import (
    COST_OF_A_TOPPLE,
    counted_tilt,
    gift,
    placement_points,
    topple_hints,
    topple_risk,
)
from engine.games.topple.player import choose_topple
from engine.games.topple.rules import TOPPLE, ToppleState
from engine.tabletop import CELLS, level
from tests.engine.games.helpers import opened, states_of
from tests.soaked import examples


def rolled(state: ToppleState, value: int) -> ToppleState:
    return TOPPLE.apply(state, {"type": "roll", "value": value})


@examples(25)
@given(states_of("topple", steps=200), st.integers(1, 6))
def test_hints_are_the_legal_placements_with_their_true_points(
    state: ToppleState, value: int
) -> None:
    if state.phase == "roll":
        state = rolled(state, value)
    placements = [a for a in TOPPLE.legal_actions(state) if a["type"] == "place"]

    hints = topple_hints(state)

    assert {(h.cell, h.colour) for h in hints} == {(a["cell"], a["colour"]) for a in placements}
    for hint in hints:
        action = {"type": "place", "colour": hint.colour, "cell": hint.cell}
        last = TOPPLE.apply(state, action).last
        assert last is not None
        assert last.points == hint.points
        assert 0 <= hint.risk <= 1
        assert -COST_OF_A_TOPPLE <= hint.worth <= hint.points
    assert [h.worth for h in hints] == sorted((h.worth for h in hints), reverse=True)


def test_before_the_roll_hints_cover_the_whole_board() -> None:
    assert {hint.cell for hint in topple_hints(opened("topple", 1))} == set(CELLS)


def test_measured_tilt_goes_before_the_estimate() -> None:
    state = rolled(opened("topple", 1), 5)

    safest = topple_hints(state, lambda cell: 0.0 if cell == "e1" else 0.4)[0]

    assert (safest.cell, safest.tilt_rad) == ("e1", 0.0)


def test_risk_grows_with_tilt_and_with_height() -> None:
    tilts = [topple_risk(tilt / 100) for tilt in range(60)]
    heights = [topple_risk(0.05, height) for height in range(14)]

    assert tilts == sorted(tilts)
    assert heights == sorted(heights)
    assert topple_risk(0.0) < 0.01
    assert topple_risk(0.6) > 0.99


def test_counted_tilt_is_none_in_the_middle_and_largest_in_the_corners() -> None:
    tilt = counted_tilt(EMPTY_BOARD)

    assert tilt("c3") == 0
    assert max(CELLS, key=tilt) in {cell for cell in CELLS if level(cell) == 5}


def test_a_counterweight_takes_tilt_away() -> None:
    loaded = put(EMPTY_BOARD, INDEX["a3"], "pink")

    assert counted_tilt(loaded)("e3") < counted_tilt(EMPTY_BOARD)("e3")


def test_gift_counts_rows_left_one_short() -> None:
    board = EMPTY_BOARD
    for cell in ("a1", "b1", "c1"):
        board = put(board, INDEX[cell], "pink")

    assert gift(board, INDEX["d1"], "pink") == 1
    assert gift(board, INDEX["c3"], "pink") == 0


def test_young_people_have_no_points_but_a_risk() -> None:
    state = opened("topple", 1, variant=2)

    assert placement_points(state, "c3", "pink") == 0


def test_player_shuns_the_cell_that_would_tilt_the_board() -> None:
    state = rolled(opened("topple", 3), 2)
    chance = random.Random(1).random
    choices = [choose_topple(state, chance, lambda c: 0.0 if c == "c2" else 0.5) for _ in range(20)]

    assert {choice["cell"] for choice in choices} == {"c2"}


def test_player_passes_on_a_hopeless_board_but_not_twice_in_a_row() -> None:
    state = rolled(opened("topple", 3), 1)
    chance = random.Random(1).random

    first = choose_topple(state, chance, lambda _: 1.0)
    state = rolled(TOPPLE.apply(state, first), 1)

    assert first == {"type": "pass"}
    assert choose_topple(state, chance, lambda _: 1.0)["type"] == "place"


def test_a_level_table_and_a_low_stack_are_safe_and_a_steep_one_is_not() -> None:
    assert topple_risk(0.0) < 0.001
    assert topple_risk(0.26) == pytest.approx(0.5, abs=0.001)
    assert topple_risk(0.26 + 0.035) == pytest.approx(0.731, abs=0.001)
    assert topple_risk(0.0, 9) == pytest.approx(0.5, abs=0.001)
    assert topple_risk(0.0, 10) == pytest.approx(0.752, abs=0.001)
    assert topple_risk(0.26, 9) == pytest.approx(0.75, abs=0.001)


def test_one_piece_at_a_corner_tilts_by_what_was_measured() -> None:
    tilt_rad = counted_tilt(EMPTY_BOARD)

    assert tilt_rad("e3") == pytest.approx(0.0460, abs=1e-4)
    assert tilt_rad("e5") == pytest.approx(0.0650, abs=1e-4)
    beside = counted_tilt(put(EMPTY_BOARD, INDEX["e3"], "red"))
    assert beside("c5") == beside("c1") == pytest.approx(0.0650, abs=1e-4)


def test_the_worth_of_a_placement_is_what_it_brings_less_what_a_fall_costs() -> None:
    state = rolled(opened("topple", 1), 4)
    hint = topple_hints(state, lambda _cell: 0.26)[0]

    assert hint.worth == pytest.approx((1 - hint.risk) * hint.points - hint.risk * 13)

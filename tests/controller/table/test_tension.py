"""How near the tower is to falling: more tilt and higher stacks, more tension, and its limits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.riskmap import resting_tilt_rad
from controller.table.tension import tension
from engine.games.topple.hints import EVEN_CHANCE_TILT_RAD, topple_risk
from engine.scoreboard import TensionShown
from engine.tabletop import CELLS
from tests.controller.evenings import TABLETOP
from tests.controller.table.test_riskmap import game


def shown(*cells: str) -> TensionShown:
    found = tension(game(*cells, target=1000), TABLETOP)
    assert found is not None
    return found


def test_an_empty_board_has_none() -> None:
    assert shown() == TensionShown(0.0, 0.0, 0.0, 0.0)


def test_a_corner_hangs_more_than_the_middle_and_two_opposite_corners_less() -> None:
    corner, middle, balanced = shown("a1"), shown("c3"), shown("a1", "e5")

    assert corner.value > balanced.value
    assert corner.tilt_deg > 1.0
    assert middle.tilt_deg == balanced.tilt_deg == 0.0
    assert middle.value > 0.0  # one piece is a stack of one


def test_its_range_holds_the_value_and_is_as_wide_as_our_ignorance() -> None:
    found = shown("a1", "a1", "a2", "b1")

    assert found.low < found.value < found.high
    assert found.high - found.low > 0.3 * found.value


def test_at_one_half_of_all_towers_fall() -> None:
    assert topple_risk(EVEN_CHANCE_TILT_RAD) == pytest.approx(0.5, abs=0.01)


@given(st.lists(st.sampled_from(CELLS), max_size=12))
def test_whatever_stands_it_lies_between_nothing_and_all(cells: list[str]) -> None:
    stacks = {cell: cells.count(cell) for cell in cells}
    found = shown(*cells)

    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    tilt_deg = math.degrees(resting_tilt_rad(TABLETOP, stacks))
    assert found.tilt_deg == pytest.approx(tilt_deg, abs=0.051)

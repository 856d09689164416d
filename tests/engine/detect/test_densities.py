"""How likely weight and moments are, by physics alone."""

import pytest

from engine.detect.densities import Densities, any_load, below, wide_normal
from tests.engine.detect.rests import PIECE_G, Board, moment, pull_gmm

BOARD = Board(("c3", "d4"))


def densities(gained_g: float = 0.0, **seen: float) -> Densities:
    """Of a rest on a board with two pieces."""
    return BOARD.explaining(BOARD.rest(gained_g, moment(**seen), 1.0)).density


def test_a_piece_weighs_what_pieces_weigh() -> None:
    density = densities()

    assert density.weight(0.0, 1) > density.weight(PIECE_G / 2, 1) > density.weight(PIECE_G, 1)


def test_a_wild_step_is_rarer_and_not_impossible() -> None:
    assert -40.0 < wide_normal(10.0, 1.0) < wide_normal(3.0, 1.0) < wide_normal(0.0, 1.0)


@pytest.mark.parametrize("load_g", [3.0, 30.0, 300.0])
def test_a_load_on_the_plate_is_told_by_the_plates_moment(load_g: float) -> None:
    lying = densities(load_g, offset_shift_gmm=90.0 * load_g)
    nowhere = densities(load_g, offset_shift_gmm=0.0)

    assert lying.plate_shift(load_g) > nowhere.plate_shift(load_g)


def test_an_arm_may_rest_beside_the_board_that_a_hand_presses() -> None:
    pressed = densities(30.0, offset_shift_gmm=900.0)

    assert pressed.offset_by_hand(30.0) > pressed.offset_here + 5.0


def test_things_are_of_any_weight_and_often_pieces() -> None:
    assert any_load(PIECE_G, 1.0) > any_load(PIECE_G, -20.0)


def test_pieces_fall_to_cells_beside_and_not_above() -> None:
    assert "c3" not in below(("b2",))
    assert pull_gmm("c3") == pytest.approx((0.0, 0.0))
    assert "a1" in below(("b2",))

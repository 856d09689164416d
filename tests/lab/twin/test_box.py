from math import hypot

import numpy as np
import pytest

from hw.errors import BadTwin
from lab.twin.box import LARGEST_OFFSET_MM, Box, spot_mm
from lab.twin.parameters import preset_parameters
from lab.twin.pieces import Pieces

PARAMETERS = preset_parameters("normal")


def box() -> Box:
    return Box(PARAMETERS, np.random.default_rng(1))


def test_there_are_twelve_of_each_colour_with_masses_of_their_own() -> None:
    one = box()
    taken = [one.take("red") for _ in range(12)]

    masses = {piece.mass_g for piece in taken}
    assert len(masses) == 12
    assert np.mean(list(masses)) == pytest.approx(3.0, abs=0.1)
    assert {piece.colour for piece in taken} == {"red"}


def test_what_is_given_back_is_taken_again() -> None:
    one = box()
    first = [one.take("blue") for _ in range(12)]
    one.give_back(first)

    assert {one.take("blue").number for _ in range(12)} == {piece.number for piece in first}


def test_a_piece_can_be_made_to_weight_but_not_to_nothing() -> None:
    assert box().take("red", 4.5).mass_g == 4.5
    with pytest.raises(BadTwin, match="0 g"):
        box().take("red", 0.0)


def test_pieces_are_set_down_near_the_centre() -> None:
    pieces = Pieces(PARAMETERS, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    spots = np.array([spot_mm(pieces, "d2", rng) for _ in range(400)]) - pieces.centre_mm("d2")

    assert np.abs(spots).max() <= LARGEST_OFFSET_MM
    assert spots.std() == pytest.approx(2.6, rel=0.1)


@pytest.mark.parametrize("cell", ["c3", "e3", "a1", "d4"])
def test_over_the_edge_is_where_the_board_is_lower(cell: str) -> None:
    pieces = Pieces(PARAMETERS, np.random.default_rng(1))
    for seed in range(8):
        x_mm, y_mm = spot_mm(pieces, cell, np.random.default_rng(seed), slip="offedge")
        onto = pieces.cell_at(x_mm, y_mm)
        assert onto is None or pieces.floor_mm(onto) < pieces.floor_mm(cell)


def test_off_the_stack_is_half_a_piece_from_the_one_below() -> None:
    pieces = Pieces(PARAMETERS, np.random.default_rng(1))
    below = box().take("red")
    pieces.put(below, "c3", 3.0, -1.0)

    x_mm, y_mm = spot_mm(pieces, "c3", np.random.default_rng(1), slip="offstack")
    assert 10.5 < hypot(x_mm - 3.0, y_mm + 1.0) < 12.0

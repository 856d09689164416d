"""The table as a physical thing: its cells, and what no table can be."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from engine.errors import EngineError, UnusableTabletop
from engine.tabletop import CELLS, ColourPiece, Piece, Tabletop, level, piece_centre_mm

TABLE = Tabletop(
    cell_pitch_mm=32.0,
    level_step_mm=4.0,
    centre_height_mm=20.0,
    piece=Piece(diameter_mm=25.0, height_mm=8.0, mass_mean_g=3.0, mass_std_g=0.1),
    load_cell_positions_mm=((-80.0, -80.0), (80.0, -80.0), (-80.0, 80.0), (80.0, 80.0)),
    imu_position_mm=(0.0, 0.0, -10.0),
    empty_moment_gmm=(0.0, 0.0, -4100.0),
    empty_mass_g=180.0,
)


def test_there_are_as_many_cells_on_each_level_as_the_rule_book_says() -> None:
    assert Counter(map(level, CELLS)) == {1: 1, 2: 4, 3: 8, 4: 8, 5: 4}


def test_cells_are_in_reading_order_from_a1() -> None:
    assert CELLS[:6] == ("a1", "b1", "c1", "d1", "e1", "a2")
    assert len(set(CELLS)) == 25


@pytest.mark.parametrize("name", ["cell_pitch_mm", "empty_mass_g", "scale_rate_hz", "imu_rate_hz"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan")])
def test_a_size_that_is_not_positive_is_refused_by_name(name: str, value: float) -> None:
    changed: dict[str, Any] = {name: value}

    with pytest.raises(UnusableTabletop, match=f"{name} is {value}; it must be greater than 0"):
        replace(TABLE, **changed)


def test_a_piece_without_mass_is_refused() -> None:
    with pytest.raises(UnusableTabletop, match=r"piece\.mass_mean_g is 0\.0"):
        replace(TABLE, piece=replace(TABLE.piece, mass_mean_g=0.0))


def test_a_missing_load_cell_is_counted() -> None:
    with pytest.raises(UnusableTabletop, match="3 load cell positions given; four are needed"):
        replace(TABLE, load_cell_positions_mm=TABLE.load_cell_positions_mm[:3])


def test_a_board_that_would_turn_over_is_refused() -> None:
    with pytest.raises(UnusableTabletop, match="the board could not stand"):
        replace(TABLE, empty_moment_gmm=(0.0, 0.0, 10.0))


def test_the_refusal_is_an_engine_error_and_a_value_error() -> None:
    assert issubclass(UnusableTabletop, EngineError)
    assert issubclass(UnusableTabletop, ValueError)


def test_the_board_steps_down_outwards_and_pieces_stack_up() -> None:
    assert piece_centre_mm(TABLE, "c3") == (0.0, 0.0, 20.0 + 4.0)
    assert piece_centre_mm(TABLE, "e1") == (64.0, -64.0, 20.0 - 4 * 4.0 + 4.0)
    assert piece_centre_mm(TABLE, "a3", below=2) == (-64.0, 0.0, 20.0 - 2 * 4.0 + 2.5 * 8.0)


def test_what_colours_weigh_is_known_in_small_letters_as_games_have_them() -> None:
    piece = replace(TABLE.piece, colours=(ColourPiece("Red", 3.5, 0.04),))

    assert set(piece.masses["colours"]) == {"red"}

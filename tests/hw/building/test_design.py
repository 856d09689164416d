"""The table that follows from the measures: buildable at every size, and today's at today's."""

from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.tabletop import surface_mm
from hw.building.design import GAP_MM, PLATE_MM, designed, drawn_table
from hw.building.measures import BoardMeasures, Measures, PieceMeasures
from hw.building.reach import DIRECTIONS_RAD, stops_deg
from hw.building.shell import hanging
from hw.calibration import calibration_json, parse_calibration
from tests.hw.building.games import GAMES


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_calibration_starts_from_what_was_measured(game: Measures) -> None:
    start = parse_calibration(calibration_json(drawn_table(game)).encode())

    assert start.cell_pitch_mm == game.cell_pitch_mm
    assert start.piece == game.piece
    assert start.empty_moment_gmm[2] == pytest.approx(hanging(game).moment_z_gmm)
    assert start.tabletop().load_cell_positions_mm == designed(game).load_cell_positions_mm


def corners(game: Measures) -> list[tuple[str, float, float]]:
    half_mm = 2.5 * game.cell_pitch_mm
    return [("e5", half_mm, half_mm), ("e1", half_mm, -half_mm), ("a5", -half_mm, half_mm)]


def turned_down_mm(x: float, y: float, z: float, towards: float, tilt: float) -> float:
    """How far a point is under the tip when the board is tilted."""
    return (x * cos(towards) + y * sin(towards)) * sin(tilt) - z * cos(tilt)


@settings(max_examples=8)  # a tenth of a second each
@given(st.floats(15, 60), st.floats(0.2, 0.5), st.floats(0.1, 0.3))
def test_no_corner_wedges_a_fallen_piece_at_the_stop(
    pitch_mm: float, steep: float, high: float
) -> None:
    step_mm = steep * pitch_mm
    game = Measures(
        BoardMeasures(pitch_mm, step_mm, high * step_mm, wall_mm=pitch_mm / 10),
        PieceMeasures(0.7 * pitch_mm, max(2.0, 0.25 * pitch_mm), 3.0),
    )
    found = designed(game)
    stops = stops_deg(game, found.stem_diameter_mm)
    low_mm = max(
        turned_down_mm(x, y, surface_mm(game, cell) - game.board.wall_mm, towards, radians(tilt))
        for towards, tilt in zip(DIRECTIONS_RAD, stops, strict=True)
        for cell, x, y in corners(game)
    )

    assert found.tip_height_mm - low_mm - PLATE_MM - GAP_MM > game.piece.height_mm
    assert np.abs(found.load_cell_positions_mm).max() < found.base_half_mm

"""The table that follows from the measures: buildable at every size, and today's at today's."""

from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tabletop import surface_mm
from hw.building import design
from hw.building.design import GAP_MM, PLATE_MM, designed, drawn_table
from hw.building.measures import STANDARD, BoardMeasures, Measures, PieceMeasures
from hw.building.shell import hanging
from hw.calibration import calibration_json, parse_calibration
from scripts.schematics import geometry
from tests.hw.building.games import GAMES


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_calibration_starts_from_what_was_measured(game: Measures) -> None:
    start = parse_calibration(calibration_json(drawn_table(game)).encode())

    assert start.cell_pitch_mm == game.cell_pitch_mm
    assert start.piece == game.piece
    assert start.empty_moment_gmm[2] == pytest.approx(hanging(game).moment_z_gmm)
    assert start.tabletop().load_cell_positions_mm == designed(game).load_cell_positions_mm


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_table_for_each_game_can_be_built(game: Measures) -> None:
    parts = geometry.load().parts

    assert geometry.problems(geometry.Mechanics(game, designed(game), parts)) == []


def test_plates_and_gap_are_those_of_the_drawings() -> None:
    base = geometry.load().base

    assert (base.plate_mm, base.gap_mm) == (PLATE_MM, GAP_MM)


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
    tilt = radians(found.stop_deg)
    out_mm = 2.5 * pitch_mm * 2**0.5
    low_mm = (surface_mm(game, "a1") - game.board.wall_mm) * cos(tilt) - out_mm * sin(tilt)

    assert low_mm + found.tip_height_mm - PLATE_MM - GAP_MM > game.piece.height_mm
    assert np.abs(found.load_cell_positions_mm).max() < found.base_half_mm


def test_a_smaller_chamber_gets_a_slimmer_stem() -> None:
    travel = designed(GAMES["travel"])

    assert travel.stem_diameter_mm < designed(STANDARD).stem_diameter_mm
    assert travel.stop_deg > design.stop_deg(GAMES["travel"], designed(STANDARD).stem_diameter_mm)

"""Where the sensor hangs: on the board, not in it, and out of the stem's way."""

from dataclasses import replace

import msgspec
import pytest

from hw.building.boxes import floors, risers
from hw.building.measures import STANDARD, BoardMeasures, Measures, PieceMeasures
from hw.building.mechanics import built
from hw.building.placing import (
    ROOM_MM,
    SENSOR_G,
    SWITCH_G,
    UNDER_FLOOR_MM,
    is_clear,
    stem_and_sensor,
)
from hw.building.reach import met_deg, stem_post, stops_deg
from tests.hw.building.games import GAMES

SMALL = Measures(BoardMeasures(25.0, 9.0, 5.0, wall_mm=1.8), PieceMeasures(17.0, 7.0, 2.0))


@pytest.mark.parametrize("game", [*GAMES.values(), SMALL], ids=[*GAMES, "small"])
def test_the_pocket_touches_the_board_pierces_nothing_and_clears_the_stem(game: Measures) -> None:
    stem_mm, place = stem_and_sensor(game)
    pocket = place.pocket()
    board = [*floors(game), *risers(game)]
    over = [box for box in board if box.covered_mm2(pocket) > 0]

    assert min(box.z_low for box in over) == pytest.approx(place.roof_mm)
    assert place.position_mm[2] == pytest.approx(place.roof_mm - UNDER_FLOOR_MM)
    assert is_clear(place, game, stem_mm)


def test_on_the_assumed_board_it_is_under_the_middle_of_d3_along_the_rank() -> None:
    _stem_mm, place = stem_and_sensor(STANDARD)

    assert place.position_mm == pytest.approx((30.5, 0.0, -12.5))
    assert not place.across


def test_of_two_stems_a_thicker_one_is_taken_where_it_leaves_the_sensor_room() -> None:
    stem_mm, place = stem_and_sensor(GAMES["travel"])

    assert stem_mm > 6
    assert stops_deg(GAMES["travel"], 6.0).min() > stops_deg(GAMES["travel"], stem_mm).min()
    assert not is_clear(place, GAMES["travel"], 6.0)


def test_a_board_that_leaves_no_place_still_has_one_to_be_judged() -> None:
    board = msgspec.structs.replace(
        SMALL.board, cell_pitch_mm=18.0, level_step_mm=4.0, wall_mm=1.0, centre_height_mm=5.0
    )
    low = replace(SMALL, board=board)
    stem_mm, place = stem_and_sensor(low)

    assert not is_clear(place, low, stem_mm)


def test_a_tilt_switch_hangs_opposite_the_sensor_and_is_balanced_by_a_washer() -> None:
    build = built(STANDARD)
    switch, stem_mm = build.switch, build.design.stem_diameter_mm
    assert switch is not None
    over = [box for box in (*floors(STANDARD), *risers(STANDARD)) if box.covered_mm2(switch) > 0]
    mirrored = switch._replace(x_low=-switch.x_high, x_high=-switch.x_low)
    met = met_deg([mirrored], stem_post(stem_mm).wider(ROOM_MM))
    sensor_side_g = SENSOR_G + build.trim_g

    assert min(box.z_low for box in over) == pytest.approx(switch.z_high)
    assert (met >= stops_deg(STANDARD, stem_mm)).all()
    assert sensor_side_g * build.design.imu_position_mm[0] == pytest.approx(
        -SWITCH_G * switch.middle_x_mm
    )


def test_a_board_that_is_stopped_before_a_switch_closes_has_none() -> None:
    build = built(GAMES["travel"])

    assert build.design.stop_deg < 31
    assert (build.switch, build.trim_g) == (None, 0.0)

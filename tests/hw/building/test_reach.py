"""How far a board can tilt, against points that are turned one by one."""

from math import cos, radians, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.building.boxes import Box, floors, risers
from hw.building.measures import STANDARD, Measures
from hw.building.reach import (
    DIRECTIONS_RAD,
    Post,
    depths_mm,
    met_deg,
    stem_post,
    stops_deg,
    sweep_mm,
)
from tests.hw.building.games import GAMES

AXES = [0, len(DIRECTIONS_RAD) - 1]


def inside(points: np.ndarray, post: Post, towards_rad: float, tilt_deg: float) -> np.ndarray:
    """Whether each point of the tilted board is in the upright post: turned the other way round."""
    tilt = radians(tilt_deg)
    out = np.array([cos(towards_rad), sin(towards_rad), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    seen = points @ out
    turned = points + np.outer(
        seen * (cos(tilt) - 1) + points[:, 2] * sin(tilt), out
    ) + np.outer(points[:, 2] * (cos(tilt) - 1) - seen * sin(tilt), up)  # fmt: skip
    near = np.hypot(turned[:, 0], turned[:, 1]) < post.radius_mm
    return np.asarray(near & (turned[:, 2] < -post.depth_mm))


def filled(boxes: list[Box], step_mm: float = 0.7) -> np.ndarray:
    """Points all through some boxes."""
    grids = [
        np.stack(
            np.meshgrid(*(np.linspace(box[a], box[a + 1], max(2, int((box[a + 1] - box[a])
            / step_mm))) for a in (0, 2, 4))), axis=-1
        ).reshape(-1, 3)
        for box in boxes
    ]  # fmt: skip
    return np.concatenate(grids)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_board_is_free_before_its_stop_and_met_behind_it(game: Measures) -> None:
    near = [b for b in (*floors(game), *risers(game)) if b.x_high > 0 and b.y_high > 0]
    points, post = filled(near), stem_post(8.0)

    for towards_rad, stop_deg in zip(DIRECTIONS_RAD[::5], stops_deg(game, 8.0)[::5], strict=True):
        # Points are 0.7 mm apart, and a deeper one is met half a degree later at most.
        assert not inside(points, post, towards_rad, stop_deg - 0.4).any()
        assert inside(points, post, towards_rad, stop_deg + 1.2).any()


@given(st.floats(4, 40), st.floats(2, 30), st.floats(0, 60), st.floats(2, 12))
def test_a_box_anywhere_is_met_when_one_of_its_points_is(
    x_mm: float, y_mm: float, low_mm: float, radius_mm: float
) -> None:
    box, post = Box(x_mm, x_mm + 9, y_mm - 9, y_mm, -low_mm - 3, -low_mm), Post(radius_mm, 12.0)
    points = filled([box], 1.0)

    for index in (0, 7, 15):
        met = float(met_deg([box], post)[index])
        for tilt_deg in np.arange(0.0, min(met, 80.0) - 0.5, 5.0):
            assert not inside(points, post, DIRECTIONS_RAD[index], tilt_deg).any()


def test_a_stem_too_thick_for_its_chamber_stops_the_board_at_once() -> None:
    assert stops_deg(STANDARD, 44.0).min() == 0


def test_a_thicker_stem_stops_the_board_sooner_in_every_direction() -> None:
    assert (stops_deg(STANDARD, 10.0) < stops_deg(STANDARD, 8.0)).all()


def test_towards_a_side_the_stem_touches_the_edge_of_the_chamber() -> None:
    edge_mm = STANDARD.cell_pitch_mm / 2 - STANDARD.board.wall_mm
    depth_mm = STANDARD.board.wall_mm + STANDARD.level_step_mm - STANDARD.centre_height_mm

    for stop_deg in stops_deg(STANDARD, 8.0)[AXES]:
        assert sweep_mm(depth_mm, 8.0, stop_deg) == pytest.approx(edge_mm, abs=0.05)


def test_the_lowest_point_is_the_corner_tilted_towards() -> None:
    flat = [Box(-50, 50, -50, 50, -5, 0)]
    tilts = np.full_like(DIRECTIONS_RAD, 30.0)
    corner = 50 * 2**0.5 * sin(radians(30)) + 5 * cos(radians(30))

    assert depths_mm(flat, tilts).max() == pytest.approx(corner)
    assert depths_mm(flat, tilts)[0] == pytest.approx(50 * sin(radians(30)) + 5 * cos(radians(30)))

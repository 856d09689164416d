"""The stepped board as floors and risers, against counting it out grain by grain."""

import numpy as np
import pytest

from engine.tabletop import CELLS, cell_xy_mm, surface_mm
from hw.building.boxes import neighbours
from hw.building.measures import STANDARD, Measures
from hw.building.placing import SENSOR_G, stem_and_sensor
from hw.building.shell import as_drawn, hanging
from lab.twin.parameters import preset_parameters
from tests.hw.building.games import GAMES, TRAVEL


def floors_in_grains(game: Measures) -> np.ndarray:
    """Mass, x, y and z of small cubes that fill the floors."""
    n, pitch, wall = 8, game.cell_pitch_mm, game.board.wall_mm
    places = (np.arange(n) + 0.5) / n - 0.5
    grain_g = pitch * pitch * wall * game.board.density_g_cm3 / 1000 / n**2
    rows = []
    for cell in CELLS:
        x, y = cell_xy_mm(game, cell)
        z = surface_mm(game, cell) - wall / 2
        rows += [(grain_g, x + a * pitch, y + b * pitch, z) for a in places for b in places]
    return np.array(rows)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_without_risers_it_is_what_its_grains_are(game: Measures) -> None:
    grains = floors_in_grains(game)
    x_mm, y_mm, z_mm = stem_and_sensor(game)[1].position_mm
    sensors = [(SENSOR_G, side * x_mm, y_mm, z_mm) for side in (-1, 1)]
    m, _x, _y, z = np.vstack([grains, sensors]).T
    drawn = as_drawn(game)

    # Risers make it heavier, and hang lower than the mean floor does.
    assert drawn.mass_g > m.sum()
    assert drawn.moment_z_gmm < (m * z).sum()
    assert drawn.mass_g < 2 * m.sum()


def test_the_assumed_game_weighs_hangs_and_swings_like_the_simulated_board() -> None:
    drawn, body = as_drawn(STANDARD), preset_parameters("normal").body

    assert drawn.mass_g == pytest.approx(body.empty_mass_g, rel=0.05)
    assert drawn.moment_z_gmm == pytest.approx(body.empty_moment_gmm[2], rel=0.1)
    assert drawn.gyration_mm == pytest.approx(body.gyration_mm, rel=0.1)
    assert drawn.yaw_gyration_mm == pytest.approx(body.yaw_gyration_mm, rel=0.1)


def test_what_was_measured_is_believed_before_what_is_drawn() -> None:
    assert hanging(STANDARD).mass_g == STANDARD.board.mass_g
    assert hanging(TRAVEL) == as_drawn(TRAVEL)


def test_forty_risers_stand_between_neighbours() -> None:
    assert len(set(neighbours())) == 40
    assert ("c3", "d3") in neighbours()

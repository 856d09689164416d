"""Simulated towers for other games: built as their measures say, and today's as it was."""

import numpy as np
import pytest

from hw.building.design import designed
from hw.building.measures import STANDARD, Measures
from hw.building.shell import hanging
from lab.twin.build import ASSUMED, build_of
from lab.twin.drawing import draw
from lab.twin.parameters import preset_parameters
from tests.hw.building.games import GAMES, TRAVEL, WOODEN


def test_the_assumed_game_has_the_figures_of_the_public_recordings() -> None:
    assert build_of(STANDARD) is ASSUMED
    assert preset_parameters("calm", build_of(STANDARD)) == preset_parameters("calm")


@pytest.mark.parametrize("game", [TRAVEL, WOODEN], ids=["travel", "wooden"])
def test_another_game_is_built_as_its_measures_say(game: Measures) -> None:
    table = preset_parameters("normal", build_of(game))

    assert table.piece == game.piece
    assert table.calibration.cell_pitch_mm == game.cell_pitch_mm
    assert table.body.empty_moment_gmm[2] == pytest.approx(hanging(game).moment_z_gmm)
    assert table.body.stop_deg == designed(game).stop_deg
    assert np.allclose(table.scale.positions_mm, designed(game).load_cell_positions_mm)


def test_a_light_board_is_held_more_by_its_pivot() -> None:
    bands = {name: build_of(game).friction for name, game in GAMES.items()}

    assert bands["travel"] > bands["standard"] > bands["wooden"]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_drawn_tables_vary_about_their_build(game: Measures) -> None:
    build = build_of(game)
    drawn = [draw(np.random.default_rng(seed), "normal", build=build) for seed in range(40)]
    pitches = np.array([table.cell_pitch_mm for table in drawn])

    assert pitches.min() < build.cell_pitch_mm < pitches.max()
    assert np.abs(pitches / build.cell_pitch_mm - 1).max() <= 0.05
    assert np.mean([table.body.empty_mass_g for table in drawn]) == pytest.approx(
        build.empty_mass_g, rel=0.05
    )

"""Whether a board balances, against the simulated tower; and what is said when it does not."""

from dataclasses import replace
from math import cos, degrees, pi, radians, sin

import msgspec
import numpy as np
import pytest

from engine.tabletop import piece_centre_mm
from hw.building.balance import balance, friction_deg, objections
from hw.building.measures import STANDARD, Measures
from hw.building.shell import hanging
from lab.twin.board import STEP_S, PivotedBoard, Row, mass_state
from lab.twin.build import build_of
from lab.twin.parameters import preset_parameters
from tests.hw.building.games import GAMES, TRAVEL, WOODEN


def unmade(game: Measures, **values: float) -> Measures:
    """A game that has not been built yet, with other values of its board."""
    board = msgspec.structs.replace(game.board, mass_g=0.0, corner_sinks_mm=0.0)
    return replace(game, board=msgspec.structs.replace(board, **values))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_each_of_three_sizes_can_be_built(game: Measures) -> None:
    assert objections(game) == []


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_tilt_and_swing_are_those_of_the_simulated_board(game: Measures) -> None:
    """Let go level under a piece in the corner, the board ends where the triangle says."""
    found = balance(game)
    assert found is not None
    plain = preset_parameters("calm", build_of(game)).body
    body = replace(plain, friction_band_deg=1e-3, damping_ratio=0.1)
    load = (game.piece.mass_mean_g, piece_centre_mm(game, "a1"))
    board = PivotedBoard(body, mass_state(body, (0.0, 0.0), [load]))
    rows: list[Row] = []
    board.run(0.0, int(15 / STEP_S), [], [], None, rows)

    tilt_deg = degrees(np.arccos(board.up[2]))
    assert tilt_deg == pytest.approx(found.corner_tilt_deg, rel=0.02)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_period_is_the_simulated_boards(game: Measures) -> None:
    found = balance(game)
    assert found is not None
    body = replace(
        preset_parameters("calm", build_of(game)).body, friction_band_deg=1e-3, damping_ratio=0.005
    )
    board = PivotedBoard(body, mass_state(body, (0.0, 0.0), ()))
    board.up = (sin(radians(2)), 0.0, cos(radians(2)))
    rows: list[Row] = []
    board.run(0.0, int(8 / STEP_S), [], [], None, rows)
    rate = np.array(rows)[:, 4]
    turns_s = np.flatnonzero(np.diff(np.sign(rate)) != 0) * STEP_S

    assert 2 * np.median(np.diff(turns_s)) == pytest.approx(found.swing_s, rel=0.05)


def test_a_board_that_balances_above_its_centre_is_refused_with_what_to_change() -> None:
    high = unmade(STANDARD, centre_height_mm=35.0)
    (said,) = objections(high)

    assert balance(high) is None
    assert "does not hang" in said.what
    assert "over the tip" in said.what
    assert "under each of the four corner cells" in said.change


def test_the_ballast_that_is_advised_mends_it() -> None:
    high = unmade(STANDARD, centre_height_mm=35.0)
    moment_gmm = hanging(high).moment_z_gmm
    (said,) = objections(high)
    each_g = float(said.change.split(" g ")[0].removeprefix("glue "))
    deep_mm = 4 * high.level_step_mm - 35.0 + high.board.wall_mm
    mended_gmm = moment_gmm - 4 * each_g * deep_mm
    tilt = degrees(STANDARD.piece.mass_mean_g * STANDARD.cell_pitch_mm / -mended_gmm)

    assert tilt == pytest.approx(1.4, rel=0.05)


def test_a_board_that_hangs_too_low_is_told_to_rise() -> None:
    said = objections(unmade(STANDARD, level_step_mm=30.0))

    assert any("one cell further out" in each.what for each in said)
    assert any("raise the board on its tip" in each.change for each in said)


@pytest.mark.parametrize(
    ("mass_g", "words"), [(0.4, "too little to be weighed"), (40.0, "the stem stops it")]
)
def test_pieces_too_light_or_too_heavy_are_named(mass_g: float, words: str) -> None:
    piece = msgspec.structs.replace(STANDARD.piece_measured, mass_g=mass_g)
    game = replace(unmade(STANDARD), piece_measured=piece)

    assert any(words in said.what for said in objections(game))


def test_a_stack_in_the_middle_that_the_board_cannot_carry_is_one_that_it_tips_under() -> None:
    found = balance(STANDARD)
    assert found is not None
    heights = [piece_centre_mm(STANDARD, "c3", below)[2] for below in range(found.stacked_most + 1)]
    mass_g = STANDARD.piece.mass_mean_g

    assert hanging(STANDARD).moment_z_gmm + mass_g * sum(heights[:-1]) < 0
    assert hanging(STANDARD).moment_z_gmm + mass_g * sum(heights) >= 0


def test_a_light_board_is_rubbed_more_by_its_pivot_than_a_steep_one() -> None:
    assert friction_deg(hanging(TRAVEL)) > friction_deg(hanging(STANDARD))
    assert friction_deg(hanging(STANDARD)) > friction_deg(hanging(WOODEN))


def test_the_swing_is_the_pendulums() -> None:
    found = balance(STANDARD)
    assert found is not None
    hangs = found.hangs
    length_mm = hangs.gyration_mm**2 / -hangs.centre_of_gravity_mm

    assert found.swing_s == pytest.approx(2 * pi * (length_mm / 9806.65) ** 0.5)


def test_a_heavy_board_under_light_pieces_is_held_by_its_pivot() -> None:
    said = objections(unmade(STANDARD, density_g_cm3=7.8, wall_mm=2.5))

    assert any("a usual pivot holds this board" in each.what for each in said)

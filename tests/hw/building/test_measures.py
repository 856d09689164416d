"""A file of measures: read strictly, written back whole, refused in words."""

from dataclasses import replace
from math import atan2, degrees
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tabletop import piece_centre_mm
from hw.building import measures as measuring
from hw.building.measures import STANDARD, Measures, parse, text_of
from hw.errors import BadMeasures
from lab.twin.parameters import preset_parameters
from tests.hw.building.games import GAMES

ROOT = Path(__file__).parents[3]


def with_board(**values: object) -> Measures:
    return replace(STANDARD, board=msgspec.structs.replace(STANDARD.board, **values))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_is_written_is_read_again(game: Measures) -> None:
    assert parse(text_of(game)) == game


def test_the_drawings_are_for_the_game_that_is_assumed() -> None:
    assert measuring.load(ROOT / "schematics" / "measures.toml") == STANDARD


def test_the_game_that_is_assumed_is_the_simulated_towers() -> None:
    twin = preset_parameters("normal")

    assert STANDARD.piece == twin.piece
    assert STANDARD.cell_pitch_mm == twin.cell_pitch_mm
    assert STANDARD.level_step_mm == twin.level_step_mm
    assert STANDARD.centre_height_mm == twin.centre_height_mm
    assert STANDARD.board.mass_g == twin.body.empty_mass_g
    moment_gmm = measuring.moment_from_sink_gmm(STANDARD)
    assert moment_gmm == pytest.approx(twin.body.empty_moment_gmm[2], rel=1e-3)


@given(st.floats(-20_000, -1500))
def test_the_balance_that_a_ruler_finds_is_the_one_there_is(moment_gmm: float) -> None:
    sinks_mm = measuring.sink_under_a_piece_mm(STANDARD, moment_gmm)
    measured = with_board(corner_sinks_mm=sinks_mm)

    assert measuring.moment_from_sink_gmm(measured) == pytest.approx(moment_gmm, rel=1e-6)


def test_a_corner_sinks_as_on_the_simulated_tower() -> None:
    """Where the weight of all hangs straight under the tip, in three dimensions."""
    twin = preset_parameters("normal")
    x, y, z = piece_centre_mm(STANDARD, "a1")
    weighed = np.array(twin.body.empty_moment_gmm) + twin.piece.mass_mean_g * np.array([x, y, z])
    tilt = atan2(np.hypot(weighed[0], weighed[1]), -weighed[2])

    sinks_mm = measuring.sink_under_a_piece_mm(STANDARD, twin.body.empty_moment_gmm[2])
    assert sinks_mm == pytest.approx(measuring.sink_mm(STANDARD, tilt))
    assert 3.5 < degrees(tilt) < 4.0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"cell_pitch_mm": 3.2}, "board.cell_pitch_mm is 3.2; it must be 12 to 80"),
        ({"cell_pitch_mm": 22.0}, "two pieces must have room side by side"),
        ({"corner_sinks_mm": 0.0}, "belong together"),
        ({"corner_sinks_mm": 0.35}, "measure how far that corner"),
        ({"corner_sinks_mm": 90.0}, "measure how far that corner"),
        ({"made": "bought", "mass_g": 0.0, "corner_sinks_mm": 0.0}, "can be weighed"),
        ({"wall_mm": float("nan")}, "board.wall_mm is nan"),
    ],
)
def test_what_no_game_can_have_is_refused(values: dict[str, object], words: str) -> None:
    with pytest.raises(BadMeasures, match=words):
        with_board(**values)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "board is missing"),
        ("[board]\npitch = 3", "there is no pitch in board"),
        ("a = [", "it cannot be"),
        ("[board]\ncell_pitch_mm = 'wide'", "must be a number"),
    ],
)
def test_a_file_that_is_none_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(BadMeasures, match=words):
        parse(text)


def test_a_file_that_is_not_there_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(BadMeasures, match="topple-table measure --to"):
        measuring.load(tmp_path / "none.toml")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"#" * 30_000])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other.toml"
    file.write_bytes(content)

    with pytest.raises(BadMeasures, match=r"other\.toml"):
        measuring.load(file)

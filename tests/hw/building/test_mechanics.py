"""The mechanical build: figures against a second way to them, and builds that cannot be."""

from dataclasses import replace as replaced

import msgspec
import numpy as np
import pytest

from engine.tabletop import surface_mm
from hw.building import mechanics
from hw.building.measures import STANDARD, Measures
from hw.building.mechanics import Mechanics, bar_direction, built
from lab.twin.parameters import preset_parameters
from tests.hw.building.games import GAMES, with_part

BUILD = built(STANDARD)


def changed(part: str, **values: object) -> Mechanics:
    """The build with other values in its board, piece or design, or in one of its parts."""
    if part == "design":
        return replaced(BUILD, design=replaced(BUILD.design, **values))  # type: ignore[arg-type]
    if part == "piece":
        piece = msgspec.structs.replace(BUILD.measures.piece_measured, **values)
        return replaced(BUILD, measures=replaced(BUILD.measures, piece_measured=piece))
    if part == "board":
        unmade = {"mass_g": 0.0, "corner_sinks_mm": 0.0} | values
        board = msgspec.structs.replace(BUILD.measures.board, **unmade)
        return replaced(BUILD, measures=replaced(BUILD.measures, board=board))
    return with_part(BUILD, part, **values)


def said(build: Mechanics) -> list[str]:
    return [str(each) for each in mechanics.objections(build)]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_build_of_each_of_three_sizes_can_be_built(game: Measures) -> None:
    assert said(built(game)) == []


def test_its_stop_is_the_simulated_towers_which_has_one_for_all_directions() -> None:
    body = preset_parameters("normal").body

    assert BUILD.design.stop_deg < body.stop_deg < BUILD.design.stop_most_deg
    assert BUILD.stop_towards_deg(0) == pytest.approx(body.stop_deg, abs=0.5)


def test_all_four_quarters_stop_alike() -> None:
    stops = {round(BUILD.stop_towards_deg(deg), 9) for deg in (20, 160, 200, 340, 520)}

    assert len(stops) == 1


def test_a_sensor_on_the_axis_is_in_the_way_of_the_stem() -> None:
    words = said(changed("design", imu_position_mm=(0.0, 0.0, -16.0)))

    assert any("in the way of the stem: they meet at 0 degrees" in each for each in words)


def test_a_sensor_in_the_middle_of_a_riser_is_inside_the_board() -> None:
    z_mm = surface_mm(STANDARD, "d3")
    words = said(changed("design", imu_position_mm=(60.0, 0.0, z_mm)))

    assert any("is inside the board" in each for each in words)


@pytest.mark.parametrize(
    ("part", "values", "words"),
    [
        ("design", {"load_cell_positions_mm": ((-70, 0), (70, -70), (70, 70), (-70, 70))}, "axis"),
        ("design", {"stop_deg": 20.0}, "it must tilt by 23"),
        ("design", {"tip_height_mm": 110.0}, "make the stem longer"),
        ("load_cell", {"length_mm": 160.0}, "neighbours meet"),
        ("piece", {"diameter_mm": 31.0}, "they may have 30 mm (piece.diameter_mm)"),
        ("cable", {"diameter_mm": 0.25}, "stiffens the board by 5.7 %"),
        ("flange", {"height_mm": 110.0}, "meets the flange before its stop"),
        ("board", {"centre_height_mm": 2.0}, "centre_height_mm of 3.9 or more"),
        ("pivot", {"needle_cone_mm": 2.5}, "the needle leans against its cup at 38 degrees"),
        ("pivot", {"cup_cone_deg": 90.0}, "the needle leans against its cup at 38 degrees"),
    ],
)
def test_what_cannot_be_is_said(part: str, values: dict[str, object], words: str) -> None:
    assert any(words in each for each in said(changed(part, **values)))


def test_a_board_that_hangs_lower_as_advised_swings_free_of_its_cable() -> None:
    (words,) = [each for each in said(changed("cable", diameter_mm=0.17)) if "cable" in each]
    lower_mm = float(words.split(" mm lower")[0].rpartition(" ")[2])
    moment_gmm = 4030 + STANDARD.board.mass_g * lower_mm

    assert lower_mm > 0
    assert changed("cable", diameter_mm=0.17).cable_share() * 4030 / moment_gmm < 0.0102


def test_bars_lie_like_the_sails_of_a_mill() -> None:
    places = ((-70, -70), (70, -70), (70, 70), (-70, 70))

    assert [bar_direction(p) for p in places] == [(1, 0), (0, 1), (-1, 0), (0, -1)]


def test_bars_do_not_cross() -> None:
    boxes = []
    for x, y in BUILD.design.load_cell_positions_mm:
        dx, dy = bar_direction((x, y))
        bar = BUILD.load_cell
        ends = [
            np.array([x + s * dx, y + s * dy]) for s in (-bar.end_mm, bar.length_mm - bar.end_mm)
        ]
        low, high = np.minimum(*ends) - bar.width_mm / 2, np.maximum(*ends) + bar.width_mm / 2
        boxes.append((low, high))

    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert (high < other_low).any() or (other_high < low).any()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_cup_that_is_sold_stands_out_of_c3_by_less_than_a_layer(game: Measures) -> None:
    build = built(game)
    out_mm = build.cup_length_mm - build.pivot.cup_deep_mm - game.centre_height_mm

    assert build.cup_length_mm in mechanics.CUP_LENGTHS_MM
    assert -2.2 < out_mm <= 0.2


def test_no_needle_leans_against_its_cup_before_the_stem_stops_the_board() -> None:
    """By coordinates: seen from the board, the taper's flank is outside the cone's only then."""
    pivot, tilt = BUILD.pivot, np.radians(BUILD.pivot.leans_deg)

    def over_the_cone_mm(turned: float) -> float:
        flank = np.array([pivot.needle_diameter_mm / 2, -pivot.needle_cone_mm])
        out = flank[0] * np.cos(turned) - flank[1] * np.sin(turned)
        down = -flank[0] * np.sin(turned) - flank[1] * np.cos(turned)
        return float(down - out * pivot.cup_deep_mm / (pivot.cup_wide_mm / 2))

    assert over_the_cone_mm(tilt - 0.01) > 0 > over_the_cone_mm(tilt + 0.01)
    assert BUILD.design.stop_most_deg < BUILD.pivot.leans_deg - 3

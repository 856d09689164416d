"""Printed parts, as a slicer sees their files, and put together again."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hw.building.design import designed
from hw.building.purchases import cut
from scripts.schematics import geometry
from scripts.schematics import plan as wiring
from scripts.schematics.model.slicing import problems, sliced, triangles_of
from scripts.schematics.output import STRIPBOARD
from scripts.schematics.stripboard import PITCH_MM, hole_of, parse
from tests.hw.building.games import GAMES

pytestmark = pytest.mark.slow

BUILD = geometry.load()
PRINTABLE = ("travel", "standard")
"""The wooden one is too long for the bed."""


@pytest.fixture(scope="module")
def made() -> list[Any]:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.printed import printed

    return printed(BUILD)


def file_of(part: Any, folder: Path) -> bytes:
    from build123d import export_stl

    path = folder / "part.stl"
    export_stl(part, path, tolerance=0.02)
    return path.read_bytes()


@pytest.mark.parametrize("game", PRINTABLE)
def test_every_printed_part_needs_no_support_and_fits_a_small_bed(
    game: str, made: list[Any], tmp_path: Path
) -> None:
    from scripts.schematics.model.printed import as_printed, printed

    measures = GAMES[game]
    m = replace(BUILD, measures=measures, design=designed(measures))
    found = {
        each.name: problems(sliced(triangles_of(file_of(as_printed(each), tmp_path))))
        for each in (made if m == BUILD else printed(m))
    }

    assert not any(found.values()), found
    assert len(found) == 9


def test_the_board_in_one_piece_would_need_it(parts: list[Any], tmp_path: Path) -> None:
    from build123d import Part, Rot

    board = next(each.part for each in parts if each.name == "board")
    found = sliced(triangles_of(file_of(Part() + Rot(180, 0, 0) * board, tmp_path)))

    assert found.first_layer_mm2 == pytest.approx(996, abs=5)
    assert found.over_air_mm2 > 20_000
    assert found.odd_edges > 0


def ranks_of(made: list[Any]) -> list[Any]:
    return [each for each in made if each.name.startswith("board rank")]


def test_the_ranks_are_the_board(made: list[Any], parts: list[Any]) -> None:
    """They have a rib under c3 and small slopes besides, and no thread yet."""
    from scripts.schematics.model.collisions import overlaps

    board = next(each.part for each in parts if each.name == "board")
    ranks = ranks_of(made)
    lacking = board
    for each in ranks:
        lacking = lacking - each.part

    assert overlaps(ranks) == []
    assert sum(each.part.volume for each in ranks) == pytest.approx(board.volume, rel=0.01)
    assert sum(solid.volume for solid in lacking.solids()) < 0.01 * board.volume


def test_a_pin_of_filament_goes_from_rank_to_rank(made: list[Any]) -> None:
    from build123d import Cylinder, Pos, Rot

    from scripts.schematics.model.printed import PIN_DEEP_MM

    ranks = {each.name: each.part for each in ranks_of(made)}
    wall, pitch = BUILD.measures.board.wall_mm, BUILD.measures.cell_pitch_mm
    long = wall + PIN_DEEP_MM - 0.5
    z = BUILD.measures.centre_height_mm - 2 * BUILD.measures.level_step_mm - wall / 2
    pin = Pos(-2 * pitch, -pitch / 2 + long / 2, z) * Rot(90, 0, 0) * Cylinder(0.875, long)

    assert pytest.approx(-pitch / 2) == pin.bounding_box().min.Y
    for name in ("board rank 2", "board rank 3"):
        shared = pin & ranks[name]
        assert not shared or sum(solid.volume for solid in shared.solids()) < 0.01, name
        beside = (Pos(0, 0, 1.0) * pin) & ranks[name]
        assert sum(solid.volume for solid in beside.solids()) > 1, name


def test_turned_round_a_rank_is_the_one_on_the_other_side(made: list[Any]) -> None:
    from build123d import Rot

    ranks = {each.name: each.part for each in ranks_of(made)}
    for one, other in (("board rank 1", "board rank 5"), ("board rank 2", "board rank 4")):
        lacking = ranks[one] - Rot(0, 0, 180) * ranks[other]
        assert sum(solid.volume for solid in lacking.solids()) < 0.01


def test_the_ranks_meet_nothing_on_the_way_to_the_stop(made: list[Any], parts: list[Any]) -> None:
    from scripts.schematics.model.collisions import strikes

    others = [each for each in parts if each.name != "board"]

    assert strikes(BUILD, [*ranks_of(made), *others]) == []


def test_the_cup_of_the_parts_list_does_not_stand_out_of_c3(parts: list[Any]) -> None:
    (line,) = [line for line in wiring.load().bom if line.part == "Cup"]
    listed = re.search(r"M6 x (\d+)", cut(line.exactly, BUILD))
    cup = next(each.part for each in parts if each.name == "cup").bounding_box()

    assert listed is not None
    assert float(listed[1]) == pytest.approx(cup.size.Z)
    assert BUILD.measures.centre_height_mm >= cup.max.Z
    assert cup.min.Z < 0


def test_the_carrier_fits_its_tray_by_its_screws_and_its_plug() -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.solids import CARRIER_LONG_MM, POSTS_MM, USB_MM

    board = parse(STRIPBOARD.read_text())
    middle = (board.strips - 1) / 2, (board.columns - 1) / 2
    at = {
        (round((column - middle[1]) * PITCH_MM, 2), round((middle[0] - strip) * PITCH_MM, 2))
        for strip, column in map(hole_of, board.mounts)
    }
    columns = [hole_of(row.first)[1] for row in board.parts if row.name == "NANO1"]
    tray, deep = BUILD.parts.tray, board.strips * PITCH_MM

    assert at == set(POSTS_MM)
    assert pytest.approx((sum(columns) / 2 - middle[1]) * PITCH_MM) == USB_MM
    assert pytest.approx(board.columns * PITCH_MM, abs=0.1) == CARRIER_LONG_MM
    assert tray.inside_long_mm > CARRIER_LONG_MM + 34
    assert deep < tray.inside_deep_mm


def test_the_electronics_lie_in_their_tray_and_touch_no_wall_of_it(parts: list[Any]) -> None:
    from scripts.schematics.model.benchtop import benchtop
    from scripts.schematics.model.collisions import shared_mm3

    (inside,) = [each.part for each in benchtop(BUILD) if each.name == "electronics"]
    (tray,) = [each.part for each in parts if each.name == "electronics tray"]
    box, boards = tray.bounding_box(), inside.bounding_box()

    assert shared_mm3(inside, tray) < 0.5
    assert box.min.X < boards.min.X < boards.max.X < box.max.X
    assert boards.max.Z < box.max.Z


def test_the_panel_has_a_hole_for_each_button_and_light_of_the_wiring() -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.solids import PANEL_BUTTONS_MM, PANEL_LIGHTS_MM

    kinds = [part.kind for part in wiring.load().panel.parts.values()]
    (button,) = [line.exactly for line in wiring.load().bom if line.per == "button"]

    assert kinds.count("button") == len(PANEL_BUTTONS_MM)
    assert kinds.count("light") == len(PANEL_LIGHTS_MM)
    assert f"hole of {round(BUILD.parts.panel.button_hole_mm)} mm" in button


def test_nothing_covers_the_notch_for_the_usb_cable(made: list[Any]) -> None:
    from build123d import Box, Pos

    from scripts.schematics.model.solids import SILL_MM, USB_MM

    tray = next(each.part for each in made if each.name == "electronics tray")
    box = tray.bounding_box()
    inside = BUILD.parts.tray.inside_long_mm
    plug = Pos(-(inside - 99) / 2 + USB_MM, box.max.Y, box.max.Z - 5) * Box(12, 20, 8)

    assert not plug & tray
    assert box.max.Z - box.min.Z > SILL_MM + 10

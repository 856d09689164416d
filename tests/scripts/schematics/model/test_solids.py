"""Solids of the model against the drawings' own figures."""

from math import pi
from typing import Any

import pytest

from hw.building import plates
from hw.building.placing import SENSOR_G
from hw.building.shell import as_drawn
from scripts.schematics import geometry

pytestmark = pytest.mark.slow

BUILD = geometry.load()


def only(parts: list[Any], name: str) -> Any:
    return next(each.part for each in parts if each.name == name)


def test_every_solid_is_one_and_sound(parts: list[Any]) -> None:
    for each in parts:
        assert each.part.is_valid, each.name
        assert len(each.part.solids()) == 1, each.name


def test_the_board_weighs_as_its_floors_and_risers_do(parts: list[Any]) -> None:
    """Counted from the solid, whose risers share their edges with the floors."""
    board = only(parts, "board")
    mass_g = board.volume * BUILD.measures.board.density_g_cm3 / 1000

    assert mass_g + 2 * SENSOR_G == pytest.approx(as_drawn(BUILD.measures).mass_g, rel=0.04)
    assert pytest.approx(as_drawn(BUILD.measures).centre_of_gravity_mm, rel=0.1) == board.center().Z


def test_plates_have_the_volume_that_their_holes_leave(parts: list[Any]) -> None:
    base = BUILD.base
    side, radius = 2 * BUILD.design.base_half_mm, base.corner_radius_mm
    for name, plate, thick in (
        ("base plate", "base", base.plate_mm), ("foot plate", "foot", base.foot_plate_mm)
    ):  # fmt: skip
        area = side**2 - (4 - pi) * radius**2
        drilled = [hole for hole in plates.holes(BUILD) if hole.plate == plate]
        area -= sum(pi / 4 * hole.diameter_mm**2 for hole in drilled)
        # Countersinks take a little more.
        assert 0.99 < only(parts, name).volume / (area * thick) < 1

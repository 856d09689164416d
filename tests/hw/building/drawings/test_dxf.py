"""Plates as DXF: read back by another reader, at 1 : 1, with every hole."""

import csv
import io
from math import dist, pi
from typing import Any, get_args

import ezdxf
import pytest

from hw.building.drawings import dxf
from hw.building.measures import STANDARD
from hw.building.mechanics import built
from hw.building.plates import Plate, holes

BUILD = built(STANDARD)


@pytest.mark.parametrize("plate", get_args(Plate))
def test_every_hole_is_where_it_is_and_as_wide(plate: Plate) -> None:
    drawn = ezdxf.read(io.StringIO(dxf.drawing(BUILD, plate))).modelspace().query("CIRCLE")
    found = sorted(
        (round(each.dxf.center.x, 3), round(each.dxf.center.y, 3), round(2 * each.dxf.radius, 3))
        for each in drawn
    )

    assert found == sorted(
        (round(hole.x_mm, 3), round(hole.y_mm, 3), round(hole.diameter_mm, 3))
        for hole in holes(BUILD)
        if hole.plate == plate
    )


@pytest.mark.parametrize("plate", get_args(Plate))
def test_the_outline_is_closed_and_has_the_plates_size(plate: Plate) -> None:
    space = ezdxf.read(io.StringIO(dxf.drawing(BUILD, plate))).modelspace()
    lines, arcs = space.query("LINE"), space.query("ARC")
    side, radius = 2 * BUILD.design.base_half_mm, BUILD.base.corner_radius_mm
    length = sum(dist(_place(each.dxf.start), _place(each.dxf.end)) for each in lines)
    round_mm = sum(arc.dxf.radius * pi / 2 for arc in arcs)
    ends = [_place(end) for arc in arcs for end in (arc.start_point, arc.end_point)]
    meets = [_place(end) for each in lines for end in (each.dxf.start, each.dxf.end)]

    assert length + round_mm == pytest.approx(4 * (side - 2 * radius) + 2 * pi * radius)
    assert sorted(ends) == sorted(meets)


def _place(point: Any) -> tuple[float, float]:
    return round(point.x, 3) + 0.0, round(point.y, 3) + 0.0


def test_the_table_of_holes_has_them_all() -> None:
    rows = list(csv.DictReader(io.StringIO(dxf.hole_table(BUILD))))

    assert len(rows) == len(holes(BUILD))
    assert {row["plate"] for row in rows} == set(get_args(Plate))
    assert {row["note"] for row in rows if row["for"].startswith("stop")} == {"M4"}

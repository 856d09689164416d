"""The drawing board: what is drawn stands where it should, at any scale."""

import re
from xml.etree import ElementTree as ET

import pytest

from scripts.schematics.drawing import A3_MM, Sheet, View, measure


def board(scale: float) -> tuple[Sheet, View]:
    sheet = Sheet("A part", "1 of 1", [("units", "mm")])
    return sheet, View(sheet, (100, 100), scale)


def texts(sheet: Sheet) -> list[str]:
    root = ET.fromstring(sheet.svg())  # noqa: S314 - our own drawing
    return [element.text or "" for element in root.iter() if element.tag.endswith("}text")]


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_a_dimension_gives_the_measure_of_the_part_whatever_the_scale(scale: float) -> None:
    sheet, view = board(scale)

    view.dimension((0, 0), (31.9, 0), 8)
    view.dimension((0, 0), (0, -12), -8)

    assert {"31.9", "12"} <= set(texts(sheet))


def test_a_slanting_distance_is_dimensioned_along_the_axis_it_follows() -> None:
    sheet, view = board(1.0)

    view.dimension((0, 0), (30, 5), 8)

    assert "30" in texts(sheet)


def test_up_in_the_part_is_up_on_the_paper_and_scaled() -> None:
    _, view = board(0.5)

    assert view.at((10, 20)) == (105, 90)


def test_a_dimension_line_lies_where_it_was_put() -> None:
    sheet, view = board(1.0)

    view.dimension((0, 0), (40, 0), 8)

    assert any(re.match(r'<path d="M100.00 92.00L140.00 92.00"', part) for part in sheet.parts)


def test_words_are_safe_in_the_drawing_and_keep_their_spaces() -> None:
    sheet, view = board(1.0)

    view.leader((0, 0), (5, 5), "a < b & c  d")

    assert "a < b & c\u00a0\u00a0d" in texts(sheet)


def test_a_sheet_is_a3_with_its_title() -> None:
    sheet, _ = board(1.0)

    assert f'viewBox="0 0 {A3_MM[0]:g} {A3_MM[1]:g}"' in sheet.svg()
    assert {"A part", "1 of 1", "mm"} <= set(texts(sheet))


def test_measures_are_short() -> None:
    assert [measure(value) for value in (70.0, 12.70, 5.04)] == ["70", "12.7", "5"]

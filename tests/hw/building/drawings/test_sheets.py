"""The mechanical drawings: what they say follows the build, and nothing leaves the paper."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from hw.building import mechanics
from hw.building.drawings import sheets
from hw.building.drawings.drawing import A3_MM, LETTER_SHARE
from hw.building.measures import STANDARD, load

SIZES = Path(__file__).parents[4] / "schematics/sizes"
BUILD = mechanics.built(STANDARD)
GAMES = [BUILD, *(mechanics.built(load(file)) for file in sorted(SIZES.glob("*.toml")))]
SHEETS = {"base": sheets.base_sheet(BUILD), "board": sheets.board_sheet(BUILD)}


def elements(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter())  # noqa: S314 - our own drawing


def texts(svg: str) -> list[str]:
    return [e.text or "" for e in elements(svg) if e.tag.endswith("}text")]


def _level(element: ET.Element) -> tuple[float, float]:
    """Where words that are not turned begin, and how wide they are."""
    wide = len(element.text or "") * float(element.get("font-size", 0)) * LETTER_SHARE
    before = {"start": 0.0, "middle": wide / 2, "end": wide}[element.get("text-anchor", "start")]
    return float(element.get("x", 0)) - before, wide


def test_dimensions_are_those_of_the_build() -> None:
    base, board = texts(SHEETS["base"]), texts(SHEETS["board"])

    for value in ("208", "140", "80", "12.7", "15", "125", "151.5"):
        assert value in base
    for value in ("160", "32", "12", "5.8", "3.4", "12.5", "25.2"):
        assert value in board


def test_another_table_has_other_dimensions() -> None:
    places = ((-65, -65), (65, -65), (65, 65), (-65, 65))
    board = msgspec.structs.replace(BUILD.measures.board, cell_pitch_mm=31.5)
    other = replace(
        BUILD,
        measures=replace(BUILD.measures, board=board),
        design=replace(BUILD.design, load_cell_positions_mm=places),
    )

    assert "130" in texts(sheets.base_sheet(other))
    assert "157.5" in texts(sheets.board_sheet(other))
    assert list(mechanics.objections(other)) == []


@pytest.mark.parametrize("name", SHEETS)
def test_nothing_leaves_the_frame(name: str) -> None:
    width, height = A3_MM
    for element in elements(SHEETS[name]):
        if element.tag.endswith("}text") and not element.get("transform"):
            left, wide = _level(element)
            assert left >= 10
            assert left + wide <= width - 10
            assert 10 <= float(element.get("y", 0)) <= height - 10
        if element.tag.endswith("}path") and "L" in element.get("d", ""):
            absolute = re.sub(r"h-?[\d.]+", "", element.get("d", ""))
            numbers = [float(n) for n in re.findall(r"-?\d+\.\d+", absolute)]
            assert all(5 <= n <= width - 5 for n in numbers)


@pytest.mark.parametrize("build", GAMES, ids=lambda build: f"{build.measures.cell_pitch_mm:g}")
def test_no_label_lies_over_a_hole(build: mechanics.Mechanics) -> None:
    for svg in (sheets.base_sheet(build), sheets.board_sheet(build)):
        holes = [
            (float(e.get("cx", 0)), float(e.get("cy", 0)), float(e.get("r", 0)))
            for e in elements(svg)
            if e.tag.endswith("}circle") and not e.get("stroke-dasharray")
        ]
        for element in elements(svg):
            if element.tag.endswith("}text") and not element.get("transform"):
                left, wide = _level(element)
                size_mm, y = float(element.get("font-size", 0)), float(element.get("y", 0))
                over = [
                    (x, at_y)
                    for x, at_y, r in holes
                    if left - r < x < left + wide + r and y - 0.75 * size_mm - r < at_y < y + r
                ]
                assert over == [], element.text

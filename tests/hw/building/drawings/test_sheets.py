"""The mechanical drawings: what they say follows the build, and nothing leaves the paper."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import msgspec
import pytest

from hw.building import mechanics
from hw.building.drawings import sheets
from hw.building.drawings.drawing import A3_MM, LETTER_SHARE
from hw.building.measures import STANDARD

BUILD = mechanics.built(STANDARD)
SHEETS = {"base": sheets.base_sheet(BUILD), "board": sheets.board_sheet(BUILD)}


def elements(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter())  # noqa: S314 - our own drawing


def texts(svg: str) -> list[str]:
    return [e.text or "" for e in elements(svg) if e.tag.endswith("}text")]


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
            x, y = float(element.get("x", 0)), float(element.get("y", 0))
            wide = len(element.text or "") * float(element.get("font-size", 0)) * LETTER_SHARE
            start = {"start": 0.0, "middle": wide / 2, "end": wide}[
                element.get("text-anchor", "start")
            ]
            assert x - start >= 10
            assert x - start + wide <= width - 10
            assert 10 <= y <= height - 10
        if element.tag.endswith("}path") and "L" in element.get("d", ""):
            absolute = re.sub(r"h-?[\d.]+", "", element.get("d", ""))
            numbers = [float(n) for n in re.findall(r"-?\d+\.\d+", absolute)]
            assert all(5 <= n <= width - 5 for n in numbers)

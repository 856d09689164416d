"""The picture of a board: whole, within its frame, and with what speaks against the board."""

from dataclasses import replace
from math import radians
from xml.etree import ElementTree as ET

import msgspec
import numpy as np
import pytest

from hw.building.balance import balance
from hw.building.measures import STANDARD, Measures
from hw.building.picture import WIDE_LETTER, picture
from tests.hw.building.games import GAMES

SVG = "{http://www.w3.org/2000/svg}"
HIGH = replace(
    STANDARD,
    board=msgspec.structs.replace(
        STANDARD.board, centre_height_mm=35.0, mass_g=0.0, corner_sinks_mm=0.0
    ),
)


def drawn(game: Measures) -> ET.Element:
    return ET.fromstring(picture(game))  # noqa: S314 - our own drawing


def words(game: Measures) -> str:
    return " ".join(text.text or "" for text in drawn(game).iter(f"{SVG}text"))


@pytest.mark.parametrize("game", [*GAMES.values(), HIGH], ids=[*GAMES, "high"])
def test_nothing_leaves_the_picture(game: Measures) -> None:
    root = drawn(game)
    _x, _y, wide, high = map(float, root.get("viewBox", "").split())

    for group in root.iter(f"{SVG}g"):
        moved, _, turned = group.get("transform", "").partition(") rotate(")
        x, y = map(float, moved.removeprefix("translate(").rstrip(")").split())
        angle = radians(float(turned.rstrip(")") or 0))
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for polygon in group.iter(f"{SVG}polygon"):
            points = np.array(
                [tuple(map(float, at.split(","))) for at in polygon.get("points", "").split()]
            )
            there = points @ turn.T + (x, y)
            assert there.min() >= 0
            assert (there <= (wide, high)).all()
    for text in root.iter(f"{SVG}text"):
        right = float(text.get("x", 0)) + 4.2 * WIDE_LETTER * len(text.text or "")
        assert right < wide


def test_the_piece_tilts_the_drawn_board_by_what_was_computed() -> None:
    found = balance(STANDARD)
    assert found is not None
    turned = [group.get("transform", "") for group in drawn(STANDARD).iter(f"{SVG}g")]

    assert any(f"rotate({found.corner_tilt_deg:.2f})" in each for each in turned)
    assert f"{found.corner_tilt_deg:.1f}°" in words(STANDARD)


def test_what_speaks_against_it_is_written_below() -> None:
    assert "does not hang" in words(HIGH)
    assert "does not hang" not in words(STANDARD)
    assert "it falls over" in words(HIGH)

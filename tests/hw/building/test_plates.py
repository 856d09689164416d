"""Holes of both plates: each where its part is, and builds that cannot be put together."""

from functools import partial

import numpy as np
import pytest

from hw.building import plates
from hw.building.measures import STANDARD, Measures
from hw.building.mechanics import Mechanics, built
from hw.building.plates import feet_mm, holes
from tests.hw.building.games import GAMES, with_part

BUILD = built(STANDARD)


changed = partial(with_part, BUILD)


def said(build: Mechanics) -> list[str]:
    return [str(each) for each in plates.objections(build)]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_plates_for_each_of_three_sizes_can_be_put_together(game: Measures) -> None:
    assert said(built(game)) == []


def test_each_bar_has_two_holes_in_either_plate_and_the_loaded_ones_at_its_cell() -> None:
    of_bars = [hole for hole in holes(BUILD) if hole.use.startswith("C")]
    assert len(of_bars) == 16
    loaded = np.array([(hole.x_mm, hole.y_mm) for hole in of_bars if hole.plate == "base"])
    middles = loaded.reshape(4, 2, 2).mean(axis=1)
    assert np.allclose(middles, BUILD.design.load_cell_positions_mm)


def test_every_use_has_its_holes() -> None:
    uses = [hole.use.split(" ")[0].rstrip(",") for hole in holes(BUILD)]

    of_one = {"stem": 1, "flange": 3, "stop": 4, "foot": 4, "cable": 1, "tray": 2, "ground": 2}
    assert {use: uses.count(use) for use in of_one} == of_one  # fmt: skip


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_ground_screw_of_the_foot_plate_is_clear_of_the_tray(game: Measures) -> None:
    build = built(game)
    (ground,) = [h for h in holes(build) if (h.plate, h.use) == ("foot", "ground")]
    tongue_mm = build.parts.tray.apart_mm / 2 + build.parts.tray.inset_mm

    assert ground.x_mm - ground.head_mm / 2 > tongue_mm + 1


def test_the_feet_stand_round_every_load_cell() -> None:
    out = np.abs(feet_mm(BUILD)).min()

    assert (out > np.abs(BUILD.design.load_cell_positions_mm)).all()


@pytest.mark.parametrize(
    ("part", "values", "words"),
    [
        ("feet", {"inset_mm": 60.0}, "tips the table over its feet"),
        ("feet", {"inset_mm": 34.0}, "a foot covers the screw"),
        ("feet", {"inset_mm": 2.0}, "too near to the edge"),
        ("flange", {"diameter_mm": 190.0, "circle_mm": 32.0}, "the flange covers the screw"),
        ("flange", {"circle_mm": 12.0}, "the stem covers the screw for flange"),
        ("flange", {"circle_mm": 9.0}, "run into each other"),
        ("screws", {"loaded_length_mm": 12.0}, "take longer ones"),
        ("screws", {"fixed_length_mm": 25.0}, "come out at the other side"),
        ("cable", {"diameter_mm": 0.9}, "does not pass the hole in the stem"),
        ("cable", {"plate_hole_mm": 0.3}, "does not pass the hole in the foot plate"),
    ],
)
def test_a_planted_fault_is_named(part: str, values: dict[str, float], words: str) -> None:
    told = said(changed(part, **values))

    assert any(words in each for each in told), told


def test_three_feet_would_let_a_press_on_a_rear_cell_tip_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    half = BUILD.design.base_half_mm
    three = [(16 - half, 16 - half), (half - 16, 16 - half), (0.0, half - 16)]
    monkeypatch.setattr(plates, "feet_mm", lambda _m: three)

    told = said(BUILD)

    assert any("C2 tips the table" in each for each in told)
    assert any("C3 tips the table" in each for each in told)

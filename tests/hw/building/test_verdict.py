"""One verdict: what is called buildable can be drawn and modelled; what is not can be mended."""

import random
from dataclasses import replace

import msgspec
import pytest

from hw.building import verdict
from hw.building.boxes import floors, risers
from hw.building.measures import STANDARD, Measures
from hw.building.mechanics import built
from hw.building.verdict import objections, remedies
from tests.hw.building.games import GAMES, SWEPT, game_of

THIN = {
    "22 mm": (22, 8, 1.6, 4.5, 2.0),
    "25 mm": (25, 9, 1.8, 5.0, 2.5),
    "28 mm": (28, 10, 2.0, 5.0, 3.0),
}
"""Toys with thin walls, as they are sold."""


@pytest.mark.parametrize("measures", GAMES.values(), ids=GAMES)
def test_each_of_three_sizes_can_be_built(measures: Measures) -> None:
    assert objections(measures) == []


@pytest.mark.parametrize("swept", THIN.values(), ids=THIN)
def test_toys_with_thin_walls_can_be_built(swept: tuple[float, ...]) -> None:
    assert objections(game_of(swept)) == []


def buildable(swept: list[tuple[float, ...]]) -> list[Measures]:
    return [each for each in map(game_of, swept) if not objections(each)]


def check(found: list[Measures]) -> None:
    """Asked apart from the verdict: the sensor hangs under the board, nothing wedges a piece."""
    for each in found:
        build = built(each)
        pocket = build.design.sensor.pocket()
        over = [b for b in (*floors(each), *risers(each)) if b.covered_mm2(pocket) > 0]
        assert pocket.z_high <= min(box.z_low for box in over) + 1e-6
        assert pocket.x_low > build.design.stem_diameter_mm / 2
        assert build.clearance_mm() >= each.piece.height_mm
        assert build.stem_length_mm > 0


def test_some_of_many_sizes_by_chance() -> None:
    check(buildable(random.Random(7).sample(SWEPT, 12)))


@pytest.mark.slow
def test_of_all_sizes_few_are_refused_and_none_that_is_not_cannot_be_drawn() -> None:
    from scripts.schematics import output

    found = buildable(list(SWEPT))

    assert len(found) > 0.92 * len(SWEPT)
    check(found)
    for each in random.Random(11).sample(found, 20):
        assert set(output.mechanical(built(each))) == {"base-plate.svg", "sensor-pocket.svg"}


def test_what_is_refused_is_told_with_a_measure_that_mends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verdict, "TRIED", {"board.wall_mm": verdict.TRIED["board.wall_mm"]})
    tight = game_of((22, 10, 1.6, 7, 4))
    found = dict(remedies(tight))

    assert objections(tight)
    assert 1.6 < found["board.wall_mm"] < 3
    assert not objections(verdict.changed(tight, "board.wall_mm", found["board.wall_mm"]))


def test_a_board_that_exists_is_not_told_to_be_another() -> None:
    heavy = replace(
        STANDARD, piece_measured=msgspec.structs.replace(STANDARD.piece_measured, mass_g=40.0)
    )

    assert list(remedies(heavy)) == []

"""What collides in the model, and what must not."""

import random
from dataclasses import replace
from typing import Any

import pytest

from hw.building.measures import Measures
from hw.building.mechanics import built
from hw.building.verdict import objections
from scripts.schematics import geometry
from tests.hw.building.games import GAMES, SWEPT, game_of, with_part

pytestmark = pytest.mark.slow

BUILD = geometry.load()


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_nothing_is_where_something_else_is(game: Measures, parts: list[Any]) -> None:
    from scripts.schematics.model.collisions import overlaps
    from scripts.schematics.model.solids import solids

    m = built(game)

    assert overlaps(parts if m == BUILD else solids(m)) == []


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_board_meets_nothing_on_its_way_to_the_stop(game: Measures, parts: list[Any]) -> None:
    from scripts.schematics.model.collisions import strikes
    from scripts.schematics.model.solids import solids

    m = built(game)

    assert strikes(m, parts if m == BUILD else solids(m)) == []


def test_beyond_the_stop_the_stem_is_met_in_every_direction(
    parts: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from scripts.schematics.model import collisions

    monkeypatch.setattr(collisions, "BEFORE_STOP_DEG", -3.0)
    said = collisions.strikes(BUILD, parts)

    assert len([each for each in said if "inside the stem" in each]) == collisions.DIRECTIONS


@pytest.mark.parametrize("game", random.Random(5).sample(SWEPT, 3))
def test_what_the_verdict_lets_pass_the_solids_do(game: tuple[float, ...]) -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.collisions import overlaps, strikes
    from scripts.schematics.model.solids import solids

    measures = game_of(game)
    m = built(measures)
    parts = solids(m)

    assert objections(measures) == []
    assert overlaps(parts) + strikes(m, parts) == []


def test_a_sensor_in_the_way_of_the_stem_is_found_by_its_solid() -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.collisions import strikes
    from scripts.schematics.model.solids import solids

    near = replace(BUILD, design=replace(BUILD.design, imu_position_mm=(16.0, 0.0, -16.0)))

    assert any("inside the" in each for each in strikes(near, solids(near)))


def test_a_screw_that_is_too_long_is_found_by_its_solid() -> None:
    pytest.importorskip("build123d", reason="build123d is not installed: make setup-drawings")
    from scripts.schematics.model.collisions import overlaps
    from scripts.schematics.model.solids import solids

    long = with_part(BUILD, "screws", fixed_length_mm=26.0)

    assert any("screw" in each and "base plate" in each for each in overlaps(solids(long)))


def test_needle_and_cup_meet_where_the_verdict_says(parts: list[Any]) -> None:
    from build123d import Axis

    from scripts.schematics.model.collisions import shared_mm3

    needle, cup = (
        next(each.part for each in parts if each.name == name) for name in ("needle", "cup")
    )
    met_deg = BUILD.pivot.leans_deg

    def shared_at_mm3(tilt_deg: float) -> float:
        return shared_mm3(needle, cup.rotate(Axis.Y, tilt_deg))

    assert shared_at_mm3(0) < shared_at_mm3(met_deg - 2) < 0.002
    assert shared_at_mm3(met_deg + 4) > 0.01
    assert any("the needle" in each for each in map(str, objections(game_of((36, 8, 1.6, 7, 3)))))

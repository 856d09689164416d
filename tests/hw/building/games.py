"""Three games of different size, none of them made yet but the one that is assumed; many more."""

from dataclasses import replace
from itertools import product

import msgspec

from hw.building.measures import STANDARD, BoardMeasures, Measures, PieceMeasures
from hw.building.mechanics import Mechanics

TRAVEL = Measures(
    BoardMeasures(cell_pitch_mm=20.0, level_step_mm=7.5, centre_height_mm=4.0, wall_mm=2.0),
    PieceMeasures(diameter_mm=14.0, height_mm=5.5, mass_g=1.1),
)
WOODEN = Measures(
    BoardMeasures(
        cell_pitch_mm=45.0,
        level_step_mm=16.0,
        centre_height_mm=8.0,
        wall_mm=7.0,
        density_g_cm3=0.65,
    ),
    PieceMeasures(diameter_mm=30.0, height_mm=13.0, mass_g=8.0),
)
SWEPT = tuple(
    product(
        (22, 24, 26, 28, 30, 32, 34, 36),
        (8, 10, 12, 14),
        (1.6, 2.2, 2.8, 3.4),
        (4, 5.5, 7),
        (2, 3, 4, 5),
    )
)
"""Pitch, step, wall and height in mm, mass of a piece in g: of games that somebody may have."""
GAMES = {"travel": TRAVEL, "standard": STANDARD, "wooden": WOODEN}


def with_part(build: Mechanics, part: str, **values: object) -> Mechanics:
    """A build with other values in one of its parts."""
    new = msgspec.structs.replace(getattr(build.parts, part), **values)
    return replace(build, parts=msgspec.structs.replace(build.parts, **{part: new}))


def game_of(swept: tuple[float, ...]) -> Measures:
    """A game of one of `SWEPT`, with pieces that fit it."""
    pitch_mm, step_mm, wall_mm, height_mm, mass_g = map(float, swept)
    return Measures(
        BoardMeasures(pitch_mm, step_mm, height_mm, wall_mm=wall_mm),
        PieceMeasures(round(0.7 * pitch_mm, 1), round(0.28 * pitch_mm, 1), mass_g),
    )

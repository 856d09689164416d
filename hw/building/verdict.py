"""Whether a table for a game can be built: one judge for `topple-table measure` and drawings.

Balance, stem, sensor, plates and everything that could meet over the whole tilt range, without a
library for solids; the slow tests compare with solids that are cut with each other.
"""

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from hw.building import balance, mechanics, plates
from hw.building.measures import LATER, RANGES, Measures, value_of
from hw.building.mechanics import Mechanics, built
from hw.building.objection import Objection
from hw.errors import BadMeasures

TRIED: dict[str, tuple[float, int]] = {
    "board.centre_height_mm": (0.5, 4),
    "board.wall_mm": (0.4, 4),
    "board.level_step_mm": (1.0, 4),
    "board.cell_pitch_mm": (1.0, 4),
    "piece.mass_g": (1.0, 2),
}
"""By which steps, and how many of them up and down, a measure is changed to see whether the game
could be built then: what somebody who prints a board may change, nearest values first (walls by a
line of a printer)."""


def objections(measures: Measures) -> list[Objection]:
    """All that speaks against building a table for this game; empty: build it."""
    return against(built(measures))


def against(build: Mechanics) -> list[Objection]:
    """All that speaks against a build, of whatever parts."""
    return [
        *balance.objections(build.measures), *mechanics.objections(build), *plates.objections(build)
    ]  # fmt: skip


def remedies(measures: Measures) -> Iterator[tuple[str, float]]:
    """Single measures, each with the nearest value with which the game could be built.

    None of a board that exists, whose weight and place on the tip are changed by its owner, nor of
    one that does not hang at all: their objections say how.
    """
    if measures.is_made or balance.balance(measures) is None:
        return
    for key, (step, count) in TRIED.items():
        values = (value_of(measures, key) + way * step * n
                  for n in range(1, count + 1) for way in (-1, 1))  # fmt: skip
        mends = (round(value, 3) for value in values if _would_do(measures, key, value))
        yield from ((key, value) for value in (next(mends, None),) if value is not None)


def _would_do(measures: Measures, key: str, value: float) -> bool:
    least, most = RANGES[key]
    if not least <= value <= most:
        return False
    try:
        return not objections(changed(measures, key, value))
    except BadMeasures:
        return False


def changed(measures: Measures, key: str, value: float) -> Measures:
    """The same game with another value, such as of `board.wall_mm`.

    Raises:
        BadMeasures: no game can have it.
    """
    part, _, name = key.partition(".")
    if part == "piece":
        piece = msgspec.structs.replace(measures.piece_measured, **{name: value})
        return replace(measures, piece_measured=piece)
    not_made = {later.partition(".")[2]: 0.0 for later in LATER}
    board = msgspec.structs.replace(measures.board, **(not_made | {name: value}))
    return replace(measures, board=board)

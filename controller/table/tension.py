"""How near the tower is to falling: tilt and tallest stack against where pieces begin to go.

The tilt is that of the physics of this table at rest, from the first moment of all known pieces;
the limits are those of the risk map. How wide they are is told with it: nobody knows within a third
when a piece begins to slide. Pure.
"""

import math

from controller.table.riskmap import resting_tilt_rad
from engine.games.topple.hints import (
    EVEN_CHANCE_HEIGHT,
    EVEN_CHANCE_TILT_RAD,
    HEIGHT_SPREAD,
    TILT_SPREAD_RAD,
)
from engine.referee import RefereeState
from engine.scoreboard import TensionShown
from engine.tabletop import Tabletop

ONE_IN_TEN = math.log(9)
"""Spreads of a logistic curve between an even chance and one in ten."""

DIGITS = 2


def tension(state: RefereeState, tabletop: Tabletop) -> TensionShown | None:
    """How near the tower is to falling; None when no pieces stand on a pivot."""
    position = state.position
    if (
        position.game_state is None
        or not position.by_sensors
        or position.phase in ("clear", "over")
    ):
        return None
    stacks = {cell: len(refs) for cell, refs in position.refs.items()}
    tilt_rad = resting_tilt_rad(tabletop, stacks)
    height = max(stacks.values(), default=0)
    value, high, low = (
        min(1.0, max(tilt_rad / (EVEN_CHANCE_TILT_RAD + spreads * TILT_SPREAD_RAD),
                     height / (EVEN_CHANCE_HEIGHT + spreads * HEIGHT_SPREAD)))
        for spreads in (0.0, -ONE_IN_TEN, ONE_IN_TEN)
    )  # fmt: skip
    return TensionShown(
        round(value, DIGITS), round(low, DIGITS), round(high, DIGITS),
        round(math.degrees(tilt_rad), 1),
    )  # fmt: skip

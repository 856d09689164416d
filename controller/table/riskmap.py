"""The risk map: for each cell the points in Topple, and the risk that something falls.

Points come from the rules, the tilt from the physics of this table: the first moment of the board
with all known pieces says how far it will hang. Pure.
"""

import math
from collections.abc import Mapping

from engine.games.topple.hints import Tilt, topple_hints, topple_risk
from engine.referee import RefereeState
from engine.referee.basics import as_shown
from engine.scoreboard import HintShown
from engine.tabletop import Tabletop, piece_centre_mm

_Moment = tuple[float, float, float]

RISK_DIGITS = 2
"""A per cent: the model is not better than that, and the document stays small."""


def risk_map(state: RefereeState, tabletop: Tabletop) -> dict[str, HintShown] | None:
    """Points and risk of every cell the player in turn may use; None when nobody is to place.

    Before the roll all cells are weighed. With two colours the one worth more counts, unless the
    player has announced one.
    """
    position = as_shown(state.position)
    if (
        position.game_state is None
        or not position.by_sensors
        or position.phase not in ("roll", "act")
    ):
        return None
    stacks = {cell: len(refs) for cell, refs in position.refs.items()}
    found: dict[str, HintShown] = {}
    for hint in topple_hints(position.game_state, weighed_tilt(tabletop, stacks)):
        # The best come first, so the first of a cell is the better colour.
        if position.colour in (None, hint.colour) and hint.cell not in found:
            found[hint.cell] = HintShown(hint.points, round(hint.risk, RISK_DIGITS))
    return found


def placement_risk(tabletop: Tabletop, stacks: Mapping[str, int], cell: str) -> float:
    """Probability, 0 to 1, that something falls when one more piece is put on a cell."""
    return topple_risk(weighed_tilt(tabletop, stacks)(cell), stacks.get(cell, 0))


def weighed_tilt(tabletop: Tabletop, stacks: Mapping[str, int]) -> Tilt:
    """Tilt at rest by the board's first moment, with so many pieces on each cell."""
    moment = _moment_gmm(tabletop, stacks)

    def tilt_rad(cell: str) -> float:
        return _hanging_rad(_with_piece(moment, tabletop, cell, stacks.get(cell, 0)))

    return tilt_rad


def resting_tilt_rad(tabletop: Tabletop, stacks: Mapping[str, int]) -> float:
    """Tilt at rest of the board as it is; arguments as above."""
    return _hanging_rad(_moment_gmm(tabletop, stacks))


def _moment_gmm(tabletop: Tabletop, stacks: Mapping[str, int]) -> _Moment:
    moment = tabletop.empty_moment_gmm
    for cell, height in stacks.items():
        for below in range(height):
            moment = _with_piece(moment, tabletop, cell, below)
    return moment


def _with_piece(moment: _Moment, tabletop: Tabletop, cell: str, below: int) -> _Moment:
    mass_g = tabletop.piece.mass_mean_g
    x_mm, y_mm, z_mm = piece_centre_mm(tabletop, cell, below)
    return moment[0] + mass_g * x_mm, moment[1] + mass_g * y_mm, moment[2] + mass_g * z_mm


def _hanging_rad(moment: _Moment) -> float:
    # A board whose moment reaches up does not hang any more: a quarter turn and beyond.
    return math.atan2(math.hypot(moment[0], moment[1]), -moment[2])

"""What touches what: parts in their places, and the board on all its ways to the stop.

Solids are cut with each other (OpenCascade), so nothing here shares a formula with the drawings.
"""

import itertools
from collections.abc import Iterator, Sequence
from math import cos, radians, sin

from build123d import Axis, Compound, Part

from hw.building.mechanics import Mechanics
from scripts.schematics.model.solids import Solid

TOUCH_MM3 = 0.5
"""Parts that stand on each other share no volume; this is rounding."""
DIRECTIONS = 16
"""Of the stop in those between the sides and the corners the drawings say nothing."""
TILTS = (0.0, 0.35, 0.7, 1.0)
"""As shares of the tilt at the stop in that direction."""
BEFORE_STOP_DEG = 0.3


def overlaps(parts: Sequence[Solid]) -> list[str]:
    """Parts that are in the same place when the board hangs level, in words."""
    return [
        f"{one.name} and {other.name} share {both_mm3:.1f} mm3"
        for one, other in itertools.combinations(parts, 2)
        if (both_mm3 := shared_mm3(one.part, other.part)) > TOUCH_MM3
    ]


def strikes(m: Mechanics, parts: Sequence[Solid]) -> list[str]:
    """Where the tilting board meets what stands, in words."""
    board = Compound(children=[solid.part for solid in parts if solid.moves])
    fixed = [solid for solid in parts if not solid.moves]
    return list(_strikes(m, board, fixed))


def _strikes(m: Mechanics, board: Compound, fixed: Sequence[Solid]) -> Iterator[str]:
    for number, share in itertools.product(range(DIRECTIONS), TILTS):
        towards_deg = 360 * number / DIRECTIONS
        tilt_deg = share * (m.stop_towards_deg(towards_deg) - BEFORE_STOP_DEG)
        turned = radians(towards_deg)
        axis = Axis((0, 0, 0), (-sin(turned), cos(turned), 0))
        tilted = board.rotate(axis, tilt_deg)
        for solid in fixed:
            both_mm3 = sum(shared_mm3(part, solid.part) for part in tilted.solids())
            if both_mm3 > TOUCH_MM3:
                yield (
                    f"tilted by {tilt_deg:.0f} degrees towards {towards_deg:.0f}, the board is "
                    f"{both_mm3:.1f} mm3 inside the {solid.name}"
                )


def shared_mm3(one: Part, other: Part) -> float:
    """The volume in which two solids are both."""
    near, far = one.bounding_box(), other.bounding_box()
    apart = (
        near.min.X > far.max.X or far.min.X > near.max.X
        or near.min.Y > far.max.Y or far.min.Y > near.max.Y
        or near.min.Z > far.max.Z or far.min.Z > near.max.Z
    )  # fmt: skip
    if apart:
        return 0.0
    shared = one & other
    return float(sum(solid.volume for solid in shared.solids())) if shared else 0.0

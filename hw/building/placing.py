"""Where the inertial sensor and its counterweight hang under a board, clear of the stem.

Both are glued from below to what is lowest there, floor or riser, opposite to each other on the
line of rank 3. Board frame: origin at the tip, x towards file e, z up, mm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from engine.tabletop import Vector
from hw.building.boxes import Box, floors, risers
from hw.building.measures import Measures, half_board_mm
from hw.building.reach import TUBES_MM, each_met_deg, stem_post, stops_deg

SENSOR_MM, SENSOR_WIDE_MM, SENSOR_HIGH_MM = 21.0, 16.0, 3.5
"""A GY-521: its longer side, its shorter one, and its height with parts and solder."""
SENSOR_G = 2.1
"""A GY-521 on the scale; the counterweight is made as heavy."""
SWITCH_MM, SWITCH_HIGH_MM = 14.0, 11.0
"""The home-made tilt switch: a ring of 12 mm inside with 1 mm of wall, its wire on its eye."""
SWITCH_G = 2.8
"""That ring in brass, 8 mm high."""
POCKET_ROOM_MM, POCKET_WALL_MM = 0.4, 1.6
"""All round the sensor in its pocket, and the pocket's rim: four lines of a printer."""
UNDER_FLOOR_MM = 2.9
"""From what the pocket is glued to down to the middle of the sensor's chip."""
ROOM_MM = 1.0
"""Least distance of anything on the board from the stem at the stop."""
GLUED_LEAST_MM2 = 40.0
"""Of the pocket's roof must lie on the board: epoxy on that holds 50 N and more, and it weighs
2 g."""
SWITCH_FREE_DEG = 35.0
"""A home-made tilt switch closes at 27 to 31 degrees, and a board that falls swings into its stop:
so much further it must go in every direction."""
INWARDS_MM = 1.5
"""The place that is tried first is so much inside the middle of d3: clear of the riser there."""
STEP_MM = 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the sensor's chip is; its counterweight is at -x, y, z.

    Attributes:
        position_mm: of the chip.
        across: the sensor's longer side lies along y, not along x.
    """

    position_mm: Vector
    across: bool

    @property
    def roof_mm(self) -> float:
        """Height of what the pocket is glued to."""
        return self.position_mm[2] + UNDER_FLOOR_MM

    @property
    def sides_mm(self) -> tuple[float, float]:
        """Of the sensor, along x and along y."""
        long, wide = SENSOR_MM, SENSOR_WIDE_MM
        return (wide, long) if self.across else (long, wide)

    def pocket(self) -> Box:
        """The pocket with its rim, from the roof to the sensor's underside."""
        x, y, z = self.position_mm
        wider = 2 * (POCKET_ROOM_MM + POCKET_WALL_MM)
        low, high = z - SENSOR_HIGH_MM / 2, self.roof_mm
        long, wide = self.sides_mm
        return Box.around((x, y, (low + high) / 2), (long + wider, wide + wider, high - low))


@cache
def stem_and_sensor(measures: Measures) -> tuple[float, Place]:
    """The tube for a board, and the place for its sensor.

    A thick tube stops the board sooner, which leaves the sensor more room; so it is the thickest of
    those that leave a tilt switch its angle, and a thicker one only where the sensor asks for it.
    If no tube leaves it a place, it is the first that was tried, which the stem is in the way of.
    """
    tubes = sorted(TUBES_MM, reverse=True)
    free = [tube for tube in tubes if stops_deg(measures, tube).min() >= SWITCH_FREE_DEG]
    wanted = [*free, *(tube for tube in reversed(tubes) if tube not in free)]
    places = list(_places(measures))
    found = (
        (tube, at) for tube in wanted for some in (places[:1], places[1:])
        for at in _clear(some, measures, tube)
    )  # fmt: skip
    middle = _glued([*floors(measures)], measures.cell_pitch_mm - INWARDS_MM, across=False)
    return next(found, (wanted[0], next(iter(places), middle)))


@cache
def switch_place(measures: Measures, stem_mm: float, sensor: Place) -> Box | None:
    """Where a tilt switch hangs opposite the sensor, or None where it has no room or never closes.

    It is heavier than the sensor: of the places that are clear, the one that balances it best.
    """
    if stops_deg(measures, stem_mm).min() < SWITCH_FREE_DEG:
        return None
    boxes = _over_rank_3(measures, SWITCH_MM)
    size = (SWITCH_MM, SWITCH_MM, SWITCH_HIGH_MM)
    hung = [
        _pushed_up(boxes, Box.around((x_mm, 0.0, 0.0), size))
        for x_mm in np.arange(
            SWITCH_MM / 2, half_board_mm(measures) - SWITCH_MM / 2, STEP_MM
        ).tolist()
    ]
    held = [box for box in hung if _holds(boxes, box)]
    is_free = _are_clear(held, measures, stem_mm) if held else []
    clear = [box for box, free in zip(held, is_free, strict=True) if free]
    level_mm = SENSOR_G * sensor.position_mm[0] / SWITCH_G
    best = min(clear, key=lambda box: abs(box.middle_x_mm - level_mm), default=None)
    return best and best._replace(x_low=-best.x_high, x_high=-best.x_low)


def is_clear(place: Place, measures: Measures, stem_mm: float) -> bool:
    """Whether the board is stopped before the stem comes near a sensor there."""
    return _are_clear([place.pocket()], measures, stem_mm)[0]


def _clear(places: list[Place], measures: Measures, stem_mm: float) -> list[Place]:
    """Those that the stem leaves alone."""
    clear = _are_clear([place.pocket() for place in places], measures, stem_mm) if places else []
    return [place for place, is_free in zip(places, clear, strict=True) if is_free]


def _are_clear(boxes: list[Box], measures: Measures, stem_mm: float) -> list[bool]:
    """Of each box, whether the stem leaves it alone, on either side of y = 0."""
    stem, stops = stem_post(stem_mm).wider(ROOM_MM), stops_deg(measures, stem_mm)
    mirrored = [box._replace(y_low=-box.y_high, y_high=-box.y_low) for box in boxes]
    met = np.minimum(each_met_deg(boxes, stem), each_met_deg(mirrored, stem))
    spare_deg = (met - stops[:, np.newaxis]).min(axis=0)
    return [deg >= 0 for deg in spare_deg.tolist()]


def _over_rank_3(measures: Measures, wide_mm: float) -> list[Box]:
    """What of the board may be over something so wide on the line of rank 3, towards file e."""
    return [
        box for box in (*floors(measures), *risers(measures))
        if box.x_high > 0 and -wide_mm / 2 < box.y_high and box.y_low < wide_mm / 2
    ]  # fmt: skip


def _places(measures: Measures) -> Iterator[Place]:
    """Where a pocket can be glued: under the middle of d3 first, then from the axis outwards."""
    boxes = _over_rank_3(measures, SENSOR_MM + 2 * (POCKET_ROOM_MM + POCKET_WALL_MM))
    first_mm = measures.cell_pitch_mm - INWARDS_MM
    outwards = np.arange(SENSOR_WIDE_MM / 2, half_board_mm(measures), STEP_MM)
    for x_mm in (first_mm, *outwards.tolist()):
        for across in (False, True):
            found = _glued(boxes, x_mm, across=across)
            pocket = found.pocket()
            if pocket.x_high <= half_board_mm(measures) and _holds(boxes, pocket):
                yield found


def _glued(boxes: list[Box], x_mm: float, *, across: bool) -> Place:
    """The pocket at x, pushed up from below until it meets the board."""
    roof_mm = _pushed_up(boxes, Place((x_mm, 0.0, 0.0), across).pocket()).z_high
    return Place((x_mm, 0.0, roof_mm - UNDER_FLOOR_MM), across)


def _pushed_up(boxes: list[Box], loose: Box) -> Box:
    roof_mm = min((box.z_low for box in boxes if box.covered_mm2(loose) > 0), default=0.0)
    return loose._replace(z_low=roof_mm - (loose.z_high - loose.z_low), z_high=roof_mm)


def _holds(boxes: list[Box], hung: Box) -> bool:
    """Whether enough of its roof is glued, on both sides of its middle or under it."""
    under = [
        box for box in boxes
        if abs(box.z_low - hung.z_high) < 1e-6 and box.covered_mm2(hung) > 0
    ]  # fmt: skip
    if not under:
        return False
    spans_x = min(b.x_low for b in under) <= hung.middle_x_mm <= max(b.x_high for b in under)
    spans_y = min(b.y_low for b in under) <= 0 <= max(b.y_high for b in under)
    glued_mm2 = sum(box.covered_mm2(hung) for box in under)
    return spans_x and spans_y and glued_mm2 >= GLUED_LEAST_MM2

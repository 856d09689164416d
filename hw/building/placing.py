"""Where the inertial sensor and its counterweight hang under a board, clear of the stem.

Both are glued from below to what is lowest there, floor or riser, opposite to each other on the
line of rank 3. Board frame: origin at the tip, x towards file e, z up, mm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.tabletop import Vector
from hw.building.boxes import Box, floors, risers
from hw.building.measures import Measures, half_board_mm
from hw.building.reach import TUBES_MM, Post, each_met_deg, stem_post, stops_deg

SENSOR_MM, SENSOR_WIDE_MM, SENSOR_HIGH_MM = 21.0, 16.0, 3.5
"""A GY-521: its longer side, its shorter one, and its height with parts and solder."""
SENSOR_G = 2.1
"""A GY-521 on the scale; the counterweight is made as heavy."""
SWITCH_INSIDE_MM, SWITCH_WIDE_MM, SWITCH_HIGH_MM = 12.0, 14.0, 10.0
"""The home-made tilt switch is the counterweight where it fits: a ring with lid and wire has 2.8 g,
as much as sensor and tray. Elsewhere a flat weight of the sensor's size is."""
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
    """Where the sensor's chip is; its counterweight is glued to the roof at -x.

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

    def counterweight(self) -> Box:
        """The tilt switch, as it would hang on the sensor's side: the board is alike on both."""
        x, y, _ = self.position_mm
        middle_mm = self.roof_mm - SWITCH_HIGH_MM / 2
        return Box.around((x, y, middle_mm), (SWITCH_WIDE_MM, SWITCH_WIDE_MM, SWITCH_HIGH_MM))


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


def is_clear(place: Place, measures: Measures, stem_mm: float) -> bool:
    """Whether the board is stopped before the stem comes near a sensor there."""
    return bool(_clear([place], measures, stem_mm))


def switch_fits(place: Place, measures: Measures, stem_mm: float) -> bool:
    """Whether the tilt switch, higher than the sensor, can be the counterweight of one there."""
    met = _met_on_either_side_deg([place.counterweight()], stem_post(stem_mm).wider(ROOM_MM))
    return bool((met[:, 0] >= stops_deg(measures, stem_mm)).all())


def _clear(places: list[Place], measures: Measures, stem_mm: float) -> list[Place]:
    """Those that the stem leaves alone, on either side of y = 0."""
    if not places:
        return []
    stem, stops = stem_post(stem_mm).wider(ROOM_MM), stops_deg(measures, stem_mm)
    met = _met_on_either_side_deg([place.pocket() for place in places], stem)
    spare_deg = (met - stops[:, np.newaxis]).min(axis=0)
    return [place for place, deg in zip(places, spare_deg.tolist(), strict=True) if deg >= 0]


def _met_on_either_side_deg(boxes: list[Box], stem: Post) -> NDArray[np.float64]:
    """At which tilt each box meets the stem, on one side of y = 0 or the other."""
    mirrored = [box._replace(y_low=-box.y_high, y_high=-box.y_low) for box in boxes]
    return np.minimum(each_met_deg(boxes, stem), each_met_deg(mirrored, stem))


def _places(measures: Measures) -> Iterator[Place]:
    """Where a pocket can be glued: under the middle of d3 first, then from the axis outwards."""
    wide_mm = SENSOR_MM / 2 + POCKET_ROOM_MM + POCKET_WALL_MM
    boxes = [
        box for box in (*floors(measures), *risers(measures))
        if box.x_high > 0 and -wide_mm < box.y_high and box.y_low < wide_mm
    ]  # fmt: skip
    first_mm = measures.cell_pitch_mm - INWARDS_MM
    outwards = np.arange(SENSOR_WIDE_MM / 2, half_board_mm(measures), STEP_MM)
    for x_mm in (first_mm, *outwards.tolist()):
        for across in (False, True):
            found = _glued(boxes, x_mm, across=across)
            if found.pocket().x_high <= half_board_mm(measures) and _holds(boxes, found):
                yield found


def _glued(boxes: list[Box], x_mm: float, *, across: bool) -> Place:
    """The pocket at x, pushed up from below until it meets the board."""
    loose = Place((x_mm, 0.0, 0.0), across).pocket()
    roof_mm = min((box.z_low for box in boxes if box.covered_mm2(loose) > 0), default=0.0)
    return Place((x_mm, 0.0, roof_mm - UNDER_FLOOR_MM), across)


def _holds(boxes: list[Box], place: Place) -> bool:
    """Whether enough of the roof is glued, on both sides of its middle or under it."""
    pocket = place.pocket()
    under = [
        box for box in boxes
        if abs(box.z_low - place.roof_mm) < 1e-6 and box.covered_mm2(pocket) > 0
    ]  # fmt: skip
    x, y, _ = place.position_mm
    spans = (
        min((box.x_low for box in under), default=x) <= x <= max(b.x_high for b in under)
        and min(box.y_low for box in under) <= y <= max(box.y_high for box in under)
    )  # fmt: skip
    return spans and sum(box.covered_mm2(pocket) for box in under) >= GLUED_LEAST_MM2

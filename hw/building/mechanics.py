"""A build: the game it is for, the table that follows, and the parts it is made of.

What cannot be is told as objections, each with what to change. Board frame: origin at the tip, x
towards file e, y towards rank 5, z up, mm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import atan, degrees, pi, radians, tan
from typing import Literal

import msgspec
import numpy as np

from engine.tabletop import STANDARD_GRAVITY_MM_S2, surface_mm
from hw.building.boxes import Box, floors, risers
from hw.building.design import Design, designed, lowest_mm
from hw.building.measures import Measures
from hw.building.objection import Objection
from hw.building.placing import ROOM_MM, SENSOR_G, SWITCH_G, is_clear, switch_place
from hw.building.reach import DIRECTIONS_RAD, Post, met_deg, stem_post, stops_deg
from hw.building.shell import hanging

COPPER_PA = 1.17e11
"""Young's modulus of annealed copper."""
CABLE_SHARE_MOST = 0.01
"""The cable may stiffen the empty board's swing by 1 %: ten times less than makes itself felt
in the first moment that calibration measures, and its hysteresis is a part of that again."""
LEAST_STOP_DEG = 23.0
"""Pieces slide at 19 degrees (coefficient of friction 0.34), rough ones at 23: a board that is
stopped before never topples."""
LEANS_SPARE_DEG = 3.0
"""Between the stop and the needle's touch: a drilled cone and a ground point are each a degree or
two off, and a blow bends the stem a little."""
CUP_LENGTHS_MM = (5.0, 6.0, 8.0, 10.0, 12.0, 16.0)
"""That set screws M6 are sold in."""
CUP_PROUD_MM = 0.2
"""So much the cup may stand out of c3: a layer of a printer, which a piece does not notice."""


PARTS_FILE = "mechanics.json"


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are typing errors, and what is typed here is drilled."""


class Pivot(_Section, frozen=True):
    """Stem, needle and cup, and where the cable enters the stem."""

    stem_wall_mm: float
    needle_diameter_mm: float
    needle_length_mm: float
    needle_cone_mm: float
    cup_wide_mm: float
    cup_cone_deg: float
    cable_hole_mm: float
    cable_hole_depth_mm: float

    @property
    def cup_deep_mm(self) -> float:
        """From the cup's rim up to the bottom of its cone, where the tip stands."""
        return self.cup_wide_mm / 2 / tan(radians(self.cup_cone_deg / 2))

    @property
    def leans_deg(self) -> float:
        """Tilt at which the needle lies along the cone of its cup, from its point to the rim."""
        needle_deg = degrees(atan(self.needle_diameter_mm / 2 / self.needle_cone_mm))
        return self.cup_cone_deg / 2 - needle_deg


class Base(_Section, frozen=True):
    """Base plate (above the load cells) and foot plate (below)."""

    plate_mm: float
    foot_plate_mm: float
    gap_mm: float
    corner_radius_mm: float


class Bar(_Section, frozen=True):
    """A load cell."""

    length_mm: float
    width_mm: float
    height_mm: float
    hole_edge_mm: float
    hole_spacing_mm: float
    loaded_hole_mm: float
    fixed_hole_mm: float

    @property
    def arm_mm(self) -> float:
        """From the middle of the loaded pair of holes to that of the fixed pair."""
        return self.length_mm - 2 * self.end_mm

    @property
    def end_mm(self) -> float:
        """From the end of the bar to the middle of the pair of holes."""
        return self.hole_edge_mm + self.hole_spacing_mm / 2


class Sensor(_Section, frozen=True):
    """The inertial sensor's breakout."""

    length_mm: float
    width_mm: float
    height_mm: float
    room_mm: float
    mass_g: float


class Cable(_Section, frozen=True):
    """From the board into the stem."""

    wires: int
    diameter_mm: float
    free_length_mm: float
    plate_hole_mm: float


class Screws(_Section, frozen=True):
    """Of the load cells, and the stop screws under them."""

    loaded_mm: float
    loaded_length_mm: float
    loaded_head_mm: float
    fixed_mm: float
    fixed_length_mm: float
    fixed_head_mm: float
    stop_core_mm: float
    ground_hole_mm: float
    ground_head_mm: float


class Flange(_Section, frozen=True):
    """Holds the stem on the base plate."""

    diameter_mm: float
    height_mm: float
    circle_mm: float
    hole_mm: float
    head_mm: float


class Feet(_Section, frozen=True):
    """One near each corner of the foot plate."""

    diameter_mm: float
    height_mm: float
    hole_mm: float
    inset_mm: float


class Tray(_Section, frozen=True):
    """Holds the electronics, behind the foot plate; screwed under its edge."""

    inside_long_mm: float
    inside_deep_mm: float
    inside_high_mm: float
    wall_mm: float
    floor_mm: float
    hole_mm: float
    head_mm: float
    apart_mm: float
    inset_mm: float


class PanelBox(_Section, frozen=True):
    """A box, open below, with holes for buttons, lights and the buzzer's sound in its top."""

    long_mm: float
    deep_mm: float
    high_mm: float
    wall_mm: float
    button_hole_mm: float
    light_hole_mm: float
    sound_hole_mm: float


class Parts(_Section, frozen=True):
    """All of `schematics/mechanics.yaml`."""

    version: Literal[1]
    pivot: Pivot
    base: Base
    load_cell: Bar
    sensor: Sensor
    cable: Cable
    screws: Screws
    flange: Flange
    feet: Feet
    tray: Tray
    panel: PanelBox


@dataclass(frozen=True, slots=True)
class Mechanics:
    """A build: the game it is for, what follows from that, and its parts."""

    measures: Measures
    design: Design
    parts: Parts

    @property
    def pivot(self) -> Pivot:
        """Stem and needle."""
        return self.parts.pivot

    @property
    def base(self) -> Base:
        """Both plates."""
        return self.parts.base

    @property
    def load_cell(self) -> Bar:
        """One of the four."""
        return self.parts.load_cell

    @property
    def stem_bore_mm(self) -> float:
        """The hole in the stem."""
        return self.design.stem_diameter_mm - 2 * self.pivot.stem_wall_mm

    def top_mm(self, cell: str) -> float:
        """Height of a cell's surface."""
        return surface_mm(self.measures, cell)

    def under_mm(self, cell: str) -> float:
        """Height of the underside of a cell."""
        return self.top_mm(cell) - self.measures.board.wall_mm

    @property
    def base_top_mm(self) -> float:
        """Height of the base plate's surface (below the tip, so negative)."""
        return self.base.plate_mm + self.base.gap_mm - self.design.tip_height_mm

    @property
    def stem_length_mm(self) -> float:
        """Tube above the base plate; the needle stands out of it."""
        return -self.base_top_mm - self.pivot.needle_length_mm

    @property
    def total_height_mm(self) -> float:
        """From the underside of the foot plate to c3."""
        below = self.load_cell.height_mm + self.base.gap_mm + self.base.foot_plate_mm
        return self.measures.centre_height_mm + self.design.tip_height_mm + below

    @property
    def cup_length_mm(self) -> float:
        """Of the longest set screw that does not stand out of c3; the shortest if each does."""
        least = CUP_LENGTHS_MM[0]
        room_mm = self.measures.centre_height_mm - self.cup_under_mm(0.0)
        return max((long for long in CUP_LENGTHS_MM if long <= room_mm), default=least)

    def cup_under_mm(self, long_mm: float) -> float:
        """The least height of c3 over the tip for a cup so long."""
        return long_mm - self.pivot.cup_deep_mm - CUP_PROUD_MM

    @property
    def switch(self) -> Box | None:
        """The room of a tilt switch opposite the sensor; None where it is left out."""
        return switch_place(self.measures, self.design.stem_diameter_mm, self.design.sensor)

    @property
    def trim_g(self) -> float:
        """What belongs beside the sensor where a tilt switch is its counterweight.

        Negative: beside the switch.
        """
        if self.switch is None:
            return 0.0
        x_mm = self.design.imu_position_mm[0]
        return -SWITCH_G * self.switch.middle_x_mm / x_mm - SENSOR_G

    @property
    def trim(self) -> str:
        """The same in words."""
        beside = "the sensor" if self.trim_g >= 0 else "the switch"
        return f"{abs(self.trim_g):.1f} g beside {beside}"

    def stop_towards_deg(self, towards_deg: float) -> float:
        """Tilt at which the stem meets the board: 0 is towards file e, 90 towards rank 5."""
        folded_deg = abs((towards_deg + 90) % 180 - 90)
        stops = stops_deg(self.measures, self.design.stem_diameter_mm)
        return float(np.interp(radians(folded_deg), DIRECTIONS_RAD, stops))

    def clearance_mm(self) -> float:
        """Least height of the board over the base plate, at its stop in any direction."""
        stops = stops_deg(self.measures, self.design.stem_diameter_mm)
        return -lowest_mm(self.measures, self.design.sensor, stops) - self.base_top_mm

    def cable_share(self) -> float:
        """Stiffness of the cable as a share of gravity's on the empty board.

        Each wire bends as a beam of its free length (E I / length), which is more than a loose
        loop does.
        """
        cable = self.parts.cable
        second_moment = pi * (cable.diameter_mm / 1000) ** 4 / 64
        bending = cable.wires * COPPER_PA * second_moment / (cable.free_length_mm / 1000)
        gravity = -hanging(self.measures).moment_z_gmm * 1e-9 * STANDARD_GRAVITY_MM_S2
        return bending / gravity


def bar_direction(position: tuple[float, float]) -> tuple[int, int]:
    """From the loaded end of a bar to its fixed end: the four lie like the sails of a mill.

    >>> [bar_direction(p) for p in ((-70, -70), (70, -70), (70, 70), (-70, 70))]
    [(1, 0), (0, 1), (-1, 0), (0, -1)]
    """
    x, y = position
    if x * y > 0:
        return (-1 if x > 0 else 1), 0
    return 0, (-1 if y > 0 else 1)


@cache
def parts_drawn() -> Parts:
    """The parts of the drawings as they are shipped: made from `schematics/mechanics.yaml`."""
    return msgspec.json.decode(files(__package__).joinpath(PARTS_FILE).read_bytes(), type=Parts)


def built(measures: Measures) -> Mechanics:
    """The build for a game, of the parts that the drawings show."""
    return Mechanics(measures, designed(measures), parts_drawn())


def objections(mechanics: Mechanics) -> Iterator[Objection]:
    """Everything about stem, sensor, bars, pieces and cable that cannot be."""
    for rule in (_stem, _cup, _needle, _sensor, _flange, _load_cells, _pieces, _cable):
        yield from rule(mechanics)


def _stem(m: Mechanics) -> Iterator[Objection]:
    if m.design.stop_deg < LEAST_STOP_DEG:
        yield Objection(
            f"the stem of {m.design.stem_diameter_mm:g} mm stops the board at "
            f"{m.design.stop_deg:.0f} degrees; it must tilt by {LEAST_STOP_DEG:g} at least",
            "make cells wider, walls thinner or steps lower (cell_pitch_mm, wall_mm, "
            "level_step_mm), or set the tip lower under c3 (centre_height_mm)",
        )


def _cup(m: Mechanics) -> Iterator[Objection]:
    least_mm = m.cup_under_mm(CUP_LENGTHS_MM[0])
    if m.measures.board.made == "printed" and m.measures.centre_height_mm < least_mm:
        yield Objection(
            f"the tip is {m.measures.centre_height_mm:g} mm under the surface of c3, where the "
            f"shortest cup needs {least_mm:.1f}",
            f"let the board stand higher on its tip: centre_height_mm of {least_mm:.1f} or more",
        )


def _needle(m: Mechanics) -> Iterator[Objection]:
    """A board that falls must land on the stem; on the needle it would break its point."""
    most_deg = m.pivot.leans_deg - LEANS_SPARE_DEG
    if m.design.stop_most_deg > most_deg:
        yield Objection(
            f"the needle leans against its cup at {m.pivot.leans_deg:.0f} degrees, and in one "
            f"direction the stem stops the board at {m.design.stop_most_deg:.0f} only; "
            f"{most_deg:.0f} is the most",
            "make steps higher (level_step_mm), or set the tip closer under c3 (centre_height_mm)",
        )


def _sensor(m: Mechanics) -> Iterator[Objection]:
    pocket, stem_mm = m.design.sensor.pocket(), m.design.stem_diameter_mm
    through = any(
        pocket.covered_mm2(box) > 0 and box.z_low < pocket.z_high - 1e-6
        and box.z_high > pocket.z_low + 1e-6
        for box in (*floors(m.measures), *risers(m.measures))
    )  # fmt: skip
    x, y, z = m.design.imu_position_mm
    if through:
        yield Objection(
            f"the sensor at x {x:g}, y {y:g}, z {z:g} mm is inside the board",
            "move it down, or out from under the riser (imu_position_mm)",
        )
    if not is_clear(m.design.sensor, m.measures, stem_mm):
        soonest_deg = met_deg([pocket], stem_post(stem_mm).wider(ROOM_MM)).min()
        yield Objection(
            f"the sensor at x {x:g}, y {y:g}, z {z:g} mm is in the way of the stem: they meet at "
            f"{soonest_deg:.0f} degrees, before the board is stopped",
            "make cells wider, or steps higher, so that it finds a place (cell_pitch_mm, "
            "level_step_mm), or set the tip lower under c3 (centre_height_mm)",
        )


def _flange(m: Mechanics) -> Iterator[Objection]:
    """Flange and plate must be out of reach of the board, whichever way it is tilted."""
    flange = m.parts.flange
    post = Post(flange.diameter_mm / 2, -m.base_top_mm - flange.height_mm).wider(ROOM_MM)
    stops = stops_deg(m.measures, m.design.stem_diameter_mm)
    board = [*floors(m.measures), *risers(m.measures), m.design.sensor.pocket()]
    if (met_deg(board, post) < stops).any():
        yield Objection(
            "the board meets the flange before its stop",
            "make the stem longer (tip_height_mm), or the flange lower",
        )


def _load_cells(m: Mechanics) -> Iterator[Objection]:
    if any(x * y == 0 for x, y in m.design.load_cell_positions_mm):
        yield Objection(
            "a load cell lies on an axis", "each belongs into a quarter of the plate of its own"
        )
    ends = [abs(v) for p in m.design.load_cell_positions_mm for v in p]
    if m.load_cell.length_mm - m.load_cell.end_mm > 2 * min(ends):
        yield Objection(
            "the bars are too long for their places: neighbours meet", "use shorter ones"
        )


def _pieces(m: Mechanics) -> Iterator[Objection]:
    most_mm = m.measures.cell_pitch_mm - 2 * ROOM_MM
    if m.measures.piece.diameter_mm > most_mm:
        yield Objection(
            f"pieces of {m.measures.piece.diameter_mm:g} mm do not fit their cells",
            f"they may have {most_mm:g} mm (piece.diameter_mm), or make cells wider",
        )
    clearance_mm = m.clearance_mm()
    if clearance_mm < m.measures.piece.height_mm:
        yield Objection(
            f"at the stop the board is {clearance_mm:.0f} mm over the base plate, and a fallen "
            "piece would wedge it",
            "make the stem longer (tip_height_mm)",
        )


def _cable(m: Mechanics) -> Iterator[Objection]:
    """Of a board that hangs; of another its balance is said."""
    share, hangs = m.cable_share(), hanging(m.measures)
    if share > CABLE_SHARE_MOST:
        lower_mm = -hangs.moment_z_gmm * (share / CABLE_SHARE_MOST - 1) / hangs.mass_g
        yield Objection(
            f"the cable stiffens the board by {100 * share:.1f} %; 1 % is allowed",
            f"let the board hang {lower_mm:.1f} mm lower on its tip (centre_height_mm), or make "
            "the walls thicker",
        )

"""The mechanical build: its measures, what follows from them, and what cannot be built.

Board frame as everywhere: origin at the tip, x towards file e, y towards rank 5, z up, mm.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import hypot, pi
from pathlib import Path
from typing import Literal

import msgspec

from engine.tabletop import STANDARD_GRAVITY_MM_S2, Tabletop, surface_mm
from hw.building import design
from hw.building import measures as measuring
from hw.building.design import ROOM_MM, Design, designed
from hw.building.measures import Measures, PieceMeasures
from hw.building.shell import hanging
from scripts.schematics.plan import FOLDER, PlanError, Strict

MECHANICS_FILE = FOLDER / "mechanics.yaml"
MEASURES_FILE = FOLDER / "measures.toml"
COPPER_PA = 1.17e11
"""Young's modulus of annealed copper."""
CABLE_SHARE_MOST = 0.01
"""The cable may stiffen the empty board's swing by 1 %: ten times less than makes itself felt
in the first moment that calibration measures, and its hysteresis is a part of that again."""


class Pivot(Strict, frozen=True):
    """Stem, needle, and where the cable enters the stem."""

    stem_wall_mm: float
    needle_diameter_mm: float
    needle_length_mm: float
    cable_hole_mm: float
    cable_hole_depth_mm: float


class Base(Strict, frozen=True):
    """Base plate (above the load cells) and foot plate (below)."""

    plate_mm: float
    foot_plate_mm: float
    gap_mm: float
    corner_radius_mm: float


class Bar(Strict, frozen=True):
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


class Sensor(Strict, frozen=True):
    """The inertial sensor's breakout."""

    length_mm: float
    width_mm: float
    height_mm: float
    room_mm: float
    mass_g: float


class Cable(Strict, frozen=True):
    """From the board into the stem."""

    wires: int
    diameter_mm: float
    free_length_mm: float
    plate_hole_mm: float


class Screws(Strict, frozen=True):
    """Of the load cells, and the stop screws under them."""

    loaded_mm: float
    loaded_length_mm: float
    loaded_head_mm: float
    fixed_mm: float
    fixed_length_mm: float
    fixed_head_mm: float
    stop_core_mm: float


class Flange(Strict, frozen=True):
    """Holds the stem on the base plate."""

    diameter_mm: float
    height_mm: float
    circle_mm: float
    hole_mm: float
    head_mm: float


class Feet(Strict, frozen=True):
    """One near each corner of the foot plate."""

    diameter_mm: float
    height_mm: float
    hole_mm: float
    inset_mm: float


class Parts(Strict, frozen=True):
    """All of `mechanics.yaml`."""

    version: Literal[1]
    pivot: Pivot
    base: Base
    load_cell: Bar
    sensor: Sensor
    cable: Cable
    screws: Screws
    flange: Flange
    feet: Feet


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

    def corner_clearance_mm(self, tilt_deg: float) -> float:
        """Height of the board's lowest corner over the base plate, tilted towards it."""
        return -design.corner_drop_mm(self.measures, tilt_deg) - self.base_top_mm

    def cable_share(self) -> float:
        """Stiffness of the cable as a share of gravity's on the empty board.

        Each wire bends as a beam of its free length (E I / length), which is more than a loose
        loop does.
        """
        cable = self.parts.cable
        second_moment = pi * (cable.diameter_mm / 1000) ** 4 / 64
        bending = (
            self.parts.cable.wires
            * COPPER_PA
            * second_moment
            / (self.parts.cable.free_length_mm / 1000)
        )
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


def problems(mechanics: Mechanics) -> list[str]:
    """Everything about a build that cannot be, in words."""
    return [text for rule in (_sensor, _load_cells, _pieces, _cable) for text in rule(mechanics)]


def _sensor(m: Mechanics) -> Iterator[str]:
    x, y, z = m.design.imu_position_mm
    nearest_mm = hypot(x, y) - m.parts.sensor.length_mm / 2
    deepest_mm = -z + m.parts.sensor.height_mm / 2
    need_mm = design.sweep_mm(deepest_mm, m.design.stem_diameter_mm, m.design.stop_deg) + ROOM_MM
    if nearest_mm < need_mm:
        yield (
            f"the sensor at x {x:g}, y {y:g}, z {z:g} mm is in the way of the stem: its board "
            f"comes to {nearest_mm:.1f} mm from the axis and must stay {need_mm:.1f} mm off; "
            "move it outwards (imu_position_mm)"
        )


def _load_cells(m: Mechanics) -> Iterator[str]:
    if any(x * y == 0 for x, y in m.design.load_cell_positions_mm):
        yield "a load cell lies on an axis; each belongs into a quarter of its own"
    ends = [abs(v) for p in m.design.load_cell_positions_mm for v in p]
    if m.load_cell.length_mm - m.load_cell.end_mm > 2 * min(ends):
        yield "the bars are too long for their places: neighbours meet; use shorter ones"


def _pieces(m: Mechanics) -> Iterator[str]:
    if m.measures.piece.diameter_mm > m.measures.cell_pitch_mm - 2 * ROOM_MM:
        yield "pieces do not fit their cells"
    clearance_mm = m.corner_clearance_mm(m.design.stop_deg)
    if clearance_mm < m.measures.piece.height_mm:
        yield (
            f"at the stop the board's corner is {clearance_mm:.0f} mm over the base plate; a "
            "fallen piece would wedge it: make the stem longer (tip_height_mm)"
        )


def _cable(m: Mechanics) -> Iterator[str]:
    share = m.cable_share()
    if share > CABLE_SHARE_MOST:
        yield (
            f"the cable stiffens the board by {100 * share:.1f} %; 1 % is allowed: thinner wires "
            "or a longer loop"
        )


def load(path: Path = MECHANICS_FILE, measures_file: Path = MEASURES_FILE) -> Mechanics:
    """The build of a file of parts for a file of measures.

    Raises:
        PlanError: the first cannot be read.
        BadMeasures: the second.
    """
    try:
        parts = msgspec.yaml.decode(path.read_text(encoding="utf-8"), type=Parts)
    except (OSError, msgspec.MsgspecError) as error:
        raise PlanError(f"{path.name}: {' '.join(str(error).split())}") from None
    measures = measuring.load(measures_file)
    return Mechanics(measures, designed(measures), parts)


def as_built(mechanics: Mechanics, tabletop: Tabletop) -> Mechanics:
    """The same build with the geometry of another table, as its calibration has it."""
    piece = tabletop.piece
    sink_mm = measuring.sink_under_a_piece_mm(tabletop, tabletop.empty_moment_gmm[2])
    board = msgspec.structs.replace(
        mechanics.measures.board,
        cell_pitch_mm=tabletop.cell_pitch_mm,
        level_step_mm=tabletop.level_step_mm,
        centre_height_mm=tabletop.centre_height_mm,
        mass_g=tabletop.empty_mass_g,
        corner_sinks_mm=round(sink_mm, 3),
    )
    measures = Measures(board, PieceMeasures(piece.diameter_mm, piece.height_mm, piece.mass_mean_g))
    follows = replace(
        designed(measures),
        load_cell_positions_mm=tabletop.load_cell_positions_mm,
        imu_position_mm=tabletop.imu_position_mm,
    )
    return Mechanics(measures, follows, mechanics.parts)

"""The mechanical build: its measures, what follows from them, and what cannot be built.

Board frame as everywhere: origin at the tip, x towards file e, y towards rank 5, z up, mm.
"""

import itertools
from collections.abc import Iterator
from math import cos, hypot, pi, radians, sin, tan
from pathlib import Path
from typing import Literal

import msgspec

from engine.tabletop import (
    CELLS,
    FILES,
    RANKS,
    STANDARD_GRAVITY_MM_S2,
    Tabletop,
    Vector,
    surface_mm,
)
from scripts.schematics.plan import FOLDER, PlanError

MECHANICS_FILE = FOLDER / "mechanics.yaml"
COPPER_PA = 1.17e11
"""Young's modulus of annealed copper."""
ROOM_MM = 1.0
"""Least distance of anything on the board from the stem at the stop."""
CABLE_SHARE_MOST = 0.01
"""The cable may stiffen the empty board's swing by 1 %: ten times less than makes itself felt
in the first moment that calibration measures, and its hysteresis is a part of that again."""


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are typing errors."""


class Table(_Strict, frozen=True):
    """What a calibration file knows of a table; see `engine.tabletop.Tabletop`."""

    cell_pitch_mm: float
    level_step_mm: float
    centre_height_mm: float
    piece_diameter_mm: float
    piece_height_mm: float
    load_cell_positions_mm: tuple[tuple[float, float], ...]
    imu_position_mm: Vector
    empty_mass_g: float
    empty_moment_z_gmm: float


class Board(_Strict, frozen=True):
    """The stepped shell."""

    wall_mm: float
    density_g_cm3: float


class Pivot(_Strict, frozen=True):
    """Stem, needle, and where the cable enters the stem."""

    tip_height_mm: float
    stem_diameter_mm: float
    stem_bore_mm: float
    needle_diameter_mm: float
    needle_length_mm: float
    cable_hole_mm: float
    cable_hole_depth_mm: float


class Base(_Strict, frozen=True):
    """Base plate (above the load cells) and foot plate (below)."""

    half_mm: float
    plate_mm: float
    foot_plate_mm: float
    gap_mm: float
    corner_radius_mm: float


class Bar(_Strict, frozen=True):
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


class Sensor(_Strict, frozen=True):
    """The inertial sensor's breakout."""

    length_mm: float
    width_mm: float
    height_mm: float
    room_mm: float
    mass_g: float


class Cable(_Strict, frozen=True):
    """From the board into the stem."""

    wires: int
    diameter_mm: float
    free_length_mm: float


class Mechanics(_Strict, frozen=True):
    """All of `mechanics.yaml`, and what follows from it."""

    version: Literal[1]
    table: Table
    board: Board
    pivot: Pivot
    base: Base
    load_cell: Bar
    sensor: Sensor
    cable: Cable

    def top_mm(self, cell: str) -> float:
        """Height of a cell's surface."""
        return surface_mm(self.table, cell)

    def under_mm(self, cell: str) -> float:
        """Height of the underside of a cell."""
        return self.top_mm(cell) - self.board.wall_mm

    @property
    def half_board_mm(self) -> float:
        """Half the side of the board."""
        return 2.5 * self.table.cell_pitch_mm

    @property
    def base_top_mm(self) -> float:
        """Height of the base plate's surface (below the tip, so negative)."""
        return self.base.plate_mm + self.base.gap_mm - self.pivot.tip_height_mm

    @property
    def stem_length_mm(self) -> float:
        """Tube above the base plate; the needle stands out of it."""
        return -self.base_top_mm - self.pivot.needle_length_mm

    @property
    def total_height_mm(self) -> float:
        """From the underside of the foot plate to c3."""
        below = self.load_cell.height_mm + self.base.gap_mm + self.base.foot_plate_mm
        return self.table.centre_height_mm + self.pivot.tip_height_mm + below

    def stop_deg(self) -> float:
        """Tilt at which the stem meets the edge of the chamber under c3, about x or y.

        The edge lies half a cell less a wall off the axis, at the underside of the next level:
        sought is the tilt at which the stem, inclined in the board's frame, reaches it.
        """
        edge_mm = self.table.cell_pitch_mm / 2 - self.board.wall_mm
        depth_mm = -self.under_mm("d3")
        low, high = 0.0, 89.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if self.sweep_mm(depth_mm, middle) < edge_mm else (low, middle)
            )
        return low

    def sweep_mm(self, depth_mm: float, tilt_deg: float) -> float:
        """How far the tilted stem reaches from the board's axis, `depth_mm` under the tip."""
        tilt = radians(tilt_deg)
        return depth_mm * tan(tilt) + self.pivot.stem_diameter_mm / 2 / cos(tilt)

    def corner_clearance_mm(self, tilt_deg: float) -> float:
        """Height of the board's lowest corner over the base plate, tilted towards it."""
        out_mm = self.half_board_mm * 2**0.5
        tilt = radians(tilt_deg)
        return self.under_mm("a1") * cos(tilt) - out_mm * sin(tilt) - self.base_top_mm

    def shell(self) -> tuple[float, float]:
        """Mass (g) and first moment about the tip (g mm) of the shell and the sensor."""
        wall, pitch, step = self.board.wall_mm, self.table.cell_pitch_mm, self.table.level_step_mm
        density = self.board.density_g_cm3 / 1000
        tile_g = pitch * pitch * wall * density
        riser_g = pitch * step * wall * density
        pieces = [(tile_g, self.top_mm(cell) - wall / 2) for cell in CELLS]
        pieces += [(riser_g, (self.under_mm(a) + self.under_mm(b)) / 2) for a, b in _neighbours()]
        pieces += [(2 * self.sensor.mass_g, self.table.imu_position_mm[2])]
        return sum(m for m, _ in pieces), sum(m * z for m, z in pieces)

    def cable_share(self) -> float:
        """Stiffness of the cable as a share of gravity's on the empty board.

        Each wire bends as a beam of its free length (E I / length), which is more than a loose
        loop does.
        """
        second_moment = pi * (self.cable.diameter_mm / 1000) ** 4 / 64
        bending = self.cable.wires * COPPER_PA * second_moment / (self.cable.free_length_mm / 1000)
        gravity = -self.table.empty_moment_z_gmm * 1e-9 * STANDARD_GRAVITY_MM_S2
        return bending / gravity


def _neighbours() -> list[tuple[str, str]]:
    """Cells that share an edge; their levels always differ by one."""
    across = [(a + r, b + r) for r in RANKS for a, b in itertools.pairwise(FILES)]
    along = [(f + a, f + b) for f in FILES for a, b in itertools.pairwise(RANKS)]
    return across + along


def bar_direction(position: tuple[float, float]) -> tuple[int, int]:
    """From the loaded end of a bar to its fixed end: the four lie like the sails of a mill.

    >>> [bar_direction(p) for p in ((-70, -70), (70, -70), (70, 70), (-70, 70))]
    [(1, 0), (0, 1), (-1, 0), (0, -1)]
    """
    x, y = position
    if x * y > 0:
        return (-1 if x > 0 else 1), 0
    return 0, (-1 if y > 0 else 1)


def holes(mechanics: Mechanics) -> list[tuple[str, float, float, float]]:
    """Holes for the bars: plate, x, y, diameter; `base` loaded ends, `foot` fixed ends."""
    bar, found = mechanics.load_cell, []
    for x, y in mechanics.table.load_cell_positions_mm:
        dx, dy = bar_direction((x, y))
        for plate, along, diameter in (
            ("base", 0.0, bar.loaded_hole_mm), ("foot", bar.arm_mm, bar.fixed_hole_mm)
        ):  # fmt: skip
            for half in (-bar.hole_spacing_mm / 2, bar.hole_spacing_mm / 2):
                s = along + half
                found.append((plate, x + s * dx, y + s * dy, diameter))
    return found


def problems(mechanics: Mechanics) -> list[str]:
    """Everything about a build that cannot be, in words."""
    return [text for rule in (_sensor, _load_cells, _pieces, _cable) for text in rule(mechanics)]


def _sensor(m: Mechanics) -> Iterator[str]:
    x, y, z = m.table.imu_position_mm
    nearest_mm = hypot(x, y) - m.sensor.length_mm / 2
    deepest_mm = -z + m.sensor.height_mm / 2
    need_mm = m.sweep_mm(deepest_mm, m.stop_deg()) + ROOM_MM
    if nearest_mm < need_mm:
        yield (
            f"the sensor at x {x:g}, y {y:g}, z {z:g} mm is in the way of the stem: its board "
            f"comes to {nearest_mm:.1f} mm from the axis and must stay {need_mm:.1f} mm off; "
            "move it outwards (imu_position_mm)"
        )


def _load_cells(m: Mechanics) -> Iterator[str]:
    if any(x * y == 0 for x, y in m.table.load_cell_positions_mm):
        yield "a load cell lies on an axis; each belongs into a quarter of its own"
    inside_mm = m.base.half_mm - m.base.corner_radius_mm
    for plate, x, y, diameter in holes(m):
        if max(abs(x), abs(y)) + diameter > inside_mm:
            yield f"a hole of the {plate} plate at {x:g}, {y:g} mm is too near to its edge"
    ends = [abs(v) for p in m.table.load_cell_positions_mm for v in p]
    if m.load_cell.length_mm - m.load_cell.end_mm > 2 * min(ends):
        yield "the bars are too long for their places: neighbours meet; use shorter ones"


def _pieces(m: Mechanics) -> Iterator[str]:
    if m.table.piece_diameter_mm > m.table.cell_pitch_mm - 2 * ROOM_MM:
        yield "pieces do not fit their cells"
    clearance_mm = m.corner_clearance_mm(m.stop_deg())
    if clearance_mm < m.table.piece_height_mm:
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


def load(path: Path = MECHANICS_FILE) -> Mechanics:
    """The build in a file.

    Raises:
        PlanError: it cannot be read.
    """
    try:
        return msgspec.yaml.decode(path.read_text(encoding="utf-8"), type=Mechanics)
    except (OSError, msgspec.MsgspecError) as error:
        raise PlanError(f"{path.name}: {' '.join(str(error).split())}") from None


def as_built(mechanics: Mechanics, tabletop: Tabletop) -> Mechanics:
    """The same build with the geometry of another table, as its calibration has it."""
    table = Table(
        cell_pitch_mm=tabletop.cell_pitch_mm,
        level_step_mm=tabletop.level_step_mm,
        centre_height_mm=tabletop.centre_height_mm,
        piece_diameter_mm=tabletop.piece.diameter_mm,
        piece_height_mm=tabletop.piece.height_mm,
        load_cell_positions_mm=tabletop.load_cell_positions_mm,
        imu_position_mm=tabletop.imu_position_mm,
        empty_mass_g=tabletop.empty_mass_g,
        empty_moment_z_gmm=tabletop.empty_moment_gmm[2],
    )
    return msgspec.structs.replace(mechanics, table=table)

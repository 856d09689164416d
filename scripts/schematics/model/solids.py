"""The solids of a table, each where it belongs when the board hangs level.

Board frame, mm. What tilts with the board and what stands under it are told apart by `MOVING`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from build123d import Axis, Box, Cone, Cylinder, Part, Pos, Rot, fillet

from engine.tabletop import CELLS, cell_xy_mm, load_cell_name, surface_mm
from hw.building.boxes import neighbours
from hw.building.measures import Measures
from hw.building.mechanics import Mechanics, Tray, bar_direction
from hw.building.placing import POCKET_ROOM_MM, UNDER_FLOOR_MM
from hw.building.plates import Hole, Plate, holes

CUP_MM = 6.0
"""A set screw M6 through the middle cell."""
PIN_MM = 4.0
"""What of a needle sticks in the plug of the stem."""
NUT_MM = 3.0
MOVING = ("board", "cup", "sensor", "sensor tray", "counterweight")


@dataclass(frozen=True, slots=True)
class Solid:
    """A part in its place.

    Attributes:
        name: as in the parts list.
        part: the solid.
        lifted_mm: how far the exploded view moves it upwards.
    """

    name: str
    part: Part
    lifted_mm: float = 0.0

    @property
    def moves(self) -> bool:
        """Whether it tilts with the board."""
        return self.name in MOVING or self.name.startswith("board rank")


def solids(m: Mechanics) -> list[Solid]:
    """All parts of a table."""
    return [part for make in _MAKERS for part in make(m)]


def _board(m: Mechanics) -> Iterator[Solid]:
    yield Solid("board", _shell(m.measures, CUP_MM), 150.0)
    long_mm, deep_mm = m.cup_length_mm, m.pivot.cup_deep_mm
    screw = Pos(0, 0, long_mm / 2 - deep_mm) * Cylinder(CUP_MM / 2, long_mm)
    cone = Pos(0, 0, -deep_mm / 2) * Cone(m.pivot.cup_wide_mm / 2, TIP_MM, deep_mm)
    yield Solid("cup", Part() + (screw - cone), 185.0)


TIP_MM = 0.05
"""Radius of the needle's point."""


def _shell(measures: Measures, bore_mm: float) -> Part:
    """Floors, and risers under the edge of the higher of two neighbours; tapped for the cup."""
    wall, pitch = measures.board.wall_mm, measures.cell_pitch_mm
    boxes = []
    for cell in CELLS:
        x, y = cell_xy_mm(measures, cell)
        boxes.append(Pos(x, y, surface_mm(measures, cell) - wall / 2) * Box(pitch, pitch, wall))
    for one, other in neighbours():
        high, low = sorted((one, other), key=lambda cell: -surface_mm(measures, cell))
        (hx, hy), (lx, ly) = cell_xy_mm(measures, high), cell_xy_mm(measures, low)
        toward = ((hx - lx) / pitch, (hy - ly) / pitch)
        x = (hx + lx) / 2 + toward[0] * wall / 2
        y = (hy + ly) / 2 + toward[1] * wall / 2
        top, under = surface_mm(measures, high), surface_mm(measures, low) - wall
        across = (wall, pitch) if toward[0] else (pitch, wall)
        boxes.append(Pos(x, y, (top + under) / 2) * Box(*across, top - under))
    bore = Pos(0, 0, measures.centre_height_mm) * Cylinder(bore_mm / 2, 4 * wall)
    return Part() + boxes - bore


def _under_board(m: Mechanics) -> Iterator[Solid]:
    """The sensor in its tray, glued where it clears the stem, and opposite what balances it."""
    x, y, _z = m.design.imu_position_mm
    place, turn = m.design.sensor, Rot(0, 0, 90 if m.design.sensor.across else 0)
    sensor = m.parts.sensor
    body = turn * Box(sensor.length_mm, sensor.width_mm, sensor.height_mm)
    yield Solid("sensor", Part() + Pos(*place.position_mm) * body, 95.0)
    switch = m.switch
    if switch is None:
        weight = Pos(-x, y, place.position_mm[2]) * body
    else:
        weight = Pos(switch.middle_x_mm, y, switch.z_high) * _tilt_switch()
    yield Solid("counterweight", Part() + weight, 95.0)
    over_mm = UNDER_FLOOR_MM - sensor.height_mm / 2
    if over_mm > TRAY_WALL_MM:
        tray = Pos(x, y, place.roof_mm) * turn * _tray(m, over_mm)
        yield Solid("sensor tray", Part() + tray, 120.0)


TRAY_WALL_MM = 0.8
"""Two lines of a printer; where less is left the sensor is glued to the floor itself."""
TRAY_SIDE_MM = 1.2
"""Three lines; where the cell is too narrow for them, the tray is a plate."""
GLUE_MM = 0.1
RING_MM, RING_WALL_MM, RING_HIGH_MM, LID_MM = 12.0, 1.0, 10.0, 0.8
"""The home-made tilt switch is the counterweight: a ring of 12.0 mm inside, 2.8 g with its lid and
wire, as much as sensor and tray."""


def _tilt_switch() -> Part:
    """From its lid, at z = 0, downwards; the wire inside swings, and is not modelled."""
    outer = RING_MM / 2 + RING_WALL_MM
    inside_mm = RING_HIGH_MM - LID_MM
    whole = Pos(0, 0, -RING_HIGH_MM / 2) * Cylinder(outer, RING_HIGH_MM)
    return whole - Pos(0, 0, -LID_MM - inside_mm / 2) * Cylinder(RING_MM / 2, inside_mm)


def _tray(m: Mechanics, over_mm: float) -> Part:
    """From the floor, at z = 0, downwards: a roof, two sides, and an end away from the stem.

    Open below and towards the stem, so that it prints on its roof and the cable comes out.
    """
    sensor, room = m.parts.sensor, POCKET_ROOM_MM
    long, wide = sensor.length_mm + 2 * room, sensor.width_mm + 2 * room
    thick = over_mm - 2 * GLUE_MM
    roof = Pos(0, 0, -over_mm / 2) * Box(long, wide, thick)
    beside = m.measures.cell_pitch_mm / 2 - m.measures.board.wall_mm - wide / 2
    if beside < TRAY_SIDE_MM + room:
        return Part() + roof
    side, deep = TRAY_SIDE_MM, over_mm + sensor.height_mm
    sides = [
        Pos(side / 2, sign * (wide + side) / 2, -(GLUE_MM + deep) / 2)
        * Box(long + side, side, deep - GLUE_MM)
        for sign in (-1, 1)
    ]
    end = Pos((long + side) / 2, 0, -(GLUE_MM + deep) / 2) * Box(side, wide, deep - GLUE_MM)
    return _joined(roof, *sides, end)


def _pivot(m: Mechanics) -> Iterator[Solid]:
    needle, wide = m.pivot.needle_length_mm, m.pivot.needle_diameter_mm
    cone_mm = m.pivot.needle_cone_mm
    point = Pos(0, 0, -cone_mm / 2) * Cone(wide / 2, TIP_MM, cone_mm)
    shaft_mm = needle - cone_mm + PIN_MM
    shaft = Pos(0, 0, -cone_mm - shaft_mm / 2) * Cylinder(wide / 2, shaft_mm)
    yield Solid("needle", _joined(point, shaft), 55.0)
    long_mm = m.stem_length_mm + m.base.plate_mm
    outer, bore = m.design.stem_diameter_mm / 2, m.stem_bore_mm / 2
    tube = Cylinder(outer, long_mm) - Cylinder(bore, long_mm)
    plug = Pos(0, 0, long_mm / 2 - PIN_MM / 2) * (
        Cylinder(bore, PIN_MM) - Cylinder(wide / 2, PIN_MM)
    )
    hole_mm = m.pivot.cable_hole_mm / 2
    at_mm = long_mm / 2 + needle - m.pivot.cable_hole_depth_mm
    side = Pos(outer, 0, at_mm) * (Rot(0, 90, 0) * Cylinder(hole_mm, 2 * outer))
    stem = Pos(0, 0, m.base_top_mm - m.base.plate_mm + long_mm / 2) * (tube + plug - side)
    yield Solid("stem", Part() + stem, 25.0)
    flange = m.parts.flange
    ring = Cylinder(flange.diameter_mm / 2, flange.height_mm) - Cylinder(outer, flange.height_mm)
    ring = ring - [
        Pos(hole.x_mm, hole.y_mm, 0) * Cylinder(flange.hole_mm / 2, flange.height_mm)
        for hole in holes(m)
        if hole.use == "flange"
    ]
    yield Solid("flange", Part() + Pos(0, 0, m.base_top_mm + flange.height_mm / 2) * ring, 15.0)


def _plates(m: Mechanics) -> Iterator[Solid]:
    yield Solid("base plate", _plate(m, "base"), 0.0)
    yield Solid("foot plate", _plate(m, "foot"), -70.0)


def _plate(m: Mechanics, plate: Plate) -> Part:
    side, thick = 2 * m.design.base_half_mm, m.base.plate_mm
    middle_mm = m.base_top_mm - thick / 2
    if plate == "foot":
        thick = m.base.foot_plate_mm
        middle_mm = foot_top_mm(m) - thick / 2
    blank = Box(side, side, thick)
    blank = fillet(blank.edges().filter_by(Axis.Z), m.base.corner_radius_mm)
    drills = [
        Pos(hole.x_mm, hole.y_mm, 0) * Cylinder(hole.diameter_mm / 2, thick)
        for hole in holes(m)
        if hole.plate == plate
    ]
    up = 1 if plate == "base" else -1
    sinks = [
        Pos(hole.x_mm, hole.y_mm, up * (thick / 2 - _head_high_mm(m, hole) / 2))
        * _sink(hole, _head_high_mm(m, hole), up)
        for hole in holes(m)
        if hole.plate == plate and hole.note == "countersunk"
    ]
    return Part() + Pos(0, 0, middle_mm) * (blank - drills - sinks)


def _head_high_mm(m: Mechanics, hole: Hole) -> float:
    """A countersunk head has 90 degrees."""
    return (hole.head_mm - _tapped_mm(m, hole)) / 2


def _sink(hole: Hole, high_mm: float, up: int) -> Part:
    wide, narrow = hole.head_mm / 2, hole.head_mm / 2 - high_mm
    return Cone(narrow, wide, high_mm) if up > 0 else Cone(wide, narrow, high_mm)


def bar_middle_mm(m: Mechanics) -> float:
    """Height of the middle of the bars."""
    return -m.design.tip_height_mm - m.load_cell.height_mm / 2


def foot_top_mm(m: Mechanics) -> float:
    """Height of the foot plate's surface."""
    return -m.design.tip_height_mm - m.load_cell.height_mm - m.base.gap_mm


def _bars(m: Mechanics) -> Iterator[Solid]:
    bar, middle = m.load_cell, bar_middle_mm(m)
    for number, (x, y) in enumerate(m.design.load_cell_positions_mm):
        dx, dy = bar_direction((x, y))
        along = bar.length_mm / 2 - bar.end_mm
        size = (bar.length_mm, bar.width_mm) if dx else (bar.width_mm, bar.length_mm)
        body = Pos(x + along * dx, y + along * dy, middle) * Box(*size, bar.height_mm)
        name = load_cell_name(number)
        through = [
            Pos(hole.x_mm, hole.y_mm, middle) * Cylinder(_tapped_mm(m, hole) / 2, bar.height_mm)
            for hole in holes(m)
            if hole.use == name
        ]
        # The thinned middle, where it bends: two bores that run into each other.
        eye = Pos(x + along * dx, y + along * dy, middle)
        turn = Rot(90, 0, 0) if dx else Rot(0, 90, 0)
        bores = [
            eye * Pos(s * dx, s * dy, 0) * turn * Cylinder(0.36 * bar.height_mm, 2 * bar.width_mm)
            for s in (-6.0, 6.0)
        ]
        yield Solid(f"load cell {name}", Part() + (body - through - bores), -35.0)


def _tapped_mm(m: Mechanics, hole: Hole) -> float:
    """Thread of a bar's hole; its crests are cut away, so that a screw has room in the model."""
    return m.parts.screws.loaded_mm if hole.plate == "base" else m.parts.screws.fixed_mm


def _spacers(m: Mechanics) -> Iterator[Solid]:
    """A strip at each end of each bar, between it and its plate."""
    bar, gap = m.load_cell, m.base.gap_mm
    for number, (x, y) in enumerate(m.design.load_cell_positions_mm):
        dx, dy = bar_direction((x, y))
        for along, z, lifted in (
            (0.0, -m.design.tip_height_mm + gap / 2, -18.0),
            (bar.arm_mm, foot_top_mm(m) + gap / 2, -52.0),
        ):
            size = (2 * bar.end_mm, bar.width_mm) if dx else (bar.width_mm, 2 * bar.end_mm)
            strip = Pos(x + along * dx, y + along * dy, z) * Box(*size, gap)
            through = [
                Pos(hole.x_mm, hole.y_mm, z) * Cylinder(hole.diameter_mm / 2, gap)
                for hole in holes(m)
                if hole.use == load_cell_name(number)
            ]
            yield Solid("spacer", Part() + (strip - through), lifted)


def _screws(m: Mechanics) -> Iterator[Solid]:
    screws = m.parts.screws
    under_mm = foot_top_mm(m) - m.base.foot_plate_mm
    for hole in holes(m):
        if hole.use.startswith("C"):
            base = hole.plate == "base"
            size = screws.loaded_mm if base else screws.fixed_mm
            length = screws.loaded_length_mm if base else screws.fixed_length_mm
            head = hole.head_mm
            shape = _countersunk(size, length, head)
            if base:
                place = Pos(hole.x_mm, hole.y_mm, m.base_top_mm)
            else:
                place = Pos(hole.x_mm, hole.y_mm, under_mm) * Rot(180, 0, 0)
            yield Solid("screw", Part() + place * shape, 18.0 if base else -95.0)
        elif hole.use.startswith("stop"):
            long_mm = m.base.foot_plate_mm + m.base.gap_mm - STOP_GAP_MM + NUT_MM
            top_mm = foot_top_mm(m) + m.base.gap_mm - STOP_GAP_MM
            pin = Pos(hole.x_mm, hole.y_mm, top_mm - long_mm / 2)
            yield Solid("stop screw", Part() + pin * Cylinder(hole.diameter_mm / 2, long_mm), -95.0)
        elif hole.use == "ground":
            yield _ground_screw(m, hole)


def _ground_screw(m: Mechanics, hole: Hole) -> Solid:
    """Its head above the base plate or under the foot plate; its nuts between the plates."""
    on_base = hole.plate == "base"
    surface_mm = m.base_top_mm if on_base else foot_top_mm(m) - m.base.foot_plate_mm
    shaft = Pos(0, 0, -GROUND_LONG_MM / 2) * Cylinder(hole.diameter_mm / 2, GROUND_LONG_MM)
    head = Pos(0, 0, GROUND_HEAD_MM / 2) * Cylinder(hole.head_mm / 2, GROUND_HEAD_MM)
    place = Pos(hole.x_mm, hole.y_mm, surface_mm) * Rot(0 if on_base else 180, 0, 0)
    return Solid(f"ground screw, {hole.plate} plate", Part() + place * _joined(shaft, head),
                 18.0 if on_base else -95.0)  # fmt: skip


GROUND_LONG_MM, GROUND_HEAD_MM = 12.0, 1.7
"""M3 x 12 with a button head (ISO 7380)."""
STOP_GAP_MM = 0.3
"""From a stop screw to its bar: what a bar of 1 kg may bend."""


def _countersunk(size_mm: float, length_mm: float, head_mm: float) -> Part:
    """A screw that points down, its head level with z = 0."""
    high = (head_mm - size_mm) / 2
    head = Pos(0, 0, -high / 2) * Cone(size_mm / 2, head_mm / 2, high)
    shaft = Pos(0, 0, -length_mm / 2) * Cylinder(size_mm / 2, length_mm)
    return _joined(head, shaft)


def _feet(m: Mechanics) -> Iterator[Solid]:
    feet = m.parts.feet
    under_mm = foot_top_mm(m) - m.base.foot_plate_mm
    for hole in holes(m):
        if hole.use.startswith("foot"):
            body = Cylinder(feet.diameter_mm / 2, feet.height_mm)
            place = Pos(hole.x_mm, hole.y_mm, under_mm - feet.height_mm / 2)
            yield Solid(hole.use, Part() + place * body, -125.0)


POST_MM, POST_WIDE_MM, PILOT_HOLE_MM = 5.0, 7.0, 2.1
"""Under the carrier's four screws M2.5, which cut their own thread."""
POSTS_MM = ((-45.72, 0.0), (45.72, 0.0), (-45.72, -33.02), (45.72, -33.02))
"""Of the carrier's screws, from its middle; its strip A lies at the back."""
USB_MM = -27.94
"""Of the Nano's plug, from the middle of the carrier."""
SILL_MM = 8.0
"""Of the wall towards the plate, over which the wires come, and of the notch for the USB cable."""
NOTCH_MM = 16.0
BEHIND_MM = 1.0
"""From the foot plate to the tray's wall."""


def _electronics_tray(m: Mechanics) -> Iterator[Solid]:
    """Behind the foot plate, its tongue under it; open above and low towards the plate."""
    tray, half = m.parts.tray, m.design.base_half_mm
    top_mm = foot_top_mm(m) - m.base.foot_plate_mm
    wall, long = tray.wall_mm, tray.inside_long_mm + 2 * tray.wall_mm
    deep = tray.inside_deep_mm + 2 * wall
    front, back = half + BEHIND_MM, half + BEHIND_MM + deep
    middle = (front + back) / 2

    def block(x: float, y: float, low: float, size: tuple[float, float, float]) -> Part:
        return Pos(x, y, top_mm + low + size[2] / 2) * Box(*size)

    tongue = 2 * tray.inset_mm + BEHIND_MM + wall
    floor = block(0, middle, -tray.floor_mm, (long, deep, tray.floor_mm))
    under = block(0, front + wall - tongue / 2, -tray.floor_mm,
                  (tray.apart_mm + 2 * tray.inset_mm, tongue, tray.floor_mm))  # fmt: skip
    high = tray.inside_high_mm
    walls = [block(side * (long - wall) / 2, middle, 0, (wall, deep, high)) for side in (-1, 1)]
    notched = block(0, back - wall / 2, 0, (long, wall, high)) - block(
        _carrier_x(m) + USB_MM, back - wall / 2, SILL_MM, (NOTCH_MM, wall, high)
    )
    sill = block(0, front + wall / 2, 0, (long, wall, SILL_MM))
    sill, notched = sill - _comb(tray, front + wall / 2, top_mm), notched - [
        block(_carrier_x(m) + USB_MM + side * TOOTH_MM, back - wall / 2, SILL_MM - COMB_DEEP_MM,
              (COMB_MM, wall, SILL_MM)) for side in (-0.5, 0.5)
    ]  # fmt: skip
    posts = [
        Pos(_carrier_x(m) + x, middle + y, top_mm + POST_MM / 2)
        * (Cylinder(POST_WIDE_MM / 2, POST_MM) - Cylinder(PILOT_HOLE_MM / 2, POST_MM))
        for x, y in POSTS_MM
    ]
    screws = [
        Pos(hole.x_mm, hole.y_mm, top_mm) * Cylinder(hole.diameter_mm / 2, 4 * tray.floor_mm)
        for hole in holes(m)
        if hole.use == "tray"
    ]
    whole = _joined(floor, under, *walls, notched, sill, *posts)
    yield Solid("electronics tray", Part() + (whole - screws), -60.0)


COMB_MM, COMB_DEEP_MM, TOOTH_MM = 2.2, 5.0, 7.0
"""Notches for cable ties of 2 mm, from one tooth to the next: each cable is tied to one."""


def _comb(tray: Tray, y_mm: float, top_mm: float) -> list[Part]:
    """The notches of the sill over which the wires come."""
    count = int(tray.inside_long_mm / 2 / TOOTH_MM)
    notch = Box(COMB_MM, tray.wall_mm, 2 * COMB_DEEP_MM)
    return [Pos(n * TOOTH_MM, y_mm, top_mm + SILL_MM) * notch for n in range(-count, count + 1)]


def _panel(m: Mechanics) -> Iterator[Solid]:
    """Left of the table, its top upwards."""
    box, under_mm = m.parts.panel, foot_top_mm(m) - m.base.foot_plate_mm - m.parts.feet.height_mm
    inside = Box(box.long_mm - 2 * box.wall_mm, box.deep_mm - 2 * box.wall_mm, box.high_mm)
    whole = Box(box.long_mm, box.deep_mm, box.high_mm) - Pos(0, 0, -box.wall_mm) * inside
    holes_mm = [
        *((x, -PANEL_ROW_MM, box.button_hole_mm) for x in PANEL_BUTTONS_MM),
        *((x, PANEL_ROW_MM, box.light_hole_mm) for x in PANEL_LIGHTS_MM),
        *((PANEL_SOUND_MM + x, PANEL_ROW_MM + y, box.sound_hole_mm)
          for x, y in ((0, 0), (4, 0), (-4, 0), (0, 4), (0, -4))),
    ]  # fmt: skip
    drills = [Pos(x, y, 0) * Cylinder(wide / 2, 2 * box.high_mm) for x, y, wide in holes_mm]
    # The way out of the cable, open below; it lies on the bed's side last, so nothing is over air.
    way = Pos(0, box.deep_mm / 2, -box.high_mm / 2) * Box(NOTCH_MM, 4 * box.wall_mm, SILL_MM)
    x = -m.design.base_half_mm - box.long_mm / 2 - PANEL_BESIDE_MM
    place = Pos(x, 0, under_mm + box.high_mm / 2)
    yield Solid("panel", Part() + place * (whole - drills - way), -60.0)


PANEL_BUTTONS_MM, PANEL_LIGHTS_MM = (-40.0, 0.0, 40.0), (-48.0, -16.0, 16.0, 48.0)
PANEL_SOUND_MM, PANEL_ROW_MM = 62.0, 11.0
PANEL_BESIDE_MM = 20.0


def tray_floor_mm(m: Mechanics) -> tuple[float, float, float]:
    """The place on the tray's floor that is under the middle of the carrier."""
    deep = m.parts.tray.inside_deep_mm / 2 + m.parts.tray.wall_mm
    y = m.design.base_half_mm + BEHIND_MM + deep
    return _carrier_x(m), y, foot_top_mm(m) - m.base.foot_plate_mm


def _carrier_x(m: Mechanics) -> float:
    """The carrier lies at the left end of the tray."""
    return -(m.parts.tray.inside_long_mm - CARRIER_LONG_MM) / 2


CARRIER_LONG_MM = 99.0


def _joined(*shapes: Part) -> Part:
    """One solid of several."""
    whole = Part()
    for shape in shapes:
        whole += shape
    return whole


_MAKERS: tuple[Callable[[Mechanics], Iterator[Solid]], ...] = (
    _board, _under_board, _pivot, _plates, _bars, _spacers, _screws, _feet, _electronics_tray,
    _panel,
)  # fmt: skip

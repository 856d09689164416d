"""Every hole of the two plates and what goes through it, and whether it can be put together.

Board frame, mm; the plates are seen from above. `base` is the plate on the load cells, `foot` the
one under them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Literal

from engine.tabletop import load_cell_name
from hw.building.mechanics import Bar, Mechanics, bar_direction
from hw.building.objection import Objection

Plate = Literal["base", "foot"]
Side = Literal["above", "below", "none"]
FLANGE_SCREWS = 3
BETWEEN_HOLES_MM = 2.0
"""Wall that a plate keeps between two holes, and to its edge: about half a screw."""
DRIVER_MM = 1.0
"""Room round a screw's head for the tool that turns it."""
ENGAGED_LEAST = 1.5
"""Thread that a screw must have in aluminium, in diameters (VDI 2230 asks 1.0 to 1.5 of soft
alloys)."""
BOTTOM_MM = 0.5
"""A screw ends so far before the other side of a bar."""
PRESS_KG = 3.0
"""A hand that leans on the edge of the base plate while it reaches across."""
PLATE_G_MM3 = 2.7e-3
"""Aluminium, as drawn; plywood is lighter, and the board stands on it as well."""
APART = "set them further apart (schematics/mechanics.yaml)"
FURTHER_IN = "set it further in (schematics/mechanics.yaml)"
BUNDLE_ROOM = 2.0
"""A hole is wide enough when the bundle of wires goes through with a sleeve of its own width."""


@dataclass(frozen=True, slots=True)
class Hole:
    """One hole.

    Attributes:
        plate: that has it.
        use: what goes through it.
        x_mm, y_mm: of its middle.
        diameter_mm: as drilled; a tapped hole has its core diameter.
        note: thread or countersink.
        head_mm: diameter of the screw's head, or of the foot; 0: none.
        turned_from: the side from which a tool must reach it.
    """

    plate: Plate
    use: str
    x_mm: float
    y_mm: float
    diameter_mm: float
    note: str = ""
    head_mm: float = 0.0
    turned_from: Side = "none"


def holes(m: Mechanics) -> list[Hole]:
    """All holes of both plates: load cells first, in the order of their cells."""
    makers = (_of_bars, _of_stem, _of_stops, _of_feet, _of_cable, _of_tray, _of_ground)
    return [hole for make in makers for hole in make(m)]


def _of_bars(m: Mechanics) -> Iterator[Hole]:
    bar, screws = m.load_cell, m.parts.screws
    for number, (x, y) in enumerate(m.design.load_cell_positions_mm):
        dx, dy = bar_direction((x, y))
        name = load_cell_name(number)
        for plate, along, wide, head in (
            ("base", 0.0, bar.loaded_hole_mm, screws.loaded_head_mm),
            ("foot", bar.arm_mm, bar.fixed_hole_mm, screws.fixed_head_mm),
        ):
            for half in (-bar.hole_spacing_mm / 2, bar.hole_spacing_mm / 2):
                s = along + half
                side: Side = "above" if plate == "base" else "below"
                which: Plate = "base" if plate == "base" else "foot"
                yield Hole(which, name, x + s * dx, y + s * dy, wide, "countersunk", head, side)


def _of_stem(m: Mechanics) -> Iterator[Hole]:
    flange = m.parts.flange
    yield Hole("base", "stem", 0.0, 0.0, m.design.stem_diameter_mm, "H8")
    for number in range(FLANGE_SCREWS):
        turn = 2 * pi * number / FLANGE_SCREWS + pi / 2
        x, y = flange.circle_mm / 2 * cos(turn), flange.circle_mm / 2 * sin(turn)
        yield Hole("base", "flange", x, y, flange.hole_mm, "", flange.head_mm, "above")


def _of_stops(m: Mechanics) -> Iterator[Hole]:
    """Under the loaded end of each bar, between its two holes: there it meets the bar."""
    for number, (x, y) in enumerate(m.design.load_cell_positions_mm):
        size = m.parts.screws.stop_core_mm
        name = f"stop {load_cell_name(number)}"
        yield Hole("foot", name, x, y, size, "M4", m.parts.screws.loaded_head_mm, "below")


def _of_feet(m: Mechanics) -> Iterator[Hole]:
    feet = m.parts.feet
    for number, (x, y) in enumerate(feet_mm(m)):
        use = "foot, adjustable" if number == 0 else "foot"
        yield Hole("foot", use, x, y, feet.hole_mm, "", feet.diameter_mm)


def _of_cable(m: Mechanics) -> Iterator[Hole]:
    yield Hole("foot", "cable", 0.0, 0.0, m.parts.cable.plate_hole_mm, "deburred")


def _of_tray(m: Mechanics) -> Iterator[Hole]:
    """At the back edge, where the tray's tongue lies under the plate."""
    tray = m.parts.tray
    y = m.design.base_half_mm - tray.inset_mm
    for x in (-tray.apart_mm / 2, tray.apart_mm / 2):
        yield Hole("foot", "tray", x, y, tray.hole_mm, "", tray.head_mm, "below")


def _of_ground(m: Mechanics) -> Iterator[Hole]:
    """At the back edge of both plates, clear of the tray's tongue; the lead goes to the carrier."""
    tray, screws = m.parts.tray, m.parts.screws
    x = tray.apart_mm / 2 + tray.inset_mm + screws.ground_head_mm
    y = m.design.base_half_mm - tray.inset_mm
    sides: tuple[tuple[Plate, Side], ...] = (("base", "above"), ("foot", "below"))
    for plate, side in sides:
        yield Hole(plate, "ground", x, y, screws.ground_hole_mm, "", screws.ground_head_mm, side)


def feet_mm(m: Mechanics) -> list[tuple[float, float]]:
    """Where the feet stand: one near each corner, the adjustable one at the front left."""
    out_mm = m.design.base_half_mm - m.parts.feet.inset_mm
    return [(x * out_mm, y * out_mm) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def objections(m: Mechanics) -> Iterator[Objection]:
    """Everything about the plates that cannot be."""
    for rule in (_crowded, _screws, _hidden, _stands, _cable_passes):
        yield from rule(m)


def _crowded(m: Mechanics) -> Iterator[Objection]:
    found, half_mm = holes(m), m.design.base_half_mm
    for number, hole in enumerate(found):
        if max(abs(hole.x_mm), abs(hole.y_mm)) + hole.diameter_mm / 2 > half_mm - BETWEEN_HOLES_MM:
            yield Objection(
                f"the hole for {_named(hole)} is too near to the edge of its plate", FURTHER_IN
            )
        for other in found[:number]:
            if other.plate == hole.plate and _gap_mm(hole, other) < BETWEEN_HOLES_MM:
                yield Objection(
                    f"the holes for {_named(other)} and for {_named(hole)} run into each other",
                    APART,
                )


def _gap_mm(one: Hole, other: Hole) -> float:
    apart_mm = hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
    return apart_mm - (one.diameter_mm + other.diameter_mm) / 2


def _named(hole: Hole) -> str:
    return f"{hole.use} at {hole.x_mm:.0f}, {hole.y_mm:.0f} mm in the {hole.plate} plate"


def _screws(m: Mechanics) -> Iterator[Objection]:
    screws, base, bar = m.parts.screws, m.base, m.load_cell
    for end, size_mm, length_mm, plate_mm in (
        ("loaded", screws.loaded_mm, screws.loaded_length_mm, base.plate_mm),
        ("fixed", screws.fixed_mm, screws.fixed_length_mm, base.foot_plate_mm),
    ):
        engaged_mm = length_mm - plate_mm - base.gap_mm
        if engaged_mm < ENGAGED_LEAST * size_mm:
            yield Objection(
                f"the screws of the {end} ends reach {engaged_mm:.1f} mm into the bars, where "
                f"M{size_mm:g} needs {ENGAGED_LEAST * size_mm:.1f}",
                "take longer ones",
            )
        if engaged_mm > bar.height_mm - BOTTOM_MM:
            yield Objection(
                f"the screws of the {end} ends come out at the other side of the bars",
                "take shorter ones",
            )


def _hidden(m: Mechanics) -> Iterator[Objection]:
    """Every screw must be reached by the tool that turns it."""
    covers = [
        ("base", "above", 0.0, 0.0, m.design.stem_diameter_mm / 2, "the stem"),
        *(("foot", "below", x, y, m.parts.feet.diameter_mm / 2, "a foot") for x, y in feet_mm(m)),
    ]
    flange = ("base", "above", 0.0, 0.0, m.parts.flange.diameter_mm / 2, "the flange")
    for hole in holes(m):
        over = [flange, *covers] if hole.use != "flange" else covers
        for plate, side, x, y, radius_mm, what in over:
            if (plate, side) != (hole.plate, hole.turned_from):
                continue
            apart_mm = hypot(hole.x_mm - x, hole.y_mm - y)
            if apart_mm < radius_mm + hole.head_mm / 2 + DRIVER_MM:
                yield Objection(
                    f"{what} covers the screw for {_named(hole)}: no tool reaches it", APART
                )


def _stands(m: Mechanics) -> Iterator[Objection]:
    """A press on the base plate must not tip the whole table over its feet."""
    feet = feet_mm(m)
    weight_kg = table_mass_g(m) / 1000
    half_mm = m.design.base_half_mm
    places = [
        *((load_cell_name(n), at) for n, at in enumerate(m.design.load_cell_positions_mm)),
        *((f"the plate's {side} edge", (x * half_mm, y * half_mm))
          for side, x, y in (("left", -1, 0), ("right", 1, 0), ("front", 0, -1), ("back", 0, 1))),
    ]  # fmt: skip
    for name, at in places:
        for a, b in zip(feet, [*feet[1:], feet[0]], strict=True):
            over_mm = -_inside_mm(at, a, b)
            holds_mm = _inside_mm((0.0, 0.0), a, b)
            if over_mm > 0 and PRESS_KG * over_mm > weight_kg * holds_mm:
                yield Objection(
                    f"a press of {PRESS_KG:g} kg on {name} tips the table over its feet",
                    "set them further out (inset_mm)",
                )


def _inside_mm(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """How far a point lies on the inner side of the line through two feet, anticlockwise."""
    along = (b[0] - a[0], b[1] - a[1])
    crossed = along[0] * (point[1] - a[1]) - along[1] * (point[0] - a[0])
    return crossed / hypot(*along)


def table_mass_g(m: Mechanics) -> float:
    """What stands on the feet, without the board: both plates and the bars."""
    area_mm2 = (2 * m.design.base_half_mm) ** 2
    plates_g = area_mm2 * (m.base.plate_mm + m.base.foot_plate_mm) * PLATE_G_MM3
    return plates_g + 4 * _bar_g(m.load_cell)


def _bar_g(bar: Bar) -> float:
    return bar.length_mm * bar.width_mm * bar.height_mm * PLATE_G_MM3


def _cable_passes(m: Mechanics) -> Iterator[Objection]:
    cable = m.parts.cable
    bundle_mm = BUNDLE_ROOM * cable.diameter_mm * cable.wires**0.5
    for name, wide_mm in (
        ("the hole in the stem", m.pivot.cable_hole_mm),
        ("the bore of the stem", m.stem_bore_mm),
        ("the hole in the foot plate", cable.plate_hole_mm),
    ):
        if bundle_mm > wide_mm:
            yield Objection(
                f"the cable, {bundle_mm:.1f} mm with its sleeve, does not pass {name}",
                "make that hole wider, or take thinner wires",
            )

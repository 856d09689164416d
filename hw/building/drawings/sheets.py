"""The two mechanical drawings, laid out on A3 sheets.

Sheet 1: base plate and foot plate with the load cells. Sheet 2: the board with the sensor's
pocket, the pivot, and the way of the cable through the stem.
"""

from typing import get_args

from hw.building.drawings.drawing import Line, Point, Sheet, View, measure
from hw.building.measures import half_board_mm
from hw.building.mechanics import Bar, Mechanics, bar_direction
from hw.building.placing import POCKET_WALL_MM
from hw.building.plates import Hole, Plate, feet_mm, holes
from hw.building.reach import sweep_mm
from hw.building.shell import as_drawn, hanging

HOLE_TABLE_MM, HOLE_ROW_MM = 66.0, 3.8
"""Width of one plate's table of holes, and height of its rows."""
CUP_MM = 6.0
"""A set screw M6."""

COMMON = [
    ("units", "millimetres; angles in degrees"),
    ("tolerances", "ISO 2768-m; holes for load cells ±0.2; tip on the axis ±0.3"),
    ("views", "as named, not in the order of a projection"),
    ("licence", "CERN-OHL-W-2.0; nobody has built this yet"),
]


def base_sheet(m: Mechanics) -> str:
    """Base plate, foot plate, and how they stand on each other."""
    sheet = Sheet(
        "Topple Table: base plate on four load cells",
        "1 of 2 (base-plate.svg), scale 1 : 2 on A3",
        [("material", "plates: aluminium EN AW-5754 or birch plywood"), *COMMON],
    )
    _base_plan(View(sheet, (86, 96), 0.5), m)
    _foot_plan(View(sheet, (202, 96), 0.5), m)
    _elevation(View(sheet, (332, 92), 0.5), m)
    _hole_table(sheet, (20, 200), m)
    _base_notes(sheet, (162, 206), m)
    return sheet.svg()


def _plate(view: View, m: Mechanics) -> None:
    half = m.design.base_half_mm
    view.rectangle((-half, -half), (half, half), radius=m.base.corner_radius_mm)
    view.cross((0, 0), half + 6)


def _base_plan(view: View, m: Mechanics) -> None:
    half, bar = m.design.base_half_mm, m.load_cell
    view.name((0, half + 46), "Base plate, from above")
    _plate(view, m)
    for number, position in enumerate(m.design.load_cell_positions_mm):
        _bar_outline(view, bar, position, "hidden")
        dx, dy = bar_direction(position)
        middle = (position[0] + bar.arm_mm / 2 * dx, position[1] + bar.arm_mm / 2 * dy)
        x, y = view.at(middle)
        view.sheet.text((x, y + 1), f"C{number}", 2.8, "middle")
    _drilled(view, m, "base")
    (x0, y0), _, (x2, y2), _ = m.design.load_cell_positions_mm
    view.dimension((-half, half), (half, half), 8)
    view.dimension((x0, y2), (x2, y2), 17 + (half - y2) * view.scale)
    view.dimension((-half, -half), (-half, half), -8)
    view.dimension((x0, y0), (x0, y2), -17 - (half + x0) * view.scale)
    view.leader((0, 0), (-10, -14), f"Ø{measure(m.design.stem_diameter_mm)} H8, stem")
    bars, flange = holes(m)[0], next(hole for hole in holes(m) if hole.use == "flange")
    loaded = f"8 x Ø{measure(bars.diameter_mm)}, countersunk from above"
    view.leader((bars.x_mm, bars.y_mm), (10, -26), loaded)
    view.leader((flange.x_mm, flange.y_mm), (14, 12), f"3 x Ø{measure(flange.diameter_mm)}, flange")
    view.leader((half - 3, -half + 3), (4, -16), f"R{measure(m.base.corner_radius_mm)}")


def _foot_plan(view: View, m: Mechanics) -> None:
    half, bar = m.design.base_half_mm, m.load_cell
    view.name((0, half + 46), "Foot plate, from above")
    _plate(view, m)
    for position in m.design.load_cell_positions_mm:
        _bar_outline(view, bar, position, "thin")
    _drilled(view, m, "foot")
    feet = m.parts.feet
    for place in feet_mm(m):
        view.circle(place, feet.diameter_mm, "hidden")
    position = m.design.load_cell_positions_mm[0]
    near, far = holes(m)[2:4]
    x0, y0, x1 = near.x_mm, near.y_mm, far.x_mm
    view.dimension((x0, y0), (x1, y0), -20 - (half + y0) * view.scale)
    view.dimension((x1, y0), (0, y0), -12 - (half + y0) * view.scale)
    start = position[0] - bar.end_mm
    view.dimension((start, y0), (start + bar.length_mm, y0), -28 - (half + y0) * view.scale)
    view.leader((x0, y0), (-6, 12), f"8 x Ø{measure(bar.fixed_hole_mm)}")
    cable_mm = m.parts.cable.plate_hole_mm
    view.leader((0.35 * cable_mm,) * 2, (16, 14), f"Ø{measure(cable_mm)}, cable")
    tray = m.parts.tray
    at = (-tray.apart_mm / 2, m.design.base_half_mm - tray.inset_mm)
    view.leader(at, (8, 10), f"2 x Ø{measure(tray.hole_mm)}, tray")
    _ground_hole(view, m, "foot")
    x, y = m.design.load_cell_positions_mm[3]
    high, half_wide = y + bar.end_mm, bar.width_mm / 2
    view.dimension((x - half_wide, high), (x + half_wide, high), 8 + (half - high) * view.scale)
    view.leader((x, y), (14, -10), "4 x M4, stop screws")
    right, back = feet_mm(m)[2]
    view.leader(
        (right, back + feet.diameter_mm / 2), (12, 12), f"4 feet Ø{measure(feet.diameter_mm)}"
    )


def _drilled(view: View, m: Mechanics, plate: Plate) -> None:
    for hole in holes(m):
        if hole.plate == plate:
            view.circle((hole.x_mm, hole.y_mm), hole.diameter_mm)
            view.cross((hole.x_mm, hole.y_mm), hole.diameter_mm)


def _bar_outline(view: View, bar: Bar, position: Point, kind: Line) -> None:
    dx, dy = bar_direction(position)
    x, y = position
    along = (-bar.end_mm, bar.length_mm - bar.end_mm)
    across = (-bar.width_mm / 2, bar.width_mm / 2)
    corners = [(along[0], across[0]), (along[1], across[0]), (along[1], across[1]),
               (along[0], across[1])]  # fmt: skip
    view.path([(x + s * dx - t * dy, y + s * dy + t * dx) for s, t in corners], kind, closed=True)


def _elevation(view: View, m: Mechanics) -> None:
    """From the front: foot plate, cells, base plate, stem and board; heights over the foot."""
    half, base, bar = m.design.base_half_mm, m.base, m.load_cell
    tip = 0.0
    top = m.base_top_mm
    under = top - base.plate_mm
    bar_top = under - base.gap_mm
    bar_low = bar_top - bar.height_mm
    foot_top = bar_low - base.gap_mm
    foot_low = foot_top - base.foot_plate_mm
    view.name((-10, 72), "Elevation from the front")
    view.rectangle((-half, under), (half, top))
    view.rectangle((-half, foot_low), (half, foot_top))
    x0 = m.design.load_cell_positions_mm[0][0]
    view.rectangle((x0 - bar.end_mm, bar_low), (x0 - bar.end_mm + bar.length_mm, bar_top))
    for x, low, high in ((x0, bar_top, under), (x0 + bar.arm_mm, foot_top, bar_low)):
        view.rectangle((x - bar.end_mm, low), (x + bar.end_mm, high), "thin")
    x1 = m.design.load_cell_positions_mm[1][0]
    view.rectangle((x1 - bar.width_mm / 2, bar_low), (x1 + bar.width_mm / 2, bar_top))
    feet = m.parts.feet
    for x, _y in feet_mm(m)[:2]:
        wide = feet.diameter_mm / 2
        view.rectangle((x - wide, foot_low - feet.height_mm), (x + wide, foot_low), "thin")
    radius = m.design.stem_diameter_mm / 2
    needle = -m.pivot.needle_length_mm
    for x in (-radius, radius):
        view.path([(x, top), (x, m.under_mm("a1"))])
        view.path([(x, m.under_mm("a1")), (x, needle), (0, needle)], "hidden")
    view.path([(-1, needle), (0, tip), (1, needle)], "hidden")
    _board_outline(view, m)
    view.path([(0, 20), (0, foot_low - 14)], "centre")
    view.dimension((0, tip), (half, bar_top), 8, measure(m.design.tip_height_mm))
    view.dimension((half, foot_low), (half, foot_top), 8)
    view.dimension((half, under), (half, top), 17)
    view.dimension((-half, foot_low), (-half, bar_top), -8)
    view.dimension(
        (-half, foot_low), (0, m.measures.centre_height_mm), -17, measure(m.total_height_mm)
    )
    tube = f"tube Ø{measure(2 * radius)} x {measure(radius - m.stem_bore_mm / 2)}"
    length = measure(m.stem_length_mm + base.plate_mm)
    view.leader((radius, -60), (8, -2), f"{tube}, {length} long")


def _board_outline(view: View, m: Mechanics) -> None:
    """The board from the front: each rank shows what it stands over the one before it."""
    pitch = m.measures.cell_pitch_mm
    for rank, low in (("3", m.top_mm("a2")), ("2", m.top_mm("a1")), ("1", m.under_mm("a1"))):
        points: list[Point] = []
        for index, file in enumerate("abcde"):
            left = (index - 2.5) * pitch
            top = m.top_mm(file + rank)
            points += [(left, top), (left + pitch, top)]
        view.path([(points[0][0], low), *points, (points[-1][0], low)])
    edge = m.under_mm("a1")
    view.path([(-half_board_mm(m.measures), edge), (half_board_mm(m.measures), edge)])


def _ground_hole(view: View, m: Mechanics, plate: Plate) -> None:
    (hole,) = (each for each in holes(m) if (each.plate, each.use) == (plate, "ground"))
    view.leader((hole.x_mm, hole.y_mm), (-6, -12), f"Ø{measure(hole.diameter_mm)}, ground")


def _hole_table(sheet: Sheet, at: Point, m: Mechanics) -> None:
    x, y = at
    sheet.text(at, "Holes (origin on the axis)", 3.2, bold=True)
    for number, plate in enumerate(get_args(Plate)):
        place = (x + HOLE_TABLE_MM * number, y + 6)
        _holes_of(sheet, place, [hole for hole in holes(m) if hole.plate == plate])


def _holes_of(sheet: Sheet, at: Point, found: list[Hole]) -> None:
    x, y = at
    columns = (0, 10, 31, 43, 55)
    heads = ("plate", "for", "x", "y", "Ø")
    for column, head in zip(columns, heads, strict=True):
        sheet.text((x + column, y), head, 2.3, bold=True)
    for index, hole in enumerate(found):
        wide = f"{measure(hole.diameter_mm)} {hole.note if hole.note.startswith('M') else ''}"
        row = (hole.plate, hole.use, f"{hole.x_mm:+.1f}", f"{hole.y_mm:+.1f}", wide.strip())
        for column, text in zip(columns, row, strict=True):
            sheet.text((x + column, y + 4.2 + HOLE_ROW_MM * index), text, 2.3)


def _base_notes(sheet: Sheet, at: Point, m: Mechanics) -> None:
    bar, base = m.load_cell, m.base
    side = measure(2 * m.design.base_half_mm)
    sheet.notes(at, [
        "1  x towards file e, y towards rank 5. C0 front left (a1), then anticlockwise.",
        (f"2  Bars {measure(bar.length_mm)} x {measure(bar.width_mm)} x {measure(bar.height_mm)},"
        " 1 kg. Measure yours before drilling."),
        "3  The base plate touches the bars at their loaded ends only; the foot plate at",
        f"    their fixed ends only: a spacer of {measure(base.gap_mm)} in both places.",
        "4  Arrow on each bar: down, at the loaded end.",
        "5  Stop screws M4 in the foot plate under the loaded ends, set to 0.3 under the bar:",
        "    they catch an elbow before the cell does.",
        "6  Four feet; turn the adjustable one, at the front left, until nothing rocks.",
        f"7  Within {side} x {side} a fallen piece stays weighed; no rim, no cloth to the table.",
    ])  # fmt: skip


def board_sheet(m: Mechanics) -> str:
    """The board with pocket, pivot and cable."""
    sheet = Sheet(
        "Topple Table: sensor pocket, pivot and cable",
        "2 of 2 (sensor-pocket.svg), scales as written, on A3",
        [("material", "board: PLA, printed; stem: brass; needle, cup: hardened"), *COMMON],
    )
    _section(View(sheet, (112, 74), 1.0), m)
    _underside(View(sheet, (300, 86), 0.5), m)
    _pivot_detail(View(sheet, (80, 208), 3.0), m)
    _board_notes(sheet, (206, 172), m)
    return sheet.svg()


def _section(view: View, m: Mechanics) -> None:
    """Cut along rank 3, seen from the front."""
    view.name((0, 36), "Section along rank 3")
    _shell(view, m)
    _sensor_box(view, m)
    _stem(view, m, bottom=-70)
    top = m.measures.centre_height_mm
    pitch, half = m.measures.cell_pitch_mm, half_board_mm(m.measures)
    x, _, z = m.design.imu_position_mm
    view.dimension((-half, m.top_mm("a3")), (half, m.top_mm("a3")), 14 + (top - m.top_mm("a3")))
    view.dimension((-pitch / 2, top), (pitch / 2, top), 6)
    view.dimension((-half, m.top_mm("a3")), (-half, m.top_mm("b3")), -8)
    view.dimension(
        (half, m.top_mm("e3")), (half, m.under_mm("e3")), 8, measure(m.measures.board.wall_mm)
    )
    view.dimension((half, top), (half, 0), 18, measure(top))
    view.path([(4, 0), (half + 19, 0)], "centre")
    view.path([(pitch / 2 + 1, top), (half + 19, top)], "thin")
    view.dimension((0, -48), (x, -48), 0, f"{measure(x)} to the chip")
    view.path([(x, z), (x, -50)], "centre")
    view.dimension((x + 24, 0), (x + 24, z), 0, measure(-z))
    view.path([(x, z), (x + 26, z)], "thin")
    depth = m.pivot.cable_hole_depth_mm
    view.dimension((-4, -m.pivot.needle_length_mm), (-4, -depth), -10)
    view.leader((-x, z), (-6, -34), "counterweight, note 3")
    view.leader((13, -33), (30, -22), "cable: 6 enamelled wires Ø0.1, one loose loop")
    view.leader((4, -62), (24, 0), "tube; the cable leaves under the foot plate")


def _shell(view: View, m: Mechanics) -> None:
    """The cut through the stepped shell."""
    pitch, wall = m.measures.cell_pitch_mm, m.measures.board.wall_mm
    upper: list[Point] = []
    for index, file in enumerate("abcde"):
        left, top = (index - 2.5) * pitch, m.top_mm(file + "3")
        upper += [(left, top), (left + pitch, top)]
    lower: list[Point] = []
    for index, file in enumerate("abcde"):
        left, right = (index - 2.5) * pitch, (index - 1.5) * pitch
        under = m.under_mm(file + "3")
        inset_left = wall if 0 < index <= 2 else 0.0
        inset_right = wall if 2 <= index < 4 else 0.0
        lower += [(left + inset_left, under), (right - inset_right, under)]
        if index > 2:
            lower[-2] = (left - wall, under)
        if index < 2:
            lower[-1] = (right + wall, under)
    view.path([*upper, *reversed(lower)], "cut", closed=True)


def _sensor_box(view: View, m: Mechanics) -> None:
    x, _, z = m.design.imu_position_mm
    sensor, pocket = m.parts.sensor, m.design.sensor.pocket()
    half, high = m.design.sensor.sides_mm[0] / 2, sensor.height_mm / 2
    for sign in (1, -1):
        for edge in (pocket.x_low, pocket.x_high - POCKET_WALL_MM):
            low, high_x = sorted((sign * edge, sign * (edge + POCKET_WALL_MM)))
            view.rectangle((low, pocket.z_low), (high_x, pocket.z_high), "cut")
    view.rectangle((x - half, z - high), (x + half, z + high))
    view.rectangle((x - 2, z - 0.5), (x + 2, z + 0.5), "thin")
    view.rectangle((-x - 5, z - high), (-x + 5, z + high), "thin")
    start = (x - half, z)
    depth = m.pivot.cable_hole_depth_mm
    end = (m.stem_bore_mm / 2, -depth)
    out = 13.0  # how far the loop swings out
    first = [start, (out - 3, z - 4), (out, -depth + 14), (out, -depth + 6)]
    view.curve([*first, (out, -depth - 6), (8, -depth - 2), end], "cable")


def _stem(view: View, m: Mechanics, bottom: float) -> None:
    outer, inner = m.design.stem_diameter_mm / 2, m.stem_bore_mm / 2
    needle, top = m.pivot.needle_diameter_mm / 2, -m.pivot.needle_length_mm
    hole = -m.pivot.cable_hole_depth_mm
    view.rectangle((-outer, bottom), (-inner, top), "cut")
    view.rectangle((inner, bottom), (outer, hole - m.pivot.cable_hole_mm / 2), "cut")
    view.rectangle((inner, hole + m.pivot.cable_hole_mm / 2), (outer, top), "cut")
    _cup(view, m)
    cone = -m.pivot.needle_cone_mm
    view.path([(-needle, top - 6), (-needle, cone), (0, 0), (needle, cone), (needle, top - 6)])
    view.path([(-inner, top - 6), (inner, top - 6)], "thin")
    view.path([(0, m.measures.centre_height_mm + 4), (0, bottom - 4)], "centre")


def _underside(view: View, m: Mechanics) -> None:
    """The board from below; file a is on the right there, so it is drawn as seen from above."""
    half, pitch = half_board_mm(m.measures), m.measures.cell_pitch_mm
    x, y, _ = m.design.imu_position_mm
    view.name((0, half + 46), "Plan with pocket and heights, from above")
    view.rectangle((-half, -half), (half, half))
    for line in range(1, 5):
        at = (line - 2.5) * pitch
        view.path([(at, -half), (at, half)], "thin")
        view.path([(-half, at), (half, at)], "thin")
    for index, file in enumerate("abcde"):
        for row in range(5):
            px, py = view.at(
                ((index - 2) * pitch - pitch / 2 + 2, (row - 2) * pitch + pitch / 2 - 6)
            )
            cell = f"{file}{row + 1}"
            view.sheet.text((px, py), f"{cell}  {measure(m.top_mm(cell))}", 2.0)
    long, wide = (side + 2 * m.parts.sensor.room_mm for side in m.design.sensor.sides_mm)
    for sign in (1, -1):
        at = sign * x
        view.rectangle((at - long / 2, y - wide / 2), (at + long / 2, y + wide / 2), "hidden")
    view.circle(
        (0, 0),
        2 * sweep_mm(-m.under_mm("d3"), m.design.stem_diameter_mm, m.stop_towards_deg(0)),
        "hidden",
    )
    view.cross((0, 0), 14)
    view.dimension((-half, half), (half, half), 16)
    view.dimension((half - pitch, half), (half, half), 8)
    view.dimension((-half, -half), (-half, half), -8)
    view.dimension((0, -half), (x, -half), -8)
    view.leader((x + long / 2, y + wide / 2), (30, 12), f"pocket {measure(long)} x {measure(wide)}")
    view.leader((8.9, -8.9), (38, -24), "room of the stem at the stop")


def _pivot_detail(view: View, m: Mechanics) -> None:
    """Needle and cup, and the tilted stem at the stop."""
    wall, pitch = m.measures.board.wall_mm, m.measures.cell_pitch_mm
    top, under = m.measures.centre_height_mm, m.under_mm("c3")
    edge = pitch / 2 - wall
    low = m.under_mm("d3")
    view.name((0, 13), "Pivot")
    for sign in (-1, 1):
        view.path(
            [(sign * 3, top), (sign * pitch / 2, top), (sign * pitch / 2, m.top_mm("d3")),
             (sign * 18, m.top_mm("d3")), (sign * 18, low), (sign * edge, low),
             (sign * edge, under), (sign * 3, under)], "cut", closed=True,
        )  # fmt: skip
    _cup(view, m)
    _stem_here(view, m)
    view.path([(0, top + 2), (0, -16)], "centre")
    view.dimension((-edge, low), (edge, low), -30)
    view.leader((3, top - 2), (46, 12), "cup: set screw M6, hardened, a cone in its")
    x, y = view.at((3, top - 2))
    view.sheet.text((x + 50, y - 7.0), f"end of {m.pivot.cup_cone_deg:g}°; sets the tip's height")
    view.leader((0.2, -2), (54, 2), f"needle Ø{measure(m.pivot.needle_diameter_mm)}, point radius")
    x, y = view.at((0.2, -2))
    view.sheet.text(
        (x + 58, y + 2.4), f"0.05 or less, tapered over {measure(m.pivot.needle_cone_mm)} or more"
    )
    view.leader(
        (edge, low),
        (16, -8),
        f"stop at {m.design.stop_deg:.0f} to {m.design.stop_most_deg:.0f}°, by direction",
    )


def _cup(view: View, m: Mechanics) -> None:
    """The set screw with a cone in its end; the point of the needle stands at its bottom."""
    top, out = m.measures.centre_height_mm, CUP_MM / 2
    rim, low = m.pivot.cup_wide_mm / 2, -m.pivot.cup_deep_mm
    view.path([(-out, top), (-out, low), (-rim, low), (0, 0), (rim, low), (out, low),
               (out, top)], closed=True)  # fmt: skip
    view.path([(-out, top - 0.8), (out, top - 0.8)], "thin")


def _stem_here(view: View, m: Mechanics) -> None:
    outer, needle = m.design.stem_diameter_mm / 2, m.pivot.needle_diameter_mm / 2
    top, cone = -m.pivot.needle_length_mm, -m.pivot.needle_cone_mm
    view.path([(-outer, -17), (-outer, top), (outer, top), (outer, -17)])
    view.path([(-needle, top), (-needle, cone), (0, 0), (needle, cone), (needle, top)])
    view.dimension((-needle, top), (0, 0), -62, measure(m.pivot.needle_length_mm))


def _switch_note(m: Mechanics) -> str:
    switch = m.switch
    if switch is None:
        return "no tilt switch"
    return f"or S1 {measure(-switch.middle_x_mm)} off the axis and {m.trim}"


def _board_notes(sheet: Sheet, at: Point, m: Mechanics) -> None:
    drawn, known, cable = as_drawn(m.measures), hanging(m.measures), m.parts.cable
    sheet.notes(at, [
        ("1  Shell with sensor and counterweight as drawn: "
        f"{drawn.mass_g:.0f} g, centre of gravity {-drawn.centre_of_gravity_mm:.1f} "
        "under the tip (computed);"),
        (f"    the table this was drawn for: {known.mass_g:.0f} g, "
        f"{-known.centre_of_gravity_mm:.1f}. Calibration measures yours."),
        "2  Sensor flat in its pocket, letters up, x arrow towards file e; glue at two corners.",
        f"3  Counterweight: a plate as heavy as sensor and glue, {_switch_note(m)};",
        "    then trim until the empty board hangs level within 0.5 degrees.",
        (f"4  Cable: {cable.wires} wires Ø{cable.diameter_mm:g}, free length "
        f"{measure(cable.free_length_mm)} between pocket and stem, not twisted, not taut at the"),
        f"    stop. Computed stiffness {100 * m.cable_share():.2f} % of gravity's; 1 % is allowed.",
        f"5  Hole Ø{measure(m.pivot.cable_hole_mm)} in the tube, deburred, with a sleeve of PTFE.",
        "6  The tip on the axis of the four load cells; the cup in the middle of c3.",
        '7  Pivot friction 0.25 degrees or less: docs/assembly.md, "Tune the pivot".',
    ])  # fmt: skip

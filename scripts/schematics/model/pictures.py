"""Line drawings of the table from a corner: exploded, and as it stands after each step.

Hidden lines are removed by OpenCascade. New parts of a step are drawn once more in colour, so that
they are seen through what is in front of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import cos, radians, sin

from build123d import Compound, Edge, Pos, Vector
from shapely import MultiLineString

from hw.building.assembly import STEPS
from hw.building.mechanics import Mechanics
from scripts.schematics.model.benchtop import benchtop
from scripts.schematics.model.solids import Solid

AZIMUTH_DEG, ELEVATION_DEG = -62.0, 24.0
"""From the front, a little from the right and from above: all four levels of the board are seen."""
FAR_MM = 2000.0
CURVE_POINTS = 10
MARGIN_MM = 14.0
ALIKE, OFF_MM = 0.002, 0.5
"""A plug set elsewhere moves 0.4 % of the lines of the picture that shows the most."""
LABEL_WIDE_MM = 96.0
ROW_MM = 10.0
STYLE = (
    "path{fill:none;stroke-linecap:round;stroke-linejoin:round}.line{stroke:#333;stroke-width:.7}"
    ".new{stroke:#c2410c;stroke-width:1.1}.lead{stroke:#777;stroke-width:.4}"
    "text{font:7px DejaVu Sans,Verdana,sans-serif;fill:#111}"
)
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Step:
    """What a step of the guide adds.

    Attributes:
        parts: names of the new parts, in colour; the first of each name is labelled.
        stands: names of what is there already.
        apart: whether the new parts are shown apart, above each other.
    """

    parts: tuple[str, ...]
    stands: tuple[str, ...] = ()
    apart: bool = False


BASE = ("foot plate", "base plate", "load cell C0", "load cell C1", "load cell C2", "load cell C3",
        "spacer", "screw", "stop screw", "foot", "foot, adjustable", "ground screw, base plate",
        "ground screw, foot plate", "electronics tray", "electronics")  # fmt: skip
PIVOT = ("stem", "flange", "needle")
BOARD = ("board", "cup")
IMU = ("sensor", "sensor tray", "cable")
PICTURED: dict[int, Step] = {
    1: Step(("Raspberry Pi", "card", "power supply")),
    2: Step(("carrier", "level shifter", "HX711 board", "sockets", "plugs"), ("Raspberry Pi",)),
    3: Step(("Nano", "USB cable"),
            ("carrier", "level shifter", "HX711 board", "sockets", "plugs", "Raspberry Pi")),
    4: Step(BASE, apart=True),
    5: Step(("load cell C0", "load cell C1", "load cell C2", "load cell C3"),
            ("foot plate", "base plate", "foot", "foot, adjustable", "electronics tray",
             "electronics")),
    6: Step((*PIVOT, *BOARD), BASE),
    7: Step(IMU, (*BASE, *PIVOT, *BOARD)),
    8: Step(("counterweight",), (*BASE, *PIVOT, *BOARD, *IMU)),
    9: Step(IMU, (*BOARD, *PIVOT, "base plate")),
    10: Step(("needle", "cup"), ("board", "stem", "flange", "base plate")),
    11: Step(("coins", "piece"), (*BASE, *PIVOT, *BOARD)),
    12: Step(("piece", "panel"), (*BASE, *PIVOT, *BOARD)),
}  # fmt: skip


def exploded(parts: Sequence[Solid]) -> str:
    """All parts above each other in the order in which they are put together."""
    moved = _apart(parts)
    return _drawing("The table, exploded", moved, labelled=moved)


def _apart(parts: Sequence[Solid]) -> list[Solid]:
    return [Solid(each.name, Pos(0, 0, each.lifted_mm) * each.part) for each in parts]


def step_pictures(m: Mechanics, parts: Sequence[Solid]) -> dict[int, str]:
    """A picture for each step of the guide, by its number."""
    around = [*parts, *benchtop(m)]
    return {step.number: _step(step.number, step.title, around) for step in STEPS}


def _step(number: int, title: str, around: Sequence[Solid]) -> str:
    step = PICTURED[number]
    new = [each for each in around if each.name in step.parts]
    stands = [each for each in around if each.name in step.stands]
    words = f"{number}. {title}"
    if step.apart:
        moved = _apart(new)
        return _drawing(words, moved, labelled=moved)
    return _drawing(words, [*stands, *new], labelled=new, coloured=new)


def alike(one: str, other: str) -> bool:
    """Whether two pictures show the same: versions of the library cut lines differently.

    The words must be equal, and of the lines of either no more than `ALIKE` lies off the other's.
    """
    words = [re.findall(r"<text[^>]*>([^<]*)", picture) for picture in (one, other)]
    lines, others = _lines(one), _lines(other)
    off_mm = max(_off_mm(lines, others), _off_mm(others, lines))
    return words[0] == words[1] and off_mm <= ALIKE * max(lines.length, others.length)


def _lines(picture: str) -> MultiLineString:
    found = re.findall(r'd="M([^"]*)"', picture)
    return MultiLineString([
        [tuple(map(float, place.split())) for place in drawn.split("L")] for drawn in found
    ])  # fmt: skip


def _off_mm(lines: MultiLineString, others: MultiLineString) -> float:
    return float(lines.difference(others.buffer(OFF_MM)).length)


def _drawing(
    title: str,
    shown: Sequence[Solid],
    *,
    labelled: Sequence[Solid],
    coloured: Sequence[Solid] = (),
) -> str:
    lines = _visible(shown)
    marked = [line for each in coloured for line in _visible([each])]
    points = [point for line in lines for point in line]
    low = (min(x for x, _ in points), min(y for _, y in points))
    high = (max(x for x, _ in points), max(y for _, y in points))
    first = {each.name: each for each in reversed(labelled)}
    anchors = sorted(
        ((_flat(each.part.center()), name) for name, each in first.items()),
        key=lambda item: -item[0][1],
    )
    tall = max(high[1] - low[1], ROW_MM * (len(anchors) + 1))
    wide = high[0] - low[0] + 2 * MARGIN_MM + LABEL_WIDE_MM

    def at(point: Point) -> Point:
        return point[0] - low[0] + MARGIN_MM, high[1] - point[1] + MARGIN_MM + ROW_MM

    drawn = [_path([at(point) for point in line], "line") for line in lines]
    drawn += [_path([at(point) for point in line], "new") for line in marked]
    column_mm = high[0] - low[0] + 1.6 * MARGIN_MM
    spread_mm = (high[1] - low[1]) / max(len(anchors), 1)
    for row, (anchor, name) in enumerate(anchors):
        level_mm = MARGIN_MM + ROW_MM + (row + 0.5) * max(spread_mm, ROW_MM)
        drawn.append(_path([at(anchor), (column_mm - 2, level_mm - 2)], "lead"))
        drawn.append(_text((column_mm, level_mm), name))
    drawn.append(_text((MARGIN_MM, MARGIN_MM), title))
    high_mm = tall + 2 * MARGIN_MM + 2 * ROW_MM
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high_mm:.0f}" '
        f'width="{2 * wide:.0f}" role="img"><title>{escape(title)}</title><style>{STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(drawn)}</svg>\n'
    )


def _camera() -> tuple[Vector, Vector, Vector]:
    """Where the eye is, and which ways are right and up in the picture."""
    turn, rise = radians(AZIMUTH_DEG), radians(ELEVATION_DEG)
    eye = Vector(cos(turn) * cos(rise), sin(turn) * cos(rise), sin(rise))
    right = Vector(0, 0, 1).cross(eye).normalized()
    return eye, right, eye.cross(right)


def _flat(place: Vector) -> Point:
    """A place as it is seen."""
    _eye, right, up = _camera()
    return place.dot(right), place.dot(up)


def _visible(shown: Sequence[Solid]) -> list[list[Point]]:
    """The visible edges, as lines in the plane of the picture."""
    eye, _right, _up = _camera()
    whole = Compound(children=[each.part for each in shown])
    seen, _hidden = whole.project_to_viewport(
        tuple(eye * FAR_MM), viewport_up=(0, 0, 1), look_at=(0, 0, 0)
    )
    return [_line(edge) for edge in seen]


def _line(edge: Edge) -> list[Point]:
    count = 1 if edge.geom_type.name == "LINE" else CURVE_POINTS
    places = [edge @ (step / count) for step in range(count + 1)]
    return [(place.X, place.Y) for place in places]


def _path(line: Sequence[Point], css: str) -> str:
    at = "L".join(f"{x:.1f} {y:.1f}" for x, y in line)
    return f'<path class="{css}" d="M{at}"/>'


def _text(at: Point, words: str) -> str:
    return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(words)}</text>'

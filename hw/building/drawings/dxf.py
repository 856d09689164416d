"""Both plates at 1 : 1 for a laser cutter or a water jet, and every hole as a table of numbers.

DXF R12 has no unit: one drawing unit is a millimetre. What must be tapped or countersunk
afterwards lies on a layer of its own. A file is a section of lines, arcs and circles, each a list
of pairs of group code and value (AutoCAD R12 DXF reference), so that no library writes it; one
reads it in the tests.
"""

import csv
import io
from collections.abc import Iterator

from hw.building.mechanics import Mechanics
from hw.building.plates import Plate, holes

OUTLINE, THROUGH, TAPPED = "OUTLINE", "DRILLED", "TAPPED"
QUARTER_DEG = 90.0
COLUMNS = ("plate", "for", "x_mm", "y_mm", "diameter_mm", "note", "head_mm", "turned_from")


def drawing(m: Mechanics, plate: Plate) -> str:
    """One plate from above, origin on the axis, as the text of a DXF file."""
    pairs = [(0, "SECTION"), (2, "ENTITIES"), *_outline(m)]
    for hole in holes(m):
        if hole.plate == plate:
            layer = TAPPED if hole.note.startswith("M") else THROUGH
            pairs += [(0, "CIRCLE"), (8, layer), *_point((hole.x_mm, hole.y_mm))]
            pairs += [(40, _length(hole.diameter_mm / 2))]
    pairs += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code}\n{value}\n" for code, value in pairs)


def _outline(m: Mechanics) -> Iterator[tuple[int, str]]:
    half, radius = m.design.base_half_mm, m.base.corner_radius_mm
    inner = half - radius
    for a, b in (
        ((-inner, -half), (inner, -half)), ((half, -inner), (half, inner)),
        ((inner, half), (-inner, half)), ((-half, inner), (-half, -inner)),
    ):  # fmt: skip
        yield from ((0, "LINE"), (8, OUTLINE), *_point(a), *_point(b, end=True))
    for number, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        start = QUARTER_DEG * number
        yield from ((0, "ARC"), (8, OUTLINE), *_point((x * inner, y * inner)))
        yield from ((40, _length(radius)), (50, str(start)), (51, str(start + QUARTER_DEG)))


def _point(at: tuple[float, float], *, end: bool = False) -> tuple[tuple[int, str], ...]:
    x, y = at
    return (10 + end, _length(x)), (20 + end, _length(y))


def _length(mm: float) -> str:
    """With all digits that a water jet could want, and no minus before nothing."""
    return str(round(mm, 6) + 0.0)


def hole_table(m: Mechanics) -> str:
    """All holes of both plates as CSV."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for hole in holes(m):
        table.writerow((
            hole.plate, hole.use, f"{hole.x_mm:.2f}", f"{hole.y_mm:.2f}",
            f"{hole.diameter_mm:g}", hole.note, f"{hole.head_mm:g}", hole.turned_from,
        ))  # fmt: skip
    return out.getvalue()

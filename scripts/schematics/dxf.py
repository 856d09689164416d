"""Both plates at 1 : 1 for a laser cutter or a water jet, and every hole as a table of numbers.

DXF R12 has no unit: one drawing unit is a millimetre. What must be tapped or countersunk
afterwards lies on a layer of its own.
"""

import csv
import io

from ezdxf.addons.r12writer import R12FastStreamWriter

from hw.building.mechanics import Mechanics
from hw.building.plates import Plate, holes

OUTLINE, THROUGH, TAPPED = "OUTLINE", "DRILLED", "TAPPED"
QUARTER_DEG = 90.0
COLUMNS = ("plate", "for", "x_mm", "y_mm", "diameter_mm", "note", "head_mm", "turned_from")


def drawing(m: Mechanics, plate: Plate) -> str:
    """One plate from above, origin on the axis, as the text of a DXF file."""
    out = io.StringIO()
    writer = R12FastStreamWriter(out)
    _outline(writer, m)
    for hole in holes(m):
        if hole.plate == plate:
            layer = TAPPED if hole.note.startswith("M") else THROUGH
            writer.add_circle((hole.x_mm, hole.y_mm), hole.diameter_mm / 2, layer=layer)
    writer.close()
    return out.getvalue()


def _outline(writer: R12FastStreamWriter, m: Mechanics) -> None:
    half, radius = m.design.base_half_mm, m.base.corner_radius_mm
    inner = half - radius
    for a, b in (
        ((-inner, -half), (inner, -half)), ((half, -inner), (half, inner)),
        ((inner, half), (-inner, half)), ((-half, inner), (-half, -inner)),
    ):  # fmt: skip
        writer.add_line(a, b, layer=OUTLINE)
    for number, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        start = QUARTER_DEG * number
        writer.add_arc(
            (x * inner, y * inner), radius, start=start, end=start + QUARTER_DEG, layer=OUTLINE
        )


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

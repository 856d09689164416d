"""The board on its tip as a picture: how it hangs, how a piece tilts it, where it stops.

A cut through two opposite corners, as an SVG in millimetres; what speaks against building is
written below it.
"""

import textwrap
from collections.abc import Iterator
from html import escape
from math import radians, sin, sqrt

from engine.tabletop import surface_mm
from hw.building.balance import balance
from hw.building.design import designed
from hw.building.measures import Measures, half_board_mm
from hw.building.objection import Objection
from hw.building.shell import hanging
from hw.building.verdict import objections

MARGIN_MM, LINE_MM = 12.0, 6.0
DIAGONAL = ("a1", "b2", "c3", "d4", "e5")
WIDE_LETTER = 0.52
"""Mean width of a letter as a share of its size, for lines that must not leave the picture."""
LETTER_MM = 4.2
WIDE_PX = 1100
CUP_MM = 3.0
"""Half of an M6 set screw."""
STYLE = (
    "text{font:4.2px sans-serif;fill:#222}.board{fill:#c9a36a;stroke:#5b4320;stroke-width:.5}"
    ".piece{fill:#c0392b;stroke:#222;stroke-width:.4}.metal{fill:#b8bcc2;stroke:#444;"
    "stroke-width:.4}.at-stop{fill:none;stroke:#888;stroke-width:.5;stroke-dasharray:3 2}"
    ".centre{fill:#1565c0}.wrong{fill:#b00020;font-weight:bold}"
)


def picture(measures: Measures) -> str:
    """The picture of these measures, a whole SVG document."""
    design, found = designed(measures), balance(measures)
    reach_mm = sqrt(2) * half_board_mm(measures)
    wide_mm = 4 * (max(reach_mm, sqrt(2) * design.base_half_mm) + MARGIN_MM)
    floor_mm = design.tip_height_mm
    top_mm = reach_mm * sin(radians(design.stop_deg)) + MARGIN_MM + LINE_MM
    lines = list(_words(measures, objections(measures), wide_mm))
    high_mm = top_mm + floor_mm + MARGIN_MM + LINE_MM * len(lines) + MARGIN_MM
    left, right = wide_mm / 4, 3 * wide_mm / 4
    tilted_deg = found.corner_tilt_deg if found else design.stop_deg
    drawn = [
        _stand(measures, left, top_mm),
        _board(measures, left, top_mm),
        _centre_of_gravity(measures, left, top_mm),
        _stand(measures, right, top_mm),
        _board(measures, right, top_mm, turned_deg=tilted_deg, piece=True),
        _outline(measures, right, top_mm, design.stop_deg),
        _text(MARGIN_MM, LINE_MM + 2, "empty"),
        _text(wide_mm / 2 + MARGIN_MM, LINE_MM + 2, _tilts(measures)),
    ]
    below_mm = top_mm + floor_mm + MARGIN_MM
    drawn += [
        _text(MARGIN_MM, below_mm + LINE_MM * (row + 1), text, css)
        for row, (text, css) in enumerate(lines)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE_PX}" '
        f'viewBox="0 0 {wide_mm:.1f} {high_mm:.1f}"><style>{STYLE}</style>'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(drawn)}</svg>\n'
    )


def _tilts(measures: Measures) -> str:
    found = balance(measures)
    if found is None:
        return "one piece in the corner: it falls over"
    stop = f"dashed: stop at {found.stop_deg:.0f}°"
    return f"one piece in the corner: {found.corner_tilt_deg:.1f}°; {stop}"


def _words(
    measures: Measures, against: list[Objection], wide_mm: float
) -> Iterator[tuple[str, str]]:
    letters = int((wide_mm - 2 * MARGIN_MM) / LETTER_MM / WIDE_LETTER)
    hangs = hanging(measures)
    side = "under" if hangs.centre_of_gravity_mm < 0 else "over"
    made = "measured" if measures.is_made else "computed, the board is not made yet"
    yield (
        (
            f"{hangs.mass_g:.0f} g; blue: centre of gravity, "
            f"{abs(hangs.centre_of_gravity_mm):.1f} mm {side} the tip ({made})"
        ),
        "",
    )
    for each in against:
        for row in textwrap.wrap(each.what, letters):
            yield row, "wrong"
        for row in textwrap.wrap(each.change, letters):
            yield row, ""


def _profile(measures: Measures) -> list[tuple[float, float]]:
    """The cut through the board along its diagonal: outline, x to the right, z down (SVG)."""
    half_mm = sqrt(2) * measures.cell_pitch_mm / 2
    top: list[tuple[float, float]] = []
    for place, cell in enumerate(DIAGONAL):
        middle, z = 2 * half_mm * (place - 2), -surface_mm(measures, cell)
        top += [(middle - half_mm, z), (middle + half_mm, z)]
    wall = measures.board.wall_mm
    under = [(x + (wall if x < 0 else -wall) * (0 < i < len(top) - 1), z + wall)
             for i, (x, z) in enumerate(top)]  # fmt: skip
    return [*top, *reversed(under)]


def _polygon(points: list[tuple[float, float]], css: str) -> str:
    at = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon class="{css}" points="{at}"/>'


def _board(
    measures: Measures, x: float, y: float, *, turned_deg: float = 0.0, piece: bool = False
) -> str:
    inside = _polygon(_profile(measures), "board") + _cup(measures)
    if piece:
        known = measures.piece
        middle = 2 * sqrt(2) * measures.cell_pitch_mm - known.diameter_mm / 2
        z = -surface_mm(measures, "e5") - known.height_mm
        inside += (
            f'<rect class="piece" x="{middle:.1f}" y="{z:.1f}" width="{known.diameter_mm:g}" '
            f'height="{known.height_mm:g}"/>'
        )
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate({turned_deg:.2f})">{inside}</g>'


def _cup(measures: Measures) -> str:
    """What the tip stands in, from the floor of the middle cell down to the tip."""
    floor = measures.board.wall_mm - measures.centre_height_mm
    if floor >= 0:
        return ""
    return _polygon([(-CUP_MM, floor), (CUP_MM, floor), (CUP_MM, 0.5), (-CUP_MM, 0.5)], "metal")


def _outline(measures: Measures, x: float, y: float, turned_deg: float) -> str:
    inside = _polygon(_profile(measures), "at-stop")
    return f'<g transform="translate({x:.1f} {y:.1f}) rotate({turned_deg:.2f})">{inside}</g>'


def _stand(measures: Measures, x: float, y: float) -> str:
    """Needle, stem and base plate."""
    design = designed(measures)
    half, low, plate = design.stem_diameter_mm / 2, design.tip_height_mm, 6.0
    needle = [(0.0, 0.0), (1.0, 4.0), (1.0, 12.0), (-1.0, 12.0), (-1.0, 4.0)]
    stem = [(-half, 12.0), (half, 12.0), (half, low - plate), (-half, low - plate)]
    wide = sqrt(2) * design.base_half_mm
    base = [(-wide, low - plate), (wide, low - plate), (wide, low), (-wide, low)]
    inside = "".join(_polygon(part, "metal") for part in (stem, needle, base))
    return f'<g transform="translate({x:.1f} {y:.1f})">{inside}</g>'


def _centre_of_gravity(measures: Measures, x: float, y: float) -> str:
    at = y - hanging(measures).centre_of_gravity_mm
    return f'<circle class="centre" cx="{x:.1f}" cy="{at:.1f}" r="2.2"/>'


def _text(x: float, y: float, words: str, css: str = "") -> str:
    chosen = f' class="{css}"' if css else ""
    return f'<text{chosen} x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'

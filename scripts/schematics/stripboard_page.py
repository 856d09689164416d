"""The stripboard as a picture and as tables to tick off. Pure."""

from collections.abc import Iterator
from html import escape

from scripts.schematics.stripboard import (
    HEAD_MM,
    PITCH_MM,
    SCREW_MM,
    Hole,
    Stripboard,
    bodies_mm,
    hole_of,
    name_of,
)

SCALE = 6.0
"""Units of the picture for a millimetre."""
STEP = PITCH_MM * SCALE
EDGE = 3 * STEP
COLOURS = {"5V": "#c00000", "3V3": "#e07000", "GND": "#202020"}
OTHER = "#1060c0"
MADE = "<!-- Made from stripboard.yaml by `make schematics`: change it there. -->\n"
STYLE = (
    "text{font:11px DejaVu Sans,Verdana,sans-serif;fill:#111}"
    ".strip{stroke:#d9a066;stroke-width:9;stroke-linecap:round}"
    ".part{fill:#fff;fill-opacity:.75;stroke:#111}.contact{fill:#111}"
    ".cut{stroke:#b00;stroke-width:3}.wire{stroke-width:3;fill:none}"
)

WHAT = (
    "{} strips of {} holes, {:.0f} x {:.0f} mm. Holes are named by strip and column, seen from "
    "the side of the parts. Checked net by net against [pins.yaml](../pins.yaml); nobody has "
    "soldered it.\n"
)
HOW_TO_CUT = (
    "Turn the board over like a page: strips keep their order, columns run backwards. Cut at the "
    "hole with a drill of 4 mm, and look for passage across each.\n"
)
HOW_TO_FIT = (
    "Each row of contacts goes down from its first hole. NANO1 in sockets, its USB towards the "
    "edge at strip A; the HX711 boards hang on J1 to J4. Screw it to the tray at {} (drilled "
    "2.7 mm, M2.5 x 6).\n"
)

TO_ORDER = """## Or order a printed board

Instead of cutting and wiring: same size, same places of the parts, no wires. Pack the folder
[board](board/) as a zip file (a release has it packed, `board.zip`) and send it to a manufacturer
of printed boards: 2 layers, 100 x 80 mm, 1.6 mm thick, copper 35 µm, least track 0.4 mm and gap
0.25 mm, least hole 0.6 mm. Solder only the parts.

| file | what |
| --- | --- |
| carrier.gtl, carrier.gbl | copper on the side of the parts, and on the other |
| carrier.gts, carrier.gbs | solder mask |
| carrier.gto | names of parts and contacts |
| carrier.gm1 | edge |
| carrier-PTH.drl, carrier-NPTH.drl | holes with and without copper (Excellon) |
| positions.csv | middle of each part, from the lower left corner |

The files are read back by each `make schematics`, and checked net by net, gap by gap and hole by
hole. Nobody has ordered it.
"""


def picture(board: Stripboard) -> str:
    """The side of the parts, as SVG; the cuts are on the other one, at the same holes."""
    width, height = board.columns * STEP + 2 * EDGE, board.strips * STEP + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style><title>Carrier of the bridge table on stripboard</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        *_strips(board), *_mounts(board), *_parts(board), *_wires(board), *_cuts(board), "</svg>",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _at(hole: Hole) -> tuple[float, float]:
    strip, column = hole
    return EDGE + (column + 0.5) * STEP, EDGE + (strip + 0.5) * STEP


def _words(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _strips(board: Stripboard) -> Iterator[str]:
    for strip in range(board.strips):
        (left, y), (right, _) = _at((strip, 0)), _at((strip, board.columns - 1))
        yield f'<line class="strip" x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}"/>'
        yield _words(left - STEP, y + 4, name_of((strip, 0))[:-1], "end")
    for column in range(4, board.columns, 5):
        x, y = _at((board.strips - 1, column))
        yield _words(x, y + 1.5 * STEP, str(column + 1))


def _mounts(board: Stripboard) -> Iterator[str]:
    for x, y in (_at(hole_of(name)) for name in board.mounts):
        for wide_mm in (HEAD_MM, SCREW_MM):
            yield f'<circle class="part" cx="{x:.1f}" cy="{y:.1f}" r="{wide_mm / 2 * SCALE:.1f}"/>'


def _parts(board: Stripboard) -> Iterator[str]:
    holes: dict[str, list[tuple[str, Hole]]] = {}
    for contact, hole in board.contacts():
        name, _, pin = contact.partition(".")
        holes.setdefault(name, []).append((pin, hole))
    bodies = bodies_mm(board)
    for name, contacts in holes.items():
        columns = [column for _pin, (_strip, column) in contacts]
        left, top, right, bottom = (each * SCALE + EDGE + STEP / 2 for each in bodies[name].bounds)
        yield (
            f'<rect class="part" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
            f'height="{bottom - top:.1f}"/>'
        )
        yield _words((left + right) / 2, top - 4, name)
        for pin, hole in contacts:
            at_x, at_y = _at(hole)
            inside = not min(columns) < hole[1] == max(columns)
            yield f'<circle class="contact" cx="{at_x:.1f}" cy="{at_y:.1f}" r="3"/>'
            side = ("start", 7) if inside else ("end", -7)
            yield _words(at_x + side[1], at_y + 4, pin, side[0])


def _wires(board: Stripboard) -> Iterator[str]:
    for wire in board.wires:
        (x, y), (to_x, to_y) = _at(hole_of(wire.start)), _at(hole_of(wire.to))
        colour = COLOURS.get(wire.signal, OTHER)
        yield (
            f'<path class="wire" stroke="{colour}" d="M{x:.1f} {y:.1f} L{to_x:.1f} {to_y:.1f}"/>'
        )
        for end_x, end_y in ((x, y), (to_x, to_y)):
            yield f'<circle cx="{end_x:.1f}" cy="{end_y:.1f}" r="4" fill="{colour}"/>'
        yield _words(x + 6, y - 5, wire.signal, "start")


def _cuts(board: Stripboard) -> Iterator[str]:
    for x, y in (_at(hole_of(name)) for name in board.cut_holes):
        yield (
            f'<path class="cut" d="M{x - 5:.1f} {y - 5:.1f} l10 10 M{x - 5:.1f} {y + 5:.1f} '
            'l10 -10"/>'
        )


def page(board: Stripboard) -> str:
    """What to do, in order, as a Markdown page."""
    rows = [
        f"| {row.name} | {row.first} | {', '.join(filter(None, row.contacts))} |"
        for row in board.parts
    ]
    wires = [f"| {wire.signal} | {wire.start} | {wire.to} | |" for wire in board.wires]
    cuts = [f"| {' '.join(line.split())} | |" for line in board.cuts]
    return "\n".join((
        MADE,
        "# The carrier on stripboard\n",
        WHAT.format(board.strips, board.columns, board.strips * PITCH_MM, board.columns * PITCH_MM),
        "![Stripboard from the side of the parts](stripboard.svg)\n",
        f"## {len(board.cut_holes)} cuts\n",
        HOW_TO_CUT,
        "| holes | done |", "| --- | --- |", *cuts, "",
        f"## {len(board.wires)} wires\n",
        "Insulated, straight, on the side of the parts, before anything higher.\n",
        "| signal | from | to | done |", "| --- | --- | --- | --- |", *wires, "",
        "## Parts\n",
        HOW_TO_FIT.format(", ".join(board.mounts)),
        "| part | first hole | contacts |", "| --- | --- | --- |", *rows, "",
        TO_ORDER,
    ))  # fmt: skip

"""A small drawing board: SVG in millimetres of paper, with dimensions and a title block.

A `Sheet` is A3 with a frame. A `View` puts a part on it at a scale: its methods take millimetres
of the part, x to the right and y up, and dimension texts give the part's measures whatever the
scale. Line kinds follow ISO 128, dimensions ISO 129.
"""

from dataclasses import dataclass, field
from html import escape
from math import atan2, cos, degrees, hypot, radians, sin
from typing import Literal

A3_MM = (420.0, 297.0)
MARGIN_MM = 10.0
FONT = "DejaVu Sans, Verdana, sans-serif"
LETTER_SHARE = 0.6
"""Width of a letter as a share of the size of the type, for DejaVu Sans on average."""
ARROW_MM = 2.5
FARTHER = (1.0, 1.3, 1.6, 2.0, 2.5, 3.0, 3.5, 4.0)
"""How many times as far as told the words of a leader go, to find a place."""
TEXT_MM = 2.8

Line = Literal["outline", "hidden", "centre", "thin", "cut", "cable"]
STYLES: dict[Line, str] = {
    "outline": 'stroke="#111" stroke-width="0.5"',
    "hidden": 'stroke="#111" stroke-width="0.25" stroke-dasharray="2.4 1.2"',
    "centre": 'stroke="#b03030" stroke-width="0.18" stroke-dasharray="6 1.2 1 1.2"',
    "thin": 'stroke="#111" stroke-width="0.18"',
    "cut": 'stroke="#111" stroke-width="0.5" fill="url(#hatch)"',
    "cable": 'stroke="#b05a00" stroke-width="0.4"',
}

Point = tuple[float, float]
Area = tuple[float, float, float, float]
"""Left, top, right and bottom of something on the paper."""
Anchor = Literal["start", "middle", "end"]


def measure(value_mm: float) -> str:
    """A dimension as it is written: no more than a tenth, no needless zeros.

    >>> measure(70.0), measure(12.70), measure(0.333)
    ('70', '12.7', '0.3')
    """
    return f"{value_mm:.1f}".removesuffix(".0")


def _kept(text: str) -> str:
    """Words for SVG, which would make one space of two."""
    return escape(text).replace("  ", "\u00a0\u00a0")


def _width_mm(text: str, size_mm: float) -> float:
    return len(text) * size_mm * LETTER_SHARE


def _area_of(at: Point, text: str, size_mm: float, anchor: Anchor) -> Area:
    """Of level words, with some room above and below."""
    x, y = at
    wide = _width_mm(text, size_mm)
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return left, y - size_mm, left + wide, y + 0.3 * size_mm


def _meet(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@dataclass(slots=True)
class Sheet:
    """An A3 sheet; drawing adds to `parts`, and to `taken` where words would not be legible."""

    title: str
    number: str
    facts: list[tuple[str, str]]
    parts: list[str] = field(default_factory=list)
    taken: list[Area] = field(default_factory=list)

    def add(self, element: str) -> None:
        """One SVG element in paper coordinates (y down)."""
        self.parts.append(element)

    def text(
        self, at: Point, text: str, size_mm: float = TEXT_MM, anchor: Anchor = "start",
        turn_deg: float = 0.0, *, bold: bool = False,
    ) -> None:  # fmt: skip
        """Words at a place on the paper."""
        x, y = at
        if not turn_deg:
            self.taken.append(_area_of(at, text, size_mm, anchor))
        turn = f' transform="rotate({turn_deg:.1f} {x:.2f} {y:.2f})"' if turn_deg else ""
        weight = ' font-weight="bold"' if bold else ""
        self.add(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size_mm}" text-anchor="{anchor}"'
            f"{weight}{turn}>{_kept(text)}</text>"
        )

    def is_taken(self, text: str, at: Point, anchor: Anchor) -> bool:
        """Whether words at a place would lie over a circle or other words, or off the paper."""
        area = _area_of(at, text, TEXT_MM, anchor)
        inside = area[0] > MARGIN_MM and area[2] < A3_MM[0] - MARGIN_MM
        return not inside or any(_meet(area, other) for other in self.taken)

    def notes(self, at: Point, lines: list[str]) -> None:
        """A block of lines under the word Notes."""
        x, y = at
        self.text(at, "Notes", 3.2, bold=True)
        for number, line in enumerate(lines, start=1):
            self.text((x, y + 4.6 * number), line, 2.6)

    def svg(self) -> str:
        """The whole sheet."""
        width, height = A3_MM
        inner = f'x="{MARGIN_MM}" y="{MARGIN_MM}" width="{width - 20}" height="{height - 20}"'
        lines = [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" '
                f'height="{height:g}mm" viewBox="0 0 {width:g} {height:g}" '
                f'font-family="{FONT}" fill="#111">'
            ),
            f"<title>{escape(self.title)}</title>",
            (
                '<defs><pattern id="hatch" width="2.4" height="2.4" patternUnits="userSpaceOnUse" '
                'patternTransform="rotate(45)">'
                '<path d="M0 0V2.4" stroke="#111" stroke-width="0.25"/>'
                "</pattern></defs>"
            ),
            f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
            f'<rect {inner} fill="none" stroke="#111" stroke-width="0.7"/>',
            *self.parts,
            *self._title_block(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _title_block(self) -> list[str]:
        wide, row = 130.0, 6.0
        rows = [("title", self.title), *self.facts, ("sheet", self.number)]
        high = row * len(rows)
        left, top = A3_MM[0] - MARGIN_MM - wide, A3_MM[1] - MARGIN_MM - high
        out = [
            (
                f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="#fff" '
                'stroke="#111" stroke-width="0.5"/>'
            ),
            f'<path d="M{left + 26} {top}v{high}" stroke="#111" stroke-width="0.25"/>',
        ]
        for index, (name, value) in enumerate(rows):
            y = top + row * index
            bold = ' font-weight="bold"' if index == 0 else ""
            out += [
                f'<path d="M{left} {y}h{wide}" stroke="#111" stroke-width="0.25"/>',
                f'<text x="{left + 2}" y="{y + 4.1}" font-size="2.4">{escape(name)}</text>',
                f'<text x="{left + 28}" y="{y + 4.1}" font-size="2.8"{bold}>{escape(value)}</text>',
            ]
        return out


@dataclass(frozen=True, slots=True)
class View:
    """A part on a sheet: `origin` is where the part's (0, 0) lies on the paper."""

    sheet: Sheet
    origin: Point
    scale: float

    def at(self, point: Point) -> Point:
        """A point of the part on the paper."""
        return (
            self.origin[0] + self.scale * point[0],
            self.origin[1] - self.scale * point[1],
        )

    def name(self, at: Point, text: str) -> None:
        """The name of the view, with its scale, centred at a point of the part."""
        ratio = f"{self.scale:g} : 1" if self.scale >= 1 else f"1 : {1 / self.scale:g}"
        self.sheet.text(self.at(at), f"{text}   ({ratio})", 3.4, "middle", bold=True)

    def path(self, points: list[Point], kind: Line = "outline", *, closed: bool = False) -> None:
        """Straight lines through points."""
        d = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in map(self.at, points))
        fill = "" if kind == "cut" else ' fill="none"'
        self.sheet.add(f'<path d="{d}{"Z" if closed else ""}"{fill} {STYLES[kind]}/>')

    def curve(self, points: list[Point], kind: Line) -> None:
        """A cubic curve: start, two control points and an end, then three more for each part."""
        first, *rest = [f"{x:.2f} {y:.2f}" for x, y in map(self.at, points)]
        self.sheet.add(f'<path d="M{first}C{" ".join(rest)}" fill="none" {STYLES[kind]}/>')

    def rectangle(self, low: Point, high: Point, kind: Line = "outline", radius: float = 0) -> None:
        """A rectangle between two corners of the part."""
        (x0, y1), (x1, y0) = self.at(low), self.at(high)
        fill = "" if kind == "cut" else ' fill="none"'
        self.sheet.add(
            f'<rect x="{x0:.2f}" y="{y0:.2f}" width="{x1 - x0:.2f}" height="{y1 - y0:.2f}" '
            f'rx="{radius * self.scale:.2f}"{fill} {STYLES[kind]}/>'
        )

    def circle(self, centre: Point, diameter: float, kind: Line = "outline") -> None:
        """A circle by its diameter."""
        x, y = self.at(centre)
        radius = diameter / 2 * self.scale
        self.sheet.taken.append((x - radius, y - radius, x + radius, y + radius))
        self.sheet.add(
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}" fill="none" {STYLES[kind]}/>'
        )

    def cross(self, centre: Point, reach: float) -> None:
        """Centre lines through a point."""
        x, y = centre
        self.path([(x - reach, y), (x + reach, y)], "centre")
        self.path([(x, y - reach), (x, y + reach)], "centre")

    def dimension(self, a: Point, b: Point, offset: float, text: str = "") -> None:
        """The distance of two points, level or upright, on a line `offset` paper mm away.

        The line is level when the points differ more in x; a positive offset is up or right.
        """
        (ax, ay), (bx, by) = self.at(a), self.at(b)
        value = text or measure(hypot(b[0] - a[0], b[1] - a[1]))
        if abs(bx - ax) >= abs(by - ay):
            value = text or measure(abs(b[0] - a[0]))
            y = (min(ay, by) if offset > 0 else max(ay, by)) - offset
            self._witness((ax, ay), (ax, y))
            self._witness((bx, by), (bx, y))
            self._dimension_line((min(ax, bx), y), (max(ax, bx), y), value, 0)
            return
        value = text or measure(abs(b[1] - a[1]))
        x = (max(ax, bx) if offset > 0 else min(ax, bx)) + offset
        self._witness((ax, ay), (x, ay))
        self._witness((bx, by), (x, by))
        self._dimension_line((x, max(ay, by)), (x, min(ay, by)), value, -90)

    def leader(self, point: Point, to: Point, text: str) -> None:
        """An arrow to a point of the part, from words `to` paper mm (right, up) away.

        Where these words would lie over a circle or other words, they go farther away, or to
        another side: so circles come first.
        """
        x, y = self.at(point)
        ways = [self._words(point, (grow * sign_x * to[0], grow * sign_y * to[1]))
                for grow in FARTHER for sign_y in (1, -1) for sign_x in (1, -1)]  # fmt: skip
        free = (way for way in ways if not self.sheet.is_taken(text, *way))
        at, anchor = next(free, ways[0])
        run = 3.0 if anchor == "start" else -3.0
        ex, ey = at[0] - run * 1.3, at[1] - 1.0
        self.sheet.add(
            f'<path d="M{x:.2f} {y:.2f}L{ex:.2f} {ey:.2f}h{run}" fill="none" {STYLES["thin"]}/>'
        )
        self._arrow((x, y), degrees(atan2(y - ey, x - ex)))
        self.sheet.text(at, text, TEXT_MM, anchor)

    def _words(self, point: Point, to: Point) -> tuple[Point, Anchor]:
        """Where the words of a leader begin or end."""
        x, y = self.at(point)
        anchor: Anchor = "start" if to[0] >= 0 else "end"
        return (x + to[0] + (3.9 if anchor == "start" else -3.9), y - to[1] + 1.0), anchor

    def _witness(self, start: Point, end: Point) -> None:
        """The line from the part to its dimension: a gap at the part, a little past the arrow."""
        length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
        ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        self.sheet.add(
            f'<path d="M{start[0] + ux:.2f} {start[1] + uy:.2f}'
            f'L{end[0] + 1.5 * ux:.2f} {end[1] + 1.5 * uy:.2f}" {STYLES["thin"]}/>'
        )

    def _dimension_line(self, a: Point, b: Point, text: str, turn_deg: float) -> None:
        """From left to right or from bottom to top; narrow ones have their arrows outside."""
        length = hypot(b[0] - a[0], b[1] - a[1])
        angle = atan2(b[1] - a[1], b[0] - a[0])
        wide = _width_mm(text, TEXT_MM)
        outside = length < 2 * ARROW_MM + 1
        reach = 5.0 if outside else 0.0
        ux, uy = cos(angle), sin(angle)
        self.sheet.add(
            f'<path d="M{a[0] - reach * ux:.2f} {a[1] - reach * uy:.2f}'
            f'L{b[0] + reach * ux:.2f} {b[1] + reach * uy:.2f}" {STYLES["thin"]}/>'
        )
        self._arrow(a, degrees(angle) + (0 if outside else 180))
        self._arrow(b, degrees(angle) + (180 if outside else 0))
        if wide > length - 1:
            place = (b[0] + (reach + wide / 2 + 1) * ux, b[1] + (reach + wide / 2 + 1) * uy)
        else:
            place = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        nx, ny = uy, -ux  # to the reader's upper side
        lift = 1.0 if wide <= length - 1 else -1.0
        self.sheet.text(
            (place[0] + lift * nx, place[1] + lift * ny), text, TEXT_MM, "middle", turn_deg
        )

    def _arrow(self, tip: Point, angle_deg: float) -> None:
        """A slim arrow head that points in a direction (paper, clockwise from the right)."""
        x, y = tip
        angle = radians(angle_deg)
        wings = [
            (x - ARROW_MM * cos(angle + turn), y - ARROW_MM * sin(angle + turn))
            for turn in (radians(9), -radians(9))
        ]
        d = "L".join(f"{px:.2f} {py:.2f}" for px, py in (tip, *wings))
        self.sheet.add(f'<path d="M{d}Z"/>')

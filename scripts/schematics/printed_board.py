"""The carrier as a printed board: the files that a manufacturer of boards asks for.

Places of the parts are those of the stripboard, nets those of the plan; the tracks are led anew.
Written by gerbonara: RS-274X with X2 attributes, XNC (Ucamco's Gerber and XNC specifications).
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, pairwise
from math import dist

from gerbonara import ExcellonFile, GerberFile
from gerbonara.apertures import CircleAperture, ExcellonTool
from gerbonara.graphic_objects import Flash, Line
from gerbonara.newstroke import Newstroke
from gerbonara.utils import MM

from scripts.schematics.plan import Plan, PlanError
from scripts.schematics.routing import BOTTOM, TOP, NoWayError, Place, led
from scripts.schematics.stripboard import (
    HEAD_MM,
    PITCH_MM,
    SCREW_MM,
    Stripboard,
    hole_of,
    nets,
)

WIDE_MM, HIGH_MM = 100.0, 80.0
"""As the stripboard is sold: it lies on the same posts of the tray."""
PAD_MM, HOLE_MM = 1.6, 1.0
"""Posts of 0.64 mm square are 0.91 mm across their corners."""
VIA_MM, VIA_HOLE_MM = 1.2, 0.6
TRACK_MM = 0.4
"""1 A warms it by under 10 K (IPC-2221, outer layer of 35 um); 0.27 mm are left beside a pad."""
MASK_MM = 0.1
"""That the solder mask stays back from a pad all around."""
CLEAR_OF_HEAD_MM = HEAD_MM / 2 + 0.25 + PAD_MM / 2
LETTER_MM, LINE_MM = 1.0, 0.15
"""The least that manufacturers print legibly."""
TITLE = "Topple Table: carrier of the bridge"

Point = tuple[float, float]


def files(plan: Plan, board: Stripboard) -> dict[str, str]:
    """The files by name; lengths in mm from the lower left corner, seen from the side of the parts.

    Raises:
        PlanError: a net finds no way between the holes.
    """
    return _files(board, tuple(frozenset(net) for net in nets(plan, board)))


@lru_cache(maxsize=8)  # a second of work, asked for by check, writer and tests
def _files(board: Stripboard, wired: tuple[frozenset[str], ...]) -> dict[str, str]:
    pads = [at(board, hole) for _contact, hole in board.contacts()]
    screws = [at(board, hole_of(name)) for name in board.mounts]
    tracks, vias = _copper(board, wired)
    rings = _flashes(pads, PAD_MM) + _flashes(vias, VIA_MM)
    mask = _flashes(pads, PAD_MM + 2 * MASK_MM) + _flashes(screws, SCREW_MM + 2 * MASK_MM)
    edge = [(0.0, 0.0), (WIDE_MM, 0.0), (WIDE_MM, HIGH_MM), (0.0, HIGH_MM), (0.0, 0.0)]
    return {
        "carrier.gtl": _gerber(rings + _lines(tracks[TOP], TRACK_MM), "Copper", "L1", "Top"),
        "carrier.gbl": _gerber(rings + _lines(tracks[BOTTOM], TRACK_MM), "Copper", "L2", "Bot"),
        "carrier.gts": _gerber(mask, "Soldermask", "Top"),
        "carrier.gbs": _gerber(mask, "Soldermask", "Bot"),
        "carrier.gto": _gerber(_lines(_silkscreen(board), LINE_MM), "Legend", "Top"),
        "carrier.gm1": _gerber(_lines([edge], LINE_MM), "Profile", "NP"),
        "carrier-PTH.drl": _drill((pads, HOLE_MM), (vias, VIA_HOLE_MM)),
        "carrier-NPTH.drl": _drill((screws, SCREW_MM)),
        "positions.csv": _positions(board),
    }


def at(board: Stripboard, hole: tuple[float, float]) -> Point:
    """Where a hole is, in mm: those of the stripboard in the middle of the board."""
    x = WIDE_MM / 2 + (hole[1] - (board.columns - 1) / 2) * PITCH_MM
    y = HIGH_MM / 2 - (hole[0] - (board.strips - 1) / 2) * PITCH_MM
    return round(x, 4), round(y, 4)


def _copper(
    board: Stripboard, wired: Iterable[frozenset[str]]
) -> tuple[dict[int, list[list[Point]]], list[Point]]:
    """Tracks by layer, and holes from one layer to the other."""
    holes: dict[str, list[Place]] = defaultdict(list)
    for contact, (strip, column) in board.contacts():
        holes[contact].append((2 * strip, 2 * column))
    joined = {
        min(net): [place for contact in net for place in holes.pop(contact, [])] for net in wired
    }
    pads = {place for places in [*joined.values(), *holes.values()] for place in places}
    points = _room(board)
    named = {(row, column + side) for row, column in pads for side in (-2, 2)}
    passages = pads | {each for each in points if not (each in named or each[0] % 2 or each[1] % 2)}
    try:
        ways = led(joined, chain.from_iterable(holes.values()), points, passages)
    except NoWayError as error:
        raise PlanError(
            f"stripboard.yaml: no way for the tracks of {error} on a printed board; set the parts "
            "further apart"
        ) from None
    tracks: dict[int, list[list[Point]]] = {BOTTOM: [], TOP: []}
    vias: set[Place] = set()
    for way in ways:
        for layer, nodes in groupby(way, key=lambda node: node[0]):
            tracks[layer].append(_corners([points[node[1:]] for node in nodes]))
        vias |= {a[1:] for a, b in pairwise(way) if a[0] != b[0]} - pads
    return tracks, [points[place] for place in sorted(vias)]


def _room(board: Stripboard) -> dict[Place, Point]:
    """Where copper may be, at half the spacing of the holes."""
    screws = [at(board, hole_of(name)) for name in board.mounts]
    points = {
        (row, column): at(board, (row / 2, column / 2))
        for row in range(2 * board.strips - 1) for column in range(2 * board.columns - 1)
    }  # fmt: skip
    return {
        place: point for place, point in points.items()
        if all(dist(point, screw) >= CLEAR_OF_HEAD_MM for screw in screws)
    }  # fmt: skip


def _corners(points: Sequence[Point]) -> list[Point]:
    """A way without the points at which it goes straight on."""
    straight_on = {
        b for a, b, c in zip(points, points[1:], points[2:], strict=False)
        if a[0] == b[0] == c[0] or a[1] == b[1] == c[1]
    }  # fmt: skip
    return [point for point in points if point not in straight_on]


def _silkscreen(board: Stripboard) -> Iterator[Sequence[Point]]:
    """Each part as a box with its name and those of its contacts."""
    places: dict[str, list[tuple[str, Point]]] = defaultdict(list)
    for contact, hole in board.contacts():
        name, _, pin = contact.partition(".")
        places[name].append((pin, at(board, hole)))
    for name, contacts in places.items():
        xs, ys = zip(*(point for _pin, point in contacts), strict=True)
        left, right = min(xs) - PITCH_MM / 2, max(xs) + PITCH_MM / 2
        low, high = min(ys) - PITCH_MM / 2, max(ys) + PITCH_MM / 2
        yield [(left, low), (right, low), (right, high), (left, high), (left, low)]
        yield from _words(name, ((left + right) / 2, low - LETTER_MM), "center")
        for pin, (x, y) in contacts:
            inwards = x == max(xs) > min(xs)
            beside = -PITCH_MM / 2 if inwards else PITCH_MM / 2 + LINE_MM
            yield from _words(pin, (x + beside, y), "right" if inwards else "left")
    yield from _words(TITLE, (WIDE_MM / 2, 2 * LETTER_MM), "center")


@lru_cache
def _font() -> Newstroke:
    return Newstroke()


def _words(text: str, where: Point, align: str) -> Iterator[list[Point]]:
    """Strokes of a text, half above and half below a point; the font has y downwards."""
    strokes = _font().render(text, size=LETTER_MM, h_align=align, v_align="middle")
    for stroke in strokes:
        yield [(round(where[0] + x, 4), round(where[1] - y, 4)) for x, y in stroke]


def _lines(paths: Iterable[Sequence[Point]], wide_mm: float) -> list[Line]:
    pen = CircleAperture(wide_mm, unit=MM)
    return [Line(*a, *b, pen, unit=MM) for path in paths for a, b in pairwise(path)]


def _flashes(points: Iterable[Point], diameter_mm: float) -> list[Flash]:
    stamp = CircleAperture(diameter_mm, unit=MM)
    return [Flash(*point, stamp, unit=MM) for point in points]


def _gerber(objects: Sequence[Flash | Line], *function: str) -> str:
    attributes = {".FileFunction": function, ".Part": ["Single"]}
    text: bytes = GerberFile(objects, file_attrs=attributes).write_to_bytes()
    # gerbonara 1.5 leaves out an asterisk, and the mode of lines, which has no default any more
    # (Gerber Layer Format Specification 2021.02 and later, 4.7).
    return text.decode().replace("\nG75\n", "\nG75*\nG01*\n") + "\n"


def _drill(*holes: tuple[Sequence[Point], float]) -> str:
    found = [
        Flash(*point, ExcellonTool(diameter_mm, unit=MM), unit=MM)
        for points, diameter_mm in holes for point in points
    ]  # fmt: skip
    text: bytes = ExcellonFile(found).write_to_bytes()
    return text.decode() + "\n"


def _positions(board: Stripboard) -> str:
    """The middle of each part's contacts; turned by 0 its rows go down, as in KiCad's headers."""
    places: dict[str, list[Point]] = defaultdict(list)
    for contact, hole in board.contacts():
        places[contact.partition(".")[0]].append(at(board, hole))
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("part", "x_mm", "y_mm", "turned_deg", "side"))
    for name, points in places.items():
        x, y = (sum(each) / len(points) for each in zip(*points, strict=True))
        table.writerow((name, f"{x:.2f}", f"{y:.2f}", 0, "top"))
    return out.getvalue()

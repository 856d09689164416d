"""What is wrong with the files of the printed board, read as its manufacturer reads them. Pure.

Copper is what the files draw, not what was meant: islands on each side, joined by plated holes.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from gerbonara import ExcellonFile, GerberFile
from gerbonara.graphic_primitives import Circle, Line
from gerbonara.utils import MM
from shapely import LineString, Point, Polygon, unary_union
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from scripts.schematics.plan import Plan
from scripts.schematics.printed_board import HOLE_MM, at
from scripts.schematics.stripboard import HEAD_MM, Nets, Stripboard, hole_of, wiring

GAP_MM, RING_MM, EDGE_MM = 0.25, 0.3, 0.5
"""Copper to other copper or a screw's head, around a hole, and to the edge: about twice the 0.13 to
0.15 mm (edge 0.3) that manufacturers of cheap boards ask for, so that any can make it."""
SILK_MM = 0.1
"""Print to bare copper."""
ROUNDING_MM = 0.005
"""Of circles drawn as polygons."""
SIDES = {"parts' side": "carrier.gtl", "solder side": "carrier.gbl"}

Island = tuple[str, int]
"""Side, and number on it."""


def problems(plan: Plan, board: Stripboard, files: Mapping[str, str]) -> list[str]:
    """All that is wrong with the files, in words."""
    copper = {side: _islands(files[name]) for side, name in SIDES.items()}
    plated, screws = (
        _shapes(ExcellonFile.from_string(files[f"carrier-{name}.drl"])) for name in ("PTH", "NPTH")
    )
    joined = Nets()
    found = (
        *_holes(board, plated, screws),
        *_rings(board, plated, copper, joined),
        *wiring(plan, board, joined),
        *_gaps(copper),
        *_margins(files, copper, screws),
        *_print(files),
    )
    return [f"printed board: {each}" for each in found]


def _shapes(drawn: GerberFile | ExcellonFile) -> list[Polygon]:
    found = []
    for each in (part for one in drawn.objects for part in one.to_primitives(MM)):
        if isinstance(each, Circle):
            found.append(Point(each.x, each.y).buffer(each.r))
        elif isinstance(each, Line):
            ends = [(each.x1, each.y1), (each.x2, each.y2)]
            found.append(LineString(ends).buffer(each.width / 2))
        else:
            raise TypeError(f"{type(each).__name__}: only circles and lines are drawn here")
    return found


@lru_cache(maxsize=16)  # most files are the same from one question to the next
def _gerber(text: str) -> BaseGeometry:
    return unary_union(_shapes(GerberFile.from_string(text)))


def _islands(text: str) -> list[BaseGeometry]:
    union = _gerber(text)
    return list(getattr(union, "geoms", [union]))


def _spot(shape: BaseGeometry) -> str:
    return f"at {shape.centroid.x:.2f}, {shape.centroid.y:.2f} mm"


def _holes(
    board: Stripboard, plated: Sequence[Polygon], screws: Sequence[Polygon]
) -> Iterator[str]:
    wanted = [(contact, hole, plated, HOLE_MM) for contact, hole in board.contacts()]
    wanted += [(f"the screw {name}", hole_of(name), screws, 2.5) for name in board.mounts]
    for what, hole, drilled, wide_mm in wanted:
        least = Point(at(board, hole)).buffer(wide_mm / 2 - ROUNDING_MM)
        if not any(each.covers(least) for each in drilled):
            yield f"{what} has no hole of {wide_mm:g} mm {_spot(least)}"


def _rings(
    board: Stripboard,
    plated: Sequence[Polygon],
    copper: Mapping[str, Sequence[BaseGeometry]],
    joined: Nets,
) -> Iterator[str]:
    """Holes without copper all around; `joined` learns what the others join."""
    contacts = [(contact, Point(at(board, hole))) for contact, hole in board.contacts()]
    for hole in plated:
        ring = hole.buffer(RING_MM - ROUNDING_MM)
        islands: list[Island] = [
            (side, number) for side, shapes in copper.items()
            for number, shape in enumerate(shapes) if shape.covers(ring)
        ]  # fmt: skip
        for side in set(copper) - {side for side, _number in islands}:
            yield f"no ring of {RING_MM} mm on the {side} around the hole {_spot(hole)}"
        here = [contact for contact, point in contacts if hole.covers(point)]
        for one in [*here, *islands]:
            joined.join(one, (*islands, *here)[0])


def _gaps(copper: Mapping[str, Sequence[BaseGeometry]]) -> Iterator[str]:
    for side, islands in copper.items():
        for one, other in combinations(islands, 2):
            if (gap_mm := one.distance(other)) < GAP_MM - ROUNDING_MM:
                where = _spot(nearest_points(one, other)[0])
                yield f"copper on the {side} only {gap_mm:.2f} mm apart {where}"


def _margins(
    files: Mapping[str, str],
    copper: Mapping[str, Sequence[BaseGeometry]],
    screws: Sequence[Polygon],
) -> Iterator[str]:
    outline = GerberFile.from_string(files["carrier.gm1"]).objects
    edge = Polygon([(line.x1, line.y1) for line in outline])
    heads = unary_union([each.centroid.buffer(HEAD_MM / 2) for each in screws])
    for side, islands in copper.items():
        for island in islands:
            if not edge.buffer(ROUNDING_MM - EDGE_MM).covers(island):
                yield f"copper on the {side} at the edge {_spot(island)}"
            if island.distance(heads) < GAP_MM - ROUNDING_MM:
                yield f"copper on the {side} at the head of a screw {_spot(island)}"


def _print(files: Mapping[str, str]) -> Iterator[str]:
    bare = _gerber(files["carrier.gts"])
    for island in _islands(files["carrier.gto"]):
        if island.distance(bare) < SILK_MM - ROUNDING_MM:
            yield f"print on bare copper {_spot(island)}"

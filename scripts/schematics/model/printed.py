"""The printed parts: the board in five ranks that need no support, flange, trays and panel.

The whole board has no side on which it could be printed: upside down only c3 lies on the bed. A
rank by itself is a profile that is drawn up, with nothing over air. The riser towards the higher
rank belongs to the lower one and is what lies on the bed; so the ranks meet in flat faces, and pins
of filament keep them in place until the glue is hard.
"""

from collections.abc import Iterable, Iterator
from math import copysign

from build123d import Box, Cylinder, Location, Part, Polygon, Pos, Rot, extrude

from engine.tabletop import FILES, RANKS, cell_xy_mm, surface_mm
from hw.building.measures import Measures
from hw.building.mechanics import Mechanics
from scripts.schematics.model.slicing import LINE_MM
from scripts.schematics.model.solids import Solid, solids

PIN_HOLE_MM = 1.8
"""For filament of 1.75 mm; leaves 0.8 mm, two lines, on both sides of it in the thinnest floor."""
PIN_DEEP_MM = 6.0
"""Into the higher rank."""
PINNED_FILES = "ace"
PINNED_FROM_MM = PIN_HOLE_MM + 4 * LINE_MM
"""Thinner floors have no room for pins: their ranks are glued lying on a flat plate."""
MIDDLE = 2
"""Index of the rank, and of the file, in which c3 lies."""
PILOT_MM = 2.1
"""Side of the hole in c3, which lies on an edge when it is printed, so that it needs no support;
the drill of 5.0 mm for M6 takes all of it."""
RIB_MM, RIB_WIDE_MM = 3.0, 12.0
"""Under c3, right through its rank: the floor alone has three turns of the thread."""

GUSSET_SHARE = 0.5
"""Of a wall; on the diagonal the gusset is then as far from the stem as the corner of the foot."""

OTHERS = {"flange", "sensor tray", "electronics tray", "panel"}

UP_FROM = {"down": Rot(180, 0, 0), "+y": Rot(-90, 0, 0), "-y": Rot(90, 0, 0), "as it is": Rot()}
"""How a part is turned so that this side lies on the bed."""


def as_printed(each: Solid) -> Part:
    """The part lying on the printer's bed, as it needs no support."""
    turned = Part() + _turn(each.name) * each.part
    box = turned.bounding_box()
    middle = box.center()
    return Part() + Pos(-middle.X, -middle.Y, -box.min.Z) * turned


def _turn(name: str) -> Location:
    if name.startswith("board rank"):
        return UP_FROM["+y" if int(name[-1]) <= MIDDLE + 1 else "-y"]
    return UP_FROM["down" if name in {"sensor tray", "panel"} else "as it is"]


def file_name(name: str) -> str:
    """Of a printed part, without its ending; outer ranks are the same, turned round."""
    return {
        "board rank 1": "board-rank-1-and-5", "board rank 5": "board-rank-1-and-5",
        "board rank 2": "board-rank-2-and-4", "board rank 4": "board-rank-2-and-4",
    }.get(name, name.replace(" ", "-"))  # fmt: skip


def printed(m: Mechanics) -> list[Solid]:
    """Every printed part, where it belongs on the table; the board only if it is a printed one."""
    ranks = range(len(RANKS)) if m.measures.board.made == "printed" else range(0)
    others = [each for each in solids(m) if each.name in OTHERS]
    return [*(_rank(m, row) for row in ranks), *others]


def _rank(m: Mechanics, row: int) -> Solid:
    measures = m.measures
    boxes = [*_profile(measures, row), *_slab(measures, row)]
    if row == MIDDLE:
        boxes.append(_rib(measures, under_tip_mm=m.pivot.cup_deep_mm))
    holes = [*_pin_holes(measures, row)]
    if row != MIDDLE:
        holes += _slopes(measures, row, gusset=False)
    if row == MIDDLE:
        holes.append(Rot(0, 0, 45) * Box(PILOT_MM, PILOT_MM, 8 * measures.centre_height_mm))
    return Solid(f"board rank {row + 1}", Part() + boxes - holes)


def _inward(row: int) -> int:
    """Direction along y towards the middle rank: 1, -1, or 0 for that."""
    return (row < MIDDLE) - (row > MIDDLE)


def _across_mm(measures: Measures, row: int) -> tuple[float, float]:
    """From where to where a rank's profile goes along y: without the slabs of lower ranks in it."""
    half, wall = measures.cell_pitch_mm / 2, measures.board.wall_mm
    y = cell_xy_mm(measures, f"a{row + 1}")[1]
    front = wall if 0 < row <= MIDDLE else 0.0
    back = wall if MIDDLE <= row < len(RANKS) - 1 else 0.0
    return y - half + front, y + half - back


def _surface(measures: Measures, column: int, row: int) -> float:
    return surface_mm(measures, f"{FILES[column]}{row + 1}")


def _block(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Part:
    middle = [(a + b) / 2 for a, b in (x, y, z)]
    return Pos(*middle) * Box(*(abs(b - a) for a, b in (x, y, z)))


def _file_mm(measures: Measures, column: int) -> tuple[float, float]:
    x = cell_xy_mm(measures, f"{FILES[column]}1")[0]
    return x - measures.cell_pitch_mm / 2, x + measures.cell_pitch_mm / 2


def _profile(measures: Measures, row: int) -> Iterator[Part]:
    """Floors, and the risers between the cells of the rank."""
    wall, across = measures.board.wall_mm, _across_mm(measures, row)
    for column in range(len(FILES)):
        top = _surface(measures, column, row)
        yield _block(_file_mm(measures, column), across, (top - wall, top))
    for x, under, top in _risers(measures, row):
        yield _block(x, across, (under, top))


def _risers(measures: Measures, row: int) -> Iterator[tuple[tuple[float, float], float, float]]:
    """From the edge of the lower cell into the higher along x, and from where to where upwards."""
    wall = measures.board.wall_mm
    for column in range(len(FILES) - 1):
        one, other = _surface(measures, column, row), _surface(measures, column + 1, row)
        edge = _file_mm(measures, column)[1]
        x = (edge, edge - wall) if one > other else (edge, edge + wall)
        yield x, min(one, other) - wall, max(one, other)


def _slab(measures: Measures, row: int) -> Iterator[Part]:
    """The risers up to the next rank, in one plane, and what the profile's own stand on."""
    inward, wall = _inward(row), measures.board.wall_mm
    if not inward:
        return
    y = cell_xy_mm(measures, f"a{row + 1}")[1] + inward * measures.cell_pitch_mm / 2
    across = (y, y + wall) if inward > 0 else (y - wall, y)
    for column in range(len(FILES)):
        low, high = (_surface(measures, column, each) for each in (row, row + inward))
        yield _block(_file_mm(measures, column), across, (low - wall, high))
    yield from _slopes(measures, row, gusset=True)


def _slopes(measures: Measures, row: int, *, gusset: bool) -> Iterator[Part]:
    """A slope of 45 degrees under each foot of the profile's risers, which reaches below the slab.

    Its gusset stands on the bed, in the slab's plane; what the foot lacks goes on from there. A
    gusset as wide as the foot would meet the stem before the stop.
    """
    inward, wall = _inward(row), measures.board.wall_mm
    y = cell_xy_mm(measures, f"a{row + 1}")[1] + inward * measures.cell_pitch_mm / 2
    for (near, far), under, top in _risers(measures, row):
        along = copysign(1.0, far - near)
        if gusset:
            start, wide = near, GUSSET_SHARE * wall
            corners = ((near + along * wide, y), (near, y + inward * wide))
        else:
            start, wide = far, (1 - GUSSET_SHARE) * wall
            corners = ((far - along * wide, y), (far, y - inward * wide))
        yield _prism(((start, y), *corners), (under, top - wall))


def _prism(corners: Iterable[tuple[float, float]], z: tuple[float, float]) -> Part:
    return Pos(0, 0, z[0]) * extrude(Polygon(*corners, align=None), z[1] - z[0], dir=(0, 0, 1))


def _rib(measures: Measures, *, under_tip_mm: float) -> Part:
    under = measures.centre_height_mm - measures.board.wall_mm
    wide = (-RIB_WIDE_MM / 2, RIB_WIDE_MM / 2)
    # Not lower than the rim of the cup: beside it the needle must have room to tilt.
    low = max(under - RIB_MM, -under_tip_mm)
    return _block(wide, _across_mm(measures, MIDDLE), (low, under))


def _pin_holes(measures: Measures, row: int) -> Iterator[Part]:
    """Through one's own slab, and into one's own floors where a lower rank's slab meets them."""
    wall = measures.board.wall_mm
    if wall < PINNED_FROM_MM - 1e-6:
        return
    for lower in (row, row - 1, row + 1):
        if not 0 <= lower < len(RANKS) or lower + _inward(lower) == lower:
            continue
        higher = lower + _inward(lower)
        if row not in {lower, higher}:
            continue
        edge = cell_xy_mm(measures, f"a{lower + 1}")[1]
        edge += _inward(lower) * measures.cell_pitch_mm / 2
        deep = wall + PIN_DEEP_MM
        for name in PINNED_FILES:
            column = FILES.index(name)
            x = cell_xy_mm(measures, f"{name}1")[0]
            if name == FILES[MIDDLE]:
                x += _inward(lower) * measures.cell_pitch_mm / 4  # beside the cup
            z = _surface(measures, column, higher) - wall / 2
            hole = Rot(90, 0, 0) * Cylinder(PIN_HOLE_MM / 2, deep)
            yield Pos(x, edge + _inward(lower) * deep / 2, z) * hole

"""What a slicer sees in a printed part: layers, what lies over air, thin walls, the mesh. Pure.

A part comes as the triangles of its STL, lying as it is printed, and becomes cells of a line's
width and a layer's height. Nothing here knows how the part was made.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LAYER_MM = 0.2
LINE_MM = 0.4
"""Width of an extruded line, of the usual nozzle."""
BED_MM = 180.0
"""Of a small printer (Prusa Mini, Bambu A1 mini)."""
WALL_LINES = 2
"""A wall of one line is no wall."""
OFF_THE_GRID = 0.317
"""Of a cell: rays do not run along faces, which lie at tenths."""
SAME_MM = 1e-4

Triangles = npt.NDArray[np.float64]
"""Shape (n, 3, 3): corners in mm, anticlockwise from outside."""
Cells = npt.NDArray[np.bool_]
"""Shape (x, y, layer)."""


@dataclass(frozen=True, slots=True)
class Sliced:
    """How a part prints.

    Attributes:
        first_layer_mm2: what sticks to the bed.
        over_air_mm2: what begins over nothing; an overhang of 45 degrees is none.
        thin_mm2: of all layers, what is narrower than `WALL_LINES` lines.
        odd_edges: edges of the mesh that have not exactly two faces.
        size_mm: along x, y and z.
        volume_mm3: of the material.
    """

    first_layer_mm2: float
    over_air_mm2: float
    thin_mm2: float
    odd_edges: int
    size_mm: tuple[float, float, float]
    volume_mm3: float


OVER_AIR_MOST_MM2 = 5.0
"""The roof of a hole for a screw: a printer draws a line over 3 mm of air without sagging."""
THIN_MOST_MM2 = 10.0
"""Of all layers together: what a ray happens to miss of round posts."""


def problems(found: Sliced) -> list[str]:
    """Why a part cannot be printed as it lies, in words."""
    said = []
    if found.odd_edges:
        said.append(f"{found.odd_edges} edges of its mesh have more or fewer than two faces")
    if found.over_air_mm2 > OVER_AIR_MOST_MM2:
        said.append(f"{found.over_air_mm2:.0f} mm2 would begin over air: it needs support")
    if found.thin_mm2 > THIN_MOST_MM2:
        said.append(f"{found.thin_mm2:.0f} mm2 are thinner than {WALL_LINES} lines")
    if max(found.size_mm) > BED_MM:
        said.append(f"it is {max(found.size_mm):.0f} mm long, and the bed {BED_MM:.0f}")
    return said


def triangles_of(stl: bytes) -> Triangles:
    """The triangles of a binary STL file."""
    (count,) = np.frombuffer(stl, "<u4", count=1, offset=80)
    rows = np.frombuffer(stl, STL_ROW, count=int(count), offset=84)
    return rows["corners"].astype(np.float64)


STL_ROW = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def sliced(triangles: Triangles) -> Sliced:
    """Slice a part that lies on z = 0."""
    cells = filled(triangles)
    cell_mm2 = LINE_MM**2
    size = triangles.reshape(-1, 3).max(axis=0) - triangles.reshape(-1, 3).min(axis=0)
    return Sliced(
        first_layer_mm2=float(cells[:, :, 0].sum() * cell_mm2),
        over_air_mm2=float(_over_air(cells).sum() * cell_mm2),
        thin_mm2=float(_thin(cells).sum() * cell_mm2),
        odd_edges=odd_edges(triangles),
        size_mm=(float(size[0]), float(size[1]), float(size[2])),
        volume_mm3=float(cells.sum() * cell_mm2 * LAYER_MM),
    )


def filled(triangles: Triangles) -> Cells:
    """Which cells are inside: along each upright ray, those between two faces."""
    low, high = triangles.reshape(-1, 3).min(axis=0), triangles.reshape(-1, 3).max(axis=0)
    counts = np.ceil((high - low) / (LINE_MM, LINE_MM, LAYER_MM)).astype(int) + 1
    flips = np.zeros(counts, dtype=np.int32)
    for triangle in triangles:
        _cross(flips, triangle - low)
    inside: Cells = np.cumsum(flips, axis=2) % 2 == 1
    return inside


def _cross(flips: npt.NDArray[np.int32], triangle: Triangles) -> None:
    """Note where upright rays pass a triangle; from there on a ray is on the other side."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if abs(area) < SAME_MM**2:
        return  # upright: its neighbours say the same
    first = np.floor(triangle[:, :2].min(axis=0) / LINE_MM).astype(int)
    last = np.minimum(np.ceil(triangle[:, :2].max(axis=0) / LINE_MM).astype(int) + 1,
                      flips.shape[:2])  # fmt: skip
    i, j = np.meshgrid(np.arange(first[0], last[0]), np.arange(first[1], last[1]), indexing="ij")
    x, y = (i + OFF_THE_GRID) * LINE_MM, (j + OFF_THE_GRID) * LINE_MM
    u = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
    v = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
    hit = (u >= 0) & (v >= 0) & (u + v < 1)
    z = az + u * (cz - az) + v * (bz - az)
    # The middle of a layer is inside or outside.
    layer = np.clip(np.ceil(z / LAYER_MM - 0.5), 0, flips.shape[2] - 1).astype(int)
    np.add.at(flips, (i[hit], j[hit], layer[hit]), 1)


def _grown(cells: Cells) -> Cells:
    """The same, and what is beside it."""
    grown = cells.copy()
    grown[1:] |= cells[:-1]
    grown[:-1] |= cells[1:]
    wide = grown.copy()
    wide[:, 1:] |= grown[:, :-1]
    wide[:, :-1] |= grown[:, 1:]
    return wide


def _over_air(cells: Cells) -> Cells:
    """Cells with nothing under them, nor beside that, one layer below or two.

    One line sideways in two layers are 45 degrees. What lies on a ceiling is not counted again.
    """
    grown = _grown(cells)
    over = np.zeros_like(cells)
    over[:, :, 1:] = cells[:, :, 1:] & ~grown[:, :, :-1]
    ceiling = over[:, :, 1:-1]
    over[:, :, 2:] |= cells[:, :, 2:] & ~grown[:, :, :-2] & ~ceiling
    return over


def _thin(cells: Cells) -> Cells:
    """Cells in no square of `WALL_LINES` lines of their layer: opening, in the words of images."""
    solid = np.zeros_like(cells)
    square = cells[:-1, :-1] & cells[1:, :-1] & cells[:-1, 1:] & cells[1:, 1:]
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        solid[dx : dx + square.shape[0], dy : dy + square.shape[1]] |= square
    return cells & ~solid


def odd_edges(triangles: Triangles) -> int:
    """Edges of the mesh with more or fewer than two faces: a slicer guesses there."""
    corners = np.rint(triangles / SAME_MM).astype(np.int64)
    edges: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for triangle in corners.tolist():
        a, b, c = map(tuple, triangle)
        if len({a, b, c}) == 3:
            edges.update(tuple(sorted(pair)) for pair in ((a, b), (b, c), (c, a)))
    return sum(faces != 2 for faces in edges.values())

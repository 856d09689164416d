"""What the guide's pictures show beside the table: boards, cables, coins and pieces, as blocks.

Not made from our drawings, so only their outer dimensions are right.
"""

from collections.abc import Iterator

from build123d import Box, Circle, Cylinder, Part, Plane, Pos, Spline, sweep

from engine.tabletop import piece_centre_mm
from hw.building.mechanics import Mechanics
from scripts.schematics import stripboard
from scripts.schematics.model.solids import CARRIER_LONG_MM, POST_MM, Solid, tray_floor_mm
from scripts.schematics.output import STRIPBOARD

PI_MM = (85.0, 56.0, 1.4)
CARRIER_MM = (CARRIER_LONG_MM, 78.7, 1.6)
NANO_MM = (18.0, 45.0, 4.0)
HX711_MM = (34.0, 20.0, 4.0)
HX711_X_MM = 78.5
"""From the middle of the carrier: at the right end of the tray."""
FOAM_MM = 3.0
ROWS = {"NANO1": ("sockets", 2.5, 8.5), "LS1": ("level shifter", 6.0, 4.0)}
"""What stands on a row of contacts of the stripboard, how wide and how high; others are plugs."""
COIN_MM = (25.75, 2.2)
"""Two euro."""
CABLE_SHOWN_MM = 0.9
BESIDE_MM = 110.0
"""From the carrier to the Raspberry Pi on the bench."""


def benchtop(m: Mechanics) -> list[Solid]:
    """Everything of the guide that is not a part of the mechanics."""
    return [*_computer(), *_electronics(), in_tray(m), *_cable(m), *_weights(m)]


def _at(name: str, x: float, y: float, z: float, shape: Part) -> Solid:
    return Solid(name, Part() + Pos(x, y, z) * shape)


def _computer() -> Iterator[Solid]:
    long, wide, thick = PI_MM
    x = CARRIER_MM[0] / 2 + BESIDE_MM
    board = Part() + Box(long, wide, thick)
    board += Pos(0, wide / 2 - 4, 5) * Box(51, 5, 8.5)
    for y in (-18.0, 0.0, 18.0):
        board += Pos(long / 2 - 8, y, 8) * Box(18, 14, 15)
    yield _at("Raspberry Pi", x, 0, 0, board)
    yield _at("card", x - long / 2 - 4, 0, -1.5, Box(15, 11, 1))
    yield _at("power supply", x - 20, -wide / 2 - 30, 8, Box(36, 24, 20))


def _electronics() -> Iterator[Solid]:
    """As they lie in the tray: the carrier's underside at the origin, its strip A at the back."""
    board = stripboard.parse(STRIPBOARD.read_text(encoding="utf-8"))
    thick = CARRIER_MM[2]
    yield _at("carrier", 0, 0, thick / 2, Box(*CARRIER_MM))
    for row in board.parts:
        name, wide, high = ROWS.get(row.name, ("plugs", 5.8, 7.0))
        beyond = stripboard.PITCH_MM / 2 if row.name in ROWS else board.plugs.past_ends_mm
        along = (len(row.contacts) - 1) * stripboard.PITCH_MM
        x, y = _of_hole(board, row.first)
        yield _at(name, x, y - along / 2, thick + high / 2, Box(wide, along + 2 * beyond, high))
    (x, y), (far, _) = (
        _of_hole(board, row.first) for row in board.parts if row.name == "NANO1"
    )  # fmt: skip
    middle, top = (x + far) / 2, thick + ROWS["NANO1"][2]
    across = y + stripboard.PITCH_MM - NANO_MM[1] / 2
    yield _at("Nano", middle, across, top + NANO_MM[2] / 2, Box(*NANO_MM))
    yield _at("USB cable", middle, y + 32, top + 2, Box(8, 54, 4))
    for number in range(4):
        yield _at("HX711 board", HX711_X_MM, (number - 1.5) * (HX711_MM[1] + 0.8),
                  FOAM_MM - POST_MM + HX711_MM[2] / 2, Box(*HX711_MM))  # fmt: skip


def _of_hole(board: stripboard.Stripboard, name: str) -> tuple[float, float]:
    """Where a hole is, from the middle of the carrier."""
    strip, column = stripboard.hole_of(name)
    pitch = stripboard.PITCH_MM
    return (column - (board.columns - 1) / 2) * pitch, ((board.strips - 1) / 2 - strip) * pitch


def in_tray(m: Mechanics) -> Solid:
    """All of it in its place behind the foot plate."""
    whole = Part() + [Pos(*tray_floor_mm(m)) * Pos(0, 0, POST_MM) * each.part
                      for each in _electronics()]  # fmt: skip
    return Solid("electronics", whole, -60.0)


def _cable(m: Mechanics) -> Iterator[Solid]:
    """One loose loop from the sensor to the hole in the stem, drawn thicker than it is."""
    x, _y, z = m.design.imu_position_mm
    hole_mm = -m.pivot.cable_hole_depth_mm
    low_mm = hole_mm - 14.0
    way = Spline((x, 0, z - 2), (0.8 * x, 0, low_mm), (m.design.stem_diameter_mm / 2, 0, hole_mm))
    ring = Plane(way @ 0, z_dir=way % 0) * Circle(CABLE_SHOWN_MM / 2)
    yield Solid("cable", Part() + sweep(ring, path=way))


def _weights(m: Mechanics) -> Iterator[Solid]:
    wide, high = COIN_MM
    for number in range(4):
        yield _at("coins", 0, -m.design.base_half_mm + wide,
                  m.base_top_mm + (number + 0.5) * high, Cylinder(wide / 2, high))  # fmt: skip
    piece = m.measures.piece
    for cell in ("c3", "d2", "a1"):
        x, y, z = piece_centre_mm(m.measures, cell)
        yield _at("piece", x, y, z, Cylinder(piece.diameter_mm / 2, piece.height_mm))

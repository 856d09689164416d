"""What the guide's pictures show beside the table: boards, cables, coins and pieces, as blocks.

Not made from our drawings, so only their outer dimensions are right.
"""

from collections.abc import Iterator

from build123d import Box, Circle, Cylinder, Part, Plane, Pos, Spline, sweep

from engine.tabletop import piece_centre_mm
from hw.building.mechanics import Mechanics
from scripts.schematics.model.solids import Solid

PI_MM = (85.0, 56.0, 1.4)
CARRIER_MM = (100.0, 80.0, 1.6)
NANO_MM = (45.0, 18.0, 4.0)
HX711_MM = (34.0, 20.0, 4.0)
COIN_MM = (25.75, 2.2)
"""Two euro."""
CABLE_SHOWN_MM = 0.9
BESIDE_MM = 70.0
"""From the carrier to the Raspberry Pi on the bench."""


def benchtop(m: Mechanics) -> list[Solid]:
    """Everything of the guide that is not a part of the mechanics."""
    return [*_computer(), *_carrier(), *_cable(m), *_weights(m)]


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


def _carrier() -> Iterator[Solid]:
    long, wide, thick = CARRIER_MM
    yield _at("carrier", 0, 0, 0, Box(long, wide, thick))
    yield _at("level shifter", -30, 22, 3, Box(16, 13, 4))
    for number in range(4):
        yield _at("HX711 board", -32 + 21.5 * number, -22, 4, Box(HX711_MM[1] - 2, 30, 4))
    for y in (12.4, 27.6):
        yield _at("sockets", 16, y, 5, Box(40, 2.5, 8.5))
    yield _at("Nano", 16, 20, 11.5, Box(*NANO_MM))
    yield _at("USB cable", 16 + NANO_MM[0] / 2 + 22, 20, 11.5, Box(44, 8, 6))


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

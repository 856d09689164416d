"""The table as a physical thing: where the cells are, what a piece weighs, how the board hangs.

Facts only; `hw.calibration` builds it from a trace or a calibration file.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Protocol

from engine.errors import UnusableTabletop

FILES = "abcde"
RANKS = "12345"
CELLS: tuple[str, ...] = tuple(file + rank for rank in RANKS for file in FILES)

STANDARD_GRAVITY_MM_S2 = 9806.65

PIECES_PER_COLOUR = 12
"""Rule T2."""

CELL_COUNT = 4
"""Under the corners of the plate."""

Vector = tuple[float, float, float]


def load_cell_name(cell: int) -> str:
    """What people and drawings call a load cell: C0 front left, on anticlockwise to C3.

    >>> load_cell_name(0)
    'C0'
    """
    return f"C{cell}"


def load_cell(name: str) -> int:
    """The load cell of a name; a number alone is counted from 1, as older files do.

    Raises:
        ValueError: there is no such load cell.

    >>> load_cell("C1"), load_cell("2")
    (1, 1)
    """
    counted = int(name.upper().removeprefix("C")) - (not name.upper().startswith("C"))
    if counted not in range(CELL_COUNT):
        raise ValueError(name)
    return counted


def level(cell: str) -> int:
    """Level 1 (centre) to 5 (corners) of a cell: Manhattan distance from c3, plus one (rule T1).

    >>> [level(cell) for cell in ("c3", "c2", "a1")]
    [1, 2, 5]
    """
    return abs(FILES.index(cell[0]) - 2) + abs(RANKS.index(cell[1]) - 2) + 1


@dataclass(frozen=True, slots=True)
class ColourPiece:
    """What the owner weighed of the pieces of one colour: mean, and spread from piece to piece."""

    colour: str
    mass_mean_g: float
    mass_std_g: float


@dataclass(frozen=True, slots=True)
class Piece:
    """One playing piece: a flat cylinder. `mass_std_g` is the spread from piece to piece.

    Attributes:
        colours: the same of each colour, where the owner weighed them.
    """

    diameter_mm: float
    height_mm: float
    mass_mean_g: float
    mass_std_g: float
    colours: tuple[ColourPiece, ...] = ()

    def of_colours(self, colours: tuple[ColourPiece, ...]) -> "Piece":
        """The same piece with mean and spread of these colours together."""
        mean_g = sum(each.mass_mean_g for each in colours) / len(colours)
        squares = [each.mass_std_g**2 + (each.mass_mean_g - mean_g) ** 2 for each in colours]
        spread_g = sqrt(sum(squares) / len(colours))
        return replace(
            self, mass_mean_g=round(mean_g, 4), mass_std_g=round(spread_g, 4), colours=colours
        )

    @property
    def masses(self) -> dict[str, Any]:
        """What is known of the mass of pieces; see `engine.pieces.PieceSet.of`.

        Colours are in small letters, as games have them.
        """
        found: dict[str, Any] = {"mass_mean_g": self.mass_mean_g, "mass_std_g": self.mass_std_g}
        for each in self.colours:
            one = {"mass_mean_g": each.mass_mean_g, "mass_std_g": each.mass_std_g}
            found.setdefault("colours", {})[each.colour.lower()] = one
        return found


class Stepped(Protocol):
    """Measures of a stepped board, whoever keeps them; see `Tabletop`."""

    @property
    def cell_pitch_mm(self) -> float:
        """Distance of neighbouring cell centres."""

    @property
    def level_step_mm(self) -> float:
        """Height difference between neighbouring levels."""

    @property
    def centre_height_mm(self) -> float:
        """Height of the surface of c3 over the pivot."""


class SteppedWithPiece(Stepped, Protocol):
    """The same, and what is laid on it."""

    @property
    def piece(self) -> Piece:
        """The playing piece."""


def cell_xy_mm(board: Stepped, cell: str) -> tuple[float, float]:
    """Centre of a cell, board frame."""
    pitch = board.cell_pitch_mm
    return (FILES.index(cell[0]) - 2) * pitch, (RANKS.index(cell[1]) - 2) * pitch


def surface_mm(board: Stepped, cell: str) -> float:
    """Height of a cell's surface over the pivot: the centre is the top."""
    return board.centre_height_mm - (level(cell) - 1) * board.level_step_mm


def piece_centre_mm(board: SteppedWithPiece, cell: str, below: int = 0) -> Vector:
    """Centre of a piece lying on `cell` on top of `below` others, board frame."""
    return *cell_xy_mm(board, cell), surface_mm(board, cell) + (below + 0.5) * board.piece.height_mm


@dataclass(frozen=True, slots=True)
class Tabletop:
    """Geometry and mass of one table, as its owner measured them.

    Attributes:
        cell_pitch_mm: distance of neighbouring cell centres.
        level_step_mm: height difference between neighbouring levels.
        centre_height_mm: height of the surface of c3 over the pivot.
        piece: the playing piece.
        load_cell_positions_mm: x, y of the four load cells under the base plate, board frame.
        imu_position_mm: x, y, z of the inertial sensor, board frame.
        empty_moment_gmm: first moment of mass of the empty board about the pivot, g mm.
        empty_mass_g: mass of the empty tilting board.
        scale_rate_hz: nominal conversions a second of each HX711; the true rate is measured.
        imu_rate_hz: nominal rate of the inertial sensor.
        weight_only: a starter table: one load cell, given as four quarters, and no inertial sensor.
            It sees that a piece came or went, and people say where.
    """

    cell_pitch_mm: float
    level_step_mm: float
    centre_height_mm: float
    piece: Piece
    load_cell_positions_mm: tuple[tuple[float, float], ...]
    imu_position_mm: Vector
    empty_moment_gmm: Vector
    empty_mass_g: float
    scale_rate_hz: float = 80.0
    imu_rate_hz: float = 200.0
    weight_only: bool = False

    def __post_init__(self) -> None:
        """Refuse impossible values.

        Raises:
            UnusableTabletop: a length or a mass is not positive, or a load cell is missing.
        """
        positive = {
            "cell_pitch_mm": self.cell_pitch_mm,
            "piece.height_mm": self.piece.height_mm,
            "piece.mass_mean_g": self.piece.mass_mean_g,
            "empty_mass_g": self.empty_mass_g,
            "scale_rate_hz": self.scale_rate_hz,
            "imu_rate_hz": self.imu_rate_hz,
        }
        for name, value in positive.items():
            if not value > 0:
                raise UnusableTabletop(f"{name} is {value}; it must be greater than 0")
        if len(self.load_cell_positions_mm) != 4:
            count = len(self.load_cell_positions_mm)
            raise UnusableTabletop(f"{count} load cell positions given; four are needed")
        if not self.empty_moment_gmm[2] < 0:
            raise UnusableTabletop(
                "the empty board's centre of gravity is not below the pivot "
                f"(empty_moment_gmm z = {self.empty_moment_gmm[2]}); the board could not stand"
            )

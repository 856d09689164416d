"""What a ruler and a kitchen scale tell of a game: the file that everything else follows from.

`topple-table measure` asks for it. Drawings, the simulated tower, the first calibration and the
checks of the balance are computed from it; a calibration later measures the same table better.
All lengths in mm, masses in g. Board frame as everywhere: origin at the tip, z up.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import asin, atan, atan2, cos, hypot, pi, sin, sqrt
from pathlib import Path
from typing import Literal

import msgspec

from engine.plainly import plainly
from engine.tabletop import Piece, Stepped, SteppedWithPiece, piece_centre_mm, surface_mm
from hw.errors import BadMeasures

Made = Literal["printed", "bought"]

FILE_BYTES = 20_000
"""A file of measures has thirty lines; whatever is longer is another file."""
CORNER = "a1"
MASS_SPREAD = 0.03
"""Spread of the mass from piece to piece, as a share: moulded pieces of one set differ so much.
What a table really has is measured while it is calibrated."""
PLA_G_CM3 = 1.24
SINK_LEAST_DEG, SINK_MOST_DEG = 0.2, 30.0
"""Tilts under one piece that somebody can read with a ruler, and that no stop prevents."""


class BoardMeasures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[board]`: the stepped board.

    Attributes:
        made: `bought`, with its own dimple for a tip, or `printed` from our drawings.
        cell_pitch_mm: from the middle of a cell to the middle of the next.
        level_step_mm: from one level to the next.
        centre_height_mm: from the tip up to the surface of the middle cell.
        wall_mm: thickness of floor and risers.
        density_g_cm3: of the material; PLA when left out.
        mass_g: of the whole board with the sensor; 0: not made yet, then it is computed.
        corner_sinks_mm: how far a corner of the empty board sinks when one piece is laid on its
            corner cell; 0: not made yet.
    """

    cell_pitch_mm: float
    level_step_mm: float
    centre_height_mm: float
    made: Made = "printed"
    wall_mm: float = 3.4
    density_g_cm3: float = PLA_G_CM3
    mass_g: float = 0.0
    corner_sinks_mm: float = 0.0


class PieceMeasures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[piece]`: one playing piece; its mass best as a tenth of what ten weigh."""

    diameter_mm: float
    height_mm: float
    mass_g: float


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    board: BoardMeasures
    piece: PieceMeasures


RANGES: dict[str, tuple[float, float]] = {
    "board.cell_pitch_mm": (12, 80),
    "board.level_step_mm": (3, 40),
    "board.centre_height_mm": (-20, 40),
    "board.wall_mm": (0.8, 20),
    "board.density_g_cm3": (0.1, 9),
    "board.mass_g": (15, 5000),
    "board.corner_sinks_mm": (0.3, 100),
    "piece.diameter_mm": (6, 70),
    "piece.height_mm": (2, 40),
    "piece.mass_g": (0.3, 60),
}
"""What a ruler in millimetres and a scale in grams can have meant; beyond is a typing error, such
as centimetres."""
LATER = ("board.mass_g", "board.corner_sinks_mm")
"""May be 0 on a board that is not made yet."""


@dataclass(frozen=True, slots=True)
class Measures:
    """A game as it was measured.

    Raises:
        BadMeasures: a value that no game can have; the message names it, the limit, and what to do.
    """

    board: BoardMeasures
    piece_measured: PieceMeasures

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for text in _impossible(self):
            raise BadMeasures(text)

    @property
    def cell_pitch_mm(self) -> float:
        """See `BoardMeasures`."""
        return self.board.cell_pitch_mm

    @property
    def level_step_mm(self) -> float:
        """See `BoardMeasures`."""
        return self.board.level_step_mm

    @property
    def centre_height_mm(self) -> float:
        """See `BoardMeasures`."""
        return self.board.centre_height_mm

    @property
    def piece(self) -> Piece:
        """The playing piece, with the usual spread from piece to piece."""
        known = self.piece_measured
        return Piece(known.diameter_mm, known.height_mm, known.mass_g, MASS_SPREAD * known.mass_g)

    @property
    def is_made(self) -> bool:
        """Whether mass and balance were measured, not computed from the drawing."""
        return self.board.mass_g > 0 and self.board.corner_sinks_mm > 0


def parse(text: str) -> Measures:
    """Measures from TOML text.

    Raises:
        BadMeasures: it cannot be read, lacks a value, or no game can have one.
    """
    try:
        file = msgspec.toml.decode(text, type=_File)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadMeasures(f"{plainly(error)}; topple-table measure writes such a file") from None
    return Measures(file.board, file.piece)


def load(path: Path) -> Measures:
    """The measures in a file.

    Raises:
        BadMeasures: it is not there, or see `parse`.
    """
    try:
        with path.open("rb") as file:
            text = file.read(FILE_BYTES + 1).decode("utf-8")
    except OSError as error:
        raise BadMeasures(
            f"{path}: {error.strerror}; write one with: topple-table measure --to {path}"
        ) from None
    except UnicodeDecodeError:
        raise BadMeasures(f"{path}: this is not a text file; name a file of measures") from None
    if len(text) > FILE_BYTES:
        raise BadMeasures(f"{path}: too long for a file of measures")
    try:
        return parse(text)
    except BadMeasures as error:
        raise BadMeasures(f"{path}: {error}") from None


def text_of(measures: Measures) -> str:
    """The file of these measures, with what each means.

    >>> parse(text_of(STANDARD)) == STANDARD
    True
    """
    board, piece = measures.board, measures.piece_measured
    return f"""\
# The game as measured with a ruler (mm) and a kitchen scale (g). Written by: topple-table measure
# Drawings, simulation and the first calibration follow from it.

[board]
made = "{board.made}"
cell_pitch_mm = {board.cell_pitch_mm!r}       # from the middle of a cell to the middle of the next
level_step_mm = {board.level_step_mm!r}       # from one level to the next
centre_height_mm = {board.centre_height_mm!r}     # from the tip up to the surface of c3
wall_mm = {board.wall_mm!r}              # thickness of floor and risers
density_g_cm3 = {board.density_g_cm3!r}       # of the material
mass_g = {board.mass_g!r}              # of the board with its sensor; 0: not made yet
corner_sinks_mm = {board.corner_sinks_mm!r}      # under one piece on a corner cell; 0: not made yet

[piece]
diameter_mm = {piece.diameter_mm!r}
height_mm = {piece.height_mm!r}
mass_g = {piece.mass_g!r}               # a tenth of what ten weigh
"""


def value_of(measures: Measures, key: str) -> float:
    """One value by its place in the file, such as `board.mass_g`."""
    part, _, name = key.partition(".")
    return float(getattr(measures.board if part == "board" else measures.piece_measured, name))


def check_range(key: str, value: float) -> None:
    """Refuse a value that no game can have, whatever the others are.

    Raises:
        BadMeasures: it is out of its range.
    """
    least, most = RANGES[key]
    if not least <= value <= most:
        raise BadMeasures(
            f"{key} is {value:g}; it must be {least:g} to {most:g}, in the unit of its name"
        )


def moment_from_sink_gmm(measures: Measures) -> float:
    """First moment about the tip (g mm) of a board whose corner sinks as measured.

    One piece in the corner turns the board until the moments are equal; the corner then stands
    lower by what the ruler says.
    """
    piece = measures.piece
    x, y, z_mm = piece_centre_mm(measures, CORNER)
    tilt = tilt_of_sink_rad(measures, measures.board.corner_sinks_mm)
    return -piece.mass_mean_g * (sqrt(x * x + y * y) * cos(tilt) / sin(tilt) + z_mm)


def sink_mm(board: Stepped, tilt_rad: float) -> float:
    """How far a board's corner sinks when it is tilted towards it."""
    out_mm, z_mm = half_board_mm(board) * sqrt(2), surface_mm(board, CORNER)
    return z_mm * (1 - cos(tilt_rad)) + out_mm * sin(tilt_rad)


def tilt_of_sink_rad(measures: Measures, sinks_mm: float) -> float:
    """The tilt at which a board's corner has sunk so far.

    Raises:
        BadMeasures: it is less than a ruler can tell, or more than a board can hang.
    """
    low, high = SINK_LEAST_DEG * pi / 180, SINK_MOST_DEG * pi / 180
    least_mm, most_mm = sink_mm(measures, low), sink_mm(measures, high)
    if not least_mm <= sinks_mm <= most_mm:
        raise BadMeasures(
            f"board.corner_sinks_mm is {sinks_mm:g}; on a board of this size it must be "
            f"{least_mm:.1f} to {most_mm:.0f}: lay one piece on a corner cell of the empty board "
            "and measure how far that corner of the board goes down"
        )
    # r sin t - z cos t = sinks - z, solved for t.
    out_mm, z_mm = half_board_mm(measures) * sqrt(2), surface_mm(measures, CORNER)
    return atan2(z_mm, out_mm) + asin((sinks_mm - z_mm) / hypot(out_mm, z_mm))


def sink_under_a_piece_mm(board: SteppedWithPiece, moment_z_gmm: float) -> float:
    """How far a corner sinks under one piece if the empty board has this moment."""
    x, y, z_mm = piece_centre_mm(board, CORNER)
    mass_g = board.piece.mass_mean_g
    return sink_mm(board, atan(mass_g * sqrt(x * x + y * y) / -(moment_z_gmm + mass_g * z_mm)))


def half_board_mm(board: Stepped) -> float:
    """Half the side of a board of five by five cells."""
    return 2.5 * board.cell_pitch_mm


def _impossible(measures: Measures) -> Iterator[str]:
    for key in RANGES:
        value = value_of(measures, key)
        if key in LATER and value == 0:
            continue
        check_range(key, value)
    board, piece = measures.board, measures.piece_measured
    if piece.diameter_mm >= board.cell_pitch_mm:
        yield (
            f"piece.diameter_mm is {piece.diameter_mm:g} and board.cell_pitch_mm "
            f"{board.cell_pitch_mm:g}; two pieces must have room side by side: measure the pitch "
            "from the middle of a cell to the middle of the next"
        )
    if (board.mass_g > 0) != (board.corner_sinks_mm > 0):
        yield (
            "board.mass_g and board.corner_sinks_mm belong together: give both, or 0 for both "
            "while the board is not made"
        )
    if board.made == "bought" and board.mass_g == 0:
        yield (
            "a bought board can be weighed: give board.mass_g, and board.corner_sinks_mm, which is "
            "how far a corner sinks under one piece"
        )
    if board.corner_sinks_mm > 0:
        tilt_of_sink_rad(measures, board.corner_sinks_mm)


STANDARD = Measures(
    BoardMeasures(
        cell_pitch_mm=32.0,
        level_step_mm=12.0,
        centre_height_mm=5.8,
        mass_g=181.0,
        corner_sinks_mm=7.309,
    ),
    PieceMeasures(diameter_mm=22.0, height_mm=9.0, mass_g=3.0),
)
"""The game that is assumed where nobody has measured: the simulated tower's."""

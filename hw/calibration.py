"""Converts counts to grams, g and radians a second, and reads and writes the calibration.

The document is the `table` metadata of a trace (docs/traces.md) and the calibration file of a live
table: one definition for both. Everything here is arithmetic; nothing is measured.
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from engine.errors import UNREADABLE, UnusableTabletop
from engine.plainly import plainly
from engine.samples import Flags, Floats, ImuSamples, Ints, ScaleSamples
from engine.tabletop import CELL_COUNT, ColourPiece, Piece, Tabletop, Vector, load_cell_name
from hw.errors import BadCalibration

DOCUMENT_VERSION = 1
COUNTS_MAX = 2**23 - 1
"""HX711 datasheet: the output stays at +-2^23 when the input is out of range."""
COUNTS_MIN = -(2**23)
COUNTS_PER_GRAM_MIN = 1.0
"""A 5 kg cell gives about 430, a 20 kg cell 107; below 1 a piece would not move the count."""
COUNTS_PER_GRAM_MAX = 1e5
LENGTH_MAX_MM = 1000.0
FLATTEST_MM = 10.0
"""Each three load cells must make a triangle at least so high, since three carry on when the fourth
is lost. On a table it is a hundred; in a line they could not tell a moment from a weight."""
BIAS_MAX_G = 0.5
"""MPU-6050 datasheet: zero-g offset up to 80 mg, 0.5 leaves room for clones."""
BIAS_MAX_DPS = 60.0
"""MPU-6050 datasheet: zero rate up to 20 deg/s."""
ROTATION_TOLERANCE = 0.02
"""Largest error of R R^T: rounding to two decimals passes, a forgotten axis does not."""

Row3 = tuple[float, float, float]
Matrix3 = tuple[Row3, Row3, Row3]


@dataclass(frozen=True, slots=True)
class ScaleCalibration:
    """Load cells: gram = (count - tare) / counts_per_gram; a negative factor is a turned cell."""

    positions_mm: tuple[tuple[float, float], ...]
    counts_per_gram: tuple[float, ...]
    tare_counts: tuple[float, ...]
    rate_hz: float = 80.0

    def mass_g(self, raw: Ints, valid: Flags) -> Floats:
        """Grams over the tare, shape (n, 4); NaN where not `valid`."""
        grams: Floats = (raw - np.asarray(self.tare_counts)) / np.asarray(self.counts_per_gram)
        grams[~valid] = np.nan
        return grams


@dataclass(frozen=True, slots=True)
class ImuCalibration:
    """Inertial sensor: v_board = R (v_imu - bias)."""

    accel_bias_g: Row3
    gyro_bias_dps: Row3
    rotation: Matrix3
    position_mm: Vector
    accel_lsb_per_g: float = 16384.0
    gyro_lsb_per_dps: float = 131.0
    rate_hz: float = 200.0

    def accel_g(self, raw: Ints) -> Floats:
        """Specific force in the board frame from accelerometer counts, shape (n, 3)."""
        return self._to_board(raw, self.accel_lsb_per_g, self.accel_bias_g)

    def rate_rad_s(self, raw: Ints) -> Floats:
        """Angular rate in the board frame from gyroscope counts, shape (n, 3)."""
        return np.radians(self._to_board(raw, self.gyro_lsb_per_dps, self.gyro_bias_dps))

    def _to_board(self, raw: Ints, lsb_per_unit: float, bias: Row3) -> Floats:
        unbiased: Floats = raw / lsb_per_unit - np.asarray(bias)
        turned: Floats = unbiased @ np.asarray(self.rotation).T
        return turned


@dataclass(frozen=True, slots=True)
class Calibration:
    """Everything known about one table before the first sample.

    Attributes:
        cell_pitch_mm: distance of neighbouring cell centres.
        level_step_mm: height difference between neighbouring levels.
        centre_height_mm: height of the surface of c3 over the pivot.
        empty_moment_gmm: first moment of mass of the empty board about the pivot.
        weight_only: a starter table. Its one load cell stands in the four columns as four equal
            quarters, so that recordings, replay and detection are those of any table; what is
            said of the inertial sensor is not used.
    """

    cell_pitch_mm: float
    level_step_mm: float
    centre_height_mm: float
    piece: Piece
    scale: ScaleCalibration
    imu: ImuCalibration
    empty_moment_gmm: Vector
    empty_mass_g: float
    weight_only: bool = False

    def __post_init__(self) -> None:
        """Refuse impossible values.

        Raises:
            BadCalibration: naming the key, the value and the limit.
        """
        _check(self)
        self.tabletop()

    def tabletop(self) -> Tabletop:
        """The facts the engine needs."""
        try:
            return Tabletop(
                cell_pitch_mm=self.cell_pitch_mm,
                level_step_mm=self.level_step_mm,
                centre_height_mm=self.centre_height_mm,
                piece=self.piece,
                load_cell_positions_mm=self.scale.positions_mm,
                imu_position_mm=self.imu.position_mm,
                empty_moment_gmm=self.empty_moment_gmm,
                empty_mass_g=self.empty_mass_g,
                scale_rate_hz=self.scale.rate_hz,
                imu_rate_hz=self.imu.rate_hz,
                weight_only=self.weight_only,
            )
        except UnusableTabletop as problem:
            raise BadCalibration(f"table calibration: {problem}") from problem

    def scale_samples(
        self, t_s: npt.ArrayLike, raw: npt.ArrayLike, trusted: Flags | None = None
    ) -> ScaleSamples:
        """A block of weights from counts of shape (n, 4) at table times of shape (n,).

        `trusted` is false where the reader condemned the count; saturated ones are condemned here.
        """
        counts: Ints = np.asarray(raw, dtype=np.int32).reshape(-1, CELL_COUNT)
        valid: Flags = (counts < COUNTS_MAX) & (counts > COUNTS_MIN)
        if trusted is not None:
            valid &= trusted
        times_s: Floats = np.asarray(t_s, dtype=np.float64)
        return ScaleSamples(times_s, self.scale.mass_g(counts, valid), counts, valid)

    def imu_samples(self, t_s: npt.ArrayLike, raw: npt.ArrayLike) -> ImuSamples:
        """A block of motion from counts, shape (n, 6): accelerometer x y z, gyroscope x y z."""
        counts: Ints = np.asarray(raw, dtype=np.int32).reshape(-1, 6)
        return ImuSamples(
            np.asarray(t_s, dtype=np.float64),
            self.imu.accel_g(counts[:, :3]),
            self.imu.rate_rad_s(counts[:, 3:]),
            counts,
        )


# --- the document -------------------------------------------------------------------------


class _Geometry(msgspec.Struct):
    cell_pitch: float
    level_step: float
    centre_height: float
    units: str = "mm"
    pivot: Row3 = (0, 0, 0)
    grid: int = 5
    files: str = "abcde = x -2..+2"
    ranks: str = "1..5 = y -2..+2"


class _ColourDocument(msgspec.Struct):
    mass_mean_g: float
    mass_std_g: float


class _PieceDocument(msgspec.Struct, omit_defaults=True):
    diameter: float
    height: float
    mass_mean_g: float
    mass_std_g: float
    colours: dict[str, _ColourDocument] = {}


class _ScaleDocument(msgspec.Struct):
    cell_positions_mm: tuple[tuple[float, float], ...]
    rate_hz: float
    counts_per_gram: tuple[float, ...]
    tare_counts: tuple[float, ...]
    tare: str = "base with the empty board at rest"


class _ImuDocument(msgspec.Struct):
    rate_hz: float
    accel_lsb_per_g: float
    gyro_lsb_per_dps: float
    accel_bias_g: Row3
    gyro_bias_dps: Row3
    mounting_rotation: Matrix3
    position_mm: Row3
    mounting_rotation_sense: str = "v_board = R * (v_imu - bias)"


class _BoardDocument(msgspec.Struct):
    empty_moment_gmm: Row3
    empty_mass_g: float


class _Document(msgspec.Struct, omit_defaults=True):
    version: int
    geometry: _Geometry
    piece: _PieceDocument
    scale: _ScaleDocument
    imu: _ImuDocument
    board: _BoardDocument
    weight_only: bool = False


def parse_calibration(text: str | bytes) -> Calibration:
    """The calibration written in a `table` metadata document.

    Raises:
        BadCalibration: the text is no JSON, lacks an entry, or holds an impossible value.
    """
    try:
        document = msgspec.json.decode(text, type=_Document)
    except UNREADABLE as problem:
        raise BadCalibration(f"table calibration: {plainly(problem)}") from problem
    if document.version != DOCUMENT_VERSION:
        raise BadCalibration(
            f"table calibration: version is {document.version}; this program reads version "
            f"{DOCUMENT_VERSION}",
            "version",
        )
    if document.geometry.units != "mm":
        units = document.geometry.units[:20]
        raise BadCalibration(
            f"table calibration: geometry.units is {units!r}; only mm is known", "geometry.units"
        )
    return _from_document(document)


def calibration_document(calibration: Calibration) -> dict[str, Any]:
    """The `table` metadata document of a calibration; `parse_calibration` reads it back equal."""
    return dict(msgspec.to_builtins(_to_document(calibration)))


def calibration_json(calibration: Calibration) -> str:
    """`calibration_document` as JSON text."""
    return msgspec.json.encode(_to_document(calibration)).decode()


def _from_document(document: _Document) -> Calibration:
    geometry, piece, scale, imu = document.geometry, document.piece, document.scale, document.imu
    return Calibration(
        cell_pitch_mm=geometry.cell_pitch,
        level_step_mm=geometry.level_step,
        centre_height_mm=geometry.centre_height,
        piece=Piece(
            piece.diameter,
            piece.height,
            piece.mass_mean_g,
            piece.mass_std_g,
            tuple(
                ColourPiece(colour, each.mass_mean_g, each.mass_std_g)
                for colour, each in piece.colours.items()
            ),
        ),
        scale=ScaleCalibration(
            scale.cell_positions_mm, scale.counts_per_gram, scale.tare_counts, scale.rate_hz
        ),
        imu=ImuCalibration(
            accel_bias_g=imu.accel_bias_g,
            gyro_bias_dps=imu.gyro_bias_dps,
            rotation=imu.mounting_rotation,
            position_mm=imu.position_mm,
            accel_lsb_per_g=imu.accel_lsb_per_g,
            gyro_lsb_per_dps=imu.gyro_lsb_per_dps,
            rate_hz=imu.rate_hz,
        ),
        empty_moment_gmm=document.board.empty_moment_gmm,
        empty_mass_g=document.board.empty_mass_g,
        weight_only=document.weight_only,
    )


def _to_document(calibration: Calibration) -> _Document:
    piece, scale, imu = calibration.piece, calibration.scale, calibration.imu
    return _Document(
        version=DOCUMENT_VERSION,
        geometry=_Geometry(
            calibration.cell_pitch_mm, calibration.level_step_mm, calibration.centre_height_mm
        ),
        piece=_PieceDocument(
            piece.diameter_mm,
            piece.height_mm,
            piece.mass_mean_g,
            piece.mass_std_g,
            {
                each.colour: _ColourDocument(each.mass_mean_g, each.mass_std_g)
                for each in piece.colours
            },
        ),
        scale=_ScaleDocument(
            scale.positions_mm, scale.rate_hz, scale.counts_per_gram, scale.tare_counts
        ),
        imu=_ImuDocument(
            imu.rate_hz,
            imu.accel_lsb_per_g,
            imu.gyro_lsb_per_dps,
            imu.accel_bias_g,
            imu.gyro_bias_dps,
            imu.rotation,
            imu.position_mm,
        ),
        board=_BoardDocument(calibration.empty_moment_gmm, calibration.empty_mass_g),
        weight_only=calibration.weight_only,
    )


# --- limits -------------------------------------------------------------------------------


def _check(calibration: Calibration) -> None:
    piece, scale, imu = calibration.piece, calibration.scale, calibration.imu
    _within("geometry.cell_pitch", calibration.cell_pitch_mm, 1.0, LENGTH_MAX_MM)
    _within("geometry.level_step", calibration.level_step_mm, -LENGTH_MAX_MM, LENGTH_MAX_MM)
    _within("geometry.centre_height", calibration.centre_height_mm, -LENGTH_MAX_MM, LENGTH_MAX_MM)
    _within("piece.diameter", piece.diameter_mm, 1.0, LENGTH_MAX_MM)
    _within("piece.height", piece.height_mm, 0.1, LENGTH_MAX_MM)
    _within("piece.mass_mean_g", piece.mass_mean_g, 0.01, 1e4)
    _within("piece.mass_std_g", piece.mass_std_g, 0.0, 1e4)
    for each in piece.colours:
        _within(f"piece.colours.{each.colour}.mass_mean_g", each.mass_mean_g, 0.01, 1e4)
        _within(f"piece.colours.{each.colour}.mass_std_g", each.mass_std_g, 0.0, 1e4)
    _check_scale(scale)
    _check_imu(imu)
    for index, moment in enumerate(calibration.empty_moment_gmm):
        _within(f"board.empty_moment_gmm[{index}]", moment, -1e7, 1e7)
    _within("board.empty_mass_g", calibration.empty_mass_g, 0.1, 1e5)


def _check_scale(scale: ScaleCalibration) -> None:
    columns = {
        "scale.cell_positions_mm": len(scale.positions_mm),
        "scale.counts_per_gram": len(scale.counts_per_gram),
        "scale.tare_counts": len(scale.tare_counts),
    }
    for key, count in columns.items():
        if count != CELL_COUNT:
            _refuse(key, f"{count} values", f"{CELL_COUNT} values, one per load cell")
    for index, (x_mm, y_mm) in enumerate(scale.positions_mm):
        _within(f"scale.cell_positions_mm[{index}]", x_mm, -LENGTH_MAX_MM, LENGTH_MAX_MM)
        _within(f"scale.cell_positions_mm[{index}]", y_mm, -LENGTH_MAX_MM, LENGTH_MAX_MM)
    _check_spread(scale.positions_mm)
    for index, factor in enumerate(scale.counts_per_gram):
        if not COUNTS_PER_GRAM_MIN <= abs(factor) <= COUNTS_PER_GRAM_MAX:
            limit = f"{COUNTS_PER_GRAM_MIN:g} to {COUNTS_PER_GRAM_MAX:g} without its sign"
            _refuse(f"scale.counts_per_gram[{index}]", factor, limit)
    for index, tare in enumerate(scale.tare_counts):
        _within(f"scale.tare_counts[{index}]", tare, COUNTS_MIN + 1, COUNTS_MAX - 1)
    _within("scale.rate_hz", scale.rate_hz, 1.0, 5000.0)


def _check_spread(positions_mm: tuple[tuple[float, float], ...]) -> None:
    for cells in combinations(range(CELL_COUNT), 3):
        corners = np.array([positions_mm[cell] for cell in cells])
        sides = np.roll(corners, -1, axis=0) - corners
        twice_area = abs(float(sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0]))
        longest_mm = float(np.hypot(*sides.T).max())
        if twice_area < FLATTEST_MM * longest_mm or longest_mm == 0.0:
            one, two, three = map(load_cell_name, cells)
            raise BadCalibration(
                f"table calibration: load cells {one}, {two} and {three} lie in one line or at one "
                f"place (scale.cell_positions_mm); each three must make a triangle at least "
                f"{FLATTEST_MM:g} mm high. Measure where the four cells are",
                "scale.cell_positions_mm",
            )


def _check_imu(imu: ImuCalibration) -> None:
    _within("imu.rate_hz", imu.rate_hz, 1.0, 20000.0)
    _within("imu.accel_lsb_per_g", imu.accel_lsb_per_g, 1.0, 1e6)
    _within("imu.gyro_lsb_per_dps", imu.gyro_lsb_per_dps, 0.1, 1e6)
    for index in range(3):
        _within(f"imu.accel_bias_g[{index}]", imu.accel_bias_g[index], -BIAS_MAX_G, BIAS_MAX_G)
        _within(
            f"imu.gyro_bias_dps[{index}]", imu.gyro_bias_dps[index], -BIAS_MAX_DPS, BIAS_MAX_DPS
        )
        _within(f"imu.position_mm[{index}]", imu.position_mm[index], -LENGTH_MAX_MM, LENGTH_MAX_MM)
    _check_rotation(np.asarray(imu.rotation))


def _check_rotation(rotation: Floats) -> None:
    error = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if not (error <= ROTATION_TOLERANCE and np.linalg.det(rotation) > 0):
        _refuse(
            "imu.mounting_rotation",
            rotation.round(3).tolist(),
            f"a right-handed rotation (R R^T = 1 within {ROTATION_TOLERANCE:g})",
        )


def _within(key: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low <= value <= high):
        _refuse(key, value, f"{low:g} to {high:g}")


def _refuse(key: str, value: object, limit: str) -> None:
    raise BadCalibration(f"table calibration: {key} is {value}; it must be {limit}", key)

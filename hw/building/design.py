"""What a table for a game of these measures looks like: plates, load cells, stem, sensor, stop.

The drawings show it, the simulated tower is built like it, and a calibration starts from it.
Board frame: origin at the tip, z up, mm.
"""

from dataclasses import dataclass
from functools import cache
from itertools import count
from math import ceil

from engine.tabletop import Vector
from hw.building.boxes import floors, risers
from hw.building.measures import STANDARD, Measures, half_board_mm
from hw.building.placing import ROOM_MM, Place, stem_and_sensor
from hw.building.reach import Post, Tilts, depths_mm, met_deg, stops_deg
from hw.building.shell import hanging
from hw.calibration import Calibration, ImuCalibration, ScaleCalibration

PLATE_MM, GAP_MM = 6.0, 2.0
"""The base plate, and the spacer between it and the load cells, so that their bars can bend."""
SIDE_BESIDE_PIECE_MM = 2.0
"""A piece that falls off an edge still lies on the base plate, with so much to spare."""
BAR_INSIDE_MM = 34.0
"""From the edge of the plate to the middle of a bar's loaded holes: the end of an 80 mm bar, its
screws and the round corner."""
LEAST_CELL_MM = 38.0
"""Bars of 80 mm lie like the sails of a mill; under 37 mm from the middle neighbours would meet."""
OVER_A_PIECE_MM = 2.0
"""At the stop all of the board is higher over the plate than a fallen piece by so much."""
FLANGE_MM, FLANGE_HIGH_MM = 44.0, 16.0
"""What holds the stem on the base plate."""
TIP_STEP_MM = 5.0
"""Stems are cut to whole steps."""
PLAIN_GAIN = 1000.0
"""Any; the calibration measures it. About half of a 1 kg cell at 1 mV/V."""


@dataclass(frozen=True, slots=True)
class Design:
    """The dimensions of a table.

    Attributes:
        tip_height_mm: of the tip over the bearing surface of the load cells.
        stem_diameter_mm: of the tube that carries the needle.
        base_half_mm: half the side of the base plate.
        load_cell_positions_mm: the middle of each bar's loaded holes.
        imu_position_mm: the sensor's chip; its counterweight hangs opposite.
        imu_across: the sensor's longer side lies along y, not along x.
        stop_deg: tilt at which the stem meets the board, in the direction in which that is soonest.
        stop_most_deg: in the direction in which it is latest.
    """

    tip_height_mm: float
    stem_diameter_mm: float
    base_half_mm: float
    load_cell_positions_mm: tuple[tuple[float, float], ...]
    imu_position_mm: Vector
    imu_across: bool
    stop_deg: float
    stop_most_deg: float

    @property
    def sensor(self) -> Place:
        """The sensor's place."""
        return Place(self.imu_position_mm, self.imu_across)


@cache
def designed(measures: Measures) -> Design:
    """The table for a game."""
    stem_mm, place = stem_and_sensor(measures)
    stops = stops_deg(measures, stem_mm)
    beside_mm = half_board_mm(measures) + measures.piece.diameter_mm + SIDE_BESIDE_PIECE_MM
    half_mm = max(beside_mm, LEAST_CELL_MM + BAR_INSIDE_MM)
    cell_mm = half_mm - BAR_INSIDE_MM
    return Design(
        tip_height_mm=_tip_height_mm(measures, place, stops),
        stem_diameter_mm=stem_mm,
        base_half_mm=half_mm,
        load_cell_positions_mm=tuple(
            (x * cell_mm, y * cell_mm) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ),
        imu_position_mm=place.position_mm,
        imu_across=place.across,
        stop_deg=float(stops.min()),
        stop_most_deg=float(stops.max()),
    )


def lowest_mm(measures: Measures, sensor: Place, stops: Tilts) -> float:
    """How far under the tip anything on the board comes, at its stop in any direction."""
    parts = [*floors(measures), *risers(measures), sensor.pocket()]
    return float(depths_mm(parts, stops).max())


def _tip_height_mm(measures: Measures, sensor: Place, stops: Tilts) -> float:
    """So high that the board meets neither a fallen piece on the plate nor the flange."""
    room_mm = measures.piece.height_mm + OVER_A_PIECE_MM + PLATE_MM + GAP_MM
    steps = ceil((lowest_mm(measures, sensor, stops) + room_mm) / TIP_STEP_MM)
    board = [*floors(measures), *risers(measures), sensor.pocket()]

    def is_met(tip_mm: float) -> bool:
        flange = Post(FLANGE_MM / 2, tip_mm - PLATE_MM - GAP_MM - FLANGE_HIGH_MM)
        return bool((met_deg(board, flange.wider(ROOM_MM)) < stops).any())

    return next(tip_mm for n in count(steps) if not is_met(tip_mm := n * TIP_STEP_MM))


def drawn_table(measures: Measures = STANDARD) -> Calibration:
    """What is known of a table before anything is calibrated: lengths, and guesses for the rest."""
    design, hangs = designed(measures), hanging(measures)
    return Calibration(
        cell_pitch_mm=measures.cell_pitch_mm,
        level_step_mm=measures.level_step_mm,
        centre_height_mm=measures.centre_height_mm,
        piece=measures.piece,
        scale=ScaleCalibration(
            positions_mm=design.load_cell_positions_mm,
            counts_per_gram=(PLAIN_GAIN,) * 4,
            tare_counts=(0.0,) * 4,
        ),
        imu=ImuCalibration(
            accel_bias_g=(0.0, 0.0, 0.0),
            gyro_bias_dps=(0.0, 0.0, 0.0),
            rotation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            position_mm=design.imu_position_mm,
        ),
        empty_moment_gmm=(0.0, 0.0, hangs.moment_z_gmm),
        empty_mass_g=hangs.mass_g,
    )

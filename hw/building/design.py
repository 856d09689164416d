"""What a table for a game of these measures looks like: plates, load cells, stem, sensor, stop.

The drawings show it, the simulated tower is built like it, and a calibration starts from it.
Board frame: origin at the tip, z up, mm.
"""

from dataclasses import dataclass
from math import ceil, cos, radians, sin, sqrt, tan

from engine.tabletop import Vector, surface_mm
from hw.building.measures import STANDARD, Measures, half_board_mm
from hw.building.shell import UNDER_FLOOR_MM, hanging
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
"""At the stop the board's corner is higher over the plate than a fallen piece by so much."""
TIP_STEP_MM = 5.0
"""Stems are cut to whole steps."""
STEM_MM, SLIM_STEM_MM = 8.0, 6.0
"""Tubes that are sold, with 1 mm of wall."""
SLIM_UNDER_PITCH_MM = 26.0
"""In a smaller chamber the usual stem would leave a stop under 30 degrees."""
SENSOR_MM, SENSOR_WIDE_MM, SENSOR_HIGH_MM = 21.0, 16.0, 3.5
"""A GY-521: its longer side, which points outwards, its shorter one, and its height."""
POCKET_ROOM_MM = 0.4
"""All round in its pocket."""
ROOM_MM = 1.0
"""Least distance of anything on the board from the stem at the stop."""
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
        imu_position_mm: the sensor's chip.
        stop_deg: tilt at which the stem meets the board.
    """

    tip_height_mm: float
    stem_diameter_mm: float
    base_half_mm: float
    load_cell_positions_mm: tuple[tuple[float, float], ...]
    imu_position_mm: Vector
    stop_deg: float


def designed(measures: Measures) -> Design:
    """The table for a game."""
    stem_mm = STEM_MM if measures.cell_pitch_mm >= SLIM_UNDER_PITCH_MM else SLIM_STEM_MM
    stop = stop_deg(measures, stem_mm)
    beside_mm = half_board_mm(measures) + measures.piece.diameter_mm + SIDE_BESIDE_PIECE_MM
    half_mm = max(beside_mm, LEAST_CELL_MM + BAR_INSIDE_MM)
    cell_mm = half_mm - BAR_INSIDE_MM
    return Design(
        tip_height_mm=_tip_height_mm(measures, stop),
        stem_diameter_mm=stem_mm,
        base_half_mm=half_mm,
        load_cell_positions_mm=tuple(
            (x * cell_mm, y * cell_mm) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ),
        imu_position_mm=_imu_position_mm(measures, stem_mm, stop),
        stop_deg=stop,
    )


def stop_deg(measures: Measures, stem_mm: float) -> float:
    """Tilt at which the stem meets the edge of the chamber under c3, about x or y.

    The edge lies half a cell less a wall off the axis, at the underside of the next level: sought
    is the tilt at which the stem, inclined in the board's frame, reaches it.
    """
    edge_mm = measures.cell_pitch_mm / 2 - measures.board.wall_mm
    depth_mm = measures.board.wall_mm - surface_mm(measures, "d3")
    low, high = 0.0, 89.0
    for _ in range(50):
        middle = (low + high) / 2
        reached = sweep_mm(depth_mm, stem_mm, middle) >= edge_mm
        low, high = (low, middle) if reached else (middle, high)
    return low


def sweep_mm(depth_mm: float, stem_mm: float, tilt_deg: float) -> float:
    """How far the tilted stem reaches from the board's axis, `depth_mm` under the tip."""
    tilt = radians(tilt_deg)
    return depth_mm * tan(tilt) + stem_mm / 2 / cos(tilt)


def corner_drop_mm(measures: Measures, tilt_deg: float) -> float:
    """How far under the tip the lowest corner of the board is, tilted towards it."""
    tilt = radians(tilt_deg)
    under_mm = surface_mm(measures, "a1") - measures.board.wall_mm
    return half_board_mm(measures) * sqrt(2) * sin(tilt) - under_mm * cos(tilt)


def _imu_position_mm(measures: Measures, stem_mm: float, stop: float) -> Vector:
    """Under d3 if the sensor fits between the risers there; else under them, clear of the stem."""
    wall_mm, pitch_mm = measures.board.wall_mm, measures.cell_pitch_mm
    between_mm = pitch_mm - 2 * (wall_mm + POCKET_ROOM_MM)
    if between_mm >= SENSOR_MM:
        # A little inside the middle, so that the pocket stays clear of the riser.
        x_mm = pitch_mm - 2.0
        return x_mm, 0.0, surface_mm(measures, "d3") - wall_mm - UNDER_FLOOR_MM
    # Out from under d3 to under e3; on a very small board under the risers beside e3 as well.
    floor = "e3" if between_mm >= SENSOR_WIDE_MM else "e2"
    z_mm = surface_mm(measures, floor) - wall_mm - UNDER_FLOOR_MM
    clear_mm = sweep_mm(SENSOR_HIGH_MM / 2 - z_mm, stem_mm, stop) + ROOM_MM
    return float(ceil(clear_mm + SENSOR_MM / 2)), 0.0, z_mm


def _tip_height_mm(measures: Measures, stop: float) -> float:
    room_mm = measures.piece.height_mm + OVER_A_PIECE_MM
    needed_mm = corner_drop_mm(measures, stop) + room_mm + PLATE_MM + GAP_MM
    return TIP_STEP_MM * ceil(needed_mm / TIP_STEP_MM)


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

"""What a simulated tower is built like: the middle of what owners of one game would build.

Of the game that is assumed these are the figures fitted to the public recordings; of another game
they follow from its measures (`hw.building`).
"""

from dataclasses import dataclass
from math import hypot

from engine.tabletop import Piece, Vector
from hw.building.balance import USUAL_FRICTION_DEG, friction_deg
from hw.building.design import designed
from hw.building.measures import STANDARD, Measures
from hw.building.shell import hanging

PLATE_G_MM2 = 690.0 / 208.0**2
"""Base plate with stem and screws of the assumed table, by area."""
PLACE_AROUND_MM = 10.0
"""Room of a piece in its cell on the assumed board."""


@dataclass(frozen=True, slots=True)
class Build:
    """The plain table of a game.

    Attributes:
        piece: with the usual spread of mass.
        empty_moment_gmm: of the board about its tip, downwards.
        trim_gmm: how far off level owners leave it.
        cell_mm: the load cells' distance from the axes.
        imu_position_mm: the middle, and how far owners are off; it lies within `imu_depth_mm`.
        friction: the width of the pivot's band, as a share of the assumed table's.
        placing: the spread of pieces in their cells, as a share of the assumed table's: a larger
            cell leaves more room.
        stop_deg: tilt at which the board hits the base.
    """

    cell_pitch_mm: float = 32.0
    level_step_mm: float = 12.0
    centre_height_mm: float = 5.8
    piece: Piece = STANDARD.piece
    empty_mass_g: float = 181.0
    empty_moment_gmm: float = 4030.0
    trim_gmm: float = 45.0
    gyration_mm: float = 54.0
    yaw_gyration_mm: float = 58.0
    tip_height_mm: float = 125.0
    base_mass_g: float = 690.0
    base_half_mm: float = 104.0
    cell_mm: float = 70.0
    imu_position_mm: Vector = (0.0, 0.0, -16.0)
    imu_depth_mm: tuple[float, float] = (-19.0, -12.0)
    friction: float = 1.0
    placing: float = 1.0
    stop_deg: float = 38.0

    @property
    def hangs_mm(self) -> float:
        """How far the centre of gravity is under the tip, as far as a ruler tells."""
        return round(self.empty_moment_gmm / self.empty_mass_g, 1)


ASSUMED = Build()


def build_of(measures: Measures) -> Build:
    """The table that owners of this game would build."""
    if measures == STANDARD:
        return ASSUMED
    design, hangs = designed(measures), hanging(measures)
    x, y, z = design.imu_position_mm
    return Build(
        cell_pitch_mm=measures.cell_pitch_mm,
        level_step_mm=measures.level_step_mm,
        centre_height_mm=measures.centre_height_mm,
        piece=measures.piece,
        empty_mass_g=hangs.mass_g,
        empty_moment_gmm=-hangs.moment_z_gmm,
        trim_gmm=ASSUMED.trim_gmm / ASSUMED.empty_moment_gmm * -hangs.moment_z_gmm,
        gyration_mm=hangs.gyration_mm,
        yaw_gyration_mm=hangs.yaw_gyration_mm,
        tip_height_mm=design.tip_height_mm,
        base_mass_g=PLATE_G_MM2 * (2 * design.base_half_mm) ** 2,
        base_half_mm=design.base_half_mm,
        cell_mm=hypot(*design.load_cell_positions_mm[0]) / 2**0.5,
        imu_position_mm=(x, y, z),
        imu_depth_mm=(z - 2.0, z + 2.0),
        friction=friction_deg(hangs) / USUAL_FRICTION_DEG,
        placing=(measures.cell_pitch_mm - measures.piece.diameter_mm) / PLACE_AROUND_MM,
        stop_deg=design.stop_deg,
    )

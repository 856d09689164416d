"""The stepped board as floors and risers: what it weighs, where its weight is, how it swings.

Board frame: origin at the tip, z up, mm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from engine.tabletop import CELLS, cell_xy_mm, surface_mm
from hw.building.boxes import neighbours
from hw.building.measures import Measures, moment_from_sink_gmm
from hw.building.placing import SENSOR_G, stem_and_sensor


@dataclass(frozen=True, slots=True)
class Hanging:
    """How an empty board hangs on its tip: its first moment of mass, negative, about that.

    Radii of gyration are about a level axis through the tip, and about the upright axis.
    """

    mass_g: float
    moment_z_gmm: float
    gyration_mm: float
    yaw_gyration_mm: float

    @property
    def centre_of_gravity_mm(self) -> float:
        """Height of the centre of gravity over the tip; negative: below."""
        return self.moment_z_gmm / self.mass_g


def hanging(measures: Measures) -> Hanging:
    """How the empty board hangs: as it was measured, or computed where it is not made yet."""
    computed = as_drawn(measures)
    if not measures.is_made:
        return computed
    return Hanging(
        measures.board.mass_g,
        moment_from_sink_gmm(measures),
        computed.gyration_mm,
        computed.yaw_gyration_mm,
    )


def as_drawn(measures: Measures) -> Hanging:
    """How a board of these dimensions and this material hangs."""
    pitch = measures.cell_pitch_mm
    parts = [*_floors(measures), *_risers(measures)]
    x_mm, _y, z_mm = stem_and_sensor(measures)[1].position_mm
    parts += [(SENSOR_G, side * x_mm, 0.0, z_mm) for side in (-1, 1)]
    mass_g = sum(m for m, *_ in parts)
    # A floor's own extent; a riser has it along its length only, which is as much in the mean.
    own = pitch * pitch / 12
    level = sum(m * (y * y + z * z + own) for m, _x, y, z in parts)
    upright = sum(m * (x * x + y * y + 2 * own) for m, x, y, _z in parts)
    return Hanging(
        mass_g,
        sum(m * z for m, _x, _y, z in parts),
        sqrt(level / mass_g),
        sqrt(upright / mass_g),
    )


_Part = tuple[float, float, float, float]
"""Mass in g, and where its middle is."""


def _floors(measures: Measures) -> Iterator[_Part]:
    wall = measures.board.wall_mm
    mass_g = measures.cell_pitch_mm**2 * wall * measures.board.density_g_cm3 / 1000
    for cell in CELLS:
        yield mass_g, *cell_xy_mm(measures, cell), surface_mm(measures, cell) - wall / 2


def _risers(measures: Measures) -> Iterator[_Part]:
    wall = measures.board.wall_mm
    area_mm2 = measures.cell_pitch_mm * measures.level_step_mm
    mass_g = area_mm2 * wall * measures.board.density_g_cm3 / 1000
    for one, other in neighbours():
        (ax, ay), (bx, by) = cell_xy_mm(measures, one), cell_xy_mm(measures, other)
        z_mm = (surface_mm(measures, one) + surface_mm(measures, other)) / 2 - wall
        yield mass_g, (ax + bx) / 2, (ay + by) / 2, z_mm

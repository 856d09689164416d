"""Small worlds for the detector's tests: a table, its ticks, and a pendulum written out by hand."""

from collections.abc import Iterable, Iterator, Sequence
from math import hypot, sqrt

import numpy as np

from engine.detect.detector import Detector
from engine.detect.front.contact import Touch
from engine.detect.front.ticks import TICK_S, Tick
from engine.events import HumanInput, TableEvent
from engine.samples import ImuSamples, ScaleSamples
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Piece, Tabletop
from hw.source import Item

TABLETOP = Tabletop(
    cell_pitch_mm=32.0,
    level_step_mm=12.0,
    centre_height_mm=5.8,
    piece=Piece(diameter_mm=22.0, height_mm=9.0, mass_mean_g=3.0, mass_std_g=0.09),
    load_cell_positions_mm=((-70.0, -70.0), (70.0, -70.0), (70.0, 70.0), (-70.0, 70.0)),
    imu_position_mm=(2.0, -3.0, -17.0),
    empty_moment_gmm=(-30.0, 40.0, -4100.0),
    empty_mass_g=182.0,
)


def tick(t_s: float, **values: float) -> Tick:
    """A tick of a quiet empty table, but for `values`."""
    fields = dict.fromkeys(Tick._fields, 0.0) | {"t_s": t_s, "needed_s": t_s + 0.04}
    fields["force_z_g"] = 1.0
    return Tick(**(fields | values))


def weights(masses_g: Iterable[float], start_s: float = 0.0) -> Iterator[Tick]:
    """Ticks with these weights, one after the other."""
    for index, mass_g in enumerate(masses_g):
        yield tick(start_s + (index + 1) * TICK_S, mass_g=mass_g)


STEPS = 50
STEP_S = TICK_S / STEPS


class Pendulum:
    """The board of the theory in `front.moment`, integrated in steps of half a millisecond.

    Coulomb and viscous friction in the pivot; what the pivot passes on stands on the load cells.
    Plain numbers, since two thousand steps a second of short arrays would cost twenty times more.
    """

    def __init__(self, moment_gmm: tuple[float, float], *, friction_gmm: float = 0.0) -> None:
        self.moment = np.array([*moment_gmm, TABLETOP.empty_moment_gmm[2]])
        self.friction_gmm = friction_gmm
        self.inertia_gmm2, self.damping_gmm2_s, self.height_mm = 5.0e5, 4.0e5, 120.0
        self.up = (0.0, 0.0, 1.0)
        self.rate = (0.0, 0.0)
        self.t_s = 0.0

    def _spin(self, moment: Sequence[float]) -> tuple[float, float]:
        """What torque and friction do to the rate; at rest friction may hold the board."""
        (mx, my, mz), (ux, uy, uz), (rx, ry) = moment, self.up, self.rate
        torque_x = STANDARD_GRAVITY_MM_S2 * (mz * uy - my * uz) - self.damping_gmm2_s * rx
        torque_y = STANDARD_GRAVITY_MM_S2 * (mx * uz - mz * ux) - self.damping_gmm2_s * ry
        limit = self.friction_gmm * STANDARD_GRAVITY_MM_S2
        speed, size = hypot(rx, ry), hypot(torque_x, torque_y)
        if speed < 2e-4 and size <= limit:
            self.rate = (0.0, 0.0)
            return (0.0, 0.0)
        along_x, along_y, length = (rx, ry, speed) if speed > 1e-9 else (torque_x, torque_y, size)
        against = limit / max(length, 1e-9)
        return (
            (torque_x - against * along_x) / self.inertia_gmm2,
            (torque_y - against * along_y) / self.inertia_gmm2,
        )

    def _step(self, moment: Sequence[float]) -> tuple[float, float]:
        """Go on by one step; the first moment of the load on the cells meanwhile."""
        spin_x, spin_y = self._spin(moment)
        rx, ry = self.rate[0] + spin_x * STEP_S, self.rate[1] + spin_y * STEP_S
        ux, uy, uz = self.up
        x, y = ux - ry * uz * STEP_S, uy + rx * uz * STEP_S
        z = uz - (rx * uy - ry * ux) * STEP_S
        length = sqrt(x * x + y * y + z * z)
        self.rate, self.up = (rx, ry), (x / length, y / length, z / length)
        # S in the room, less inertia and lateral force.
        lost = (self.inertia_gmm2 + self.height_mm * moment[2]) / STANDARD_GRAVITY_MM_S2
        lean = moment[2] / z
        return (moment[0] - x * lean - lost * spin_y, moment[1] - y * lean + lost * spin_x)

    def ticks(self, seconds: float) -> Iterator[tuple[Tick, tuple[float, float, float]]]:
        """Ticks of the swing, each with the upward direction in its middle."""
        for _ in range(round(seconds / TICK_S)):
            moment, began = self.moment.tolist(), self.rate
            turn_x = turn_y = cop_x = cop_y = 0.0
            middle = self.up
            for step in range(STEPS):
                load_x, load_y = self._step(moment)
                turn_x += self.rate[0] * STEP_S
                turn_y += self.rate[1] * STEP_S
                cop_x += load_x / STEPS
                cop_y += load_y / STEPS
                middle = self.up if step == STEPS // 2 - 1 else middle
            self.t_s += TICK_S
            yield (
                tick(
                    self.t_s,
                    cop_x_gmm=cop_x, cop_y_gmm=cop_y,
                    turn_x_rad=turn_x, turn_y_rad=turn_y,
                    rate_x_rad_s=turn_x / TICK_S, rate_y_rad_s=turn_y / TICK_S,
                    spin_x_rad_s2=(self.rate[0] - began[0]) / TICK_S,
                    spin_y_rad_s2=(self.rate[1] - began[1]) / TICK_S,
                    force_x_g=middle[0], force_y_g=middle[1], force_z_g=middle[2],
                ),
                middle,
            )  # fmt: skip


def cut(items: Iterable[Item], samples: int) -> Iterator[Item]:
    """The same samples in blocks of at most so many."""
    for item in items:
        if isinstance(item, ScaleSamples):
            for k in range(0, len(item.t_s), samples):
                part = slice(k, k + samples)
                yield ScaleSamples(
                    item.t_s[part], item.mass_g[part], item.raw[part], item.valid[part]
                )
        elif isinstance(item, ImuSamples):
            for k in range(0, len(item.t_s), samples):
                part = slice(k, k + samples)
                yield ImuSamples(
                    item.t_s[part], item.accel_g[part], item.rate_rad_s[part], item.raw[part]
                )
        else:
            yield item


def begin_s(item: Item) -> float:
    """When an item begins."""
    return float(item.t_s if isinstance(item.t_s, float) else item.t_s[0])


def decided(detector: Detector, items: Iterable[Item], *, samples: int = 16) -> list[TableEvent]:
    """Everything a detector decides about these items, fed in short blocks in order of time."""
    events: list[TableEvent] = []
    for item in sorted(cut(items, samples), key=begin_s):
        if isinstance(item, HumanInput):
            continue
        detector.feed(item)
        while (event := detector.next_event()) is not None:
            events.append(event)
    return events


def distance(here: Iterable[float], there: Iterable[float]) -> float:
    """Distance of two points in the plane."""
    (ax, ay), (bx, by) = here, there
    return hypot(ax - bx, ay - by)


def shaken() -> Touch:
    """A table that goes up and down."""
    touch = Touch(0.0)
    for k in range(12):
        touch.feel(40.0 * (-1) ** (k // 2))
    return touch


def pressed() -> Touch:
    """A hand that presses."""
    touch = Touch(0.0)
    for _ in range(12):
        touch.feel(12.0)
    return touch

"""Small worlds for the detector's tests: a table, its ticks, and a pendulum written out by hand."""

from collections.abc import Iterable, Iterator
from math import hypot

import numpy as np

from engine.detect.contact import Touch
from engine.detect.detector import Detector
from engine.detect.ticks import TICK_S, Tick
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
    """The board of the theory in `engine.detect.moment`, integrated in steps of half a millisecond.

    Coulomb and viscous friction in the pivot; what the pivot passes on stands on the load cells.
    """

    def __init__(self, moment_gmm: tuple[float, float], *, friction_gmm: float = 0.0) -> None:
        self.moment = np.array([*moment_gmm, TABLETOP.empty_moment_gmm[2]])
        self.friction_gmm = friction_gmm
        self.inertia_gmm2, self.damping_gmm2_s, self.height_mm = 5.0e5, 4.0e5, 120.0
        self.up = np.array([0.0, 0.0, 1.0])
        self.rate = np.zeros(3)
        self.t_s = 0.0

    def _torque(self) -> np.ndarray:
        """Torque about the pivot without friction, g mm^2/s^2."""
        pull = STANDARD_GRAVITY_MM_S2 * np.cross(self.moment, -self.up)
        return pull - self.damping_gmm2_s * self.rate

    def _spin(self) -> np.ndarray:
        torque = self._torque() * (1.0, 1.0, 0.0)
        limit = self.friction_gmm * STANDARD_GRAVITY_MM_S2
        speed, size = float(np.linalg.norm(self.rate)), float(np.linalg.norm(torque))
        if speed < 2e-4 and size <= limit:
            self.rate[:] = 0.0
            return np.zeros(3)
        against = self.rate / speed if speed > 1e-9 else torque / max(size, 1e-9)
        return (torque - limit * against) / self.inertia_gmm2

    def ticks(self, seconds: float) -> Iterator[tuple[Tick, tuple[float, float, float]]]:
        """Ticks of the swing, each with the upward direction in its middle."""
        for _ in range(round(seconds / TICK_S)):
            began, turned, cop = self.rate.copy(), np.zeros(3), np.zeros(2)
            middle = self.up
            for step in range(STEPS):
                spin = self._spin()
                self.rate = self.rate + spin * STEP_S
                self.up = self.up - np.cross(self.rate, self.up) * STEP_S
                self.up /= np.linalg.norm(self.up)
                turned += self.rate * STEP_S
                cop += self._load_moment(spin) / STEPS
                middle = self.up if step == STEPS // 2 - 1 else middle
            self.t_s += TICK_S
            spin = (self.rate - began) / TICK_S
            rate = turned / TICK_S
            yield (
                tick(
                    self.t_s,
                    cop_x_gmm=cop[0], cop_y_gmm=cop[1],
                    turn_x_rad=turned[0], turn_y_rad=turned[1],
                    rate_x_rad_s=rate[0], rate_y_rad_s=rate[1],
                    spin_x_rad_s2=spin[0], spin_y_rad_s2=spin[1],
                    force_x_g=middle[0], force_y_g=middle[1], force_z_g=middle[2],
                ),
                (float(middle[0]), float(middle[1]), float(middle[2])),
            )  # fmt: skip

    def _load_moment(self, spin: np.ndarray) -> np.ndarray:
        """First moment of the load on the cells: S in the room, less inertia and lateral force."""
        in_room = self.moment[:2] - self.up[:2] / self.up[2] * self.moment[2]
        inertial = self.inertia_gmm2 * np.array([spin[1], -spin[0]])
        lateral = self.height_mm * np.array([spin[1], -spin[0]]) * self.moment[2]
        return np.asarray(in_room - (inertial + lateral) / STANDARD_GRAVITY_MM_S2)


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

"""What happens to the table under the tower: bumps, taps, somebody leaning on it, a soft cloth.

All motions are given functions of time, so that the board (step by step) and the sensors
(block by block) see the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import numpy as np

from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Vector
from lab.twin.parameters import BodyParameters


class Motion(Protocol):
    """One disturbance of the table, which stays level and at rest unless it says otherwise."""

    @property
    def end_s(self) -> float:
        """Table time after which nothing moves any more."""
        ...

    def acceleration(self, t_s: Floats) -> Floats:
        """Acceleration of the table, mm/s2, shape (n, 3), x and y level, z up."""
        return np.zeros((len(t_s), 3))

    def lean(self, t_s: Floats) -> Floats:
        """Tilt of the table about x and y, rad, shape (n, 2)."""
        return np.zeros((len(t_s), 2))


@dataclass(frozen=True, slots=True)
class TableBump(Motion):
    """Somebody walks into the table: a few swings of the whole.

    Attributes:
        amplitude_m_s2: largest acceleration.
        direction: unit vector.
    """

    start_s: float
    amplitude_m_s2: float
    frequency_hz: float
    duration_s: float
    direction: Vector

    @property
    def end_s(self) -> float:
        """When it is over."""
        return self.start_s + self.duration_s

    def acceleration(self, t_s: Floats) -> Floats:
        """A sine under a half-sine envelope."""
        since = t_s - self.start_s
        inside = (since > 0) & (since < self.duration_s)
        envelope = np.sin(np.pi * np.clip(since / self.duration_s, 0, 1))
        wave = np.sin(2 * np.pi * self.frequency_hz * since) * envelope * inside
        moved: Floats = 1000 * self.amplitude_m_s2 * wave[:, None] * np.asarray(self.direction)
        return moved


@dataclass(frozen=True, slots=True)
class Taps(Motion):
    """Fingers drumming on the table: short ringing knocks, mostly up and down."""

    start_s: float
    count: int
    amplitude_m_s2: float
    interval_s: float
    ringing_hz: float
    direction: Vector

    RING_S = 0.025
    """Time constant of the ringing: a knock is gone after three or four swings."""

    @property
    def end_s(self) -> float:
        """When the last knock has rung out."""
        return self.start_s + self.count * self.interval_s

    def acceleration(self, t_s: Floats) -> Floats:
        """A decaying sine after each knock."""
        since = t_s - self.start_s
        inside = (since > 0) & (since < self.count * self.interval_s)
        after = np.mod(since, self.interval_s)
        ring = np.sin(2 * np.pi * self.ringing_hz * after) * np.exp(-after / self.RING_S)
        wave = ring * inside
        moved: Floats = 1000 * self.amplitude_m_s2 * wave[:, None] * np.asarray(self.direction)
        return moved


@dataclass(frozen=True, slots=True)
class TableLean(Motion):
    """Somebody rests an arm on the table: it tilts a little, for seconds, too slowly to shake."""

    start_s: float
    tilt_deg: float
    duration_s: float
    direction: tuple[float, float]

    RAMP_S = 0.35
    """Time in which an arm settles on a table."""

    @property
    def end_s(self) -> float:
        """When the table is level again."""
        return self.start_s + self.duration_s

    def lean(self, t_s: Floats) -> Floats:
        """Up and down again along a smooth ramp."""
        since = t_s - self.start_s
        ramp_s = min(self.RAMP_S, self.duration_s / 3)
        rising = np.clip(since / ramp_s, 0, 1)
        falling = np.clip((self.duration_s - since) / ramp_s, 0, 1)
        share = smooth(np.minimum(rising, falling))
        tilt: Floats = np.radians(self.tilt_deg) * share[:, None] * np.asarray(self.direction)
        return tilt


@dataclass(slots=True)
class Cloth(Motion):
    """A soft tablecloth, or foam, under the base: the base tilts towards what weighs on one side.

    An even bed of springs and dampers under a square plate. It answers to the moment of the load
    a look of the sensors later (0.1 s), which is little beside its own delay; it does not shake.

    Attributes:
        stiffness_gmm: moment that tilts the base by one radian.
        lag_s: time constant.
        since_s: table time of the last look.
        tilt_rad: tilt about x and y then.
        goal_rad: where it is going.
    """

    stiffness_gmm: float
    lag_s: float
    since_s: float = 0.0
    tilt_rad: Floats = field(default_factory=lambda: np.zeros(2))
    goal_rad: Floats = field(default_factory=lambda: np.zeros(2))

    @classmethod
    def under(cls, body: BodyParameters) -> "Cloth":
        """The cloth of a table; a plate of side a on springs is stiff as weight/sink * a^2/12."""
        weight_g = body.base_mass_g + body.empty_mass_g
        side_mm = 2 * body.base_half_mm
        return cls(weight_g / body.cloth_sink_mm * side_mm**2 / 12, body.cloth_s)

    @property
    def end_s(self) -> float:
        """It stays."""
        return inf

    def press(self, now_s: float, moment_gmm: Floats) -> None:
        """Take note of the moments of the load about the middle, along x and along y."""
        self.tilt_rad = self.lean(np.array([now_s]))[0]
        self.since_s = now_s
        along_x, along_y = moment_gmm / self.stiffness_gmm
        self.goal_rad = np.array([-along_y, along_x])

    def lean(self, t_s: Floats) -> Floats:
        """On its way to where the load wants it."""
        left = np.exp(-np.maximum(t_s - self.since_s, 0.0) / self.lag_s)[:, None]
        tilt: Floats = self.goal_rad + (self.tilt_rad - self.goal_rad) * left
        return tilt


def acceleration(motions: Iterable[Motion], t_s: Floats) -> Floats:
    """Acceleration of the table by all motions together, mm/s2, shape (n, 3)."""
    total = np.zeros((len(t_s), 3))
    for motion in motions:
        total += motion.acceleration(t_s)
    return total


def lean(motions: Iterable[Motion], t_s: Floats) -> Floats:
    """Tilt of the table by all motions together, rad, shape (n, 2)."""
    total = np.zeros((len(t_s), 2))
    for motion in motions:
        total += motion.lean(t_s)
    return total


def board_rows(motions: Iterable[Motion], t_s: Floats) -> list[list[float]]:
    """What `Board.run` wants to know: acceleration and rate of leaning at each time."""
    motions = list(motions)
    rows = np.zeros((len(t_s), 5))
    rows[:, :3] = acceleration(motions, t_s)
    if any(isinstance(motion, TableLean | Cloth) for motion in motions):
        rows[:, 3:] = np.gradient(lean(motions, t_s), t_s, axis=0)
    listed: list[list[float]] = rows.tolist()
    return listed


def leaning_force(lean_rad: Floats) -> Floats:
    """Level acceleration that gravity seems to have in a table tilted about x and y, mm/s2.

    Args:
        lean_rad: shape (2, n), as the result.
    """
    force = STANDARD_GRAVITY_MM_S2 * lean_rad[::-1]
    force[1] *= -1
    return force


def smooth(share: Floats) -> Floats:
    """From 0 to 1 without a jerk at either end."""
    return share * share * (3 - 2 * share)

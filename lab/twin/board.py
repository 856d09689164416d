"""The tilting board: a rigid body on a tip, moved by gravity, hands, knocks and the table.

The one hot loop of the twin lives here: a thousand steps a second in plain floats, which is
faster than numpy on vectors of three. Units: gram, millimetre, second; forces in g mm/s2.

Frames: vectors are in the board frame. `up` is the lab's vertical seen from the board; `rate`
is the board's angular rate. Gravity is parallel to the moment of mass S when the board is at
rest: torque = S x gravity.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import cos, pi, radians, sin, sqrt
from typing import Protocol

import numpy as np

from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2, Vector
from lab.twin.parameters import BodyParameters

STEP_S = 0.001
"""The stiffest thing, a fingertip on the rim of the board, swings at about 9 Hz x 2 pi = 55/s;
bumps go to 35 Hz. One millisecond is a twentieth of that."""

YAW_PERIOD_S = 6.0
YAW_DAMPING_S = 2.5
"""The cable of the sensor turns the board back: public traces show slow yaw that dies out."""
YAW_FRICTION_SHARE = 0.004
"""The tip is much thinner than the lever of the friction that stops the swing."""

STOP_RESTITUTION = 0.35
"""Plastic board on plastic base."""

Row = tuple[float, ...]
"""One step of the log: up (3), rate (3), angular acceleration (3), force of hands on the board
(down, g mm/s2), number of the mass state."""


@dataclass(slots=True)
class HandContact:
    """A hand, or a piece in a hand, above or on one point of the board.

    Attributes:
        point_mm: where on the board.
        start_s: table time of the first point of `path`.
        level_mm: height of the surface (lab, over the tip) that the hand aims at.
        path: (seconds after start, depth under `level_mm` in mm), piecewise linear.
        stiffness, damping: of the flesh, in g/s2 and g/s.
        first_touch_s: when it first pressed, or None.
    """

    point_mm: Vector
    start_s: float
    level_mm: float
    path: tuple[tuple[float, float], ...]
    stiffness: float
    damping: float
    first_touch_s: float | None = None

    def height_mm(self, t_s: float) -> float:
        """Height of the hand over the tip at a time."""
        since = t_s - self.start_s
        before_s, before_mm = self.path[0]
        for at_s, depth_mm in self.path:
            if since < at_s:
                share = (since - before_s) / (at_s - before_s) if at_s > before_s else 0.0
                return self.level_mm - before_mm - share * (depth_mm - before_mm)
            before_s, before_mm = at_s, depth_mm
        return self.level_mm - before_mm

    @property
    def end_s(self) -> float:
        """When the hand has left."""
        return self.start_s + self.path[-1][0]


@dataclass(frozen=True, slots=True)
class Pulse:
    """A knock: a half sine of force, down on a point of the board.

    Attributes:
        impulse: its integral, g mm/s.
    """

    point_mm: Vector
    start_s: float
    duration_s: float
    impulse: float

    def force(self, t_s: float) -> float:
        """Force at a time, g mm/s2."""
        phase = (t_s - self.start_s) / self.duration_s
        if not 0 <= phase <= 1:
            return 0.0
        return self.impulse / self.duration_s * pi / 2 * sin(pi * phase)


@dataclass(frozen=True, slots=True)
class MassState:
    """Mass, moment and inertia of board and pieces at one time.

    Attributes:
        moment_gmm: S, first moment of mass about the tip.
        inertia: about the tip, g mm2.
    """

    mass_g: float
    moment_gmm: Vector
    inertia: Floats
    inverse: Floats


def mass_state(
    body: BodyParameters, seat_mm: tuple[float, float], loads: Iterable[tuple[float, Vector]]
) -> MassState:
    """Mass state of the board with point loads (grams, position from the tip).

    `seat_mm` is how far the board sits off its calibrated place on the tip.
    """
    mass = body.empty_mass_g
    shift = (seat_mm[0], seat_mm[1], 0.0)
    moment = [own + mass * by for own, by in zip(body.empty_moment_gmm, shift, strict=True)]
    level, upright = mass * body.gyration_mm**2, mass * body.yaw_gyration_mm**2
    inertia = np.diag([level, level, upright])
    for load_g, (x, y, z) in loads:
        x, y = x + seat_mm[0], y + seat_mm[1]  # noqa: PLW2901 - seen from the tip
        mass += load_g
        moment = [old + load_g * at for old, at in zip(moment, (x, y, z), strict=True)]
        inertia += load_g * np.array(
            [
                [y * y + z * z, -x * y, -x * z],
                [-x * y, x * x + z * z, -y * z],
                [-x * z, -y * z, x * x + y * y],
            ]
        )
    return MassState(mass, (moment[0], moment[1], moment[2]), inertia, np.linalg.inv(inertia))


@dataclass(frozen=True, slots=True)
class Law:
    """What `PivotedBoard.run` multiplies by, worked out once for each mass state.

    Attributes:
        inertia, inverse: as plain rows.
        viscous: torque by rate, g mm2/s. slowing, yaw_slowing: rate that dry friction takes in
            one step, rad/s.
        yaw_spring, yaw_viscous: of the cable.
        stop: cosine of the tilt at which the board hits the base.
    """

    inertia: list[list[float]]
    inverse: list[list[float]]
    viscous: float
    slowing: float
    yaw_slowing: float
    yaw_spring: float
    yaw_viscous: float
    stop: float


def law_of(body: BodyParameters, state: MassState) -> Law:
    """The law by which a board with this mass moves."""
    (ixx, _, _), (_, iyy, _), (_, _, izz) = inertia = state.inertia.tolist()
    empty_torque = -body.empty_moment_gmm[2] * STANDARD_GRAVITY_MM_S2
    level_inertia = body.empty_mass_g * body.gyration_mm**2
    # Friction grows with the weight on the tip, so the band stays about as wide.
    coulomb = radians(body.friction_band_deg) * empty_torque * state.mass_g / body.empty_mass_g
    return Law(
        inertia,
        state.inverse.tolist(),
        viscous=2 * body.damping_ratio * sqrt(level_inertia * empty_torque),
        slowing=coulomb / ((ixx + iyy) / 2) * STEP_S,
        yaw_slowing=YAW_FRICTION_SHARE * coulomb / izz * STEP_S,
        yaw_spring=izz * (2 * pi / YAW_PERIOD_S) ** 2,
        yaw_viscous=izz / YAW_DAMPING_S,
        stop=cos(radians(body.stop_deg)),
    )


class Carrier(Protocol):
    """Hands that carry the board: they say how it moves."""

    def rows(self, start_s: float, steps: int, mass_number: int) -> list[Row]:
        """The log of the next steps."""
        ...


WEIGHTLESS = MassState(0.0, (0.0, 0.0, 0.0), np.eye(3), np.eye(3))
"""What the tip feels of a board that is off it."""


@dataclass(slots=True)
class PivotedBoard:
    """State of the board and the law it moves by.

    Attributes:
        up: unit vector, the lab's vertical in the board frame.
        rate: angular rate, rad/s.
        yaw: turn about the vertical, rad.
        states: every mass state so far, by the number in the log.
        clamped: true while something holds the board so firmly that it cannot move at all.
        carrier: whoever carries the board, off its tip; None while it hangs there.
    """

    body: BodyParameters
    mass: MassState
    up: Vector = (0.0, 0.0, 1.0)
    rate: Vector = (0.0, 0.0, 0.0)
    yaw: float = 0.0
    states: list[MassState] = field(default_factory=list)
    clamped: bool = False
    carrier: Carrier | None = None
    _law: Law = field(init=False)

    def __post_init__(self) -> None:
        self.states.append(self.mass)
        self._law = law_of(self.body, self.mass)
        sx, sy, sz = self.mass.moment_gmm
        length = sqrt(sx * sx + sy * sy + sz * sz)
        self.up = (-sx / length, -sy / length, -sz / length)

    def load(self, mass: MassState) -> None:
        """Go on with another mass state; the motion stays as it is."""
        self.mass, self._law = mass, law_of(self.body, mass)
        if self.carrier is None:
            self.states.append(mass)

    def forget_states(self) -> None:
        """Drop the mass states that no row of a log refers to any more."""
        self.states = [self.mass if self.carrier is None else WEIGHTLESS]

    def height_mm(self, point_mm: Vector) -> float:
        """Height of a point of the board over the tip, in the lab."""
        return sum(a * b for a, b in zip(point_mm, self.up, strict=True))

    def sinking_mm_s(self, point_mm: Vector) -> float:
        """Speed at which a point of the board goes down."""
        (wx, wy, wz), (px, py, pz), (ux, uy, uz) = self.rate, point_mm, self.up
        return -((wy * pz - wz * py) * ux + (wz * px - wx * pz) * uy + (wx * py - wy * px) * uz)

    @property
    def tilt_rad(self) -> float:
        """Angle between board and level."""
        return float(np.arctan2(sqrt(self.up[0] ** 2 + self.up[1] ** 2), self.up[2]))

    def run(  # noqa: PLR0917, PLR0915 - inlined for speed
        self,
        start_s: float,
        steps: int,
        contacts: list[HandContact],
        pulses: list[Pulse],
        motion: list[list[float]] | None,
        rows: list[Row],
    ) -> None:
        """Move on by `steps` steps and log each.

        Args:
            start_s: table time of the first step.
            steps: how many.
            contacts: hands that may touch during these steps.
            pulses: knocks during these steps.
            motion: for each step the acceleration of the table (x, y, z; mm/s2) and its rate
                of tilting (x, y; rad/s); None while the table is still.
            rows: where the log goes.
        """
        state, number = self.mass, len(self.states) - 1
        if self.carrier is not None:
            self._be_carried(self.carrier.rows(start_s, steps, number), rows)
            return
        if self.clamped:
            self.rate = (0.0, 0.0, 0.0)
            rows += [(*self.up, *self.rate, *self.rate, 0.0, number)] * steps
            return
        sx, sy, sz = state.moment_gmm
        law = self._law
        (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = law.inertia
        (jxx, jxy, jxz), (_, jyy, jyz), (_, _, jzz) = law.inverse
        viscous, slowing, yaw_slowing = law.viscous, law.slowing, law.yaw_slowing
        yaw_spring, yaw_viscous, stop = law.yaw_spring, law.yaw_viscous, law.stop
        ux, uy, uz = self.up
        wx, wy, wz = self.rate
        yaw = self.yaw
        drop, step_s = -STANDARD_GRAVITY_MM_S2, STEP_S
        pushed = bool(contacts or pulses)
        bx = by = 0.0
        append = rows.append
        for index in range(steps):
            gx, gy, gz = drop * ux, drop * uy, drop * uz
            if motion is not None:
                ax, ay, az, bx, by = motion[index]
                (ex, ey, ez), (fx, fy, fz) = level_axes(ux, uy, uz)
                gx -= az * ux + ax * ex + ay * fx
                gy -= az * uy + ax * ey + ay * fy
                gz -= az * uz + ax * ez + ay * fz
            tx = sy * gz - sz * gy - viscous * (wx - bx)
            ty = sz * gx - sx * gz - viscous * (wy - by)
            tz = sx * gy - sy * gx - yaw_spring * yaw - yaw_viscous * wz
            pressed = 0.0
            if pushed:
                t_s = start_s + index * step_s
                up, rate, torque = (ux, uy, uz), (wx, wy, wz), (tx, ty, tz)
                pressed, (tx, ty, tz) = _pushed(contacts, pulses, t_s, up, rate, torque)
            lx = ixx * wx + ixy * wy + ixz * wz
            ly = ixy * wx + iyy * wy + iyz * wz
            lz = ixz * wx + iyz * wy + izz * wz
            tx -= wy * lz - wz * ly
            ty -= wz * lx - wx * lz
            tz -= wx * ly - wy * lx
            nx = wx + step_s * (jxx * tx + jxy * ty + jxz * tz)
            ny = wy + step_s * (jxy * tx + jyy * ty + jyz * tz)
            nz = wz + step_s * (jxz * tx + jyz * ty + jzz * tz)
            # Coulomb friction, exact for any step: it can stop the board, never turn it back.
            rx, ry = nx - bx, ny - by
            speed = sqrt(rx * rx + ry * ry)
            if speed > slowing:
                keep = 1 - slowing / speed
                nx, ny = bx + keep * rx, by + keep * ry
            else:
                nx, ny = bx, by
            if nz > yaw_slowing:
                nz -= yaw_slowing
            else:
                nz = nz + yaw_slowing if nz < -yaw_slowing else 0.0
            if uz < stop and nx * uy - ny * ux > 0:
                nx, ny = -STOP_RESTITUTION * nx, -STOP_RESTITUTION * ny
            row = (
                ux, uy, uz, wx, wy, wz,
                (nx - wx) / step_s, (ny - wy) / step_s, (nz - wz) / step_s,
                pressed, number,
            )  # fmt: skip
            append(row)
            vx = ux - step_s * (ny * uz - nz * uy)
            vy = uy - step_s * (nz * ux - nx * uz)
            vz = uz - step_s * (nx * uy - ny * ux)
            scale = 1.5 - 0.5 * (vx * vx + vy * vy + vz * vz)
            vx, vy, vz = vx * scale, vy * scale, vz * scale
            yaw += step_s * nz
            if not (nx or ny or nz or wx or wy or wz or pushed or motion) and ux == vx and uy == vy:
                # At rest, and nobody does anything: so it stays.
                rows += [row] * (steps - index - 1)
                break
            wx, wy, wz, ux, uy, uz = nx, ny, nz, vx, vy, vz
        self.up, self.rate, self.yaw = (ux, uy, uz), (wx, wy, wz), yaw

    def lift(self, carrier: Carrier) -> None:
        """Off the tip: from now on it moves as it is carried, and the tip feels nothing."""
        self.carrier = carrier
        self.states.append(WEIGHTLESS)

    def put_back(self, mass: MassState) -> None:
        """Onto the tip again, at rest, as it is held."""
        self.carrier, self.rate = None, (0.0, 0.0, 0.0)
        self.load(mass)

    def _be_carried(self, carried: list[Row], rows: list[Row]) -> None:
        rows += carried
        ux, uy, uz, wx, wy, wz, *_ = carried[-1]
        self.up, self.rate = (ux, uy, uz), (wx, wy, wz)


def _pushed(  # noqa: PLR0917
    contacts: list[HandContact],
    pulses: list[Pulse],
    t_s: float,
    up: Vector,
    rate: Vector,
    torque: Vector,
) -> tuple[float, Vector]:
    """Force of all hands and knocks on the board at a time, and the torque with theirs added."""
    (ux, uy, uz), (wx, wy, wz), (tx, ty, tz) = up, rate, torque
    pressed = 0.0
    for contact in contacts:
        px, py, pz = contact.point_mm
        depth = px * ux + py * uy + pz * uz - contact.height_mm(t_s)
        if depth <= 0:
            continue
        rising = (wy * pz - wz * py) * ux + (wz * px - wx * pz) * uy + (wx * py - wy * px) * uz
        force = contact.stiffness * depth + contact.damping * rising
        if force > 0:
            if contact.first_touch_s is None:
                contact.first_touch_s = t_s
            pressed += force
            tx -= force * (py * uz - pz * uy)
            ty -= force * (pz * ux - px * uz)
            tz -= force * (px * uy - py * ux)
    for pulse in pulses:
        force = pulse.force(t_s)
        if force:
            px, py, pz = pulse.point_mm
            pressed += force
            tx -= force * (py * uz - pz * uy)
            ty -= force * (pz * ux - px * uz)
            tz -= force * (px * uy - py * ux)
    return pressed, (tx, ty, tz)


def level_axes(ux: float, uy: float, uz: float) -> tuple[Vector, Vector]:
    """The lab's level axes in the board frame, the board taken as not turned about `up`."""
    length = sqrt(max(1e-9, 1 - ux * ux))
    ex, ey, ez = length, -ux * uy / length, -ux * uz / length
    return (ex, ey, ez), (uy * ez - uz * ey, uz * ex - ux * ez, ux * ey - uy * ex)

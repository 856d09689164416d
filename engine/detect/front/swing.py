"""How a board swings: the torques of `front.moment`, and what swings tell of a table."""

from dataclasses import dataclass

import numpy as np

from engine.detect.body import Body
from engine.samples import Flags, Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2

MOVING_RAD_S = 0.026
"""1.5 degrees a second: above it the direction of the friction torque is certain."""


@dataclass(frozen=True, slots=True)
class TableEstimate:
    """What the swings have told about this table so far (see `engine.detect.front.health`)."""

    board_inertia_gmm2: float
    damping_gmm2_s: float
    friction_gmm: float
    friction_sd_gmm: float
    pivot_height_mm: float


def across(xy: Floats) -> Floats:
    """Vectors turned by 90 degrees, the theory's J'; x and y in rows."""
    return np.array((-xy[1], xy[0]))


def drag(rate: Floats) -> Floats:
    """Torque of a friction of one against the motion, x and y in rows; at rest it is unknown."""
    speed = np.hypot(*rate)
    return across(rate) * np.where(speed > MOVING_RAD_S, 1.0 / np.maximum(speed, 1e-9), 0.0)


def torque(body: Body, spin: Floats) -> Floats:
    """What turns the pieces with this angular acceleration."""
    xy = body.inertia_xy_gmm2
    return np.array((
        body.inertia_xx_gmm2 * spin[0] + xy * spin[1],
        xy * spin[0] + body.inertia_yy_gmm2 * spin[1],
    ))  # fmt: skip


def hang_gmm(lean: Floats, spin: Floats, rate: Floats, table: TableEstimate, body: Body) -> Floats:
    """Moment by which the board hangs and swings in each tick, x and y in rows.

    Args:
        lean: up over up_z, (2, n).
        spin: angular acceleration, rad/s^2, (2, n).
        rate: angular rate, rad/s, (2, n).
        table: inertia, damping and friction of the board.
        body: mass properties with the pieces.
    """
    turning = torque(body, spin) + table.board_inertia_gmm2 * spin + table.damping_gmm2_s * rate
    loss = across(turning) / STANDARD_GRAVITY_MM_S2 + drag(rate) * table.friction_gmm
    return np.asarray(lean * body.moment_z_gmm - loss)


def with_neighbours(ticks: Flags) -> Flags:
    """These ticks and those beside them: a jolt begins and ends within one."""
    beside = ticks.copy()
    beside[1:] |= ticks[:-1]
    beside[:-1] |= ticks[1:]
    return beside

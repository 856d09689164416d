"""What the sensors of the simulated tower could know at best: forces and motion, step by step.

Turns the board's log of one span of time into what acts on load cells and inertial sensor,
vectorised. No noise here, no clocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.samples import Floats
from hw.twin.board import GRAVITY_MM_S2, STEP_S, MassState, Row
from hw.twin.furniture import Motion, acceleration, lean, leaning_force
from hw.twin.parameters import TwinParameters


@dataclass(frozen=True, slots=True)
class Blow:
    """A knock straight on the base plate, such as a piece that lands there.

    Attributes:
        impulse_gs: integral of the force, in gram-force seconds.
    """

    start_s: float
    duration_s: float
    impulse_gs: float
    x_mm: float
    y_mm: float

    @property
    def end_s(self) -> float:
        """When the force has gone."""
        return self.start_s + self.duration_s


@dataclass(frozen=True, slots=True)
class Span:
    """True signals of a span of time, one row a step.

    Attributes:
        t_s: shape (n,).
        load: shape (n, 3): weight on the load cells over the tare, g, and its moments about
            the middle, x and y, g mm.
        force_g: shape (n, 3): specific force at the inertial sensor, board frame.
        rate_rad_s: shape (n, 3).
        up: shape (n, 3): the lab's vertical in the board frame.
    """

    t_s: Floats
    load: Floats
    force_g: Floats
    rate_rad_s: Floats
    up: Floats


def span_of(  # noqa: PLR0917
    parameters: TwinParameters,
    start_s: float,
    rows: Sequence[Row],
    states: Sequence[MassState],
    motions: Sequence[Motion],
    blows: Sequence[Blow],
    base_loads: Sequence[tuple[float, float, float]],
) -> Span:
    """True signals from the log of `Board.run`.

    Args:
        parameters: of the tower.
        start_s: table time of the first row.
        rows: the log.
        states: the board's mass states by number.
        motions: what the table did.
        blows: knocks on the base plate.
        base_loads: mass (g) and place (x, y) of pieces that lie on the base plate.
    """
    log = np.asarray(rows)
    t_s: Floats = start_s + STEP_S * np.arange(len(log), dtype=np.float64)
    up, rate, spin, pressed = log[:, 0:3], log[:, 3:6], log[:, 6:9], log[:, 9]
    number = log[:, 10].astype(int)
    mass = np.array([state.mass_g for state in states])[number]
    moment = np.array([state.moment_gmm for state in states])[number]
    shaken = acceleration(motions, t_s)
    tilt = lean(motions, t_s)
    axes = _axes(up)
    inertial = _swung(spin, rate, moment)
    load = _tip_load(parameters, axes, mass, inertial, pressed, shaken, tilt)
    load += _base_load(parameters, shaken, tilt)
    load += _still(blows, base_loads, t_s)
    load -= _tare(parameters)
    lever = np.broadcast_to(np.asarray(parameters.imu.position_mm), rate.shape)
    table = np.einsum("nij,ni->nj", axes, shaken + np.array([0.0, 0.0, GRAVITY_MM_S2]))
    force: Floats = (_swung(spin, rate, lever) + table) / GRAVITY_MM_S2
    return Span(t_s, load, force, rate, up)


def _axes(up: Floats) -> Floats:
    """The lab's axes in the board frame, shape (n, 3 axes, 3)."""
    ux, uy, uz = up.T
    length = np.sqrt(np.maximum(1e-9, 1 - ux * ux))
    east = np.stack([length, -ux * uy / length, -ux * uz / length], axis=1)
    return np.stack([east, _cross(up, east), up], axis=1)


def _cross(a: Floats, b: Floats) -> Floats:
    """Vector products row by row; `np.cross` spends ten times as long on axes."""
    product = np.empty(a.shape)
    product[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    product[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    product[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return product


def _swung(spin: Floats, rate: Floats, lever: Floats) -> Floats:
    """Acceleration of a point by the board's turning (or force of a moment of mass)."""
    return _cross(spin, lever) + _cross(rate, _cross(rate, lever))


def _tip_load(  # noqa: PLR0917
    parameters: TwinParameters,
    axes: Floats,
    mass: Floats,
    inertial: Floats,
    pressed: Floats,
    shaken: Floats,
    tilt: Floats,
) -> Floats:
    """What the board puts on the tip, as load on the cells."""
    in_lab = -np.einsum("nij,nj->ni", axes, inertial)
    down = (mass * (GRAVITY_MM_S2 + shaken[:, 2]) - in_lab[:, 2] + pressed) / GRAVITY_MM_S2
    level = in_lab[:, :2] - mass[:, None] * (shaken[:, :2] - leaning_force(tilt))
    moments = parameters.body.tip_height_mm * level / GRAVITY_MM_S2
    return np.column_stack([down, moments])


def _base_load(parameters: TwinParameters, shaken: Floats, tilt: Floats) -> Floats:
    body = parameters.body
    down = body.base_mass_g * (1 + shaken[:, 2] / GRAVITY_MM_S2)
    level = -body.base_mass_g * (shaken[:, :2] - leaning_force(tilt)) / GRAVITY_MM_S2
    return np.column_stack([down, body.base_height_mm * level])


def _still(
    blows: Sequence[Blow], base_loads: Sequence[tuple[float, float, float]], t_s: Floats
) -> Floats:
    """Pieces on the base plate, and the blows of their landing."""
    load = np.zeros((len(t_s), 3))
    for mass_g, x_mm, y_mm in base_loads:
        load += mass_g * np.array([1, x_mm, y_mm])
    for blow in blows:
        phase = np.clip((t_s - blow.start_s) / blow.duration_s, 0, 1)
        force = blow.impulse_gs / blow.duration_s * np.pi / 2 * np.sin(np.pi * phase)
        load += force[:, None] * np.array([1, blow.x_mm, blow.y_mm])
    return load


def _tare(parameters: TwinParameters) -> Floats:
    body = parameters.body
    return np.array([body.base_mass_g + body.empty_mass_g, 0.0, 0.0])

"""What the sensors of the simulated tower could know at best: forces and motion, step by step.

Turns the board's log of one span of time into what acts on load cells and inertial sensor,
vectorised. No noise here, no clocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2
from lab.twin.board import STEP_S, MassState, Row
from lab.twin.carrying import Carry
from lab.twin.furniture import Motion, acceleration, lean, leaning_force
from lab.twin.parameters import TwinParameters
from lab.twin.plate import PlateLoad


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
    plate_loads: Sequence[PlateLoad] = (),
    carries: Sequence[Carry] = (),
    turned_rad: float = 0.0,
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
        plate_loads: hands and things on the base plate.
        carries: times in which somebody had the board in their hands.
        turned_rad: how far the board stands turned about the tip's axis against the base.
    """
    log = np.ascontiguousarray(np.asarray(rows).T)
    t_s: Floats = start_s + STEP_S * np.arange(log.shape[1], dtype=np.float64)
    up, rate, spin, pressed = log[0:3], _wrapped(log[3:6]), _wrapped(log[6:9]), log[9]
    mass, moment = _masses(states, log[10])
    lever = np.array([[each] for each in parameters.imu.position_mm])
    moving_s = t_s if motions else t_s[:1]  # a table that stands still does so at one time
    shaken = acceleration(motions, moving_s).T
    push = shaken[:2] - leaning_force(lean(motions, moving_s).T)
    axes = _axes(up)
    inertial = _swung(spin, rate, moment)
    load = _tip_load(parameters, axes, mass, inertial, pressed, shaken[2], push)
    if turned_rad:
        load[1:] = _turned(turned_rad, load[1:])
    load += _base_load(parameters, shaken[2], push)
    load += _still(blows, base_loads, t_s)
    for lying in plate_loads:
        load = load + lying.weight_g(t_s) * np.array([[1], [lying.x_mm], [lying.y_mm]])
    load[0] -= parameters.body.base_mass_g + parameters.body.empty_mass_g  # the tare
    east, north, _ = axes
    lift = shaken[2]
    for carry in carries:
        lift = lift + carry.acceleration(t_s)
    table = shaken[0] * east + shaken[1] * north + (lift + STANDARD_GRAVITY_MM_S2) * up
    force = (_swung(spin, rate, lever) + table) / STANDARD_GRAVITY_MM_S2
    return Span(t_s, *(np.ascontiguousarray(row.T) for row in (load, force, rate[:3], up)))


def _masses(states: Sequence[MassState], number: Floats) -> tuple[Floats, Floats]:
    """Mass, shape (n,), and first moment, shape (3, n), by the numbers of the mass states."""
    at = number.astype(int)
    mass = np.array([state.mass_g for state in states])
    moment = np.array([state.moment_gmm for state in states]).T
    return mass[at], moment[:, at]


def _axes(up: Floats) -> tuple[Floats, Floats, Floats]:
    """The lab's axes in the board frame: east, north, up, each of shape (3, n)."""
    ux = up[0]
    east = np.empty(up.shape)
    east[0] = np.sqrt(np.maximum(1e-9, 1 - ux * ux))
    east[1:] = -ux * up[1:] / east[0]
    return east, _cross(_wrapped(up), _wrapped(east)), up


def _wrapped(vectors: Floats) -> Floats:
    """Rows x, y, z, x, y: so the other two axes of each axis are neighbours."""
    return np.concatenate([vectors, vectors[:2]])


def _cross(a: Floats, b: Floats) -> Floats:
    """Vector products, shape (3, n), of wrapped vectors; `np.cross` spends most time on axes."""
    product: Floats = a[1:4] * b[2:5] - a[2:5] * b[1:4]
    return product


def _swung(spin: Floats, rate: Floats, lever: Floats) -> Floats:
    """Acceleration of a point by the board's turning (or force of a moment of mass)."""
    point = _wrapped(lever)
    return _cross(spin, point) + _cross(rate, _wrapped(_cross(rate, point)))


def _tip_load(  # noqa: PLR0917
    parameters: TwinParameters,
    axes: tuple[Floats, Floats, Floats],
    mass: Floats,
    inertial: Floats,
    pressed: Floats,
    lift: Floats,
    push: Floats,
) -> Floats:
    """What the board puts on the tip, as load on the cells."""
    load = np.empty(inertial.shape)
    for row, axis in zip((1, 2, 0), axes, strict=True):  # east, north, up
        load[row] = -np.add.reduce(axis * inertial)
    load[0] = (mass * (STANDARD_GRAVITY_MM_S2 + lift) - load[0] + pressed) / STANDARD_GRAVITY_MM_S2
    load[1:] = parameters.body.tip_height_mm * (load[1:] - mass * push) / STANDARD_GRAVITY_MM_S2
    return load


def _turned(angle_rad: float, level: Floats) -> Floats:
    """Level moments of a board that stands turned, as the base feels them; shape (2, n)."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    turned: Floats = np.stack((cos * level[0] - sin * level[1], sin * level[0] + cos * level[1]))
    return turned


def _base_load(parameters: TwinParameters, lift: Floats, push: Floats) -> Floats:
    body = parameters.body
    load = np.empty((3, len(lift)))
    load[0] = body.base_mass_g * (1 + lift / STANDARD_GRAVITY_MM_S2)
    load[1:] = body.base_height_mm * (-body.base_mass_g * push / STANDARD_GRAVITY_MM_S2)
    return load


def _still(
    blows: Sequence[Blow], base_loads: Sequence[tuple[float, float, float]], t_s: Floats
) -> Floats:
    """Pieces on the base plate, and the blows of their landing."""
    load = np.zeros((3, len(t_s) if blows else 1))
    for mass_g, x_mm, y_mm in base_loads:
        load += mass_g * np.array([[1], [x_mm], [y_mm]])
    for blow in blows:
        phase = np.clip((t_s - blow.start_s) / blow.duration_s, 0, 1)
        force = blow.impulse_gs / blow.duration_s * np.pi / 2 * np.sin(np.pi * phase)
        load += force * np.array([[1], [blow.x_mm], [blow.y_mm]])
    return load

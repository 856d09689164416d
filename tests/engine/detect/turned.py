"""A swinging board as inertial sensors feel it that lie otherwise than as calibrated.

And a table that is turned or mirrored as a whole: no mechanics knows which of its sides is file a.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from engine.detect.front.ticks import Tick
from tests.engine.detect.tables import Pendulum

KICK_S = 2.5

Axes = tuple[tuple[float, float, float], ...]


def about_z(degrees: float) -> Axes:
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return (cosine, sine, 0.0), (-sine, cosine, 0.0), (0.0, 0.0, 1.0)


X_MIRRORED: Axes = (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Y_MIRRORED: Axes = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)
EXCHANGED: Axes = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
UPSIDE_DOWN: Axes = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)
ON_ITS_SIDE: Axes = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)
TURNED: dict[str, Axes] = {
    **{f"{degrees} degrees": about_z(degrees) for degrees in (45, 90, 135, 180, 270, 315)},
    "x mirrored": X_MIRRORED,
    "y mirrored": Y_MIRRORED,
    "x and y exchanged": EXCHANGED,
    "upside down": UPSIDE_DOWN,
    "on its side": ON_ITS_SIDE,
}


@cache
def evening(friction_gmm: float = 0.0) -> tuple[Tick, ...]:
    """A minute in which a piece comes every few seconds: weight, tilt and a swing."""
    rng = np.random.default_rng(11)
    board, ticks, mass_g = Pendulum((-30.0, 40.0), friction_gmm=friction_gmm), list[Tick](), 0.0
    for _ in range(24):
        board.moment[:2] += rng.uniform(-100.0, 100.0, 2)
        rate_x, rate_y = rng.normal(0.0, 0.15, 2).tolist()
        board.rate = (rate_x, rate_y)
        mass_g += 3.0
        ticks += [tick._replace(mass_g=mass_g) for tick, _ in board.ticks(KICK_S)]
    noise = rng.normal(0.0, 1.0, (len(ticks), 5))
    return tuple(
        tick._replace(
            mass_g=tick.mass_g + 0.12 * each[0],
            cop_x_gmm=tick.cop_x_gmm + 12.0 * each[1],
            cop_y_gmm=tick.cop_y_gmm + 12.0 * each[2],
            spin_x_rad_s2=tick.spin_x_rad_s2 + 0.04 * each[3],
            spin_y_rad_s2=tick.spin_y_rad_s2 + 0.04 * each[4],
        )
        for tick, each in zip(ticks, noise, strict=True)
    )


def placed(ticks: Iterable[Tick], axes: Axes) -> Iterator[Tick]:
    """What a chip with other axes makes of the same motion; it turns about z but little."""
    turn = np.array(axes)
    for tick in ticks:
        spin = turn @ (tick.spin_x_rad_s2, tick.spin_y_rad_s2, 0.0)
        force = turn @ (tick.force_x_g, tick.force_y_g, tick.force_z_g)
        yield tick._replace(
            spin_x_rad_s2=float(spin[0]), spin_y_rad_s2=float(spin[1]),
            force_x_g=float(force[0]), force_y_g=float(force[1]), force_z_g=float(force[2]),
        )  # fmt: skip


@dataclass(frozen=True)
class Mirror:
    """A whole table seen in mirrors: x and y exchanged, then the signs of both."""

    exchanged: bool
    right: float
    up: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """What points somewhere: a place, a force, a moment of mass."""
        return (self.right * y, self.up * x) if self.exchanged else (self.right * x, self.up * y)

    @property
    def hand(self) -> float:
        """-1 where a right hand looks like a left one."""
        return self.right * self.up * (-1.0 if self.exchanged else 1.0)

    def axis(self, x: float, y: float) -> tuple[float, float]:
        """What turns about something."""
        x, y = self.place(x, y)
        return self.hand * x, self.hand * y

    def tick(self, tick: Tick) -> Tick:
        """The same tick of that table, but for its single load cells."""
        cop = self.place(tick.cop_x_gmm, tick.cop_y_gmm)
        force = self.place(tick.force_x_g, tick.force_y_g)
        turn = self.axis(tick.turn_x_rad, tick.turn_y_rad)
        rate = self.axis(tick.rate_x_rad_s, tick.rate_y_rad_s)
        spin = self.axis(tick.spin_x_rad_s2, tick.spin_y_rad_s2)
        return tick._replace(
            cop_x_gmm=cop[0], cop_y_gmm=cop[1], force_x_g=force[0], force_y_g=force[1],
            turn_x_rad=turn[0], turn_y_rad=turn[1], turn_z_rad=self.hand * tick.turn_z_rad,
            rate_x_rad_s=rate[0], rate_y_rad_s=rate[1],
            spin_x_rad_s2=spin[0], spin_y_rad_s2=spin[1],
        )  # fmt: skip


MIRRORS = tuple(Mirror(*how) for how in product((False, True), (1.0, -1.0), (1.0, -1.0)))

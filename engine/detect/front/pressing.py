"""Where a hand presses: the board turns away under it, long before it hangs at rest again.

Theory of operation. While something presses on the board at r with the weight F, the equation of
the swing (`engine.detect.front.moment`) has one more torque: what lean and spin tell beyond S, the
board's own moment, is F r. F is what the load cells weigh more than before. Putting a piece down
takes a quarter of a second: ten such equations for the two unknowns. On the public games r lies
within 4 mm of the middle of the cell for half of the pieces and within 13 mm for nine in ten,
though nothing of the rest after it has been looked at; so it also says where a piece was put that
lies on another cell, or nowhere, when the board is left alone.
"""

from dataclasses import dataclass
from math import hypot, isfinite

import numpy as np

from engine.detect.body import Body
from engine.detect.front.moment import STICKING_SHARE
from engine.detect.front.swing import TableEstimate, hang_gmm, with_neighbours
from engine.detect.front.ticks import Tick

FEWEST_TICKS = 4
"""In less time (0.1 s) the cells' averaging mixes what they weigh with what they weighed."""

LEAST_PRESS_G2 = 60.0
"""Sum of squares: the weight of a piece for seven ticks. Less turns no board visibly."""

MOST_TICKS = 120
"""Three seconds. What lasts longer is a hand that rests, and presses here and there."""

MOST_PRESSED_G = 100.0
"""Nobody presses harder on a board that hangs from a tip: what weighs more lies on the plate."""


@dataclass(frozen=True, slots=True)
class Press:
    """Where a contact pressed on the board.

    Attributes:
        at_mm: in the board's plane, from its middle.
        sd_mm: standard deviation, as far as the fit tells.
        highest_g: the most it pressed with.
    """

    at_mm: tuple[float, float]
    sd_mm: float
    highest_g: float = 0.0


class Pressing:
    """Follows one contact."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []
        self._before_g, self._before_gmm = 0.0, (0.0, 0.0)

    def begin(self, before_g: float, before_gmm: tuple[float, float]) -> None:
        """The board is touched; so heavy it was before, and so it hung."""
        self._rows.clear()
        self._before_g, self._before_gmm = before_g, before_gmm

    def add(
        self, tick: Tick, up: tuple[float, float, float], rate: tuple[float, float], *, tapped: bool
    ) -> None:
        """One more tick of the contact.

        Args:
            tick: it.
            up: where the gyroscope has kept the vertical.
            rate: how fast the board turns, rad/s.
            tapped: the table is shaken in it: that weighs on the cells and turns no board, so that
                something would seem to press in the middle.
        """
        row = (
            up[0] / up[2], up[1] / up[2], tick.spin_x_rad_s2, tick.spin_y_rad_s2, *rate,
            tick.mass_g - self._before_g, float(tapped),
        )  # fmt: skip
        if isfinite(sum(row)):
            self._rows.append(row)
            del self._rows[:-MOST_TICKS]

    def where(self, table: TableEstimate, body: Body) -> Press | None:
        """Where it presses; None when it does not press enough to tell."""
        if len(self._rows) < FEWEST_TICKS:
            return None
        columns = np.array(self._rows).T
        columns = columns[:, ~with_neighbours(columns[7] > 0.0)]
        if columns.shape[1] < FEWEST_TICKS:
            return None
        weight_g = columns[6]
        pressed = float(weight_g @ weight_g)
        if pressed < LEAST_PRESS_G2:
            return None
        moment = hang_gmm(columns[:2], columns[2:4], columns[4:6], table, body)
        moment -= np.array(self._before_gmm)[:, None]
        at_mm = moment @ weight_g / pressed
        residual = moment - at_mm[:, None] * weight_g
        fit_mm = float(np.sqrt(np.mean(residual**2) / pressed))
        # Friction holds the board back all the time: its error does not average out.
        held_back_gmm = STICKING_SHARE * table.friction_gmm + table.friction_sd_gmm
        stuck_mm = held_back_gmm / (pressed / weight_g.size) ** 0.5
        sd_mm = hypot(fit_mm, stuck_mm)
        return Press((float(at_mm[0]), float(at_mm[1])), sd_mm, float(weight_g.max()))

"""The board in somebody's hands: lifted off its tip, tipped out, put back."""

from dataclasses import dataclass

import numpy as np

from engine.samples import Floats
from lab.twin.board import STEP_S, Row
from lab.twin.furniture import smooth

WAVER_HZ = 1.7
"""Hands that carry a board do not hold it still; so slow that nobody would call it shaking."""


@dataclass(frozen=True, slots=True)
class Carry:
    """Board lifted at `start_s`, tipped to `angle_rad` and level again, put down at `end_s`.

    Attributes:
        heading_rad: direction it is tipped to, in the board frame.
        waver_rad: how far it rocks while carried.
        height_mm: how high it is lifted.
    """

    start_s: float
    end_s: float
    angle_rad: float
    heading_rad: float
    waver_rad: float = 0.05
    height_mm: float = 120.0

    def angle(self, t_s: Floats) -> Floats:
        """Tilt of the board, rad: up in the middle third of the time, and back."""
        share = np.clip((t_s - self.start_s) / (self.end_s - self.start_s), 0.0, 1.0)
        tipped = smooth(np.clip(np.minimum(share, 1 - share) / 0.35 - 0.25, 0.0, 1.0))
        held = smooth(np.clip(np.minimum(share, 1 - share) / 0.1, 0.0, 1.0))
        rocking = self.waver_rad * np.sin(2 * np.pi * WAVER_HZ * (t_s - self.start_s))
        angle: Floats = self.angle_rad * tipped + rocking * held
        return angle

    def acceleration(self, t_s: Floats) -> Floats:
        """Upward acceleration of the carried board at each time, mm/s2; 0 at fewer than three."""
        share = np.clip((t_s - self.start_s) / (self.end_s - self.start_s), 0.0, 1.0)
        height = self.height_mm * smooth(np.clip(np.minimum(share, 1 - share) / 0.3, 0.0, 1.0))
        if len(t_s) < 3:
            return np.zeros(len(t_s))
        rising: Floats = np.gradient(np.gradient(height, t_s), t_s)
        return rising

    def rows(self, start_s: float, steps: int, mass_number: int) -> list[Row]:
        """The board's log for `steps` steps from `start_s`; see `lab.twin.board.Row`."""
        t_s = start_s + STEP_S * np.arange(-1, steps + 1, dtype=np.float64)
        angle = self.angle(t_s)
        turning = np.gradient(angle, STEP_S)
        spinning = np.gradient(turning, STEP_S)
        east, north = np.cos(self.heading_rad), np.sin(self.heading_rad)
        zero, ones = np.zeros(len(t_s)), np.ones(len(t_s))
        up = np.sin(angle) * east, np.sin(angle) * north, np.cos(angle)
        rate = turning * north, -turning * east, zero
        spin = spinning * north, -spinning * east, zero
        log = np.stack((*up, *rate, *spin, zero, mass_number * ones), axis=1)[1:-1]
        return [tuple(row) for row in log.tolist()]

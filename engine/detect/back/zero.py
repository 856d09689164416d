"""What the empty board weighs and how it hangs: cells that carry a kilogram wander all evening."""

from math import hypot

from engine.detect.back.account import Gmm
from engine.detect.back.parameters import ZERO_CREEP_G_S, ZERO_SD_G


class Zero:
    """The empty board, as it was seen last.

    Attributes:
        g: its weight over the tare; None before it is known.
        moment_gmm: its moment.
    """

    def __init__(self, moment_gmm: Gmm) -> None:
        self.g: float | None = None
        self.moment_gmm = moment_gmm
        self._first_g: float | None = None
        self._seen_s = 0.0

    @property
    def drift_g(self) -> float:
        """How far the weight has wandered since the start."""
        return 0.0 if self.g is None or self._first_g is None else self.g - self._first_g

    def sd_g(self, now_s: float) -> float:
        """Standard deviation of the weight by now."""
        return hypot(ZERO_SD_G, ZERO_CREEP_G_S * (now_s - self._seen_s))

    def begin(self, mass_g: float) -> None:
        """The first steady weight is the empty board's, unless that is known."""
        if self.g is None:
            self.g = self._first_g = mass_g

    def seen(self, mass_g: float, now_s: float) -> None:
        """The board is empty, and weighs so much."""
        self.g, self._seen_s = mass_g, now_s

    def creep(self, by_g: float) -> None:
        """What the cells creep under a board that rests, they creep under an empty one."""
        self.g = None if self.g is None else self.g + by_g

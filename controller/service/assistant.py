"""Carries out what the table asks for: a person who reads instructions, or a simulated one.

Shared by all commands that need somebody at the table, so that instructions always have the same
wording and the simulated table needs nobody.
"""

from typing import Protocol, TextIO

from engine.tabletop import load_cell_name
from hw.sim.twin.tower import Tower

CORNERS = ("front left", "front right", "back right", "back left")
"""Where the load cells are, seen from the side of rank 1, in the order of their numbers."""
SIDES = ((1.0, 0.0), (0.0, 1.0))
SIDE_WORDS = {(1.0, 0.0): "the side of file e (right)", (0.0, 1.0): "the side of rank 5 (back)"}


class Helper(Protocol):
    """Whoever does what the diagnosis asks for."""

    def press(self, cell: int, weight_g: float | None) -> None:
        """Press on the base plate above a load cell, or set the weight there, and let go."""

    def push_down(self, side: tuple[float, float]) -> None:
        """Push the board down at a side for a second and let it go."""

    def done(self) -> None:
        """The time for the last request is over."""


class Person:
    """Somebody at the table, who is asked in words."""

    def __init__(self, out: TextIO) -> None:
        """Ask on `out`."""
        self._out = out

    def press(self, cell: int, weight_g: float | None) -> None:
        """Ask for it."""
        where = f"load cell {load_cell_name(cell)} ({CORNERS[cell]})"
        if weight_g is None:
            self._say(f"Press with a finger on the base plate above {where}, two seconds.")
        else:
            self._say(f"Set the {weight_g:g} g on the base plate above {where}, then take it away.")

    def push_down(self, side: tuple[float, float]) -> None:
        """Ask for it."""
        self._say(f"Push the board down a little at {SIDE_WORDS[side]}, hold a second, let go.")

    def done(self) -> None:
        """Say so."""
        self._say("Thank you; hands off.")

    def _say(self, text: str) -> None:
        print(text, file=self._out, flush=True)


class TwinHelper:
    """The simulated somebody at the simulated table."""

    FINGER_G = 250.0
    PUSH_MM = 6.0
    PUSH_S = 1.5

    def __init__(self, tower: Tower) -> None:
        """Somebody who can reach this tower."""
        self._tower = tower

    def press(self, cell: int, weight_g: float | None) -> None:
        """Do it, half a second later."""
        tower, now_s = self._tower, self._tower.now_s
        x_mm, y_mm = tower.parameters.scale.positions_mm[cell]
        if weight_g is None:
            tower.at(now_s + 0.5, lambda: tower.press_base(x_mm, y_mm, self.FINGER_G, 2.0))
            return
        tower.at(now_s + 0.5, lambda: tower.put_weight(weight_g, x_mm, y_mm))
        tower.at(now_s + 3.5, tower.take_weights)

    def push_down(self, side: tuple[float, float]) -> None:
        """Do it, half a second later."""
        cell, tower = "e3" if side[0] else "c5", self._tower

        def touch() -> None:
            tower.touch(cell, self.PUSH_S, self.PUSH_MM)

        tower.at(tower.now_s + 0.5, touch)

    def done(self) -> None:
        """Nothing to be said."""

"""Carries out what the diagnosis asks for: a person who reads instructions.

At the simulated table the lab's helper does it (`lab.workshop`).
"""

from typing import Protocol, TextIO

from engine.tabletop import load_cell_name

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

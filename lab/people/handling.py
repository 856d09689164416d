"""How simulated people put down a piece: steadied, let fall, slid on, taken again, a wrong one."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.games.contract import Action
from lab.people.ways import Ways, chosen
from lab.twin.hands import Deed
from lab.twin.tower import Tower

GLANCE_S = 0.05
"""How often people look whether something has happened."""

DROP_MM = 30.0
"""Height from which those let pieces fall who do not set them down."""

RIM = ("a3", "e3", "c1", "c5", "a1", "e5", "a5", "e1")
"""Where a finger steadies the board."""


@dataclass(frozen=True, slots=True)
class Grip:
    """How one piece is put down: how far the hand presses (usual if None), and from how high."""

    press_mm: float | None = None
    drop_mm: float = 0.0


class Hands:
    """The hands of one table's people that handle pieces.

    A second thought is a script: it yields the table times at which it continues, and returns the
    deed that puts the piece where it stays, or None when something has fallen meanwhile.
    """

    def __init__(
        self, tower: Tower, ways: Ways, chance: Random, fallen: Callable[[], bool]
    ) -> None:
        """Handle the pieces of a tower; `fallen` says whether something fell just now."""
        self._tower, self._ways, self._chance, self._fallen = tower, ways, chance, fallen

    def grip(self) -> Grip:
        """The hand that comes to place, and perhaps another one that steadies the board now."""
        tower, ways, chance = self._tower, self._ways, self._chance
        if chosen(chance, ways.steadies):
            rim = chance.choice(RIM)
            tower.press(rim, chance.uniform(1.5, 6.0), chance.uniform(4.0, 25.0))
        press_mm = None
        if ways.heavy != 1.0:
            press_mm = ways.heavy * chance.uniform(*tower.parameters.manners.press_mm)
        drop_mm = DROP_MM * chance.uniform(0.3, 1.3) if chosen(chance, ways.drops) else 0.0
        return Grip(press_mm, drop_mm)

    def taken(self, state: Any, action: Action) -> Action:
        """A placement as a hand makes it: now and then with a piece of another player's.

        Args:
            state: of the game, before it.
            action: as it was meant.
        """
        match = state.match
        others = [
            name for number, name in enumerate(match.colours)
            if match.owner[number] != state.current and state.left[number]
        ]  # fmt: skip
        if not others or not chosen(self._chance, self._ways.wrong_colours):
            return action
        return {**action, "colour": self._chance.choice(others), "foreign": True}

    def waiting(self, seconds: float) -> Iterator[float]:
        """Wait, but look up at once when something falls."""
        until_s = self._tower.now_s + seconds
        while self._tower.now_s < until_s and not self._fallen():
            yield min(self._tower.now_s + GLANCE_S, until_s)

    def second_thoughts(self) -> tuple[bool, bool]:
        """Whether this piece is slid on, and whether it is taken again."""
        return chosen(self._chance, self._ways.slides), chosen(self._chance, self._ways.relifts)

    def slide(self, cell: str, to: str) -> Generator[float, None, Deed | None]:
        """Slide the piece that was just placed to a neighbour."""
        yield from self.waiting(self._chance.uniform(0.05, 0.8))
        if self._fallen():
            return None
        return self._tower.slide(cell, to, self._chance.uniform(0.4, 1.2))

    def relift(
        self, cell: str, to: str, colour: str, **details: Any
    ) -> Generator[float, None, Deed | None]:
        """Take the piece that was just placed again, and put it elsewhere.

        Args:
            cell: where it lies.
            to: where it goes.
            colour: of the piece.
            details: the rest of `Tower.place`.
        """
        tower, chance = self._tower, self._chance
        yield from self.waiting(chance.uniform(0.3, 2.5))
        if self._fallen() or not tower.pieces.stacks[cell]:
            return None
        tower.take_again(cell)
        yield from self.waiting(chance.uniform(0.4, 1.2))
        return None if self._fallen() else tower.place(to, colour, **details)

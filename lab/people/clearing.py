"""How simulated people take the board down, each in their way."""

from collections.abc import Iterator
from math import radians
from random import Random

from lab.people.handling import GLANCE_S
from lab.people.ways import Clearing, Ways, chosen
from lab.twin.episodes import ToppleEpisode
from lab.twin.tower import Tower

PAUSES_S = {"fingers": (0.3, 0.8), "one_slow": (0.7, 2.2), "both_hands": (0.12, 0.4)}
"""From one grip to the next."""

LIFTED_S = (1.5, 6.0)
TIPPED_RAD = (1.0, 2.6)
"""How long and how far a board is tipped out by hand: from on edge to nearly upside down."""

AT_ONCE_S = 0.5
"""People who reach for the board sooner than this do not wait until the last piece lies still."""

NEARLY_CLEAR = 3
"""Pieces still on the board when somebody reports it clear too early."""


class Clearer:
    """Clears the board of one tower in the ways of its people.

    Attributes:
        nearly_clear: the last pieces are being taken.
    """

    def __init__(self, tower: Tower, ways: Ways, chance: Random) -> None:
        """Clear this tower in the ways of its people."""
        self._tower, self._ways, self._chance = tower, ways, chance
        self.nearly_clear = False

    @property
    def at_once(self) -> bool:
        """Whether these people do not wait until the last piece lies still."""
        return self._ways.stare_s[1] < AT_ONCE_S

    def stare(self, topple: ToppleEpisode) -> Iterator[float]:
        """Watch what falls, and perhaps reach for it, until the first hand clears."""
        while not (topple.over or self.at_once) or self._tower.placing:
            self._catch()
            yield self._tower.now_s + GLANCE_S
        yield self._pause(*self._ways.stare_s)

    def script(self) -> Iterator[float]:
        """Take everything off; yields the table times at which it continues."""
        ways, chance = self._ways, self._chance
        self.nearly_clear = False
        way = ways.clearing[0] if len(ways.clearing) == 1 else chance.choice(ways.clearing)
        self._leave = chosen(chance, ways.leftovers)
        if way == "lift":
            yield from self._pour_out()
        else:
            yield from self._take_down(way)
        self._tower.let_go()

    def _catch(self) -> None:
        """Reach for what is falling, and touch the board in doing so."""
        tower, chance = self._tower, self._chance
        if tower.pieces.flights and chosen(chance, self._ways.catches) and tower.catch(1):
            cell = chance.choice(sorted(tower.pieces.stacks))
            tower.touch(cell, chance.uniform(0.1, 0.4), chance.uniform(0.2, 1.5))

    def _take_down(self, way: Clearing) -> Iterator[float]:
        """Stack by stack, or piece by piece."""
        tower, chance = self._tower, self._chance
        if way == "fingers" and chance.random() < 0.7:
            tower.hold(chance.uniform(15, 110))
        yield self._pause(0.1, 0.3)
        while tower.pieces.count or self._base_left() or tower.pieces.flights:
            self._take_some(most=1 if way == "one_slow" else 4)
            if way == "both_hands":
                self._take_some(most=4)
            self.nearly_clear = tower.pieces.count <= NEARLY_CLEAR
            yield self._pause(*PAUSES_S[way])

    def _pour_out(self) -> Iterator[float]:
        """Lift the board off its tip, tip it out, and put it back a little turned."""
        tower, chance, ways = self._tower, self._chance, self._ways
        turn_rad = radians(chance.uniform(-ways.turned_deg, ways.turned_deg))
        seconds = chance.uniform(*LIFTED_S)
        deed = tower.lift_board(seconds, tip_rad=chance.uniform(*TIPPED_RAD), turn_rad=turn_rad)
        self.nearly_clear = True
        yield deed.release_s
        while not deed.done or self._base_left() or tower.pieces.flights:
            tower.remove_from_base()
            yield self._pause(0.3, 0.8)

    def _base_left(self) -> bool:
        return bool(self._tower.pieces.on_base) and not self._leave

    def _take_some(self, most: int) -> None:
        stacks = {cell: len(stack) for cell, stack in self._tower.pieces.stacks.items() if stack}
        on_base = self._base_left()
        if on_base and (not stacks or self._chance.random() < 0.2):
            self._tower.remove_from_base()
            return
        if not stacks:
            return
        cell = self._chance.choice(sorted(stacks))
        self._tower.remove(cell, self._chance.randint(1, min(most, stacks[cell])))

    def _pause(self, low_s: float, high_s: float) -> float:
        return self._tower.now_s + self._chance.uniform(low_s, high_s)

"""The hands of a script: they do what the scenario says, each time in the ways of its people.

The habits themselves are those of the simulated people of an evening (`lab.people`). What
a script says stays true: a piece that is slid or taken again ends where the script puts it.
"""

from collections.abc import Iterator
from math import radians
from random import Random
from typing import Any

from engine.tabletop import CELLS, level
from lab.people.clearing import Clearer
from lab.people.fidgeting import SITTING_STILL, Fidgets
from lab.people.handling import GLANCE_S, Hands
from lab.people.players import HASTE_S
from lab.people.ways import USUAL, Ways, chosen
from lab.twin.hands import Deed
from lab.twin.tower import Tower

CAREFUL_RAD = radians(9.0)
"""Nobody puts a piece where the board would hang further, unless the script does: pieces begin to
slide at twice that."""

Script = Iterator[float]


class Habits:
    """What the people of a script do their own way, on its tower.

    Scripts yield the table times at which they continue.
    """

    def __init__(self, tower: Tower, ways: Ways, seed: int, seats: int = 2) -> None:
        """Give a tower people.

        Args:
            tower: what they handle.
            ways: how.
            seed: of the case; decides what is left to chance.
            seats: how many people there are to drum on the table.
        """
        self._tower, self._ways = tower, ways
        self._chance = Random(f"people {seed}")
        self._cleared = tower.topple
        self._hasty = False
        self._hands = Hands(tower, ways, self._chance, self._fallen)
        self._clearer = Clearer(tower, ways, self._chance)
        restless = ways.things or ways.drums or ways.walks or ways.arms
        self._fidgets = (
            Fidgets(tower, SITTING_STILL, ways, self._chance, seats) if restless else None
        )

    def put(self, cell: str, colour: str, *, slip: str | None = None, **details: Any) -> Script:
        """Put a piece down, perhaps elsewhere first.

        Args:
            cell: where it ends.
            colour: of the piece.
            slip: set it down where it cannot stay, at once.
            details: the rest of `Tower.place`.
        """
        hands, tower = self._hands, self._tower
        sliding, lifting = (False, False) if slip else hands.second_thoughts()
        # A slide ends somewhere on the cell; who says exactly where does not slide.
        near = self._slid_from(cell) if sliding and details.get("offset_mm") is None else []
        far = self._lifted_from(cell) if lifting and not near else []
        first = self._chance.choice(near or far) if near or far else cell
        grip = hands.grip()
        details |= {"press_mm": grip.press_mm, "drop_mm": grip.drop_mm}
        yield from self._done(tower.place(first, colour, slip=slip, **details))
        if near:
            yield from self._done((yield from hands.slide(first, cell)))
        elif far:
            yield from self._done((yield from hands.relift(first, cell, colour, **details)))
        self._hasty = chosen(self._chance, self._ways.in_haste)

    def pause_s(self, usual_s: float) -> float:
        """How long they wait, before a roll or a hand, where people usually wait so long."""
        return self._chance.uniform(*HASTE_S) if self._hasty else usual_s

    def pause_before_clearing(self, usual_s: float) -> Script:
        """Wait as a script does before it clears, or until something falls.

        From then on these people's own staring counts. Usual people keep the script's time.
        """
        if self._own_stare:
            yield from self._hands.waiting(usual_s)
        else:
            yield self._tower.now_s + usual_s

    def clear(self) -> Script:
        """Take everything off, after staring at what fell."""
        tower = self._tower
        tower.clearing = True
        if tower.topple is not None and self._fallen() and self._own_stare:
            yield from self._clearer.stare(tower.topple)
        yield from self._clearer.script()
        tower.clearing, self._cleared = False, tower.topple
        tower.truth.add(tower.now_s, "cleared")

    def fidget(self) -> None:
        """Lay things on the base plate, drum, walk past, lean on the table, as is due now."""
        if self._fidgets is not None and self._tower.now_s >= self._fidgets.next_s:
            self._fidgets.act(clearing=self._tower.clearing)

    @property
    def _own_stare(self) -> bool:
        return self._ways.stare_s != USUAL.stare_s or self._ways.catches > 0

    def _fallen(self) -> bool:
        return self._tower.topple is not None and self._tower.topple is not self._cleared

    def _slid_from(self, cell: str) -> list[str]:
        return [at for at in self._careful(cell) if self._tower.slides_to(at, cell, another=True)]

    def _lifted_from(self, cell: str) -> list[str]:
        """Cells of the same roll, if there are any."""
        others = self._careful(cell)
        return [at for at in others if level(at) == level(cell)] or others

    def _careful(self, cell: str) -> list[str]:
        tower = self._tower
        most_rad = max(CAREFUL_RAD, tower.tilt_after(cell))
        return [at for at in CELLS if at != cell and tower.tilt_after(at) <= most_rad]

    def _done(self, deed: Deed | None) -> Script:
        while deed is not None and not (deed.done or deed.void):
            yield self._tower.now_s + GLANCE_S

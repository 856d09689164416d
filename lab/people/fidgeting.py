"""Unintended actions of simulated people: bumps, taps, an arm on the table, a cup beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random

from lab.people.ways import Ways
from lab.twin.parameters import Preset
from lab.twin.tower import Tower

HIGH_TOWER = 10
"""Pieces from which on a hard bump makes a topple likely."""

THINGS: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "hand": ((60.0, 900.0), (0.8, 9.0)),
    "phone": ((140.0, 240.0), (3.0, 40.0)),
    "cup": ((180.0, 480.0), (3.0, 60.0)),
    "die": ((3.5, 7.0), (1.0, 20.0)),
    "piece": ((2.6, 3.4), (1.0, 15.0)),
}
"""Weights (g) and times (s) of what comes to lie on the base plate. A die of 16 mm weighs 5 g."""

ON_PLATE = (0.82, 0.98)
"""How far out such things lie, as a share of half the plate: beside the board, not under it."""


@dataclass(frozen=True, slots=True)
class Temper:
    """What people do besides playing, in events a minute, and how hard.

    Fitted to the public traces, which have about these counts in six minutes.

    Attributes:
        bumps, taps, touches, leans: a minute.
        tentative, nudges: probability with each placement.
        bump_m_s2: gentlest and hardest of the usual bumps.
        calamity: probability with each turn, once the tower is high, of a bump that fells it.
        calamity_m_s2: how hard that is.
    """

    bumps: float
    taps: float
    touches: float
    leans: float
    tentative: float
    nudges: float
    bump_m_s2: tuple[float, float]
    calamity: float
    calamity_m_s2: tuple[float, float]


TEMPERS: Mapping[Preset, Temper] = {
    "calm": Temper(0.5, 0.5, 0.25, 0.45, 0.02, 0.02, (0.3, 0.6), 0.010, (6, 12)),
    "normal": Temper(0.7, 1.0, 0.9, 0.6, 0.03, 0.02, (0.6, 1.9), 0.016, (6, 16)),
    "rough": Temper(2.8, 3.0, 1.7, 1.5, 0.08, 0.05, (1.1, 4.6), 0.020, (7, 20)),
}

SITTING_STILL = Temper(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (0.0, 0.0), 0.0, (0.0, 0.0))
"""People who do nothing by accident; their ways may still make them restless."""


class Fidgets:
    """The disturbances of one evening.

    Attributes:
        next_s: table time of the next one.
    """

    def __init__(
        self, tower: Tower, temper: Temper, ways: Ways, chance: Random, seats: int
    ) -> None:
        """Wait for the first minute of play.

        Args:
            tower: what is disturbed.
            temper: how often and how hard.
            ways: what else these people do.
            chance: the people's own.
            seats: how many people there are to do it.
        """
        self.next_s = tower.now_s + 6.0
        self._tower, self._temper, self._ways = tower, temper, ways
        self._chance, self._seats = chance, seats

    def act(self, *, clearing: bool) -> None:
        """Disturb the table, unless people are clearing it, and choose the time of the next one."""
        temper, ways, chance = self._temper, self._ways, self._chance
        kinds = {"bump": temper.bumps, "tap": temper.taps, "touch": temper.touches}
        kinds["lean"] = temper.leans
        kinds |= {"thing": ways.things, "drum": ways.drums, "walk": ways.walks, "arm": ways.arms}
        total = sum(kinds.values()) / 60
        self.next_s = self._tower.now_s + chance.expovariate(total)
        if clearing:
            return
        # As likely a turn, whatever the pace of fidgeting: a turn takes about four seconds.
        disastrous = chance.random() < temper.calamity / 4.0 / total
        if disastrous and self._tower.pieces.count >= HIGH_TOWER:
            self._calamity()
            return
        self._disturb(chance.choices(list(kinds), list(kinds.values()))[0])

    def _disturb(self, kind: str) -> None:
        chance, tower = self._chance, self._tower
        player = chance.randrange(self._seats)
        if kind == "bump":
            size = chance.uniform(*self._temper.bump_m_s2)
            length_s = chance.uniform(0.1, 0.32)
            tower.bump(size, chance.uniform(5, 14), length_s, player=player)
        elif kind == "tap":
            tower.tap(chance.randint(2, 7), chance.uniform(0.25, 1.2), player=player)
        elif kind == "drum":
            tower.tap(chance.randint(15, 60), chance.uniform(0.2, 1.0), player=player)
        elif kind == "walk":
            tower.walk(chance.uniform(1.5, 7.0), chance.uniform(0.1, 0.9))
        elif kind == "lean":
            tower.lean(chance.uniform(0.1, 0.45), chance.uniform(1.9, 6.0))
        elif kind == "arm":
            tower.lean(chance.uniform(0.05, 0.6), chance.uniform(4.0, 40.0))
        elif kind == "thing":
            self._lay_thing()
        else:
            cell = chance.choice(sorted(tower.pieces.stacks))
            tower.touch(cell, chance.uniform(0.15, 0.9), chance.uniform(0.4, 2.4))

    def _lay_thing(self) -> None:
        """Something on the base plate, beside the board."""
        chance = self._chance
        kind = chance.choice(list(THINGS))
        grams, seconds = (chance.uniform(*span) for span in THINGS[kind])
        turn, far = chance.uniform(0, 2 * pi), chance.uniform(*ON_PLATE)
        half_mm = self._tower.parameters.body.base_half_mm * far
        x, y = cos(turn), sin(turn)
        longer = max(abs(x), abs(y))
        x_mm, y_mm = half_mm * x / longer, half_mm * y / longer
        self._tower.rest_on_plate(grams, x_mm, y_mm, seconds, hand=kind == "hand")

    def _calamity(self) -> None:
        """Walk into the table hard, or hit the board."""
        chance = self._chance
        player = chance.randrange(self._seats)
        if chance.random() < 0.3:
            cell = chance.choice(("a1", "a5", "e1", "e5", "a3", "e3", "c1", "c5"))
            self._tower.knock(cell, chance.uniform(0.4, 0.9), player=player)
            return
        size = chance.uniform(*self._temper.calamity_m_s2)
        length_s = chance.uniform(0.3, 0.5)
        self._tower.bump(size, chance.uniform(4, 6), length_s, player=player)

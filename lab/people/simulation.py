"""An evening of simulated people on the simulated tower: one more `SampleSource`.

The demo runs it in real time, the benchmarks as fast as possible; one seed is one evening either
way.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from engine.events import HumanInput
from engine.games.topple.state import ToppleState
from engine.referee.position import Position
from hw.source import Item
from lab.people.players import SUGGESTED_TARGET, People
from lab.people.ways import USUAL, Ways
from lab.twin.fault_words import parse_fault
from lab.twin.faults import InjectedFault
from lab.twin.one_cell import OneCell, on_a_small_plate
from lab.twin.parameters import Preset, TwinParameters, preset_parameters
from lab.twin.sets import SetMasses, SetName, with_pieces
from lab.twin.source import OverTower
from lab.twin.tower import Tower

AFTERWARDS_S = 1.0
"""How long the samples go on after the last thing the people did."""
LONGEST_GAME_S = 3600.0
"""A game to 100 points takes 6 to 15 minutes; nobody waits longer than an hour."""


class SimulatedEvening(OverTower):
    """Tower and people together, driven by `poll`.

    Attributes:
        tower: the simulated tower; faults can be injected at any time.
        people: the simulated players.
    """

    def __init__(self, tower: Tower, people: People, *, starter: bool = False) -> None:
        """Combine a tower with the people who play on it; a starter has one load cell."""
        self._one_cell = OneCell(tower) if starter else None
        super().__init__(tower, self._one_cell.calibration if self._one_cell else None)
        self.people = people
        self._over_s: float | None = None

    @classmethod
    def begin(
        cls,
        seed: int,
        preset: Preset = "normal",
        *,
        parameters: TwinParameters | None = None,
        players: int | None = None,
        two_colours: bool | None = None,
        tell_dice: bool = True,
        target: int = SUGGESTED_TARGET,
        faults: Iterable[InjectedFault] = (),
        starter: bool = False,
        again: bool = False,
        ways: Ways = USUAL,
        kind: type[People] = People,
        pieces: SetName | SetMasses = "equal",
    ) -> "SimulatedEvening":
        """An evening by its seed.

        Args:
            seed: decides everything that is left to chance.
            preset: how good the pivot is and how careful the people are.
            parameters: the tower; the plain one of the preset if left out.
            players: 2 to 4; drawn if left out.
            two_colours: two players with two colours each; drawn if left out.
            tell_dice: people say what they rolled.
            target: points that win.
            faults: what goes wrong with the sensors.
            starter: the table has one load cell and a tilt switch only.
            again: people play one game after the other, and the evening has no end.
            ways: how the people behave.
            kind: of people.
            pieces: what the colours weigh.
        """
        chosen = parameters or preset_parameters(preset)

        def seated(at: TwinParameters) -> tuple[Tower, People]:
            tower = Tower(on_a_small_plate(at) if starter else at, seed, list(faults))
            return tower, kind(
                tower,
                preset,
                seed + 1_000_003,
                players=players,
                two_colours=two_colours,
                tell_dice=tell_dice,
                target=target,
                again=again,
                ways=ways,
            )

        tower, people = seated(chosen)
        if pieces != "equal":
            # Only who sits there tells which colours are in play, and so what is marked.
            tower, people = seated(with_pieces(chosen, pieces, people.colours))
        return cls(tower, people, starter=starter)

    def go_on(self, unfinished: Position, chance: int) -> None:
        """Let this evening begin in the middle of an unfinished game of Topple; another: as ever.

        Pieces stand where that game has them; the rest is forgotten, as by people who sat down
        again. To be called before the first sample.

        Args:
            unfinished: the game, as the journal of the table left it.
            chance: seed of what people do from now on.
        """
        game = unfinished.game_state
        if isinstance(game, ToppleState):
            self.tower.stand(game.board)
            self.people.go_on(game, clearing=unfinished.clearing, chance=chance)

    def poll(self, until_s: float) -> list[Item]:
        """Run people and tower up to `until_s`; samples are ready at most 0.1 s later."""
        while self._over_s is None and not self.tower.reached(until_s):
            self.tower.advance(min(until_s, max(self.people.wake_s, self.tower.now_s + 0.001)))
            self.people.act()
            said, self.people.said = self.people.said, []
            self.tower.put_events(list(said))
            if self.people.done:
                self._over_s = self.tower.now_s + AFTERWARDS_S
        if self._over_s is not None:
            self.tower.advance(min(until_s, self._over_s))
            if until_s >= self._over_s:
                self.close()
        items = self.tower.collect(until_s)
        return self._one_cell.seen(items) if self._one_cell else items

    def close(self) -> None:
        """Everybody goes home: nothing happens any more."""
        if self._over_s is None:
            self._over_s = self.tower.now_s
        super().close()

    def say(self, verb: str, **data: Any) -> None:
        """Let a player say something now (the demo answers the table's questions so)."""
        self.tower.put_events([HumanInput(self.tower.now_s, verb, data)])

    def truth(self) -> list[dict[str, Any]]:
        """What really happened so far, in order of time, and the true score at the end of it."""
        entries = self.tower.truth.in_order()
        last_s = max([0.0, *(float(entry["t"]) for entry in entries)])
        scores = {
            "t": round(last_s, 3),
            "type": "scores",
            "scores": dict(self.people.scores),
            "winners": list(self.people.winners),
        }
        return [*entries, scores]


def endless_evening(
    seed: int,
    preset: Preset,
    *,
    faults: Sequence[str] = (),
    starter: bool = False,
    unfinished: tuple[Position, int] | None = None,
) -> SimulatedEvening:
    """The evening of a configured table, which is played until the table is stopped.

    Args:
        seed: as of `SimulatedEvening.begin`.
        preset: likewise.
        faults: in words.
        starter: the table has one load cell and a tilt switch only.
        unfinished: a game to go on with, and the seed of how it goes on.

    Raises:
        BadTwin: no such fault.
    """
    orders = [parse_fault(order) for order in faults]
    evening = SimulatedEvening.begin(seed, preset, faults=orders, starter=starter, again=True)
    if unfinished is not None:
        evening.go_on(*unfinished)
    return evening

"""An evening of simulated people on the simulated tower: one more `SampleSource`.

The demo runs it in real time, the benchmarks as fast as possible; one seed is one evening either
way.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from controller.evening.players import SUGGESTED_TARGET, People
from controller.evening.ways import USUAL, Ways
from engine.events import HumanInput
from engine.tabletop import Tabletop
from hw.calibration import Calibration
from hw.sim.twin.drawing import draw
from hw.sim.twin.faults import InjectedFault
from hw.sim.twin.one_cell import OneCell, on_a_small_plate
from hw.sim.twin.parameters import Preset, TwinParameters, preset_parameters
from hw.sim.twin.source import OverTower
from hw.sim.twin.tower import Tower
from hw.source import Item
from hw.traces.recorder import Recorder, write_truth

RECORDING_STEP_S = 1.0
AFTERWARDS_S = 1.0
"""How long the samples go on after the last thing the people did."""
LONGEST_GAME_S = 3600.0
"""A game to 100 points takes 6 to 15 minutes; nobody waits longer than an hour."""


class Evening(OverTower):
    """Tower and people together, driven by `poll`.

    Attributes:
        tower: the simulated tower; faults can be injected at any time.
        people: the simulated players.
    """

    def __init__(self, tower: Tower, people: People, *, starter: bool = False) -> None:
        """Combine a tower with the people who play on it; a starter has one load cell."""
        super().__init__(tower)
        self.people = people
        self._one_cell = OneCell(tower) if starter else None
        self._over_s: float | None = None
        self._scored = False

    @property
    def calibration(self) -> Calibration:
        """What the owner believes about the table."""
        return self._one_cell.calibration if self._one_cell else self.tower.calibration

    @property
    def tabletop(self) -> Tabletop:
        """Geometry and mass as the owner measured them."""
        return self.calibration.tabletop()

    @classmethod
    def begin(
        cls,
        seed: int,
        preset: Preset = "normal",
        *,
        parameters: TwinParameters | None = None,
        players: int | None = None,
        two_colours: bool | None = None,
        announce_colours: bool = False,
        tell_dice: bool = True,
        target: int = SUGGESTED_TARGET,
        faults: Iterable[InjectedFault] = (),
        starter: bool = False,
        again: bool = False,
        ways: Ways = USUAL,
    ) -> "Evening":
        """An evening by its seed.

        Args:
            seed: decides everything that is left to chance.
            preset: how good the pivot is and how careful the people are.
            parameters: the tower; the plain one of the preset if left out.
            players: 2 to 4; drawn if left out.
            two_colours: two players with two colours each; drawn if left out.
            announce_colours: people say which of their colours they place.
            tell_dice: people say what they rolled.
            target: points that win.
            faults: what goes wrong with the sensors.
            starter: the table has one load cell and a tilt switch only.
            again: people play one game after the other, and the evening has no end.
            ways: how the people behave.
        """
        chosen = parameters or preset_parameters(preset)
        tower = Tower(on_a_small_plate(chosen) if starter else chosen, seed, list(faults))
        people = People(
            tower,
            preset,
            seed + 1_000_003,
            players=players,
            two_colours=two_colours,
            announce_colours=announce_colours,
            tell_dice=tell_dice,
            target=target,
            again=again,
            ways=ways,
        )
        return cls(tower, people, starter=starter)

    def poll(self, until_s: float) -> list[Item]:
        """Run people and tower up to `until_s`; samples are ready at most 0.1 s later."""
        while self._over_s is None and not self.tower.reached(until_s):
            self.tower.advance(min(until_s, max(self.people.wake_s, self.tower.now_s + 0.001)))
            self.people.act()
            self.tower.put_events(list(self._heard()))
            if self.people.done:
                self._over_s = self.tower.now_s + AFTERWARDS_S
        if self._over_s is not None:
            self.tower.advance(min(until_s, self._over_s))
            if until_s >= self._over_s:
                self.close()
        items = self.tower.collect(until_s)
        return self._one_cell.seen(items) if self._one_cell else items

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

    def _heard(self) -> Iterable[HumanInput]:
        said, self.people.said = self.people.said, []
        return said


def simulate_game(
    seed: int,
    preset: Preset,
    folder: Path | str,
    *,
    seconds: float = 360.0,
    spread: float = 1.0,
    turned_imu: bool = False,
    inverted_cells: bool = False,
    players: int | None = None,
    two_colours: bool | None = None,
    faults: Iterable[InjectedFault] = (),
    name: str | None = None,
    ways: Ways = USUAL,
    change: Callable[[TwinParameters], TwinParameters] | None = None,
) -> tuple[Path, Path]:
    """Play one evening on a table drawn at random and record it as a trace with its truth.

    Args:
        seed: decides table, people and chance.
        preset: `calm`, `normal` or `rough`.
        folder: where the files go; it must exist.
        seconds: table time after which the recording stops, if the game is not over before.
        spread: how widely the table differs from the plain one (see `hw.sim.twin.drawing.draw`).
        turned_imu: mount the inertial sensor in any right-angled position.
        inverted_cells: give some load cells the opposite sign.
        players: 2 to 4; drawn if left out.
        two_colours: two players with two colours each; drawn if left out.
        faults: what goes wrong with the sensors.
        name: of the files; `twin_SEED_PRESET` if left out.
        ways: how the people behave.
        change: turns the drawn table into an odd one.

    Returns:
        Paths of the trace (`.mcap`) and of the truth (`.truth.jsonl`).
    """
    rng = np.random.default_rng([seed, 77])
    parameters = draw(
        rng, preset, spread=spread, turned_imu=turned_imu, inverted_cells=inverted_cells
    )
    evening = Evening.begin(
        seed,
        preset,
        parameters=change(parameters) if change else parameters,
        players=players,
        two_colours=two_colours,
        faults=faults,
        ways=ways,
    )
    base = Path(folder) / (name or f"twin_{seed:04d}_{preset}")
    trace, truth = base.with_suffix(".mcap"), base.with_suffix(".truth.jsonl")
    record(evening, trace, seconds)
    write_truth(truth, evening.truth())
    return trace, truth


def record(evening: Evening, trace: Path | str, seconds: float = LONGEST_GAME_S) -> None:
    """Run an evening to its end, or for some seconds of table time, into a trace file."""
    with Recorder.create(trace, evening.calibration, simulated=True) as recorder:
        now_s = 0.0
        while not evening.ended and now_s < seconds:
            now_s = min(now_s + RECORDING_STEP_S, seconds)
            recorder.write(evening.poll(now_s))
        evening.close()
        recorder.write(evening.tower.collect(seconds))

"""Evenings, recorded once with all that any detector and its judge need to know about them.

Three files: the trace with what people said, the truth with the score that people counted
themselves, and what they had seen when, so that they can answer what a detector asks. What people
do does not depend on what the table says, so every detector can live through the same evening.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from hw.traces.recorder import Recorder, write_truth
from lab.people.simulation import SimulatedEvening
from lab.twin.build import build_of
from lab.twin.drawing import draw
from lab.twin.parameters import Preset
from tests.benchmarks.detection_games import SEEDS_PER_RUN, SPREADS, Game
from tests.benchmarks.detection_kinds import Kind

if TYPE_CHECKING:
    from lab.twin.episodes import ToppleEpisode

STEP_S = 0.25
REST_OF_ROUND_S = 240.0
"""So much longer an evening may become, until its last round is over and the score settled."""

AFTER_CLEARING_S = 3.0
REMEMBERED = ("turn", "place", "pass", "cleared", "topple")
"""What answers are made of; see `lab.people.eyewitness`."""


class Memory:
    """Writes down when people came to know what: every change of the truth, and every topple."""

    def __init__(self, evening: SimulatedEvening) -> None:
        """Begin to watch an evening."""
        self._evening = evening
        self._known: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}
        self._topple: ToppleEpisode | None = None
        self.lines: list[dict[str, Any]] = []

    def look(self) -> None:
        """Note what is new."""
        tower = self._evening.tower
        now_s = round(tower.now_s, 3)
        entries = {id(e): e for e in tower.truth.entries if e["type"] in REMEMBERED}
        for key, entry in entries.items():
            if key not in self._known or self._known[key][1] != entry:
                # The entry itself is kept as well, so that no other can come to have its number.
                self._known[key] = (entry, deepcopy(entry))
                self.lines.append({"known": now_s, "key": key, "entry": self._known[key][1]})
        for key in [key for key in self._known if key not in entries]:
            del self._known[key]
            self.lines.append({"known": now_s, "key": key, "entry": None})
        if tower.topple is not self._topple and tower.topple is not None:
            self._topple = topple = tower.topple
            fell = {"t_s": topple.t_s, "cause": topple.cause, "player": topple.player}
            self.lines.append({"known": now_s, "topple": fell})

    def write(self, path: Path) -> None:
        """Write it down, the players' names in front."""
        lines = [{"names": list(self._evening.people.scores)}, *self.lines]
        path.write_text("".join(json.dumps(line, default=float) + "\n" for line in lines))


def recorded(
    kind: Kind,
    preset: Preset,
    folder: Path,
    *,
    seed: int,
    index: int,
    spread: float,
    seconds: float,
) -> Game:
    """Record one evening, unless it lies there already.

    Every second sensor is mounted turned, every third table has cells of opposite sign.

    Args:
        kind: people and table.
        preset: pivot and manners.
        folder: where the files go.
        seed: of table, people and chance.
        index: number of the evening among those of its kind.
        spread: how widely the table differs from the plain one.
        seconds: table time after which the round is the last.
    """
    name = f"{kind.name}_{preset}_{seed:04d}".replace(" ", "-").replace("%", "percent")
    trace = folder / f"{name}.mcap"
    truth, seen = trace.with_suffix(".truth.jsonl"), trace.with_suffix(".seen.jsonl")
    recipe = f"recorded({kind.name!r}, {preset!r}, folder, seed={seed}, index={index}"
    recipe += f", spread={spread:g}, seconds={seconds:g})"
    game = Game(name, "twin", preset, trace, truth, recipe, kind.name, seen)
    if seen.is_file():
        return game
    rng = np.random.default_rng([seed, 77])
    table = draw(
        rng,
        preset,
        build=build_of(kind.game),
        spread=spread,
        turned_imu=index % 2 == 1,
        inverted_cells=index % 3 == 2,
    )
    evening = SimulatedEvening.begin(
        seed,
        preset,
        parameters=kind.odd.change(table),
        # Sensors cannot tell colours; with two each, no score could be right for sure.
        two_colours=False,
        faults=kind.odd.faults,
        ways=kind.people(seed),
    )
    memory = _recorded(evening, trace, seconds)
    write_truth(truth, evening.truth())
    memory.write(seen)  # last of the three: where it lies, the evening is whole
    return game


def _recorded(evening: SimulatedEvening, trace: Path, seconds: float) -> Memory:
    """Run an evening to the end of the round in which its time is up."""
    memory, now_s, last_s = Memory(evening), 0.0, seconds + REST_OF_ROUND_S
    with Recorder.create(trace, evening.calibration, simulated=True) as recorder:
        while not evening.ended and now_s < last_s:
            now_s += STEP_S
            recorder.write(evening.poll(now_s))
            memory.look()
            if now_s > seconds and _cleared_since(evening, seconds):
                last_s = min(last_s, now_s + AFTER_CLEARING_S)
        evening.close()
        recorder.write(evening.tower.collect(now_s))
    return memory


def _cleared_since(evening: SimulatedEvening, seconds: float) -> bool:
    entries = evening.tower.truth.entries
    return any(e["type"] == "cleared" and e["t"] > seconds for e in entries)


def plays(
    kind: Kind,
    preset: Preset,
    folder: Path,
    count: int,
    *,
    seed: int,
    spread: float | None = None,
    seconds: float = 300.0,
) -> Iterator[Callable[[], Game]]:
    """Evenings of a kind and preset, each played when it is called.

    Each kind and preset has tables and chance of its own: people who differ only in how they clear
    the board would else play the same game up to there.

    Args:
        kind: of evenings.
        preset: pivot and manners.
        folder: where the files go.
        count: how many evenings.
        seed: of the run.
        spread: how widely the tables differ; `SPREADS` in turn when left out.
        seconds: table time of each evening; its last round is played to the end.
    """
    own = crc32(f"{kind.name} {preset}".encode()) % SEEDS_PER_RUN
    for index in range(count):
        width = SPREADS[index % len(SPREADS)] if spread is None else spread
        number = seed * SEEDS_PER_RUN + (own + index) % SEEDS_PER_RUN
        yield partial(
            recorded, kind, preset, folder, seed=number, index=index, spread=width, seconds=seconds
        )

"""Games to measure detection on, replayed by the product and by the naive baseline.

Freshly drawn twin tables go into a folder that the caller throws away; recordings that somebody has
(`--recordings FOLDER`), as the six public games, are read where they lie. Truth is read here and by
the judge, nowhere else.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from controller.app import wiring
from controller.replay.replay import lines
from engine.events import HumanInput
from hw.source import play
from hw.traces.recording import Recording
from lab.twin.parameters import PRESETS, Preset
from tests.benchmarks.detection_naive import naive_lines
from tests.recorded import simulate_game

Event = dict[str, Any]
Replay = Callable[[Path, bool], list[Event]]
"""A trace and whether the die is told, to the lines of `topple-table replay --json`."""

SEEDS_PER_RUN = 1000
"""Room between the seeds of two runs: `--seed 1` and `--seed 2` share no table."""

LIVE_STEP_S = 0.025
"""A live table reads its sensors about so often."""

PLACE_ROOM_S, TOPPLE_ROOM_S = 3.0, 8.0
"""How long before the end of a broken-off twin game an event must have happened to be counted:
twice the goal of the slowest decision, and the time the judge gives a topple."""

CUT_KINDS = {
    ("place", "placed", "release_void"): PLACE_ROOM_S,
    ("topple", "toppled"): TOPPLE_ROOM_S,
}
CLEAR_S = 0.25
"""A decision is this near to its truth at least, or it is none (0.1 s as a rule)."""

SPREADS = (1.5, 2.0)
"""The final judgement is on tables that vary more widely than the public ones (docs/traces.md)."""


@dataclass(frozen=True, slots=True)
class Game:
    """One trace with its truth.

    Attributes:
        name: of the trace, without suffix.
        source: `twin` or `public`.
        recipe: how to get the same trace again, in words.
        kind: of evening; see `detection_kinds`.
        seen: what the people saw, so that they can answer; None when nobody answers.
    """

    name: str
    source: str
    preset: str
    trace: Path
    truth: Path
    recipe: str
    kind: str = "usual"
    seen: Path | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a method made of a game.

    Attributes:
        cpu_s: what the replay cost on one core.
        duration_s: table time of the game.
    """

    game: Game
    events: list[Event]
    truth: list[Event]
    cpu_s: float
    duration_s: float


def recorded_games(folder: Path) -> list[Game]:
    """Recordings with their truth beside them, named after their preset: `game_001_calm.mcap`."""
    return [
        Game(trace.stem, "public", preset, trace, truth, f"recording {trace}", "public")
        for trace in sorted(folder.glob("*.mcap"))
        if (truth := trace.with_suffix(".truth.jsonl")).is_file()
        if (preset := trace.stem.rpartition("_")[2]) in PRESETS
    ]


def twin_games(
    folder: Path, count: int, *, seed: int, spread: float | None = None, seconds: float = 360.0
) -> Iterator[Game]:
    """Games on freshly drawn tables, played as they are asked for.

    Args:
        folder: where the traces go.
        count: games of each preset.
        seed: of the run.
        spread: how widely the tables differ; `SPREADS` in turn when left out.
        seconds: table time of each game.
    """
    for preset in PRESETS:
        for index in range(count):
            width = SPREADS[index % len(SPREADS)] if spread is None else spread
            yield _twin_game(folder, preset, seed * SEEDS_PER_RUN + index, index, width, seconds)


def _twin_game(  # noqa: PLR0917
    folder: Path, preset: Preset, seed: int, index: int, spread: float, seconds: float
) -> Game:
    """Every second sensor is mounted turned, every third table has cells of opposite sign."""
    turned, inverted = index % 2 == 1, index % 3 == 2
    trace, truth = simulate_game(
        seed,
        preset,
        folder,
        seconds=seconds,
        spread=spread,
        turned_imu=turned,
        inverted_cells=inverted,
    )
    recipe = f"simulate_game({seed}, {preset!r}, folder, seconds={seconds:g}, spread={spread:g}"
    recipe += f", turned_imu={turned}, inverted_cells={inverted})"
    return Game(trace.stem, "twin", preset, trace, truth, recipe)


def product(trace: Path, dice: bool) -> list[Event]:
    """The table's own replay."""
    recording = Recording.open(trace)
    try:
        return list(lines(wiring.pipeline(recording.tabletop), play(recording), dice=dice))
    finally:
        recording.close()


def decision_costs_ms(trace: Path) -> list[float]:
    """What one core needs from the last sample to each decision, fed as a live table is.

    Blocks of `LIVE_STEP_S`, so that little else is computed in the same call.
    """
    recording, costs = Recording.open(trace), []
    try:
        pipeline = wiring.pipeline(recording.tabletop)
        for item in play(recording, LIVE_STEP_S):
            begun_s = time.process_time()
            outputs = pipeline.feed(item)
            cost_s = time.process_time() - begun_s
            if any(not isinstance(output.cause, HumanInput) for output in outputs):
                costs.append(1000 * cost_s)
    finally:
        recording.close()
    return costs


def naive(trace: Path, dice: bool) -> list[Event]:
    """The baseline's replay."""
    recording = Recording.open(trace)
    try:
        return naive_lines(recording.tabletop, play(recording), dice=dice)
    finally:
        recording.close()


def replayed(game: Game, replay: Replay, *, dice: bool) -> Replayed:
    """Replay a game and take the time of one core."""
    begun_s = time.process_time()
    events = replay(game.trace, dice)
    return judged(game, events, time.process_time() - begun_s)


def judged(game: Game, events: list[Event], cpu_s: float) -> Replayed:
    """What a method made of a game beside its truth, both cut where the recording ends."""
    truth = [json.loads(line) for line in game.truth.read_text().splitlines() if line.strip()]
    duration_s = float(next(e["duration_s"] for e in reversed(events) if e["type"] == "summary"))
    if game.source == "twin":
        truth, events = decidable(in_play(truth), events, duration_s)
    return Replayed(game, events, truth, cpu_s, duration_s)


def cut_s(times_s: Iterable[float], latest_s: float) -> float:
    """The latest time up to `latest_s` around which nothing happened.

    >>> cut_s([3.0, 9.9, 10.1, 10.4], latest_s=10.0)
    9.65
    """
    cut = latest_s
    for t_s in sorted(times_s, reverse=True):
        if abs(t_s - cut) < CLEAR_S:
            cut = t_s - CLEAR_S
    return cut


def decidable(truth: list[Event], events: list[Event], end_s: float) -> list[list[Event]]:
    """Truth and decisions without what a recording broken off at `end_s` leaves open.

    A piece let go in the last tenth of a second cannot be seen by anybody. Both are cut at the
    same time, where nothing happens, so that neither is left without the other.
    """
    both, ends_s = [*truth, *events], dict[str, float]()
    for kinds, room_s in CUT_KINDS.items():
        times_s = [event["t"] for event in both if event["type"] in kinds]
        ends_s |= dict.fromkeys(kinds, cut_s(times_s, end_s - room_s))
    return [
        [e for e in each if e.get("t", 0.0) <= ends_s.get(e["type"], end_s)]
        for each in (truth, events)
    ]


def in_play(truth: list[Event]) -> list[Event]:
    """Truth without the falls that are no topples by the rules.

    The round ends with its first topple or its last piece (docs/rules.md, Topple): what comes down
    before the board is clear again is not another topple, and a bump that fells a tower with all
    pieces on it costs nobody. The table is silent about both.
    """
    kept, fallen, played_out = list[Event](), False, False
    for event in sorted(truth, key=lambda event: float(event["t"])):
        if event["type"] == "cleared":
            fallen = played_out = False
        played_out |= event["type"] == "played_out"
        if event["type"] == "topple":
            if fallen or (played_out and event["cause"] == "bump"):
                continue
            fallen = True
        kept.append(event)
    return kept


def decided_in_order(events: list[Event]) -> bool:
    """Whether no decision comes before one that was made earlier."""
    times = [event["decided"] for event in events if "decided" in event]
    return all(first <= then for first, then in pairwise(times))

"""Detection with other people and on odd tables: `python -m tests.benchmarks.detection_ways`.

A row for each way of people (`controller.ways.WAYS`) and each odd table (`ODD_TABLES`), with the
figures that such evenings can spoil: cells, silent errors, topples, how long the table was deaf,
and whether the final score is what the people counted themselves. The people answer what the
table asks, as those of the demo do, and correct nothing.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from controller import wiring
from controller.demo import Answering
from controller.intervals import rate_interval, wilson
from controller.replay import line_of
from controller.simulation import Evening
from controller.ways import USUAL, WAYS, Ways
from engine.events import HumanInput
from engine.scoreboard import document
from hw.twin.drawing import draw
from hw.twin.faults import FaultKind, InjectedFault
from hw.twin.parameters import PRESETS, Preset, TwinParameters
from tests.benchmarks.detection_figures import Tally, load_judge, merged, quantile, tally
from tests.benchmarks.detection_games import Event, Game, Replayed, decidable, in_play

STEP_S = 0.25
NO_FILE = Path("/dev/null")
SEEDS_PER_RUN = 1000

DEAF_PIECES = 2
"""So many placements in a row unseen or wrong, and the table is deaf until the next right one."""

Change = Callable[[TwinParameters], TwinParameters]


@dataclass(frozen=True, slots=True)
class OddTable:
    """A table that is not as our drawings want it.

    Attributes:
        change: of the drawn table.
        faults: what goes wrong on the way.
    """

    change: Change = lambda table: table
    faults: tuple[InjectedFault, ...] = ()


def _scale(**changes: Any) -> OddTable:
    return OddTable(lambda table: replace(table, scale=replace(table.scale, **changes)))


def _imu(**changes: Any) -> OddTable:
    return OddTable(lambda table: replace(table, imu=replace(table.imu, **changes)))


def _noisy_imu(table: TwinParameters) -> TwinParameters:
    imu = table.imu
    louder = replace(
        imu, accel_noise_g=5 * imu.accel_noise_g, gyro_noise_dps=5 * imu.gyro_noise_dps
    )
    return replace(table, imu=louder)


def _sticky(table: TwinParameters) -> TwinParameters:
    return replace(table, body=replace(table.body, friction_band_deg=0.6))


ODD_TABLES: Mapping[str, OddTable] = {
    "10 samples a second": _scale(rate_hz=10.0),
    "a cell five times noisier": OddTable(
        faults=(InjectedFault(FaultKind.NOISY, 5, cell=1, size=5),)
    ),
    "a cell dead from 120 s": OddTable(faults=(InjectedFault(FaultKind.DEAD_CELL, 120.0, cell=2),)),
    "gain drifts 1 % in ten minutes": _scale(gain_drift=0.01 / 600),
    "inertial sensor at 100 Hz": _imu(rate_hz=100.0),
    "inertial sensor five times noisier": OddTable(_noisy_imu),
    "friction 0.6 degrees": OddTable(_sticky),
}


@dataclass(slots=True)
class Row:
    """What one kind of evening came to."""

    name: str
    found: Tally = field(default_factory=Tally)
    deaf_s: float = 0.0
    longest_deaf: int = 0
    exact: int = 0
    finished: int = 0
    asked_topples: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Played:
    """One evening, lived through with the people's answers."""

    run: Replayed
    told: Mapping[str, int]
    counted: Mapping[str, int]
    blames: int


def evening(seed: int, preset: Preset, ways: Ways, odd: OddTable) -> Evening:
    """An evening on a freshly drawn table."""
    rng = np.random.default_rng([seed, 77])
    parameters = odd.change(draw(rng, preset, spread=1.5))
    return Evening.begin(
        seed, preset, parameters=parameters, two_colours=False, faults=odd.faults, ways=ways
    )


def play(seed: int, preset: Preset, ways: Ways, odd: OddTable, seconds: float) -> Played:
    """Live through an evening as the demo does, with answers."""
    one = evening(seed, preset, ways, odd)
    pipeline = wiring.pipeline(one.tabletop)
    answering, events, blames = Answering(one), list[Event](), set[str]()
    now_s = 0.0
    while not one.ended and now_s < seconds:
        now_s += STEP_S
        pending = document(pipeline.state, table="t", boot="b").pending
        if pending is not None and pending.kind == "blame":
            blames.add(pending.id)
        answering.act(pending, now_s)
        for item in one.poll(now_s):
            for output in pipeline.feed(item):
                if not isinstance(output.cause, HumanInput):
                    events.append(line_of(output.cause, output.state))
                for outcome in output.outcomes:
                    answering.heard(outcome)
    told = dict(pipeline.state.position.scores)
    truth, events = decidable(in_play(one.truth()), events, now_s)
    game = Game(f"{preset}-{seed}", "twin", preset, NO_FILE, NO_FILE, f"seed {seed}")
    return Played(Replayed(game, events, truth, 0.0, now_s), told, one.people.scores, len(blames))


def deaf_spans(judge: ModuleType, run: Replayed) -> Iterator[tuple[float, int]]:
    """Times in which the table did not follow: length (s), and placements that were lost in it."""
    stand = [e for e in run.truth if e["type"] == "place" and not e.get("ended_in_topple")]
    found = judge.final_placements(run.events)
    window = judge.WINDOW_S
    pairs, _, _ = judge.match(stand, found, lambda e: e["t"], window, window)
    right = {id(truth) for truth, event in pairs if truth["cell"] == event["cell"]}
    since, lost = None, 0
    for place in [*sorted(stand, key=lambda e: float(e["t"])), None]:
        if place is not None and id(place) not in right:
            since = place["t"] if since is None else since
            lost += 1
            continue
        if since is not None and lost >= DEAF_PIECES:
            yield (place["t"] if place is not None else run.duration_s) - since, lost
        since, lost = None, 0


def take(row: Row, judge: ModuleType, played: Played) -> None:
    """Add one evening to a row."""
    row.found = merged((row.found, tally(judge, [played.run])))
    for seconds, lost in deaf_spans(judge, played.run):
        row.deaf_s += seconds
        row.longest_deaf = max(row.longest_deaf, lost)
    row.seconds += played.run.duration_s
    row.finished += 1
    row.exact += dict(played.told) == dict(played.counted)
    row.asked_topples += played.blames


def printed(rows: list[Row]) -> Table:
    """The table, one line for each row."""
    table = Table(box=None, pad_edge=False, title="die told; people answer", title_justify="left")
    for name in (
        "evenings", "n", "right cell %", "silent /100", "asked %", "topples seen", "who asked",
        "p50 / p95 s", "invented /h", "deaf %", "longest deaf", "score exact",
    ):  # fmt: skip
        table.add_column(name, no_wrap=True)
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: Row) -> list[str]:
    found = row.found
    n = max(found.placements, 1)
    low, high = wilson(found.right, n)
    seen, lost = found.lost_seen + found.stacks_seen, found.lost + found.stacks
    p50, p95 = (quantile(found.topple_latency_s, share) for share in (0.5, 0.95))
    false_low, false_high = rate_interval(found.false_topples, found.hours)
    hourly = found.false_topples / max(found.hours, 1e-9)
    return [
        row.name,
        str(found.placements),
        f"{100 * found.right / n:.1f} [{100 * low:.1f}, {100 * high:.1f}]",
        f"{100 * found.silent / n:.1f}",
        f"{100 * found.asked / n:.1f}",
        f"{seen}/{lost}",
        str(row.asked_topples),
        "-" if p50 is None or p95 is None else f"{p50:.1f} / {p95:.1f}",
        f"{hourly:.0f} [{false_low:.0f}, {false_high:.0f}]",
        f"{100 * row.deaf_s / max(row.seconds, 1e-9):.0f}",
        str(row.longest_deaf),
        f"{row.exact}/{row.finished}",
    ]


def kinds(only: list[str]) -> Iterator[tuple[str, Ways, OddTable]]:
    """Every kind of evening, or those named."""
    for name, ways in WAYS.items():
        if not only or name in only:
            yield name, ways, OddTable()
    for name, odd in ODD_TABLES.items():
        if not only or name in only:
            yield name, USUAL, odd


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.detection_ways",
        description=(__doc__ or "").splitlines()[0].partition(":")[0],
    )
    parser.add_argument("--games", type=int, default=3, help="evenings of each kind (3)")
    parser.add_argument("--seed", type=int, default=1, help="of tables and people (1)")
    parser.add_argument("--seconds", type=float, default=300.0, help="of each evening (300)")
    parser.add_argument("--only", action="append", default=[], metavar="KIND", help="these only")
    chosen = parser.parse_args(given)
    known = [*WAYS, *ODD_TABLES]
    for name in chosen.only:
        if name not in known:
            parser.error(f"--only {name!r} is no kind of evening; there are: {', '.join(known)}")
    if chosen.games < 1 or chosen.seed < 0 or chosen.seconds <= 0:
        parser.error("--games and --seconds must be above 0, --seed not below")
    return chosen


def main(given: list[str] | None = None) -> int:
    """Play, judge and print; 0, also when the judge is not there."""
    chosen = arguments(given)
    judge = load_judge()
    if judge is None:
        print("skipped: the judge (evaluate.py) is not beside the repository", file=sys.stderr)
        return 0
    rows = list[Row]()
    for name, ways, odd in kinds(chosen.only):
        row = Row(name)
        for index in range(chosen.games):
            preset = PRESETS[index % len(PRESETS)]
            seed = chosen.seed * SEEDS_PER_RUN + index
            take(row, judge, play(seed, preset, ways, odd, chosen.seconds))
        rows.append(row)
        print(" | ".join(_cells(row)), file=sys.stderr)
    Console(width=None if sys.stdout.isatty() else 170).print(printed(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

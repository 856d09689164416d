"""Evenings with an ailing sensor, beside the same evenings with well ones.

`python -m tests.benchmarks.ailing --evenings 3`. Each evening is recorded once; what ails the
sensor is laid over what it gave, so that both are the same evening with the same people and towers.
A fault begins after `BEGINS_S` and lasts to the end. With `--well` every kind of people and table
plays one evening after the other, and what is said of their sensors is listed.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from engine.samples import Floats, ImuSamples, Ints, ScaleSamples
from hw.calibration import COUNTS_MAX, COUNTS_MIN, ScaleCalibration
from hw.source import Item
from lab.twin.parameters import PRESETS, Preset
from tests.benchmarks.detection_evenings import recorded
from tests.benchmarks.detection_games import SPREADS, Event, Game, judged
from tests.benchmarks.detection_judge import SURE, placements_of
from tests.benchmarks.detection_kept import evenings_folder
from tests.benchmarks.detection_kinds import KINDS, Kind
from tests.benchmarks.detection_lived import lived

BEGINS_S = 40.0
"""By then the table has its tare and some placements."""

TOLD_WITHIN_S = 60.0

Ailment = Callable[["Cell", Floats, Floats], Floats]
"""Table times and grams of one cell to the grams it shows."""


@dataclass(slots=True)
class Cell:
    """What an ailing cell remembers from block to block.

    Attributes:
        size: how badly it ails; each ailment has its own unit.
        tare_g: what the cell carries at rest, in counts over its counts per gram.
        rate_hz: conversions a second.
    """

    size: float
    tare_g: float
    rate_hz: float
    chance: np.random.Generator
    left: int = 0
    offset_g: float = 0.0
    shown_g: float | None = None


def corrupt(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """A share `size` of the data words has shifted bits or trailing ones."""
    del t_s
    out = grams.copy()
    for at in np.flatnonzero(cell.chance.random(len(out)) < cell.size):
        whole = out[at] + cell.tare_g
        kind = cell.chance.integers(3)
        # A clock edge too many doubles the word; noise on the line sets its low bits.
        shift = 2.0 ** cell.chance.integers(1, 3)
        low_g = 2.0 ** cell.chance.integers(2, 12) * cell.chance.random()
        out[at] = (shift * whole, whole + low_g, 0.0)[kind] - cell.tare_g
    return out


def stray_edges(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """`size` times a minute a stray edge selects the other input; four conversions are off."""
    out = grams.copy()
    for at in range(len(t_s)):
        if cell.left == 0 and cell.chance.random() < cell.size / 60.0 / cell.rate_hz:
            cell.left = 4
        if cell.left:
            # The datasheet's settling: the other input's level leaves the filter step by step.
            share = cell.left / 4
            cell.left -= 1
            out[at] -= share * (out[at] + cell.tare_g) * 0.98
    return out


def noisy(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """White noise of `size` grams in each conversion."""
    del t_s
    return grams + cell.chance.normal(0.0, cell.size, len(grams))


def stepping(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """A joint of changing resistance: six times a minute the zero steps by about `size` grams."""
    out = grams.copy()
    for at in range(len(t_s)):
        if cell.chance.random() < 0.1 / cell.rate_hz:
            cell.offset_g = cell.chance.normal(0.0, cell.size)
        out[at] += cell.offset_g
    return out


def drifting(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """The zero runs away by `size` grams a minute."""
    return grams + cell.size * np.maximum(t_s - BEGINS_S, 0.0) / 60.0


def weak(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """The gain over the tare is `size` of what it was."""
    del t_s
    return grams * cell.size


def rubbing(cell: Cell, t_s: Floats, grams: Floats) -> Floats:
    """A wire or cover carries part of the load: the cell follows with `size` grams of friction.

    The noise of amplifier and converter comes after it.
    """
    del t_s
    out = np.empty_like(grams)
    shown = grams[0] if cell.shown_g is None and len(grams) else cell.shown_g or 0.0
    for at, gram in enumerate(grams):
        shown = min(max(shown, gram - cell.size), gram + cell.size)
        out[at] = shown
    cell.shown_g = float(shown)
    return out + cell.chance.normal(0.0, 0.1, len(out))


AILMENTS: Mapping[str, tuple[Ailment, tuple[float, float, float]]] = {
    "corrupt words, share": (corrupt, (0.01, 0.05, 0.2)),
    "stray clock edges a minute": (stray_edges, (6.0, 30.0, 120.0)),
    "noise, g": (noisy, (0.5, 1.5, 5.0)),
    "zero steps, g": (stepping, (2.0, 6.0, 20.0)),
    "drift, g a minute": (drifting, (2.0, 10.0, 60.0)),
    "gain": (weak, (0.95, 0.8, 0.5)),
    "friction, g": (rubbing, (0.5, 2.0, 6.0)),
}

BIAS_JUMPS = "gyroscope bias jumps, deg/s"
BIAS_DPS = (0.5, 2.0, 8.0)
TURNED, MIRRORED = "inertial sensor turned, degrees", "inertial sensor mirrored, axis"
TURNED_DEG, MIRRORED_AXES = (45.0, 90.0, 180.0, 270.0), (0.0, 1.0)
OF_IMU = {BIAS_JUMPS: "gyro", TURNED: "imu", MIRRORED: "imu"}
"""What ails of the inertial sensor, and the name of the sensor that the table gives."""

ROCKING_G = (5.0, 20.0, 60.0)
"""No cell ails: a foot leaves the ground, and two cells across take the load of the others."""


def _ailing(
    items: Iterable[Item], scale: ScaleCalibration, *, name: str, size: float, cell: int, seed: int
) -> Iterator[Item]:
    """The items of a recording with one cell ailing."""
    chance = np.random.default_rng(seed)
    tare_g = scale.tare_counts[cell] / scale.counts_per_gram[cell]
    state = Cell(size, tare_g, scale.rate_hz, chance)
    for item in items:
        if isinstance(item, ImuSamples):
            yield _felt(item, name, state)
            continue
        if (
            name in OF_IMU
            or not isinstance(item, ScaleSamples)
            or not len(item.t_s)
            or item.t_s[0] < BEGINS_S
        ):
            yield item
            continue
        mass_g = item.mass_g.copy()
        if name == "rocking":
            _rock(state, item.t_s, mass_g)
        else:
            mass_g[:, cell] = AILMENTS[name][0](state, item.t_s, mass_g[:, cell])
        yield replace(item, mass_g=mass_g, raw=_raw(mass_g, scale))


def _felt(item: ImuSamples, name: str, state: Cell) -> ImuSamples:
    """What the inertial sensor gives instead."""
    if name == BIAS_JUMPS:
        return replace(item, rate_rad_s=item.rate_rad_s + _bias_rad_s(state, item.t_s))
    if name not in OF_IMU or not len(item.t_s) or item.t_s[0] < BEGINS_S:
        return item
    axes = np.eye(3)
    if name == MIRRORED:
        axes[int(state.size)] *= -1.0
    else:
        cosine, sine = np.cos(np.radians(state.size)), np.sin(np.radians(state.size))
        axes[:2, :2] = (cosine, sine), (-sine, cosine)
    return replace(item, accel_g=item.accel_g @ axes, rate_rad_s=item.rate_rad_s @ axes)


def _bias_rad_s(state: Cell, t_s: Floats) -> Floats:
    """The gyroscope's bias about x and y, which jumps every half a minute."""
    times = np.floor(np.maximum(t_s - BEGINS_S, 0.0) / 30.0).astype(int)
    jumps = np.random.default_rng(int(state.tare_g)).normal(0.0, state.size, (200, 2))
    both = np.where(t_s[:, None] < BEGINS_S, 0.0, jumps[times])
    rates: Floats = np.radians(np.column_stack((both, np.zeros(len(t_s)))))
    return rates


def _rock(state: Cell, t_s: Floats, mass_g: Floats) -> None:
    for at in range(len(t_s)):
        if state.chance.random() < 0.1 / state.rate_hz:
            state.offset_g = state.size * float(state.chance.integers(0, 2))
        mass_g[at] += state.offset_g * np.array([-0.25, 0.25, -0.25, 0.25])


def _raw(mass_g: Floats, scale: ScaleCalibration) -> Ints:
    counts = np.nan_to_num(mass_g) * np.asarray(scale.counts_per_gram) + scale.tare_counts
    raw: Ints = np.clip(np.rint(counts), COUNTS_MIN, COUNTS_MAX).astype(np.int32)
    return raw


@dataclass(frozen=True, slots=True)
class Life:
    """What came of one evening.

    Attributes:
        stand, right: pieces that stood, and those told with their cell in the end.
        silent: sure and wrong.
        exact: whether the final score was exact.
        told_s: from the beginning of the fault to the first word about this sensor; None: never.
        blamed: other sensors that were named after it began.
    """

    stand: int
    right: int
    silent: int
    exact: bool
    told_s: float | None
    blamed: int


def live(game: Game, name: str | None, size: float, cell: int, seed: int) -> Life:
    """The table lives through an evening; None: with well sensors."""
    spoil = None
    if name is not None:
        spoil = partial(_ailing, name=name, size=size, cell=cell, seed=seed)
    run = judged(game, lived(game.trace, game.seen, noise=spoil), 0.0)
    found = placements_of(run.truth, run.events)
    sure = [e for _, e in found.kept if e["confidence"] >= SURE]
    sure += [e for e in found.invented if e["confidence"] >= SURE]
    wrong = [e for true, e in found.pairs if true["cell"] != e["cell"] and e["confidence"] >= SURE]
    return Life(
        len(found.stand), len(found.right), len(sure) + len(wrong), _exact(run.events, run.truth),
        *_told(run.events, OF_IMU.get(name or "", f"scale.{cell}")),
    )  # fmt: skip


def _exact(events: Sequence[Event], truth: Sequence[Event]) -> bool:
    counted = next((e for e in reversed(truth) if e["type"] == "scores"), None)
    summary = next(e for e in reversed(events) if e["type"] == "summary")
    return counted is not None and dict(summary["scores"]) == dict(counted["scores"])


def _told(events: Sequence[Event], sensor: str) -> tuple[float | None, int]:
    faults = [e for e in events if e["type"] == "fault" and e["t"] >= BEGINS_S - 1.0]
    own = [e["t"] for e in faults if e["sensor"] == sensor]
    return (min(own) - BEGINS_S if own else None), len(faults) - len(own)


Job = tuple[Game, str | None, float, int, int]


def _lived(job: Job) -> Life:
    return live(*job)


def evenings(
    folder: Path, count: int, seed: int, seconds: float, kinds: Sequence[Kind] = KINDS[:1]
) -> list[Game]:
    """So many evenings on drawn tables, of each preset and kind in turn; usual people as a rule."""
    presets = list[Preset](PRESETS)
    return [
        recorded(kinds[index % len(kinds)], presets[index % len(presets)], folder,
                 seed=seed + index, index=index, spread=SPREADS[index % len(SPREADS)],
                 seconds=seconds)
        for index in range(count)
    ]  # fmt: skip


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evenings", type=int, default=3)
    parser.add_argument("--seed", type=int, default=28_700)
    parser.add_argument("--seconds", type=float, default=420.0)
    parser.add_argument("--keep", type=Path, default=Path("build/ailing"))
    parser.add_argument("--only", default="", help="ailments with these words in their name")
    parser.add_argument("--well", action="store_true", help="every kind of people and table, well")
    options = parser.parse_args()
    folder = evenings_folder(options.keep)
    kept = KINDS if options.well else KINDS[:1]
    games = evenings(folder, options.evenings, options.seed, options.seconds, kept)
    if options.well:
        _print_well(games)
        return
    kinds: list[tuple[str | None, float]] = [(None, 0.0)]
    kinds += [(name, size) for name, (_, sizes) in AILMENTS.items() for size in sizes]
    kinds += [("rocking", size) for size in ROCKING_G]
    kinds += [(BIAS_JUMPS, size) for size in BIAS_DPS]
    kinds += [(TURNED, size) for size in TURNED_DEG] + [(MIRRORED, axis) for axis in MIRRORED_AXES]
    kinds = [kind for kind in kinds if kind[0] is None or options.only in kind[0]]
    jobs: list[Job] = [
        (game, name, size, (index + at) % 4, options.seed + index)
        for at, (name, size) in enumerate(kinds)
        for index, game in enumerate(games)
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(_lived, jobs))
    _print(kinds, found, len(games))


def _print_well(games: Sequence[Game]) -> None:
    """What was said of the sensors of each evening, those that ail by their kind among them."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for game, faults in zip(games, pool.map(_faults, games), strict=True):
            print(f"{game.name}: {', '.join(faults) or 'nothing'}", flush=True)


def _faults(game: Game) -> list[str]:
    return [
        f"{event['t']:.0f} s {event['sensor']} {event['code']}"
        for event in lived(game.trace, game.seen)
        if event["type"] == "fault"
    ]


def _print(kinds: Sequence[tuple[str | None, float]], found: Sequence[Life], each: int) -> None:
    table = Table("ailment", "size", "right", "lost to well", "silent", "exact", "told", "blamed")
    well = found[:each]
    for at, (name, size) in enumerate(kinds):
        lives = found[at * each : (at + 1) * each]
        lost = sum(w.right - life.right for w, life in zip(well, lives, strict=True))
        told = [life.told_s for life in lives if life.told_s is not None]
        table.add_row(
            name or "none", f"{size:g}",
            f"{sum(life.right for life in lives)} of {sum(life.stand for life in lives)}",
            str(lost), str(sum(life.silent for life in lives)),
            f"{sum(life.exact for life in lives)} of {each}",
            f"{len(told)}: " + ", ".join(f"{t_s:.0f}" for t_s in sorted(told)) + " s",
            str(sum(life.blamed for life in lives)),
        )  # fmt: skip
    Console(width=120).print(table)


if __name__ == "__main__":
    main()

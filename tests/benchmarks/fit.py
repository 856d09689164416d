"""How far intervals of `topple-table fit` can be trusted: `python -m tests.benchmarks.fit`.

Tables are drawn whose pivots, cells, sensors and hands vary far more widely than those of the
presets, usual people play an evening at each, and every interval is held against the parameter
that the table was made with. Recordings that somebody has (`--recordings FOLDER`) say less of their
truth: how long hands touched, and where pieces came to lie.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from controller.common.intervals import wilson
from engine.samples import Floats
from engine.tabletop import STANDARD_GRAVITY_MM_S2
from hw.source import play
from hw.traces.recording import Recording
from lab.fit.estimates import NORMAL_90, Estimate
from lab.fit.fit import fitted
from lab.fit.signals import evening_of
from lab.people.simulation import SimulatedEvening as Play
from lab.twin.drawing import draw
from lab.twin.parameters import PRESETS, TwinParameters
from tests.benchmarks.detection_games import recorded_games

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure that was seen, and what it should have been."""

    found: Estimate
    truth: float

    @property
    def hit(self) -> bool:
        """Whether the interval holds the truth."""
        return bool(self.found.low <= self.truth <= self.found.high)

    @property
    def off(self) -> float:
        """By how many standard deviations of its own interval it is off."""
        width = self.found.high - self.found.low
        return (self.found.value - self.truth) / (width / 2 / NORMAL_90)


# --- tables and their truth ---------------------------------------------------------------------


def drawn_table(index: int, seed: int) -> TwinParameters:
    """A table of the preset whose turn it is, far wider than people build them."""
    rng = np.random.default_rng([index, seed])
    table = draw(rng, PRESETS[index % 3], spread=1.5, turned_imu=index % 2 == 1)
    shortest, least = rng.uniform(0.1, 0.3), rng.uniform(0.1, 1.0)
    return replace(
        table,
        body=replace(
            table.body,
            friction_band_deg=float(np.exp(rng.uniform(np.log(0.02), np.log(0.5)))),
            damping_ratio=float(rng.uniform(0.015, 0.08)),
            seat_step_mm=float(rng.uniform(0.005, 0.06)),
        ),
        scale=replace(
            table.scale,
            drift_g=float(rng.uniform(0.004, 0.03)),
            gain_drift=float(rng.choice([0, 0, 1, 2])) * 0.01 / 600,
        ),
        imu=replace(
            table.imu,
            noise_memory=float(rng.uniform(0, 0.7)),
            accel_noise_g=float(rng.uniform(0.0015, 0.006)),
            gyro_noise_dps=float(rng.uniform(0.02, 0.15)),
        ),
        manners=replace(
            table.manners,
            contact_s=(float(shortest), float(shortest + rng.uniform(0.2, 0.7))),
            press_mm=(float(least), float(least + rng.uniform(0.5, 2.2))),
            offset_mm=float(rng.uniform(1.5, 3.5)),
        ),
    )


def truth_of(table: TwinParameters) -> dict[str, float]:
    """The figures of a simulated table, by the names of their estimates."""
    body, scale, imu = table.body, table.scale, table.imu
    stiffness = STANDARD_GRAVITY_MM_S2 * -body.empty_moment_gmm[2]
    inertia = body.empty_mass_g * body.gyration_mm**2
    return {
        "period_s": 2 * np.pi * np.sqrt(inertia / stiffness),
        "gyration_mm": body.gyration_mm,
        "damping_ratio": body.damping_ratio,
        "friction_band_deg": body.friction_band_deg,
        "friction_when_slow": 0.0,
        "friction_with_load": 1.0,
        "seat_step_mm": body.seat_step_mm,
        "cell_noise_counts": float(np.sqrt(np.mean(np.square(scale.noise_counts)))),
        "cell_noise_next": 0.0,
        "accel_noise_g": imu.accel_noise_g,
        "accel_noise_next": imu.noise_memory,
        "accel_noise_second": imu.noise_memory**2,
        "gyro_noise_dps": imu.gyro_noise_dps,
        "gyro_noise_next": imu.noise_memory,
        "gyro_noise_second": imu.noise_memory**2,
        "cell_drift_g_per_sqrt_s": scale.drift_g,
        "weight_drift_g_per_min": scale.gain_drift * 4 * scale.tare_load_g * 60,
        "creep_share": scale.creep,
    }


def truth_of_hands(entries: Sequence[Entry], empty_g: float) -> dict[str, float]:
    """What a truth file says of how long hands touched and where pieces lie."""
    placed = [entry for entry in entries if entry["type"] == "place" and not entry["mode"]]
    if len(placed) < 2:
        return {}
    touched = [entry["t_release"] - entry["t_contact"] for entry in placed]
    offsets = np.array([entry["offset"] for entry in placed])
    steps = np.diff([entry["seat"] for entry in placed], axis=0)
    lever = empty_g / float(np.mean([entry["mass"] for entry in placed]))
    # A nudge moves the seat at once and far; the rare ones may not decide it.
    wander = float(np.median(np.abs(steps))) / 0.6745
    return {
        "contact_s_typical": float(np.median(touched)),
        "place_scatter_mm": float(np.hypot(_rms(offsets), lever * wander)),
    }


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


# --- measuring ----------------------------------------------------------------------------------


def on_twins(count: int, seed: int, seconds: float) -> Iterator[list[Judged]]:
    """Evenings at drawn tables."""
    for index in range(count):
        table = drawn_table(index, seed)
        game = Play.begin(seed + index, PRESETS[index % 3], parameters=table, two_colours=False)
        evening = evening_of(game.calibration, play(game, 1.0, until_s=seconds))
        hands = truth_of_hands(game.truth(), table.body.empty_mass_g)
        print(f"table {index + 1} of {count}", file=sys.stderr, flush=True)
        yield judged(_all(fitted(evening)), truth_of(table) | hands)


def on_recordings(folder: Path) -> Iterator[list[Judged]]:
    """Recordings with their truth beside them."""
    for game in recorded_games(folder):
        recording = Recording.open(game.trace)
        calibration = recording.calibration
        evening = evening_of(calibration, play(recording))
        recording.close()
        entries = [json.loads(line) for line in game.truth.read_text().splitlines()]
        print(game.name, file=sys.stderr, flush=True)
        yield judged(_all(fitted(evening)), truth_of_hands(entries, calibration.empty_mass_g))


def _all(families: Mapping[str, tuple[Estimate, ...]]) -> list[Estimate]:
    return [each for found in families.values() for each in found]


def judged(found: Sequence[Estimate], truth: Mapping[str, float]) -> list[Judged]:
    """Every figure that was seen and whose truth is known."""
    return [Judged(each, truth[each.name]) for each in found if each.seen and each.name in truth]


def sheet(title: str, evenings: Sequence[Sequence[Judged]]) -> Table:
    """Coverage of each figure, over all evenings."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for head in ("figure", "seen", "held the truth", "95 % interval", "half width", "bias, sd"):
        table.add_column(head)
    each = [one for evening in evenings for one in evening]
    for name in dict.fromkeys(one.found.name for one in each):
        table.add_row(name, *_row([one for one in each if one.found.name == name], len(evenings)))
    table.add_row("all", *_row(each, len(each))) if each else None
    return table


def _row(group: Sequence[Judged], evenings: int) -> tuple[str, ...]:
    hits = sum(one.hit for one in group)
    low, high = wilson(hits, len(group))
    half = np.median([(one.found.high - one.found.low) / 2 for one in group])
    bias = np.median([one.off for one in group])
    return (
        f"{len(group)}/{evenings}",
        f"{hits}/{len(group)}",
        f"{100 * low:.0f} to {100 * high:.0f} %",
        f"{half:.2g}",
        f"{bias:+.1f}",
    )


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.fit", description="How far a fit's intervals hold."
    )
    parser.add_argument("--tables", type=int, default=6, help="drawn twins (6)")
    parser.add_argument("--seconds", type=float, default=300.0, help="of each evening (300)")
    parser.add_argument("--seed", type=int, default=1, help="of tables and people (1)")
    parser.add_argument("--recordings", type=Path, metavar="FOLDER", help="and these")
    chosen = parser.parse_args(given)
    if chosen.recordings is not None and not recorded_games(chosen.recordings):
        parser.error(f"--recordings {chosen.recordings}: no recording with its truth is there")
    console = Console(width=100)
    if chosen.tables > 0:
        found = list(on_twins(chosen.tables, chosen.seed, chosen.seconds))
        console.print(sheet("Drawn twins; intervals claim 90 %", found))
    if chosen.recordings is not None:
        console.print(sheet("Recordings", list(on_recordings(chosen.recordings))))
    return 0


if __name__ == "__main__":
    sys.exit(main())

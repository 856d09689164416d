"""Evenings of simulated people, recorded: what tests and benchmarks replay."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from hw.traces.recorder import Recorder, write_truth
from lab.people.simulation import LONGEST_GAME_S, SimulatedEvening
from lab.people.ways import USUAL, Ways
from lab.twin.drawing import draw
from lab.twin.faults import InjectedFault
from lab.twin.parameters import Preset, TwinParameters

RECORDING_STEP_S = 1.0


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
        spread: how widely the table differs from the plain one (see `lab.twin.drawing.draw`).
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
    evening = SimulatedEvening.begin(
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


def record(evening: SimulatedEvening, trace: Path | str, seconds: float = LONGEST_GAME_S) -> None:
    """Run an evening to its end, or for some seconds of table time, into a trace file."""
    with Recorder.create(trace, evening.calibration, simulated=True) as recorder:
        now_s = 0.0
        while not evening.ended and now_s < seconds:
            now_s = min(now_s + RECORDING_STEP_S, seconds)
            recorder.write(evening.poll(now_s))
        evening.close()
        recorder.write(evening.tower.collect(seconds))

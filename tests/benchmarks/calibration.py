"""What the wizard's calibration is worth: `python -m tests.benchmarks.calibration [--tables 4]`.

Tables are drawn widely (sensors turned, cells inverted), each is calibrated by its simulated
owner, then a game is played on it and detected twice: with the wizard's calibration and with the
true values. The same counts, the same people; only the numbers behind them differ.
"""

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from controller.app import wiring
from controller.common.intervals import wilson
from controller.replay.replay import lines
from controller.workshop.calibrate.command import samples
from controller.workshop.calibrate.core.reference_mass import parse_reference_mass
from controller.workshop.calibrate.core.result import CalibrationResult
from controller.workshop.calibrate.core.steps import StepState
from controller.workshop.calibrate.core.wizard import Wizard
from controller.workshop.pace import Pace
from engine.samples import ImuSamples, ScaleSamples
from hw.calibration import Calibration
from hw.source import Item, play
from hw.traces.recorder import write_truth
from hw.traces.recording import Recording
from lab.people.simulation import SimulatedEvening
from lab.twin.drawing import draw
from lab.twin.owner import CAREFUL, CLUMSY, Owner, OwnerManners, ruled
from lab.twin.parameters import PRESETS, Preset, TwinParameters
from lab.twin.tower import Tower
from tests.benchmarks.detection_figures import Tally, merged, tally
from tests.benchmarks.detection_games import Event, Game, replayed
from tests.recorded import record

SPREAD = 1.5
REFERENCE = "4x2eur"
LIMIT_S = 400.0
GAME_S = 240.0


@dataclass(frozen=True, slots=True)
class Calibrated:
    """One table and what its owner made of it. `result` is None when it was never finished."""

    preset: Preset
    seed: int
    parameters: TwinParameters
    result: CalibrationResult | None
    seconds: float


def calibrated(
    preset: Preset, seed: int, *, spread: float = SPREAD, manners: OwnerManners = CAREFUL
) -> Calibrated:
    """Draw a table and have it calibrated by its owner."""
    rng = np.random.default_rng([seed, 41])
    parameters = draw(rng, preset, spread=spread, turned_imu=True, inverted_cells=True)
    references = (parse_reference_mass(REFERENCE),)
    tower = Tower(parameters, seed)
    owner = Owner(tower, rng, tuple(reference.mass_g for reference in references), manners)
    wizard, pace = Wizard(ruled(parameters), references), Pace(live=False)
    while not wizard.done and pace.now_s < LIMIT_S:
        for item in samples(tower, pace):
            wizard.feed(item)
        step, look = wizard.step, wizard.look()
        if look.state is not StepState.DONE and wizard.seconds:
            nudge = "nudge the board" in look.text
            owner.attend(step.name, pace.now_s, wrong=look.state is StepState.WRONG, nudge=nudge)
    result = wizard.result() if wizard.done else None
    return Calibrated(preset, seed, parameters, result, wizard.seconds)


def true_calibration(parameters: TwinParameters) -> Calibration:
    """What nobody can know: the table's own values."""
    body, scale, imu = parameters.body, parameters.scale, parameters.imu
    known = parameters.calibration
    return replace(
        known,
        cell_pitch_mm=parameters.cell_pitch_mm,
        level_step_mm=parameters.level_step_mm,
        centre_height_mm=parameters.centre_height_mm,
        piece=parameters.piece,
        scale=replace(
            known.scale,
            positions_mm=scale.positions_mm,
            counts_per_gram=scale.counts_per_gram,
            tare_counts=scale.tare_counts,
        ),
        imu=replace(
            known.imu,
            accel_bias_g=imu.accel_bias_g,
            gyro_bias_dps=imu.gyro_bias_dps,
            rotation=imu.rotation,
            position_mm=imu.position_mm,
        ),
        empty_moment_gmm=body.empty_moment_gmm,
        empty_mass_g=body.empty_mass_g,
    )


class Recalibrated:
    """A recording seen through another calibration."""

    def __init__(self, path: Path, calibration: Calibration) -> None:
        self._recording, self.calibration = Recording.open(path), calibration
        self.tabletop, self.simulated = calibration.tabletop(), True
        self.notices: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        return self._recording.ended

    def poll(self, until_s: float) -> list[Item]:
        return [self._seen(item) for item in self._recording.poll(until_s)]

    def close(self) -> None:
        self._recording.close()

    def _seen(self, item: Item) -> Item:
        if isinstance(item, ScaleSamples):
            return self.calibration.scale_samples(item.t_s, item.raw, item.valid)
        if isinstance(item, ImuSamples):
            return self.calibration.imu_samples(item.t_s, item.raw)
        return item


# --- games ----------------------------------------------------------------------------------


def played(table: Calibrated, folder: Path, seconds: float) -> Game:
    """A game on a calibrated table, recorded with its truth."""
    evening = SimulatedEvening.begin(table.seed, table.preset, parameters=table.parameters)
    trace = folder / f"calibrated_{table.preset}_{table.seed}.mcap"
    truth = trace.with_suffix(".truth.jsonl")
    record(evening, trace, seconds)
    write_truth(truth, evening.truth())
    return Game(trace.stem, "twin", table.preset, trace, truth, f"seed {table.seed}")


def seen_with(calibration: Calibration, trace: Path, dice: bool) -> list[Event]:
    """What the table decides about a recorded game with this calibration."""
    source = Recalibrated(trace, calibration)
    try:
        return list(lines(wiring.pipeline(source.tabletop), play(source), dice=dice))
    finally:
        source.close()


@dataclass(slots=True)
class Outcome:
    """Tallies by what the table was calibrated with, and the calibrations themselves."""

    wizard: Tally
    truth: Tally
    tables: list[Calibrated]

    @property
    def loss(self) -> float:
        """Share of placements that the true values see and the wizard's do not."""
        return (self.truth.right - self.wizard.right) / max(self.truth.placements, 1)


def measure(
    folder: Path,
    preset: Preset,
    seeds: range,
    *,
    dice: bool,
    seconds: float = GAME_S,
    manners: OwnerManners = CAREFUL,
) -> Outcome:
    """Calibrate tables, play on each, see every game with both calibrations."""
    out = Outcome(Tally(), Tally(), [])
    for seed in seeds:
        table = calibrated(preset, seed, manners=manners)
        out.tables.append(table)
        if table.result is None:
            continue
        game = played(table, folder, seconds)
        known = (table.result.calibration, true_calibration(table.parameters))
        fresh = [tally([replayed(game, partial(seen_with, each), dice=dice)]) for each in known]
        out.wizard, out.truth = merged((out.wizard, fresh[0])), merged((out.truth, fresh[1]))
        game.trace.unlink()
    return out


def report(outcome: Outcome, name: str) -> str:
    """One line for a preset."""
    n = outcome.truth.placements
    done = [each for each in outcome.tables if each.result is not None]
    took = sorted(each.seconds for each in done)
    low, high = (100 * limit for limit in wilson(outcome.wizard.right, n))
    verdicts = Counter(str(each.result.verdict) for each in done if each.result)
    return (
        f"{name:8} {len(done)}/{len(outcome.tables)} calibrated, "
        f"{took[len(took) // 2]:.0f} s (longest {took[-1]:.0f}); {dict(verdicts)}\n"
        f"         right: wizard {outcome.wizard.right}/{n} "
        f"= {100 * outcome.wizard.right / n:.2f} % [{low:.2f}, {high:.2f}], "
        f"true values {outcome.truth.right}/{n} = {100 * outcome.truth.right / n:.2f} %, "
        f"loss {100 * outcome.loss:+.2f} points; silent {outcome.wizard.silent} / "
        f"{outcome.truth.silent}; asked {outcome.wizard.asked} / {outcome.truth.asked}"
    )


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.calibration")
    parser.add_argument("--tables", type=int, default=4, help="of each preset (4)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=GAME_S, help="of each game (240)")
    parser.add_argument("--no-dice", action="store_true", help="the die is not told")
    parser.add_argument("--clumsy", action="store_true", help="owners of less care")
    chosen = parser.parse_args(given)
    manners = CLUMSY if chosen.clumsy else CAREFUL
    seeds = range(1000 * chosen.seed, 1000 * chosen.seed + chosen.tables)
    with tempfile.TemporaryDirectory(prefix="topple-bench-") as folder:
        for preset in PRESETS:
            found = measure(
                Path(folder),
                preset,
                seeds,
                dice=not chosen.no_dice,
                seconds=chosen.seconds,
                manners=manners,
            )
            print(report(found, preset), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

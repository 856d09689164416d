"""The calibration of a starter table, with a simulated owner at a simulated table."""

import io
from pathlib import Path

import numpy as np
import pytest

from controller.workshop.calibrate import command as calibrate
from controller.workshop.calibrate.core import starter
from controller.workshop.calibrate.core.design import drawn_starter
from controller.workshop.calibrate.core.recent_samples import RecentSamples
from controller.workshop.calibrate.core.reference_mass import parse_reference_mass
from controller.workshop.calibrate.core.result import CalibrationVerdict
from controller.workshop.calibrate.core.steps import StepState
from controller.workshop.calibrate.core.wizard import Wizard
from controller.workshop.calibrate.core.zeroing import ZeroWatch
from hw.calibration import parse_calibration
from hw.drivers.one_cell import counts_per_gram, quarters
from hw.source import samples_of
from lab.twin.one_cell import COUNTS_PER_GRAM, OneCellTower
from lab.twin.owner import Owner
from lab.twin.tower import Tower
from lab.workshop import somebody_elses

REFERENCES = (parse_reference_mass("4x2eur"),)


def calibrated(seed: int) -> tuple[Tower, Wizard]:
    parameters, rng = somebody_elses("calm", seed)
    tower = Tower(parameters, seed)
    owner = Owner(tower, rng, (REFERENCES[0].mass_g,))
    wizard, table, now_s = Wizard(drawn_starter(), REFERENCES), OneCellTower(tower), 0.0
    while not wizard.done and now_s < 120.0:
        now_s += 0.1
        for item in samples_of(table.poll(now_s)):
            wizard.feed(item)
        step, look = wizard.step, wizard.look()
        if look.state is not StepState.DONE and wizard.seconds:
            owner.attend(step.name, now_s, wrong=look.state is StepState.WRONG)
    return tower, wizard


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_in_half_a_minute_a_gram_and_a_piece_are_known(seed: int) -> None:
    tower, wizard = calibrated(seed)
    result = wizard.result()
    true_g = tower.calibration.piece.mass_mean_g

    assert result.verdict is not CalibrationVerdict.REFUSED
    assert result.seconds < 40.0
    assert counts_per_gram(result.calibration) == pytest.approx(COUNTS_PER_GRAM, rel=0.015)
    assert result.calibration.piece.mass_mean_g == pytest.approx(true_g, rel=0.07)
    assert result.calibration.weight_only
    assert "weigh every piece" in result.text or result.verdict is CalibrationVerdict.USABLE


def signals(*levels: float, noise: float = 3.0) -> RecentSamples:
    """Two and a half seconds of each level of counts."""
    chance, found = np.random.default_rng(1), RecentSamples()
    t_s = np.arange(200 * len(levels)) * 0.0125 + 0.1
    counts = np.repeat(levels, 200) + chance.normal(0, noise, 200 * len(levels))
    found.add(quarters(drawn_starter(), t_s, [round(c) for c in counts], np.ones(len(t_s), bool)))
    return found


def tare(found: RecentSamples) -> starter.StarterWeigh:
    notes = starter.StarterNotes(drawn_starter(), REFERENCES, {})
    step = starter.step_makers(REFERENCES)[0](notes, found.now_s - 2.2)
    assert isinstance(step, starter.StarterWeigh)
    return step


def moving() -> RecentSamples:
    """A weight that changes all the time."""
    found, t_s = RecentSamples(), np.arange(240) * 0.0125 + 0.1
    found.add(quarters(drawn_starter(), t_s, [40 * n for n in range(240)], np.ones(240, bool)))
    return found


@pytest.mark.parametrize(
    ("found", "state", "words"),
    [
        (signals(2.0**23 - 1, noise=0.0), StepState.WRONG, "no usable values"),
        (signals(500.0, noise=0.0), StepState.WRONG, "repeats one value"),
        (moving(), StepState.MEASURING, ""),
        (signals(500.0), StepState.DONE, ""),
    ],
    ids=["saturated", "stuck", "moving", "at rest"],
)
def test_a_zero_is_noted_at_rest_and_a_broken_cell_is_named(
    found: RecentSamples, state: StepState, words: str
) -> None:
    look = tare(found).look(found)

    assert look.state is state
    assert words in look.text


def test_the_zero_is_set_anew_only_on_an_empty_table() -> None:
    known = drawn_starter()
    empty, laden = ZeroWatch(known), ZeroWatch(known)
    for watching, counts in ((empty, 300.0), (laden, 9000.0)):
        t_s = np.arange(400) * 0.0125 + 0.1
        raw = [round(counts) + n % 5 for n in range(400)]
        for part in (slice(0, 10), slice(10, 400)):
            watching.feed(quarters(known, t_s[part], raw[part], np.ones(len(t_s[part]), bool)))

    assert empty.look().state is StepState.DONE
    assert empty.calibration is not None
    assert empty.calibration.scale.tare_counts[0] == pytest.approx(302, abs=1)
    assert laden.look().state is StepState.WRONG
    assert laden.calibration is None


def test_the_command_calibrates_a_simulated_starter_and_keeps_the_file(tmp_path: Path) -> None:
    config, out = tmp_path / "table.toml", io.StringIO()
    config.write_text('[source]\nstarter = true\ncalibration = "c.json"\n')

    assert calibrate.run(config, seed=2, out=out) == calibrate.DONE
    assert parse_calibration((tmp_path / "c.json").read_bytes()).weight_only
    assert "Known weight" in out.getvalue()

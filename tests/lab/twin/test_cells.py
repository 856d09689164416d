from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from engine.samples import ScaleSamples
from hw.calibration import COUNTS_MAX
from hw.drivers.hx711 import read_in_turn
from lab.chips.hx711 import Conversion
from lab.chips.pins import SimulatedTime, preempted
from lab.mock import quiet_parameters
from lab.twin.cells import CellSignals
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower
from tests.hw.cells import SimulatedCell

RATES_HZ = (82.02, 78.5, 80.6, 93.4)


def counts(cell: Callable[[Conversion], float], times_s: np.ndarray) -> np.ndarray:
    return np.array([cell(Conversion(n, t_s * 1e6)) for n, t_s in enumerate(times_s)])


def test_a_cell_shows_what_the_tower_s_own_scale_shows() -> None:
    tower = Tower(quiet_parameters(), seed=1)
    signals = CellSignals(tower)
    cells = [signals.load_cell(number, 80.0) for number in range(4)]
    tower.place("b2", grams=3.0)
    blocks = [item for item in tower.poll(4.0) if isinstance(item, ScaleSamples)]
    t_s = np.concatenate([block.t_s for block in blocks])
    raw = np.concatenate([block.raw for block in blocks])
    late = t_s > t_s[-1] - 1.5

    for number, cell in enumerate(cells):
        shown = counts(cell, t_s[late])
        assert np.abs(shown - raw[late, number]).max() <= 1


def test_it_may_be_asked_about_times_to_come() -> None:
    tower = Tower(quiet_parameters(), seed=1)
    cell = CellSignals(tower).load_cell(0, 80.0)

    assert counts(cell, np.array([1.0, 2.0])) == pytest.approx(200_000, abs=2)
    assert 2.0 < tower.now_s <= 2.11


def test_a_closed_tower_stays_as_it_was() -> None:
    tower = Tower(quiet_parameters(), seed=1)
    cell = CellSignals(tower).load_cell(0, 80.0)
    before = counts(cell, np.array([1.0]))
    tower.close()

    assert counts(cell, np.array([50.0])) == pytest.approx(before, abs=2)


def test_noise_is_that_of_the_parameters_and_each_cell_has_its_own() -> None:
    signals = CellSignals(Tower(preset_parameters("calm"), seed=1), seed=5)
    times_s = np.arange(400) * 0.0122 + 0.5
    shown = np.array([counts(signals.load_cell(n, 82.0), times_s) for n in (0, 1)])
    noise = np.diff(shown, axis=1) / np.sqrt(2)

    assert noise.std(axis=1) == pytest.approx([100, 100], rel=0.15)
    assert abs(np.corrcoef(noise)[0, 1]) < 0.15


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        (FaultKind.SATURATED, lambda shown: (shown >= COUNTS_MAX).all()),
        (FaultKind.STUCK, lambda shown: len(set(shown)) == 1),
        (FaultKind.DEAD_CELL, lambda shown: abs(shown.mean() + 1200) < 20),
        (FaultKind.NOISY, lambda shown: shown.std() > 500),
        (FaultKind.DRIFTING, lambda shown: shown[-1] - shown[0] > 15_000),
    ],
)
def test_the_tower_s_faults_reach_the_cell(
    kind: FaultKind, seen: Callable[[np.ndarray], bool]
) -> None:
    tower = Tower(preset_parameters("calm"), 1, [InjectedFault(kind, 0.4, cell=1, size=10.0)])
    signals = CellSignals(tower)
    times_s = np.arange(200) * 0.0122 + 0.5

    assert seen(counts(signals.load_cell(1, 82.0), times_s))
    assert not seen(counts(signals.load_cell(2, 82.0), times_s))


def test_a_piece_is_weighed_through_four_real_drivers_on_a_busy_computer() -> None:
    normal = preset_parameters("normal")
    tower = Tower(replace(normal, scale=replace(normal.scale, drift_g=0.0)), seed=4)
    signals, time = CellSignals(tower), SimulatedTime()
    table = [
        SimulatedCell(load_cell=signals.load_cell(n, rate), rate_hz=rate, time=time, seed=n)
        for n, rate in enumerate(RATES_HZ)
    ]
    for one in table:
        one.clock.away_us = preempted(1.35e-4, seed=8)

    def weigh_g(until_s: float) -> float:
        heard: list[list[int]] = [[], [], [], []]
        while time.now_us < until_s * 1e6:
            for number, reading in read_in_turn([one.cell for one in table]):
                if reading.valid and reading.t_s > until_s - 3.0:
                    heard[number].append(reading.count)
            time.sleep(0.002)
        assert min(len(words) for words in heard) > 200
        scale = tower.parameters.scale
        means = np.array([np.mean(words) for words in heard])
        return float(((means - scale.tare_counts) / scale.counts_per_gram).sum())

    before_g = weigh_g(4.0)
    tower.place("c3", grams=3.0)
    after_g = weigh_g(20.0)

    assert after_g - before_g == pytest.approx(3.0, abs=0.15)
    assert [one.chip.violations for one in table] == [[]] * 4

"""Signals are made of a rigid plate's statics and white noise, wider than the simulated table's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.ailing import Ailing, AilingCells, _quantile
from engine.detect.front.ticks import CellSolver
from engine.samples import Floats, ScaleSamples
from tests.engine.detect.tables import TABLETOP

POSITIONS_MM = np.array(TABLETOP.load_cell_positions_mm)
RATES_HZ = (8.0, 10.0, 80.0, 95.0)


def plate(rate_hz: float, seconds: float, seed: int = 1) -> tuple[Floats, Floats]:
    """Loads that come, stay and go anywhere on the plate, with 0.1 g of noise; t_s and grams."""
    rng = np.random.default_rng(seed)
    t_s = np.arange(int(rate_hz * seconds)) / rate_hz
    grams = rng.normal(0.0, 0.1, (len(t_s), 4))
    for _ in range(int(seconds / 4)):
        begin_s, lasts_s = rng.uniform(0.0, seconds), rng.uniform(0.3, 40.0)
        x_mm, y_mm = rng.uniform(-80.0, 80.0, 2)
        there = np.clip(np.minimum(t_s - begin_s, begin_s + lasts_s - t_s) / 0.15, 0.0, 1.0)
        share = 0.25 + (POSITIONS_MM @ (x_mm, y_mm)) / (4 * 70.0**2)
        grams += np.outer(there * rng.uniform(3.0, 300.0), share)
    return t_s, grams


def monitor() -> AilingCells:
    return AilingCells(CellSolver(POSITIONS_MM))


def first(t_s: Floats, grams: Floats, rests: tuple[tuple[float, ...], ...] = ()) -> Ailing | None:
    """What is found first when blocks of any length come one after the other."""
    watcher, rng, begin = monitor(), np.random.default_rng(5), 0
    while begin < len(t_s):
        end = begin + int(rng.integers(1, 60))
        part = slice(begin, end)
        valid = np.ones(grams[part].shape, dtype=bool)
        raw = np.zeros(grams[part].shape, dtype=np.int32)
        watcher.feed(ScaleSamples(t_s[part], grams[part], raw, valid))
        found = watcher.verdict(rests) if watcher.advance(float(t_s[part][-1])) else None
        if found is not None:
            return found
        begin = end
    return None


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("seed", range(6))
def test_hands_and_things_anywhere_on_the_plate_make_no_cell_ail(rate_hz: float, seed: int) -> None:
    assert first(*plate(rate_hz, 120.0, seed)) is None


def test_a_foot_that_leaves_the_ground_makes_no_cell_ail() -> None:
    t_s, grams = plate(80.0, 60.0)
    rocks = np.where(t_s % 9.0 < 4.0, 20.0, 0.0)
    assert first(t_s, grams + np.outer(rocks, (-1.0, 1.0, -1.0, 1.0))) is None


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_a_word_corrupt_now_and_then_is_forgiven(rate_hz: float) -> None:
    t_s, grams = plate(rate_hz, 120.0)
    grams[:: int(20 * rate_hz), 2] += 300.0
    assert first(t_s, grams) is None


def test_a_word_that_is_corrupt_while_a_load_creeps_is_no_drift() -> None:
    t_s = np.arange(80 * 60) / 80.0
    grams = np.random.default_rng(1).normal(0.0, 0.1, (len(t_s), 4))
    above_one_foot = 0.25 + (POSITIONS_MM @ (0.9 * POSITIONS_MM[2])) / (4 * 70.0**2)
    grams += np.outer(np.minimum(t_s / 6.0, 6.0), above_one_foot)
    grams[80 * 50, 3] += 140.0
    assert first(t_s, grams) is None


@pytest.mark.parametrize("cell", range(4))
def test_corrupt_words_are_found(cell: int) -> None:
    t_s, grams = plate(80.0, 60.0)
    grams[np.random.default_rng(cell).random(len(t_s)) < 0.01, cell] -= 200.0
    found = first(t_s, grams)
    assert found is not None
    assert (found.cell, found.kind.code) == (cell, "cell_erratic")


@pytest.mark.parametrize("rate_hz", [40.0, 80.0, 95.0])
def test_conversions_off_after_a_stray_clock_edge_are_found(rate_hz: float) -> None:
    t_s, grams = plate(rate_hz, 60.0)
    for begin in range(50, len(t_s), int(8 * rate_hz)):
        grams[begin : begin + 4, 1] -= np.array([200.0, 150.0, 100.0, 50.0])
    found = first(t_s, grams)
    assert found is not None
    assert (found.cell, found.kind.code) == (1, "cell_erratic")


@pytest.mark.parametrize("sd_g", [0.8, 1.5, 6.0])
def test_a_noisy_cell_is_found(sd_g: float) -> None:
    t_s, grams = plate(80.0, 60.0)
    grams[:, 3] += np.random.default_rng(3).normal(0.0, sd_g, len(t_s))
    found = first(t_s, grams)
    assert found is not None
    assert found.cell == 3
    assert found.kind.code in {"cell_noisy", "cell_erratic"}


def test_noise_on_all_cells_is_no_cells_fault() -> None:
    t_s, grams = plate(80.0, 60.0)
    assert first(t_s, grams + np.random.default_rng(3).normal(0.0, 1.0, grams.shape)) is None


@pytest.mark.parametrize("g_a_minute", [8.0, 30.0, -30.0])
def test_a_zero_that_runs_away_is_found(g_a_minute: float) -> None:
    t_s, grams = plate(80.0, 60.0)
    grams[:, 0] += g_a_minute * t_s / 60.0
    found = first(t_s, grams)
    assert found is not None
    assert (found.cell, found.kind.code) == (0, "cell_drifts")


def rests(gain: float = 1.0) -> tuple[tuple[float, ...], ...]:
    """A tower of 24 pieces grows, and loses some; `gain` is that of cell 2."""
    rng = np.random.default_rng(7)
    sums, out = np.zeros(4), []
    for _ in range(24):
        sums += 3.0 * (0.25 + (POSITIONS_MM @ rng.uniform(-32.0, 32.0, 2)) / (4 * 70.0**2))
        if rng.random() < 0.2:
            sums *= rng.uniform(0.2, 0.8)
        out.append(tuple((sums * (1.0, 1.0, gain, 1.0) + rng.normal(0.0, 0.05, 4)).tolist()))
    return tuple(out)


@pytest.mark.parametrize("gain", [0.2, 0.0])
def test_a_cell_that_does_not_follow_the_load_is_found(gain: float) -> None:
    t_s, grams = plate(80.0, 2.0)
    found = first(t_s, grams, rests(gain))
    assert found is not None
    assert (found.cell, found.kind.code) == (2, "cell_uneven")


def test_well_cells_follow_the_load() -> None:
    t_s, grams = plate(80.0, 2.0)
    assert first(t_s, grams, rests()) is None


def test_a_rocking_table_is_no_cells_fault_at_rest_either() -> None:
    t_s, grams = plate(80.0, 2.0)
    for seed in range(200):
        rocks = np.random.default_rng(seed).integers(0, 2, 24) * 15.0
        loads = np.asarray(rests()) + np.outer(rocks, (-1.0, 1.0, -1.0, 1.0))
        assert first(t_s, grams, tuple(map(tuple, loads.tolist()))) is None


def test_a_cell_that_is_left_out_is_well_after_a_minute_of_loads_only() -> None:
    solver = CellSolver(POSITIONS_MM)
    watcher = AilingCells(solver)
    solver.dead = frozenset({1})
    t_s, grams = plate(80.0, 200.0)
    grams[t_s < 60.0, 1] += 25.0
    well_s = None
    for begin in range(0, len(t_s), 40):
        part = slice(begin, begin + 40)
        valid = np.ones(grams[part].shape, dtype=bool)
        watcher.feed(ScaleSamples(t_s[part], grams[part], valid.astype(np.int32), valid))
        watcher.advance(float(t_s[part][-1]))
        assert watcher.verdict(()) is None
        if watcher.is_well() and well_s is None:
            well_s = float(t_s[part][-1])

    assert well_s is not None
    assert 120.0 < well_s < 125.0


@given(
    st.lists(st.floats(-9.0, 9.0), min_size=1, max_size=9), st.floats(0.0, 1.0), st.integers(1, 3)
)
def test_a_quantile_is_the_usual_one(values: list[float], share: float, columns: int) -> None:
    rows = np.outer(values, np.arange(1, columns + 1))

    assert _quantile(rows, share) == pytest.approx(np.quantile(rows, share, axis=0))


@pytest.mark.parametrize("seed", range(6))
def test_what_no_single_cell_explains_is_no_single_cells_fault(seed: int) -> None:
    """Zeros that wander by grams from rest to rest; no load makes more of it."""
    loads = np.array(rests(gain=1.0))
    loads += np.random.default_rng(seed).normal(0.0, 2.5, loads.shape)
    assert first(*plate(80.0, 2.0), tuple(map(tuple, loads.tolist()))) is None


def test_a_cell_that_is_off_by_a_hundredth_of_a_heavy_load_measures_well_again() -> None:
    solver = CellSolver(POSITIONS_MM)
    watcher = AilingCells(solver)
    solver.dead = frozenset({1})
    t_s = np.arange(80 * 90) / 80.0
    grams = np.random.default_rng(1).normal(0.0, 0.1, (len(t_s), 4))
    grams += (300.0 + 60.0 * (t_s // 10 % 2))[:, None]
    grams[:, 1] *= 1.006
    valid = np.ones(grams.shape, dtype=bool)
    watcher.feed(ScaleSamples(t_s, grams, valid.astype(np.int32), valid))
    watcher.advance(float(t_s[-1]))

    assert watcher.is_well()


def test_a_gain_that_was_off_before_a_cell_was_lost_is_no_fault_of_it_when_it_is_back() -> None:
    watcher, (t_s, grams) = monitor(), plate(80.0, 60.0)
    grams[:, 1] *= 0.6
    valid = np.ones(grams.shape, dtype=bool)
    watcher.feed(ScaleSamples(t_s, grams, valid.astype(np.int32), valid))
    watcher.advance(float(t_s[-1]))
    found = watcher.verdict(())
    watcher.forget()

    assert found is not None
    assert found.cell == 1
    assert watcher.verdict(()) is None

"""Hands press anywhere on a rigid plate with four feet; its load cells have 0.1 g of noise."""

import numpy as np
import pytest

from engine.detect.front.gains import MOST_ROWS, Gains
from engine.detect.front.ticks import CellSolver
from engine.samples import Floats
from tests.engine.detect.tables import TABLETOP

POSITIONS_MM = np.array(TABLETOP.load_cell_positions_mm)
ACROSS = np.array([-1.0, 1.0, -1.0, 1.0])
"""What no load does to the cells; a foot that leaves the ground does."""

RATES_HZ = (8.0, 10.0, 40.0, 80.0, 95.0)


def pressed(rate_hz: float, presses: int = 20, seed: int = 1) -> Floats:
    """Rows in which a hand presses for half a second every three; and longer between slow rows."""
    rng = np.random.default_rng(seed)
    every, lasts = int(max(3.0 * rate_hz, 30)), int(max(0.5 * rate_hz, 5))
    rows = rng.normal(0.0, 0.1, (presses * every, 4))
    for begin in range(0, len(rows), every):
        share = 0.25 + (POSITIONS_MM @ rng.uniform(-50.0, 50.0, 2)) / (4 * 70.0**2)
        rows[begin : begin + lasts] += rng.uniform(5.0, 60.0) * share
    return rows[: len(rows) // MOST_ROWS * MOST_ROWS]


def suspects(rows: Floats, rate_hz: float = 80.0) -> set[int | None]:
    """Who is suspected at any time."""
    t_s = np.arange(len(rows)) / rate_hz
    gains, found = Gains(CellSolver(POSITIONS_MM)), set[int | None]()
    for begin in range(0, len(rows), MOST_ROWS):
        gains.add(t_s[begin : begin + MOST_ROWS], rows[begin : begin + MOST_ROWS])
        found.add(gains.suspect())
    return found - {None}


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("gain", [0.5, 0.8, 1.25])
@pytest.mark.parametrize("cell", [0, 3])
def test_the_cell_whose_gain_is_off_is_found_and_no_other(
    rate_hz: float, gain: float, cell: int
) -> None:
    rows = pressed(rate_hz)
    rows[:, cell] *= gain
    assert suspects(rows, rate_hz) == {cell}


@pytest.mark.parametrize("rate_hz", RATES_HZ)
@pytest.mark.parametrize("seed", range(3, 6))
def test_cells_calibrated_to_some_percent_are_well(rate_hz: float, seed: int) -> None:
    errors = np.random.default_rng(seed).uniform(0.96, 1.04, 4)
    assert suspects(pressed(rate_hz, presses=30, seed=seed) * errors, rate_hz) == set()


def test_a_fault_that_is_older_than_half_a_minute_of_play_does_not_hide_behind_it() -> None:
    rows = pressed(80.0, presses=30)
    rows[len(rows) // 2 :, 1] *= 0.8
    assert suspects(rows) == {1}


def test_pieces_that_weigh_on_all_alike_tell_nothing() -> None:
    rows = np.random.default_rng(3).normal(0.0, 0.05, (1600, 4))
    rows += (np.arange(1600) // 40)[:, None] * 1.5
    rows[:, 2] *= 0.7
    assert suspects(rows) == set()


@pytest.mark.parametrize("grams", [2.0, 20.0])
def test_a_foot_that_leaves_the_ground_is_no_cells_gain(grams: float) -> None:
    rows = pressed(80.0, presses=40)
    rocks = np.random.default_rng(4).random(len(rows)) < 1 / 300
    rows += np.outer(np.cumsum(rocks) % 2 * grams, ACROSS)
    assert suspects(rows) == set()


@pytest.mark.parametrize("share", [0.002, 0.02])
def test_corrupt_words_are_no_gain(share: float) -> None:
    rows = pressed(80.0, presses=40)
    rows[np.random.default_rng(5).random(len(rows)) < share, 3] += 300.0
    assert suspects(rows) == set()


def test_noise_is_no_gain() -> None:
    rows = pressed(80.0, presses=40)
    rows[:, 0] += np.random.default_rng(6).normal(0.0, 1.5, len(rows))
    assert suspects(rows) == set()


def test_chips_that_convert_one_after_the_other_are_well() -> None:
    """As rows of four are made of them: a straight line between each chip's own conversions."""
    rows = pressed(80.0, presses=40)
    t = np.arange(len(rows), dtype=float)
    for cell in range(4):
        own = t + cell / 4
        rows[:, cell] = np.interp(t, own, np.interp(own, t, rows[:, cell]))
    assert suspects(rows) == set()


def test_what_was_before_a_cell_was_lost_is_forgotten() -> None:
    gains, rows = Gains(CellSolver(POSITIONS_MM)), pressed(80.0)
    rows[:, 1] *= 0.8
    gains.add(np.arange(len(rows)) / 80.0, rows)
    assert gains.suspect() == 1
    gains.forget()
    assert gains.suspect() is None

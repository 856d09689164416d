import numpy as np
import pytest

from lab.twin.furniture import (
    Cloth,
    Motion,
    TableBump,
    TableLean,
    Taps,
    acceleration,
    board_rows,
    lean,
    leaning_force,
)
from lab.twin.parameters import BodyParameters

TIMES = np.arange(0.0, 4.0, 0.001)
UPRIGHT = (0.0, 0.0, 1.0)


def test_a_bump_shakes_the_table_as_hard_as_told_and_only_while_it_lasts() -> None:
    moved = acceleration([TableBump(1.0, 2.0, 7.0, 0.4, UPRIGHT)], TIMES)[:, 2]

    assert 1600 < np.abs(moved).max() <= 2000
    assert not moved[(TIMES < 1.0) | (TIMES > 1.4)].any()


def test_taps_are_separate_knocks() -> None:
    taps = Taps(0.5, 4, 1.0, 0.2, 16.0, UPRIGHT)
    moved = np.abs(acceleration([taps], TIMES)[:, 2])

    since = np.mod(TIMES - 0.5, 0.2)
    number = (TIMES - 0.5) // 0.2
    knocks = [moved[(number == n) & (since < 0.06)].max() for n in range(4)]
    assert np.allclose(knocks, knocks[0], rtol=0.05)
    assert knocks[0] > 300
    assert moved[(TIMES > 0.66) & (TIMES < 0.69)].max() < 0.1 * knocks[0]
    assert taps.end_s == pytest.approx(1.3)


def test_a_lean_tilts_the_table_and_lets_it_back() -> None:
    tilt = np.degrees(lean([TableLean(0.5, 0.4, 2.5, (1.0, 0.0))], TIMES))

    assert tilt[:, 0].max() == pytest.approx(0.4)
    assert tilt[0, 0] == tilt[-1, 0] == 0.0
    assert not tilt[:, 1].any()


def test_leaning_seems_to_pull_sideways() -> None:
    assert leaning_force(np.radians([[0.0], [1.0]]))[:, 0] == pytest.approx([171.1, 0.0], abs=0.2)


def test_the_board_hears_of_several_motions_at_once() -> None:
    motions: list[Motion] = [
        TableBump(0.0, 1.0, 7.0, 1.0, UPRIGHT),
        TableLean(0.0, 0.4, 3.0, (0.0, 1.0)),
    ]
    rows = np.array(board_rows(motions, TIMES))

    assert rows.shape == (len(TIMES), 5)
    assert np.allclose(np.cumsum(rows[:, 4]) * 0.001, lean(motions, TIMES)[:, 1], atol=2e-5)


def test_a_cloth_gives_way_to_the_heavier_side_with_delay_and_recovers() -> None:
    cloth = Cloth.under(BodyParameters(cloth_sink_mm=1.0, cloth_s=0.4))
    cloth.press(1.0, np.array([20_000.0, 0.0]))  # a phone of 200 g, 100 mm along x
    tilt = np.degrees(lean([cloth], TIMES))

    assert not tilt[TIMES <= 1.0].any()
    assert not tilt[:, 0].any()
    # The side along x goes down: a turn about y, 0.63 of it after one time constant.
    assert tilt[-1, 1] == pytest.approx(0.365, abs=0.01)
    assert tilt[np.searchsorted(TIMES, 1.4), 1] == pytest.approx(0.63 * tilt[-1, 1], rel=0.02)

    cloth.press(4.0, np.zeros(2))
    assert abs(lean([cloth], np.array([8.0]))).max() < 1e-4

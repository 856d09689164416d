import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples
from hw.errors import BadTwin
from hw.mock import MockTable
from hw.twin.faults import FaultKind, InjectedFault


def columns(table: MockTable, kind: type, name: str) -> np.ndarray:
    blocks = [getattr(item, name) for item in table.take() if isinstance(item, kind)]
    return np.concatenate(blocks) if blocks else np.empty((0, 4))


def table_with(kind: FaultKind, seconds: float = 4.0, **options: float) -> MockTable:
    table = MockTable()
    table.wait(1.0)
    table.take()
    table.break_sensor(kind, **options)
    table.wait(seconds)
    return table


def test_a_saturated_cell_is_invalid_and_the_others_are_not() -> None:
    valid = columns(table_with(FaultKind.SATURATED, cell=2), ScaleSamples, "valid")

    assert not valid[10:, 2].any()
    assert valid[:, [0, 1, 3]].all()


def test_a_stuck_cell_repeats_its_count() -> None:
    table = table_with(FaultKind.STUCK, 0.5, cell=1)
    table.place(3.0, "c3")
    table.wait(1.0)

    raw = columns(table, ScaleSamples, "raw")
    assert np.ptp(raw[20:, 1]) == 0
    assert np.ptp(raw[20:, 0]) > 100


def test_a_dead_cell_no_longer_weighs() -> None:
    mass = columns(table_with(FaultKind.DEAD_CELL, cell=3), ScaleSamples, "mass_g")

    assert abs(mass[-1, 3]) > 50


def test_a_drifting_cell_drifts() -> None:
    mass = columns(table_with(FaultKind.DRIFTING, cell=0, size=0.5), ScaleSamples, "mass_g")

    assert mass[-1, 0] - mass[10, 0] == pytest.approx(0.5 * 3.8, abs=0.15)


def test_a_slow_clock_gives_fewer_samples() -> None:
    t_s = columns(table_with(FaultKind.SLOW_CLOCK, size=2.0), ScaleSamples, "t_s")

    assert len(t_s) == pytest.approx(160, abs=8)


def test_a_resetting_chip_leaves_gaps_after_bad_samples() -> None:
    table = table_with(FaultKind.CHIP_RESET, 10.0, size=1.0)
    items = [item for item in table.take() if isinstance(item, ScaleSamples)]
    t_s = np.concatenate([item.t_s for item in items])
    raw = np.concatenate([item.raw for item in items])

    gaps = np.flatnonzero(np.diff(t_s) > 0.045)
    spoilt = np.abs(raw[gaps] - np.median(raw, axis=0)).max(axis=1)
    assert 4 <= len(gaps) <= 20
    assert np.median(spoilt) > 1000


def test_glitches_come_as_often_as_told() -> None:
    raw = columns(table_with(FaultKind.GLITCHES, 10.0, size=0.05), ScaleSamples, "raw")

    share = (np.abs(raw - np.median(raw, axis=0)).max(axis=1) > 1000).mean()
    assert 0.02 < share < 0.09


def test_a_silent_imu_gives_nothing_and_a_dead_one_zeros() -> None:
    assert not len(columns(table_with(FaultKind.IMU_NACK), ImuSamples, "t_s")[25:])
    assert not columns(table_with(FaultKind.IMU_DEAD), ImuSamples, "raw")[25:].any()


def test_a_scale_can_fall_silent_and_come_back() -> None:
    table = table_with(FaultKind.NO_SCALE, 2.0)
    assert len(columns(table, ScaleSamples, "t_s")) < 12
    table.mend_sensors()
    table.wait(2.0)
    assert len(columns(table, ScaleSamples, "t_s")) > 140


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cell": 4}, "cell is 4"),
        ({"start_s": 2, "end_s": 1}, "ends"),
        ({"size": -1}, "size is -1"),
    ],
)
def test_impossible_faults_are_refused(options: dict, words: str) -> None:
    with pytest.raises(BadTwin, match=words):
        InjectedFault(FaultKind.NOISY, **options)

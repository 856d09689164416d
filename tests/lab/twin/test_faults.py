from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.samples import ImuSamples, ScaleSamples, SwitchSample
from hw.errors import BadTwin
from lab.mock import MockTable
from lab.twin.faults import FaultKind, InjectedFault
from lab.twin.parameters import preset_parameters


def columns(table: MockTable, kind: type, name: str) -> np.ndarray:
    blocks = [getattr(item, name) for item in table.take() if isinstance(item, kind)]
    return np.concatenate(blocks) if blocks else np.empty((0, 4))


def table_with(kind: FaultKind, seconds: float = 4.0, **options: Any) -> MockTable:
    table = MockTable()
    table.wait(1.0)
    table.take()
    table.break_sensor(kind, **options)
    table.wait(seconds)
    return table


@pytest.mark.parametrize(
    ("kind", "options", "samples", "column", "last"),
    [
        ("saturated", {"cell": 2}, ScaleSamples, "valid", [1, 1, 0, 1]),
        ("dead_cell", {"cell": 3}, ScaleSamples, "mass_g", [0, 0, 0, -201.2]),
        ("drifting", {"cell": 0, "size": 0.5}, ScaleSamples, "mass_g", [2, 0, 0, 0]),
        ("swapped_wires", {"cell": 2}, ScaleSamples, "raw", [2e5, 2e5, -2e5, 2e5]),
        ("wrong_gain", {"cell": 0, "size": 0.5}, ScaleSamples, "raw", [1e5, 2e5, 2e5, 2e5]),
        ("imu_turned", {"size": 180.0}, ImuSamples, "accel_g", [0, 0, -1]),
        ("imu_wrong_scale", {"size": 0.5}, ImuSamples, "accel_g", [0, 0, 0.5]),
        ("gyro_bias", {"size": 5.0}, ImuSamples, "rate_rad_s", [0.0873] * 3),
    ],
)
def test_after_four_seconds_of_a_fault_the_last_sample_is(
    kind: str, options: dict, samples: type, column: str, last: list
) -> None:
    seen = columns(table_with(FaultKind(kind), **options), samples, column)[-1]

    assert seen == pytest.approx(last, rel=0.01, abs=0.01)


def test_a_cell_that_is_mended_creeps_no_more() -> None:
    table = table_with(FaultKind.DRIFTING, 2.0, cell=0, size=0.5)
    faults = table.tower.faults
    faults[:] = [replace(fault, end_s=table.tower.now_s) for fault in faults]
    table.wait(4.0)

    assert columns(table, ScaleSamples, "mass_g")[-1, 0] == pytest.approx(1.0, abs=0.1)


def test_a_slow_clock_gives_fewer_samples() -> None:
    t_s = columns(table_with(FaultKind.SLOW_CLOCK, size=2.0), ScaleSamples, "t_s")

    assert len(t_s) == pytest.approx(160, abs=8)


def test_a_stuck_cell_repeats_its_count() -> None:
    table = table_with(FaultKind.STUCK, 0.5, cell=1)
    table.place(3.0, "c3")
    table.wait(1.0)

    raw = columns(table, ScaleSamples, "raw")
    assert np.ptp(raw[20:, 1]) == 0
    assert np.ptp(raw[20:, 0]) > 100


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


@pytest.mark.parametrize(("kind", "raw"), [(FaultKind.DOUT_HIGH, -1), (FaultKind.DOUT_LOW, 0)])
def test_a_stuck_data_wire_gives_one_word_that_nobody_believes(kind: FaultKind, raw: int) -> None:
    table = table_with(kind, cell=1)
    items = [item for item in table.take() if isinstance(item, ScaleSamples)]

    assert (items[-1].raw[:, 1] == raw).all()
    assert not items[-1].valid[:, 1].any()
    assert items[-1].valid[:, [0, 2, 3]].all()


def test_swapped_cells_answer_for_each_other() -> None:
    table = table_with(FaultKind.SWAPPED_CELLS, cell=3)
    table.tower.put_weight(100.0, *table.calibration.scale.positions_mm[3])
    table.wait(2.0)

    mass = columns(table, ScaleSamples, "mass_g")[-1]
    assert mass[0] == pytest.approx(75, abs=1)
    assert mass[3] == pytest.approx(25, abs=1)


def test_a_wrong_rate_repeats_counts() -> None:
    table = MockTable(preset_parameters("calm"))
    table.break_sensor(FaultKind.WRONG_RATE, cell=1, size=8)
    table.wait(10.0)

    fresh = (np.diff(columns(table, ScaleSamples, "raw"), axis=0) != 0).sum(axis=0)
    assert fresh[1] == pytest.approx(100, abs=3)
    assert fresh[0] > 780


def test_a_noisy_supply_moves_all_counts_together_and_hum_only_one() -> None:
    for kind, together in ((FaultKind.NOISY_SUPPLY, True), (FaultKind.MAINS_HUM, False)):
        table = MockTable(preset_parameters("calm"))
        table.break_sensor(kind, size=4)
        table.wait(10.0)
        steps = np.diff(columns(table, ScaleSamples, "raw"), axis=0)
        spread = np.median(np.abs(steps), axis=0)

        assert (np.corrcoef(steps.T)[0, 1] > 0.5) is np.bool_(together)
        assert spread[0] > 2 * 95
        assert (spread[1] > 2 * 95) is np.bool_(together)


def test_a_stuck_switch_closes_at_rest_and_opens_when_mended() -> None:
    table = table_with(FaultKind.SWITCH_CLOSED)
    closed = [item.closed for item in table.take() if isinstance(item, SwitchSample)]
    table.mend_sensors()
    table.wait(1.0)

    assert closed == [True]
    assert [i.closed for i in table.take() if isinstance(i, SwitchSample)] == [False]


def test_a_loose_plug_silences_all_sensors_at_once_however_it_is_polled() -> None:
    silences = []
    for step_s in (0.5, 20.0):
        table = MockTable()
        table.break_sensor(FaultKind.LOOSE_USB, size=30)
        gaps = {}
        scale, imu = [], []
        for until_s in np.arange(step_s, 20.0 + step_s / 2, step_s):
            items = table.poll(until_s)
            scale += [item.t_s for item in items if isinstance(item, ScaleSamples)]
            imu += [item.t_s for item in items if isinstance(item, ImuSamples)]
        for name, blocks in (("scale", scale), ("imu", imu)):
            t_s = np.concatenate(blocks)
            at = np.flatnonzero(np.diff(t_s) > 0.1)
            gaps[name] = t_s[at]
        assert len(gaps["scale"]) >= 3
        assert gaps["scale"] == pytest.approx(gaps["imu"], abs=0.02)
        silences.append(gaps["scale"].tolist())

    assert silences[0] == silences[1]


def test_a_weight_and_a_finger_on_the_base_load_the_cell_below() -> None:
    table = MockTable()
    x_mm, y_mm = table.calibration.scale.positions_mm[1]
    table.tower.press_base(x_mm, y_mm, 200.0, 2.0)
    table.wait(3.0)
    table.tower.put_weight(50.0, x_mm, y_mm)
    table.wait(2.0)
    table.tower.take_weights()
    table.wait(2.0)

    total = columns(table, ScaleSamples, "mass_g").sum(axis=1)
    assert total[:240].max() == pytest.approx(200, rel=0.02)
    assert total[380] == pytest.approx(50, abs=1)
    assert total[-1] == pytest.approx(0, abs=1)

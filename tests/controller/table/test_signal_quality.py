from dataclasses import replace

import numpy as np
import pytest

from controller.table.signal_quality import KEPT_S, SignalQuality
from engine.samples import ScaleSamples, SensorReport
from hw.source import samples_of
from lab.mock import MockTable
from lab.twin.faults import FaultKind
from lab.twin.parameters import preset_parameters


def watched(table: MockTable, signals: SignalQuality, seconds: float) -> None:
    for _ in range(round(seconds / 0.25)):
        table.wait(0.25)
        for item in samples_of(table.take()):
            signals.add(item)


def table() -> MockTable:
    return MockTable(preset_parameters("calm"))


def test_noise_is_told_in_counts_and_grams() -> None:
    signals = SignalQuality()
    watched(table(), signals, 10.0)
    figures = signals.figures(30.0)

    assert figures["scale.1"].noise_counts == pytest.approx(100, rel=0.12)
    assert figures["scale.1"].noise_g == pytest.approx(0.1, rel=0.12)
    assert figures["scale.1"].drift_g_min == pytest.approx(0.0, abs=1.5)
    assert figures["imu"].noise_counts == pytest.approx(35, rel=0.5)
    assert (figures["imu"].temperature_c, figures["imu"].noise_g) == (30.0, None)


@pytest.mark.filterwarnings("error")
def test_a_few_rows_far_apart_say_nothing_of_a_drift() -> None:
    signals, tower = SignalQuality(), table()
    for _ in range(4):
        tower.wait(0.5)
        *_, last = (item for item in tower.take() if isinstance(item, ScaleSamples))
        signals.add(replace(last, t_s=last.t_s[-2:], mass_g=last.mass_g[-2:], raw=last.raw[-2:]))

    assert signals.figures()["scale.1"].drift_g_min is None


def test_pieces_are_neither_noise_nor_drift() -> None:
    signals, tower = SignalQuality(), table()
    watched(tower, signals, 4.0)
    tower.place(3.0, "c3")
    watched(tower, signals, 5.0)
    cell = signals.figures()["scale.0"]

    assert cell.noise_g == pytest.approx(0.1, rel=0.15)
    assert cell.drift_g_min is None


def test_a_creeping_cell_drifts() -> None:
    signals, tower = SignalQuality(), table()
    tower.break_sensor(FaultKind.DRIFTING, cell=2, size=0.1)
    watched(tower, signals, 10.0)

    assert signals.figures()["scale.2"].drift_g_min == pytest.approx(6.0, abs=1.2)


def test_saturation_and_power_cycles_are_counted_once_each_and_a_loose_plug_is_neither() -> None:
    signals, tower, loose = SignalQuality(), table(), SignalQuality()
    watched(tower, signals, 1.0)
    tower.break_sensor(FaultKind.SATURATED, cell=1)
    watched(tower, signals, 1.0)
    tower.mend_sensors()
    tower.break_sensor(FaultKind.CHIP_RESET, size=1.0)
    watched(tower, signals, 9.0)
    first, again = signals.figures(), signals.figures()
    tower.mend_sensors()
    tower.break_sensor(FaultKind.LOOSE_USB, size=60.0)
    watched(tower, loose, 9.0)

    assert first["scale.1"].saturated == pytest.approx(80, abs=4)
    assert 3 <= first["scale.0"].resets <= 18
    assert again["scale.0"].resets == first["scale.0"].resets
    assert loose.figures()["scale.0"].resets <= 1


def test_a_silent_table_has_no_figures_and_memory_does_not_grow() -> None:
    signals = SignalQuality()
    signals.add(SensorReport(1.0, "imu", ok=False, reason="Gone. Look."))
    assert signals.figures()["scale.3"].noise_counts is None
    assert signals.figures()["imu"].noise_counts is None

    tower = table()
    watched(tower, signals, 2 * KEPT_S)
    kept = sum(len(block.t_s) for block in signals._blocks)
    assert kept < 1.1 * KEPT_S * 285


def test_a_dead_cell_does_not_hide_the_figures_of_the_others() -> None:
    signals, tower = SignalQuality(), table()
    tower.break_sensor(FaultKind.DOUT_LOW, cell=0)
    watched(tower, signals, 5.0)
    figures = signals.figures()

    assert figures["scale.0"].noise_g is None
    assert figures["scale.1"].noise_g == pytest.approx(0.1, rel=0.2)
    assert not np.isnan(figures["scale.1"].noise_counts or np.nan)

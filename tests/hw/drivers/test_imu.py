"""The reader over real smbus2 messages, down to the registers of the simulated chip."""

from collections.abc import Iterator
from dataclasses import replace
from math import pi, sin

import numpy as np
import pytest

from engine.samples import ImuSamples, SensorReport
from hw.drivers.chips_known import chips_on
from hw.drivers.imu import ImuReader
from hw.source import Item
from lab.chips.i2c import I2cWires, OwnTime, WiredBus
from lab.chips.mpu6050 import Mpu6050 as Chip
from lab.mock import quiet_parameters

CALIBRATION = quiet_parameters().calibration


class Bench:
    """A chip on wires, a driver over it, and time that passes only in `run`.

    The chip measures a sine of time, so that a wrong time stamp is a wrong value.
    """

    def __init__(self, *, rate_error: float = 0.0, who: int = 0x68) -> None:
        self.now_s = 100.0
        self.wires = I2cWires(lambda: self.now_s)
        self.chip = Chip(lambda _number: self.felt(self.own.t_s), who)
        self.own: OwnTime = self.wires.attach(self.chip, 0x68, rate_error)
        self.reader = ImuReader(chips_on(WiredBus(self.wires)), CALIBRATION, lambda: self.now_s)

    @staticmethod
    def felt(t_s: float) -> tuple[int, ...]:
        return (round(10000 * sin(2 * pi * t_s)), 0, 16384, -521, 1, 2, 3)

    def run(self, seconds: float, pause_s: float | None = None) -> list[Item]:
        items: list[Item] = []
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.now_s += self.reader.pause_s if pause_s is None else pause_s
            items += self.reader.step()
        return items

    def samples(self, seconds: float) -> ImuSamples:
        return joined(self.run(seconds))


def blocks(items: list) -> list[ImuSamples]:
    return [item for item in items if isinstance(item, ImuSamples)]


def joined(items: list) -> ImuSamples:
    found = blocks(items)
    return ImuSamples(*(
        np.concatenate([getattr(block, name) for block in found])
        for name in ("t_s", "accel_g", "rate_rad_s", "raw")
    ))  # fmt: skip


def reports(items: list) -> list[SensorReport]:
    return [item for item in items if isinstance(item, SensorReport)]


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    assert made.chip.violations == []


def test_it_is_set_up_and_gives_two_hundred_samples_a_second(bench: Bench) -> None:
    samples = bench.samples(5.0)
    status = bench.reader.status

    assert len(samples.t_s) == pytest.approx(200 * 4.85, abs=10)
    assert samples.raw[0].tolist()[1:] == [0, 16384, 1, 2, 3]
    assert samples.accel_g[0, 2] == pytest.approx(1.0)
    assert (status.name, status.starts, status.bus_errors) == ("MPU-6050", 1, 0)
    assert status.temperature_c == pytest.approx(35.0, abs=0.1)


@pytest.mark.parametrize("rate_error", [-0.015, 0.0, 0.0031, 0.015])
def test_samples_bear_the_time_at_which_they_were_taken(rate_error: float) -> None:
    bench = Bench(rate_error=rate_error)
    bench.run(4.0)
    samples = bench.samples(8.0)
    true = 10000 * np.sin(2 * pi * samples.t_s)
    # The steepest slope is 2 pi 10000 a second: what a wrong time makes of the value.
    off_s = np.abs(samples.raw[:, 0] - true) / (2 * pi * 10000)

    assert np.median(off_s) < 0.5e-3
    assert off_s.max() < 2.5e-3
    assert bench.reader.status.rate_hz == pytest.approx(200 / (1 + rate_error), rel=1e-3)
    assert (np.diff(samples.t_s) > 0).all()


def test_when_one_comes_round_does_not_show_in_the_times(bench: Bench) -> None:
    """Linux reads early and late, by up to a quarter of a second."""
    bench.run(4.0)
    items = []
    for pause_s in (0.003, 0.25, 0.02, 0.2, 0.01, 0.3) * 6:
        items += bench.run(0.001, pause_s)
    samples = joined(items)
    true = 10000 * np.sin(2 * pi * samples.t_s)

    assert np.abs(samples.raw[:, 0] - true).max() / (2 * pi * 10000) < 3e-3
    assert np.diff(samples.t_s).max() < 0.008
    assert reports(items) == []


@pytest.mark.parametrize(
    ("who", "name"), [(0x70, "MPU-6500"), (0x98, "ICM-20689 or clone"), (0xEA, "unknown chip")]
)
def test_substitutes_and_unknown_chips_are_taken(who: int, name: str) -> None:
    bench = Bench(who=who)

    assert len(bench.samples(1.0).t_s) > 150
    assert (bench.reader.status.who, bench.reader.status.name) == (who, name)


def test_another_device_is_refused_in_words() -> None:
    bench = Bench(who=0xFF)
    said = reports(bench.run(5.0))

    assert [report.ok for report in said] == [False]
    assert "0xFF" in said[0].reason
    assert "not an MPU-6050" in said[0].reason


def test_nobody_there_is_said_once_and_looked_for_again() -> None:
    bench = Bench()
    bench.chip.unplug()
    said = reports(bench.run(3.0))
    assert [(report.sensor, report.ok) for report in said] == [("imu", False)]
    assert "0x68 on I2C bus 1" in said[0].reason
    assert "check its plug" in said[0].reason

    bench.chip.plug()
    items = bench.run(2.0)
    assert [report.ok for report in reports(items)] == [True]
    assert len(joined(items).t_s) > 200


def test_a_stuck_bus_is_told_apart(bench: Bench) -> None:
    bench.run(1.0)
    bench.wires.stuck = True
    said = reports(bench.run(2.0))
    assert [report.ok for report in said] == [False]
    assert "held low" in said[0].reason

    bench.wires.stuck = False
    assert [report.ok for report in reports(bench.run(1.0))] == [True]


@pytest.mark.parametrize("gone_s", [0.005, 0.15, 3.0])
def test_unplugged_and_back_it_is_set_up_again(bench: Bench, gone_s: float) -> None:
    bench.run(2.0)
    bench.chip.unplug()
    items = bench.run(gone_s, 0.005)
    bench.chip.plug()
    items += bench.run(3.0)
    after = joined(items)

    assert [report.ok for report in reports(items)] in ([False, True], [])
    assert bench.reader.status.starts == 2
    assert len(after.t_s) > 300
    assert (np.diff(after.t_s) > 0).all()
    assert bench.samples(1.0).raw[-1, 2] == 16384


def test_a_sagging_supply_puts_it_to_sleep_and_it_is_woken(bench: Bench) -> None:
    bench.run(2.0)
    bench.chip.brown_out()
    bench.chip.restarted()  # so quickly that no transfer failed
    items = bench.run(3.0)

    assert [report.ok for report in reports(items)] == [False, True]
    assert "lost its power" in reports(items)[0].reason
    assert len(joined(items).t_s) > 450


def test_a_spark_on_the_wires_is_mended_without_a_word(bench: Bench) -> None:
    bench.run(1.0)
    bench.wires.failing = 1
    items = bench.run(1.0)

    assert reports(items) == []
    assert bench.reader.status.bus_errors == 1
    assert len(joined(items).t_s) > 185
    assert set(joined(items).raw[:, 2].tolist()) == {16384}  # aligned


def test_an_overflow_is_counted_and_leaves_whole_samples_at_the_right_time(bench: Bench) -> None:
    bench.run(4.0)
    bench.run(0.001, 0.6)
    items = bench.run(1.0)
    samples = joined(items)
    true = 10000 * np.sin(2 * pi * samples.t_s)

    assert bench.reader.status.overflows == 1
    assert set(samples.raw[:, 2].tolist()) == {16384}
    assert np.abs(samples.raw[:, 0] - true).max() / (2 * pi * 10000) < 6e-3


def test_the_full_scale_is_that_of_the_calibration(bench: Bench) -> None:
    coarse = replace(CALIBRATION.imu, accel_lsb_per_g=4100.0, gyro_lsb_per_dps=32.8)
    calibration = replace(CALIBRATION, imu=coarse)
    bench.reader = ImuReader(chips_on(WiredBus(bench.wires)), calibration, lambda: bench.now_s)

    assert bench.samples(1.0).accel_g[-1, 2] == pytest.approx(4096 / 4100)

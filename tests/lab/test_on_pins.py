"""Real drivers on simulated chips: what goes wrong, what is said, and what must not happen."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from engine.detect.detector import Detector
from engine.events import Fault, Placed, Restored, TableEvent
from engine.samples import ImuSamples, ScaleSamples, SensorReport, SwitchSample
from hw.drivers import panel
from hw.drivers.hx711_adafruit import AdafruitReader
from hw.drivers.panel import Button, Face
from hw.drivers.pi import READINGS
from hw.source import Item, item_time_s, samples_of
from lab.chips.hx711 import Hx711
from lab.chips.pins import preempted
from lab.on_pins import RATES_HZ, WiredTable
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower
from tests.hw.sources import assert_in_order

PIECE_G = 3.0


class Bench:
    """A wired table with a detector behind it; one piece can be put down."""

    def __init__(self, **options: Any) -> None:
        self.tower = Tower(preset_parameters("calm"), 5)
        self.table = WiredTable(self.tower, **options)
        self.detector = Detector(self.tower.tabletop)
        self.items: list[Item] = []
        self.events: list[TableEvent] = []
        self.table.source.poll(0.0)

    def run(self, seconds: float) -> list[Item]:
        """Let time pass; what the source gave meanwhile."""
        end_s = self.tower.now_s + seconds
        came: list[Item] = []
        while self.tower.now_s < end_s - 1e-6:
            self.tower.advance(self.tower.now_s + 0.1)
            self.table.run()
            items = self.table.poll()
            for item in samples_of(items):
                self.detector.feed(item)
            while (event := self.detector.next_event()) is not None:
                self.events.append(event)
            came += items
        self.items += came
        return came

    def place(self, cell: str) -> None:
        self.tower.place(cell, grams=PIECE_G, hold_s=0.3)
        self.run(2.0)

    @property
    def of_the_game(self) -> list[TableEvent]:
        """Events that are not about sensors."""
        return [event for event in self.events if not isinstance(event, Fault | Restored)]


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    made.run(1.0)
    yield made
    assert_in_order(made.items)
    assert made.table.violations == []


def reports(items: list[Item]) -> list[tuple[str, bool]]:
    return [(item.sensor, item.ok) for item in items if isinstance(item, SensorReport)]


def words(items: list[Item]) -> str:
    return " ".join(item.reason for item in items if isinstance(item, SensorReport))


def test_a_piece_is_seen_through_all_the_wires(bench: Bench) -> None:
    bench.place("d4")
    weights = [i.mass_g.sum(axis=1) for i in bench.items if isinstance(i, ScaleSamples)]

    (placed,) = bench.of_the_game
    assert isinstance(placed, Placed)
    assert placed.cell == "d4"
    assert np.concatenate(weights)[-10:].mean() == pytest.approx(PIECE_G, abs=0.2)
    assert bench.detector.health().scale_hz == pytest.approx(80, abs=1)
    assert bench.detector.health().imu_hz == pytest.approx(200 / 1.0085, abs=0.5)


def test_the_prescribed_library_reads_the_same_table() -> None:
    bench = Bench(make_reader=AdafruitReader)
    at_the_start = bench.table.violations  # it clocks chips that are not ready, once
    bench.run(1.0)
    bench.place("d4")

    (placed,) = bench.of_the_game
    assert isinstance(placed, Placed)
    assert placed.cell == "d4"
    assert bench.table.violations == at_the_start


def test_health_tells_rates_temperature_and_what_was_lost(bench: Bench) -> None:
    bench.run(3.0)
    health = bench.table.source.pins_health()

    assert [cell.rate_hz for cell in health.cells] == pytest.approx(RATES_HZ, rel=0.01)
    assert all(cell.good > 200 and not cell.words for cell in health.cells)
    assert health.imu.rate_hz == pytest.approx(200 / 1.0085, rel=0.002)
    assert health.imu.celsius == bench.table.source.imu_temperature_c
    assert health.imu.celsius == pytest.approx(24.2, abs=0.1)
    assert (health.lost, health.late, health.imu.bus_errors) == (0, 0, 0)


def test_samples_are_a_twentieth_of_a_second_old_at_most(bench: Bench) -> None:
    for _ in range(20):
        items = bench.run(0.1)
        newest = {type(item): item_time_s(item) for item in items}
        assert bench.table.end_s - newest[ImuSamples] < 0.04
        assert bench.table.end_s - newest[ScaleSamples] < 0.06


@pytest.mark.slow
def test_an_inertial_sensor_that_is_unplugged_and_back_is_no_move(bench: Bench) -> None:
    bench.place("d4")
    before = list(bench.of_the_game)
    bench.table.imu.unplug()
    gone = bench.run(2.0)
    bench.table.imu.plug()
    back = bench.run(3.0)

    assert reports(gone) == [("imu", False)]
    assert "does not answer at 0x68" in words(gone)
    assert reports(back) == [("imu", True)]
    assert bench.of_the_game == before
    bench.place("c2")
    assert [event.cell for event in bench.of_the_game if isinstance(event, Placed)][-1] == "c2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kill", "what"),
    [
        (lambda chip: chip.unplug(), "DOUT stays high"),
        pytest.param(
            lambda chip: setattr(chip, "shorted", True), "DOUT stays low", marks=pytest.mark.soak
        ),
    ],
)
def test_a_dead_hx711_is_named_and_is_no_move(kill: Callable[[Hx711], None], what: str) -> None:
    bench = Bench()
    bench.run(1.0)
    bench.place("d4")
    before = list(bench.of_the_game)
    kill(bench.table.cells[2])
    gone = bench.run(3.0)

    assert reports(gone)[0] == ("scale.2", False)
    assert what in words(gone)
    assert bench.of_the_game == before
    bench.place("c2")  # three cells carry on
    assert [event.cell for event in bench.of_the_game if isinstance(event, Placed)][-1] == "c2"


def test_a_stretched_pulse_costs_a_reading_and_not_a_gram() -> None:
    bench = Bench()
    for number, reader in enumerate(bench.table.clocks):
        reader.away_us = preempted(0.002, seed=number)
    bench.run(1.0)
    bench.place("d4")
    bench.run(3.0)
    worst = max(
        float(np.nanmax(np.abs(item.mass_g)))
        for item in bench.items
        if isinstance(item, ScaleSamples)
    )

    assert sum(cell.power_downs for cell in bench.table.cells) > 20
    assert worst < 40.0
    assert [event.cell for event in bench.of_the_game if isinstance(event, Placed)] == ["d4"]


@pytest.mark.slow
def test_a_table_that_does_not_come_to_read_loses_samples_and_says_so() -> None:
    bench = Bench(queue_steps=50)
    bench.run(1.0)
    bench.tower.advance(bench.tower.now_s + 3.0)
    bench.table.run()  # nobody polls for three seconds
    late = bench.run(1.0)

    assert bench.table.source.lost > 100
    assert (READINGS, False) in reports(late)
    assert "too busy" in words(late)
    assert (READINGS, True) in reports(bench.run(6.0))
    assert bench.of_the_game == []
    assert_in_order(bench.items)


def test_a_stuck_button_is_said_and_disturbs_nobody(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel, "STUCK_S", 2.0)
    bench.table.source.show(Face(presses={Button.PASS: ("pass", {})}))
    bench.table.factory.pin(bench.table.wiring.pass_button).drive_low()
    items = bench.run(3.0)

    assert reports(items) == [("button.pass", False)]
    assert "GPIO22" in words(items)
    assert bench.of_the_game == []


def test_the_tilt_switch_closes_with_the_board(bench: Bench) -> None:
    bench.tower.board.up, bench.tower.board.clamped = (0.9, 0.0, 0.44), True
    closed = [item for item in bench.run(0.5) if isinstance(item, SwitchSample)]

    assert [item.closed for item in closed] == [True]


def test_two_runs_are_the_same() -> None:
    def one() -> bytes:
        bench = Bench()
        bench.run(1.0)
        return b"".join(i.raw.tobytes() for i in bench.items if isinstance(i, ScaleSamples))

    assert one() == one()

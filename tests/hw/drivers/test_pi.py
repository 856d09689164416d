"""The source over readers that a test holds in its hand; whole drivers are in test_on_pins.py."""

from typing import Any

import numpy as np
import pytest

from engine.samples import ImuSamples, SensorReport
from hw.drivers.pi import READINGS, PiSource
from hw.source import Item, item_time_s
from lab.mock import quiet_parameters

CALIBRATION = quiet_parameters().calibration
BOOTED_S = 1000.0


class Hand:
    """A reader that gives what it is told to."""

    pause_s = 0.01

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard_s = float("-inf")
        self.items: list[Item] = []
        self.closed = False

    def step(self) -> list[Item]:
        items, self.items = self.items, []
        return items

    def close(self) -> None:
        self.closed = True

    def gives(self, heard_s: float, *items: Item) -> None:
        self.heard_s = BOOTED_S + heard_s
        self.items += items


def imu(*t_s: float) -> ImuSamples:
    times = BOOTED_S + np.array(t_s)
    return CALIBRATION.imu_samples(times, np.zeros((len(times), 6), dtype=np.int32))


class Bench:
    def __init__(self, **options: Any) -> None:
        self.now_s = 0.0
        self.one, self.two = Hand("imu"), Hand("panel")
        self.source = PiSource(
            [self.one, self.two], CALIBRATION, lambda: BOOTED_S + self.now_s, threads=False,
            **options,
        )  # fmt: skip
        self.source.poll(0.0)

    def poll(self, t_s: float) -> list[Item]:
        self.now_s = t_s
        self.source.step()
        return self.source.poll(t_s)


def shape(items: list[Item]) -> list[tuple[str, float]]:
    return [(type(item).__name__, round(item_time_s(item), 3)) for item in items]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_times_are_table_times_from_the_first_poll_on(bench: Bench) -> None:
    bench.one.gives(0.5, imu(0.1, 0.2))
    items = bench.poll(0.5)

    assert shape(items) == [("ImuSamples", 0.2)]


def test_what_could_not_be_kept_is_counted_and_said_and_forgotten_in_time() -> None:
    bench = Bench(queue_steps=1)
    for number in range(4):
        bench.one.gives(0.4, imu(0.1 + 0.01 * number))
        bench.source.step()
    said = [item for item in bench.poll(0.5) + bench.poll(0.9) if isinstance(item, SensorReport)]
    assert bench.source.lost == 3
    assert [(report.sensor, report.ok) for report in said] == [(READINGS, False)]
    assert "3 readings were lost" in said[0].reason

    (back,) = [item for step in range(14) for item in bench.poll(1.0 + 0.5 * step)]
    assert isinstance(back, SensorReport)
    assert back.ok


def test_closed_it_has_let_go_of_everything_once() -> None:
    let_go, hand = [], Hand("imu")
    source = PiSource([hand], CALIBRATION, lambda: 0.0, close=lambda: let_go.append(1))
    source.poll(0.0)
    source.close()
    source.close()

    assert let_go == [1]
    assert hand.closed

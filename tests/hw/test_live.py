"""The order of a live table, over one whose sensors a test holds in its hand."""

import numpy as np
import pytest

from engine.events import HumanInput
from engine.samples import ImuSamples
from hw.live import LiveSource
from hw.source import Item, item_time_s
from lab.mock import quiet_parameters

BOOTED_S = 1000.0


class ByHand(LiveSource):
    """Gives what it is told to."""

    patience_s = 0.3

    def __init__(self) -> None:
        super().__init__(quiet_parameters().calibration, lambda: self.now_s, simulated=True)
        self.now_s, self.heard_s, self.let_go = BOOTED_S, 0.0, 0
        self.coming: list[Item] = []
        self.poll(0.0)

    def gives(self, heard_s: float, *items: Item) -> None:
        self.heard_s = heard_s
        self.coming += items

    def at(self, t_s: float) -> list[tuple[str, float]]:
        self.now_s = BOOTED_S + t_s
        return [(type(item).__name__, round(item_time_s(item), 3)) for item in self.poll(t_s)]

    def imu(self, *t_s: float) -> ImuSamples:
        return self.calibration.imu_samples(np.array(t_s), np.zeros((len(t_s), 6)))

    def _listen(self) -> float:
        for item in self.coming:
            self._put(item)
        self.coming = []
        return self.heard_s

    def _let_go(self) -> None:
        self.let_go += 1


@pytest.fixture
def live() -> ByHand:
    return ByHand()


def test_samples_wait_for_nobody(live: ByHand) -> None:
    live.gives(0.0, live.imu(0.4))

    assert live.at(0.41) == [("ImuSamples", 0.4)]


def test_an_input_waits_for_samples_that_come_before_it(live: ByHand) -> None:
    live.gives(0.4, live.imu(0.39), HumanInput(0.42, "undo"))
    assert live.at(0.45) == [("ImuSamples", 0.39)]

    live.gives(0.5, live.imu(0.41, 0.43))
    assert live.at(0.5) == [("ImuSamples", 0.41), ("HumanInput", 0.42), ("ImuSamples", 0.43)]


def test_an_input_does_not_wait_for_a_sensor_that_hangs(live: ByHand) -> None:
    live.gives(0.3, HumanInput(0.42, "undo"))
    assert live.at(0.45) == []

    assert live.at(0.42 + live.patience_s) == [("HumanInput", 0.42)]
    live.gives(1.0, live.imu(0.41, 0.6))  # it comes back, too late for what was decided
    assert live.at(1.0) == [("ImuSamples", 0.6)]
    assert live.late == 1


def test_an_input_that_comes_late_is_heard_all_the_same(live: ByHand) -> None:
    live.gives(0.5, live.imu(0.45))
    live.at(0.5)
    live.gives(1.0, HumanInput(0.3, "undo"))

    assert live.at(0.6) == [("HumanInput", 0.45)]


def test_closed_twice_it_lets_go_once(live: ByHand) -> None:
    live.close()
    live.close()

    assert live.ended
    assert live.let_go == 1

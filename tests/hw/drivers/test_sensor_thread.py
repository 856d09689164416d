from engine.events import HumanInput
from engine.samples import SensorReport
from hw.drivers.sensor_thread import SensorThread
from hw.source import Item
from hw.troubles import READER_FAILED


class Clicker:
    """Gives one input a step; fails while it is told to."""

    name = "clicker"
    pause_s = 0.001
    heard_s = 7.0

    def __init__(self) -> None:
        self.steps = 0
        self.failing = self.closed = False

    def step(self) -> list[Item]:
        if self.failing:
            raise RuntimeError("no such register")
        self.steps += 1
        return [HumanInput(float(self.steps), "undo")]

    def close(self) -> None:
        self.closed = True


def test_what_a_reader_gives_waits_until_it_is_taken() -> None:
    thread = SensorThread(Clicker(), lambda: 1.0)
    thread.step()
    thread.step()

    assert thread.heard_s == 7.0
    assert [item.t_s for item in thread.take()] == [1.0, 2.0]
    assert thread.take() == []


def test_what_does_not_fit_is_counted() -> None:
    thread = SensorThread(Clicker(), lambda: 1.0, size=3)
    for _ in range(5):
        thread.step()

    assert thread.lost == 2
    assert len(thread.take()) == 3


def test_a_reader_that_breaks_is_reported_once_and_tried_again() -> None:
    reader = Clicker()
    thread = SensorThread(reader, lambda: 5.0)
    reader.failing = True
    thread.step()
    thread.step()
    (said,) = thread.take()
    assert isinstance(said, SensorReport)
    found = READER_FAILED(name="clicker", error=said.args["error"])
    assert said == SensorReport.of(5.0, "clicker", found)
    assert "no such register" in said.reason

    reader.failing = False
    thread.step()
    assert thread.take() == [SensorReport(5.0, "clicker", ok=True), HumanInput(1.0, "undo")]


def test_a_thread_steps_it_until_it_is_stopped() -> None:
    reader = Clicker()
    thread = SensorThread(reader, lambda: 1.0)
    thread.start()
    while reader.steps < 5:
        pass
    thread.stop()
    steps = reader.steps

    assert reader.closed
    assert len(thread.take()) == steps
    assert not thread._thread.is_alive()


def test_what_was_never_started_can_be_stopped() -> None:
    reader = Clicker()
    SensorThread(reader, lambda: 1.0).stop()

    assert reader.closed

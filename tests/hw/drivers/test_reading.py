from engine.events import HumanInput
from engine.samples import SensorReport
from hw.drivers.reading import Post
from hw.source import Item


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
    post = Post(Clicker(), lambda: 1.0)
    post.step()
    post.step()

    assert post.heard_s == 7.0
    assert [item.t_s for item in post.take()] == [1.0, 2.0]
    assert post.take() == []


def test_what_does_not_fit_is_counted() -> None:
    post = Post(Clicker(), lambda: 1.0, size=3)
    for _ in range(5):
        post.step()

    assert post.lost == 2
    assert len(post.take()) == 3


def test_a_reader_that_breaks_is_reported_once_and_tried_again() -> None:
    reader = Clicker()
    post = Post(reader, lambda: 5.0)
    reader.failing = True
    post.step()
    post.step()
    said = post.take()
    assert said == [SensorReport(5.0, "clicker", ok=False, reason=said[0].reason)]
    assert "no such register" in said[0].reason

    reader.failing = False
    post.step()
    assert post.take() == [SensorReport(5.0, "clicker", ok=True), HumanInput(1.0, "undo")]


def test_a_thread_steps_it_until_it_is_stopped() -> None:
    reader = Clicker()
    post = Post(reader, lambda: 1.0)
    post.start()
    while reader.steps < 5:
        pass
    post.stop()
    steps = reader.steps

    assert reader.closed
    assert len(post.take()) == steps
    assert not post._thread.is_alive()


def test_what_was_never_started_can_be_stopped() -> None:
    reader = Clicker()
    Post(reader, lambda: 1.0).stop()

    assert reader.closed

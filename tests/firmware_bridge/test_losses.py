import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.framing import Frame
from firmware_bridge.losses import Cadence, LossCounter
from firmware_bridge.messages import Imu, Scale, ScaleFlag, Status

PERIOD_US = 12_192


def scale(index: int, seq: int, cell: int = 0, periods: int | None = None, flags: int = 0) -> Frame:
    elapsed = index if periods is None else periods
    return Frame(Scale(cell, index % 256, 0), seq, elapsed * PERIOD_US % 2**32, flags)


def status(seq: int, dropped: int) -> Frame:
    return Frame(Status(dropped, 0, 0, 0, 0x68, 0, 0, 1, 20), seq, 0)


def test_a_whole_stream_has_no_losses() -> None:
    counter = LossCounter()
    for number in range(1000):
        counter.take(scale(number, number))

    assert counter.totals.total == 0
    assert counter.scales[0].period_us == PERIOD_US


def test_a_gap_across_the_wrap_of_seq_is_counted() -> None:
    counter = LossCounter()
    counter.take(scale(0, 0xFFFE))
    counter.take(scale(1, 1))

    assert counter.totals.link == 2


def test_frames_the_microcontroller_dropped_are_its_loss_only() -> None:
    """It gave them no number, so seq has no gap, but index has."""
    counter = LossCounter()
    for number in range(50):
        counter.take(scale(number, number))
    counter.take(status(50, 3))
    for number in range(53, 80):
        counter.take(scale(number, number - 2))
    counter.take(status(78, 3))

    assert (counter.totals.link, counter.totals.device, counter.totals.missed[0]) == (0, 3, 0)


def test_the_drop_counter_wraps() -> None:
    counter = LossCounter()
    for seq, dropped in enumerate([0xFFF0, 0x0005]):
        counter.take(status(seq, dropped))

    assert counter.totals.device == 0x10005


def test_conversions_nobody_fetched_are_missed_at_the_chip_only() -> None:
    counter = LossCounter()
    for number in range(50):
        counter.take(scale(number, number, cell=2))
    for number in range(50, 80):
        counter.take(scale(number, number, cell=2, periods=number + 4))

    assert counter.totals.link == counter.totals.device == 0
    assert counter.totals.missed == (0, 0, 4, 0)


@given(st.integers(0, 3000), st.integers(0, 20))
def test_link_loss_and_misses_at_once_are_told_apart(lost: int, missed: int) -> None:
    counter = LossCounter()
    for number in range(50):
        counter.take(scale(number, number))
    after = 50 + lost
    counter.take(scale(after, after, periods=after + missed))

    assert (counter.totals.link, counter.totals.missed[0]) == (lost, missed)
    assert counter.totals.device == 0


def test_a_settling_chip_misses_nothing() -> None:
    counter = LossCounter()
    for number in range(50):
        counter.take(scale(number, number))
    for step in range(4):
        counter.take(scale(50 + step, 50 + step, periods=90 + step, flags=int(ScaleFlag.SETTLING)))
    for step in range(4, 20):
        counter.take(scale(50 + step, 50 + step, periods=90 + step))

    assert counter.totals.missed[0] == 0


def test_a_frame_that_comes_twice_is_disorder_and_no_loss() -> None:
    counter = LossCounter()
    for seq in (10, 11, 11, 12):
        counter.take(scale(seq, seq))

    assert (counter.totals.disordered, counter.totals.link) == (1, 0)


def test_after_the_port_was_closed_counting_goes_on_without_a_gap() -> None:
    counter = LossCounter()
    counter.take(scale(0, 0))
    counter.reopened()
    counter.take(scale(200, 900, periods=5000))

    assert counter.totals.total == 0


@pytest.mark.parametrize("period_us", [10_702, 12_192, 94_200, 100_000])
def test_each_chip_has_the_period_it_has(period_us: int) -> None:
    cadence = Cadence()
    assert cadence.period_us is None
    for number in range(20):
        cadence.sample(number, number * period_us + (number % 3))

    assert cadence.period_us == pytest.approx(period_us, abs=3)
    assert cadence.missed == 0


def test_the_inertial_sensor_has_a_cadence_too() -> None:
    counter = LossCounter()
    for number in range(20):
        counter.take(Frame(Imu(number, 0, 0, 0, 0, 0, 0, 0), number, number * 5015))

    assert counter.imu.period_us == 5015

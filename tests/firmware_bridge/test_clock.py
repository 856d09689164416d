import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.clock import DeviceClock, RoundTrip, TickCounter, fit

WRAP = 2**32


def trips(
    count: int, ppm: float = 0.0, seed: int = 1, boot_s: float = 50.0
) -> list[tuple[RoundTrip, float]]:
    """Round trips once a second over USB, with the true host time of each answer."""
    chance = random.Random(seed)
    made = []
    for second in range(count):
        true_s = boot_s + second + 0.1
        out_s, back_s = chance.uniform(0.0005, 0.002), chance.expovariate(500) + 0.0005
        ticks = round((true_s - boot_s) * 1e6 * (1 + ppm * 1e-6))
        made.append((RoundTrip(ticks, true_s - out_s, true_s + back_s), true_s))
    return made


@given(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=30))
def test_ticks_that_wrap_are_extended_to_ticks_that_do_not(steps: list[int]) -> None:
    counter, truth = TickCounter(), 0
    assert counter.extend(0) == 0
    for step in steps:
        truth += step
        assert counter.extend(truth % WRAP) == truth


def test_a_frame_out_of_order_gets_its_own_time() -> None:
    counter = TickCounter()
    counter.extend(WRAP - 100)

    assert counter.extend(50) == WRAP + 50
    assert counter.extend(WRAP - 10) == WRAP - 10
    assert counter.extend(60) == WRAP + 60


def test_peeking_does_not_move_the_counter() -> None:
    counter = TickCounter()
    counter.extend(10)

    assert counter.peek(2**31 + 100) == 2**31 + 100 - WRAP
    assert counter.extend(20) == 20


@pytest.mark.parametrize("ppm", [-5000.0, 0.0, 300.0, 5000.0])
def test_a_wrong_crystal_is_followed_to_a_millisecond(ppm: float) -> None:
    clock, errors_s = DeviceClock(), []
    for trip, true_s in trips(90, ppm):
        clock.learn(trip)
        seen_s = clock.host_s(trip.device_us)
        assert seen_s is not None
        errors_s.append(abs(seen_s - true_s))

    assert max(errors_s[30:]) < 0.0015
    assert clock.line is not None
    assert clock.line.rate_ppm == pytest.approx(-ppm, abs=40 + abs(ppm) * 0.01)


def test_two_answers_a_moment_apart_do_not_tilt_the_line() -> None:
    line = fit([RoundTrip(0, 0.0, 0.002), RoundTrip(1000, 0.003, 0.005)])

    assert abs(line.rate_ppm) < 100


def test_answers_that_waited_in_a_buffer_do_not_move_the_clock() -> None:
    clock = DeviceClock()
    for number, (trip, _) in enumerate(trips(60)):
        late_s = 0.4 if number % 5 == 4 else 0.0
        clock.learn(RoundTrip(trip.device_us, trip.sent_s, trip.received_s + late_s))
    last, true_s = trips(60)[-1]

    assert clock.host_s(last.device_us) == pytest.approx(true_s, abs=0.0015)


def test_one_impossible_answer_is_ignored_and_counted() -> None:
    clock = DeviceClock()
    for trip, _ in trips(10):
        clock.learn(trip)
    before = clock.line
    clock.learn(RoundTrip(999_000_000, 61.0, 61.002))

    assert clock.line == before
    assert clock.refused == 1


def test_a_clock_that_jumped_is_believed_the_third_time() -> None:
    clock = DeviceClock()
    for trip, _ in trips(10):
        clock.learn(trip)
    for second in (70, 71, 72):
        clock.learn(RoundTrip(second * 1_000_000, second + 30.0, second + 30.002))

    assert clock.host_s(72_000_000) == pytest.approx(102.001, abs=0.001)


def test_before_the_first_answer_there_is_no_time() -> None:
    assert DeviceClock().host_s(5) is None

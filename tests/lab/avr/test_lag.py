from math import sin

import pytest

from lab.avr.lag import Lag


def felt(t_s: float) -> list[int]:
    """Two columns that swing, the second one hardly."""
    return [round(100_000 * sin(9 * t_s)), round(10 * sin(9 * t_s))]


@pytest.mark.parametrize("late_s", [0.0, 0.006, -0.004])
def test_a_delay_is_found_where_something_moves(late_s: float) -> None:
    lag = Lag(felt)
    for step in range(400):
        lag.compare(0.0125 * step, felt(0.0125 * step - late_s), (True, True))

    assert lag.seconds == pytest.approx(late_s, abs=2e-4)


def test_what_is_not_trusted_and_what_rests_says_nothing() -> None:
    lag = Lag(lambda t_s: [0, felt(t_s)[0]])
    for step in range(100):
        lag.compare(0.0125 * step, [5, 0], (True, False))

    assert lag.seconds == 0.0


def test_a_wire_that_goes_off_is_no_delay() -> None:
    lag = Lag(lambda t_s: [*felt(t_s)[:1], 0 if t_s < 1.0 else 2**23 - 1])
    for step in range(400):
        lag.compare(0.0125 * step, [*felt(0.0125 * step)[:1], 4_000_000], (True, True))

    assert lag.seconds == pytest.approx(0.0, abs=2e-4)


@pytest.mark.parametrize("late_s", [0.0, 0.006])
def test_a_knock_between_two_conversions_does_not_outweigh_all_the_others(late_s: float) -> None:
    lag = Lag(felt)
    for step in range(400):
        knocked = 300_000 if step % 40 == 0 else 0
        given = [count + knocked for count in felt(0.0125 * step - late_s)]
        lag.compare(0.0125 * step, given, (True, False))

    assert lag.seconds == pytest.approx(late_s, abs=5e-4)

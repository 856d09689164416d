"""When a board has come to rest, and when a contact has moved it."""

from math import nan, pi, sin

import pytest

from engine.detect.front.stillness import MOVING_RAD_S, STILL_TICKS, SWING_TICKS, Stillness
from engine.detect.front.ticks import TICK_S


def swinging(largest_rad_s: float, ticks: int = 60, *, free: bool = True) -> Stillness:
    """A board that has swung so fast at its fastest."""
    stillness = Stillness()
    for tick in range(ticks):
        rate_rad_s = abs(largest_rad_s * sin(2 * pi * tick * TICK_S / 0.7))
        stillness.turns(rate_rad_s, free=free, rested_s=0.5)
    return stillness


def test_a_board_hangs_still_once_it_has_for_a_fifth_of_a_swing() -> None:
    stillness = swinging(0.3)
    assert stillness.since_s(10.0, 0.5) is None
    for _ in range(STILL_TICKS):
        stillness.turns(0.001, free=True, rested_s=0.5)

    assert stillness.since_s(10.0, 0.5) == pytest.approx(10.0 - STILL_TICKS * TICK_S)


@pytest.mark.parametrize(("rested_s", "still"), [(0.5, False), (3.0, True)])
def test_without_a_gyroscope_a_board_hangs_still_when_it_has_had_time_to(
    rested_s: float, still: bool
) -> None:
    stillness = Stillness()
    for _ in range(STILL_TICKS):
        stillness.turns(nan, free=True, rested_s=rested_s)

    assert (stillness.since_s(10.0, rested_s) is not None) is still


@pytest.mark.parametrize(
    ("swung_rad_s", "touched_rad_s", "stirred"),
    [(0.0, 0.001, False), (0.0, 0.02, True), (0.04, 0.042, False), (0.5, MOVING_RAD_S * 2, True)],
)
def test_a_contact_has_moved_a_board_that_turns_faster_than_before(
    swung_rad_s: float, touched_rad_s: float, stirred: bool
) -> None:
    stillness = swinging(swung_rad_s, SWING_TICKS)
    stillness.touched()
    stillness.turns(touched_rad_s, free=False, rested_s=0.0)

    assert stillness.stirred is stirred


def test_before_anything_was_heard_a_contact_may_have_moved_the_board() -> None:
    assert Stillness().stirred

"""How long rests last: survival and rate belong together, and hands move on sooner."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.account import Account, Explained, Fall
from engine.detect.back.lasting import come_by, ends_now, held_steady, lasts, left_alone
from engine.detect.back.parameters import BEHAVIOUR
from engine.events import ToppleKind

SHARES = st.floats(0.01, 0.5)
STRETCHES = st.floats(2.0, 20.0)
MEANS_S = st.floats(0.1, 20.0)


@given(t_s=st.floats(0.0, 300.0), mean_s=MEANS_S, share=SHARES, stretch=STRETCHES)
def test_the_rate_is_what_the_probability_to_last_loses(
    t_s: float, mean_s: float, share: float, stretch: float
) -> None:
    step_s = 1e-4 * mean_s
    lasting, rate = lasts(t_s, mean_s, share, stretch)
    later, _ = lasts(t_s + step_s, mean_s, share, stretch)

    assert (lasting - later) / step_s == pytest.approx(rate, rel=1e-2, abs=1e-6)


@given(mean_s=MEANS_S, share=SHARES, stretch=STRETCHES)
def test_everything_lasts_at_first(mean_s: float, share: float, stretch: float) -> None:
    assert lasts(0.0, mean_s, share, stretch)[0] == pytest.approx(0.0, abs=1e-9)


def test_a_hand_is_hardly_ever_steady_for_seconds_and_a_board_often_left_alone() -> None:
    hand = exp(held_steady(3.0, BEHAVIOUR.hand_steady_s))
    board = exp(left_alone(BEHAVIOUR, 3.0, taking=False)[0])

    assert hand < 0.01
    assert board > 0.5


def test_a_rest_that_ends_at_once_was_rather_a_hand() -> None:
    free = Explained(Account(0.0, 9.0))
    held = Explained(Account(0.0, 9.0), free=False)

    assert ends_now(BEHAVIOUR, 0.1, held) > 3 * ends_now(BEHAVIOUR, 0.1, free)


def test_who_has_begun_to_clear_does_not_wait_whether_something_fell_or_not() -> None:
    fell = Fall(3, 4.0, ToppleKind.COLLAPSE, 0.1, 5)
    for fall in (None, fell):
        begun = Explained(Account(0.0, 9.0, over=True, taking=True, fall=fall))
        waits = Explained(Account(0.0, 9.0, over=True, fall=fall))

        assert ends_now(BEHAVIOUR, 2.0, begun) > 2 * ends_now(BEHAVIOUR, 2.0, waits)
    assert left_alone(BEHAVIOUR, 2.0, taking=True)[0] < left_alone(BEHAVIOUR, 2.0, taking=False)[0]


def test_half_of_the_hands_have_come_by_the_median_and_none_at_once_or_before() -> None:
    assert come_by(2.0, 2.0) == pytest.approx(0.5)
    assert come_by(-1.0, 2.0) == come_by(0.0, 2.0) == 0.0
    assert come_by(0.2, 2.0) < 0.01
    assert come_by(4.0, 2.0) > 0.9

"""A weight that may be a hand's, and what is kept of its branches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.detect.rests import THREE, moment


@pytest.mark.parametrize(
    ("gained_g", "change"),
    [(7.3, (120.0, 40.0)), (1.4, (60.0, -20.0)), (47.0, (900.0, -300.0)), (-4.4, (-80.0, 150.0))],
)
def test_any_other_weight_is_a_hand_for_the_time_being(
    gained_g: float, change: tuple[float, float]
) -> None:
    tracker = THREE.then(gained_g, moment(change, misfit=3.0), steady_s=0.2)

    assert not tracker.best.free
    best = tracker.best.account
    assert best == THREE.account.but(log_p=best.log_p, held=1, held_g=best.held_g)
    assert best.held_g == pytest.approx(gained_g)


def test_a_hand_that_keeps_its_weight_steady_for_long_is_less_and_less_likely_one() -> None:
    shares = [
        1.0 - THREE.then(47.0, moment((30.0, 20.0), misfit=0.5), steady_s=steady_s).free
        for steady_s in (0.2, 1.0, 4.0, 15.0)
    ]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9


@given(
    gained_g=st.floats(-150, 3000), x=st.floats(-3000, 3000), y=st.floats(-3000, 3000)
)  # fmt: skip
def test_whatever_came_a_minute_later_it_is_what_the_next_step_is_compared_with(
    gained_g: float, x: float, y: float
) -> None:
    """No weight makes the table deaf for good, but that of a board in somebody's hands."""
    tracker = THREE.then(gained_g, moment((x, y), now=(x, y)), steady_s=60.0)
    lifted = tracker.probability(lambda each: each.lifted)

    assert sum(each.p for each in tracker.now) == pytest.approx(1.0)
    assert tracker.free + lifted > 0.5

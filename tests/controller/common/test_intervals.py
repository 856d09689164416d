import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.common.intervals import wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_brackets_the_share_and_stays_a_share(counts: tuple[int, int]) -> None:
    hits, n = counts
    low, high = wilson(hits, n)

    assert 0 <= low <= hits / n + 1e-12
    assert hits / n - 1e-12 <= high <= 1
    assert high > low


def test_wilson_is_the_published_interval() -> None:
    # Newcombe 1998, table I: 81 of 263 is 0.2553 to 0.3662; 0 of 20 is 0 to 0.1611.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)

"""When a word is said."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.costs import piece_pays, topple_pays

SHARES = st.floats(0.0, 1.0)
TIMES = st.floats(0.0, 100.0)


@given(SHARES, SHARES, TIMES, TIMES)
def test_what_is_said_is_said_as_well_when_it_is_surer_and_later(
    p: float, more: float, steady_s: float, later_s: float
) -> None:
    for pays in (piece_pays, topple_pays):
        if pays(p, steady_s):
            assert pays(min(1.0, p + more), steady_s + later_s)


@pytest.mark.parametrize(("p", "steady_s", "said"), [
    (0.996, 0.1, False), (0.998, 0.1, True), (0.985, 0.3, False), (0.991, 0.3, True),
    (0.97, 1.1, True),
])  # fmt: skip
def test_a_piece_needs_to_be_the_surer_the_sooner_it_is_said(
    p: float, steady_s: float, said: bool
) -> None:
    assert piece_pays(p, steady_s) is said


@pytest.mark.parametrize(("p", "steady_s", "said"), [
    (0.96, 0.0, False), (0.97, 0.0, True), (0.93, 1.0, False), (0.94, 1.0, True),
    (0.89, inf, False), (0.9, inf, True),
])  # fmt: skip
def test_a_topple_is_said_later_and_never_when_it_is_hardly_likely(
    p: float, steady_s: float, said: bool
) -> None:
    assert topple_pays(p, steady_s) is said

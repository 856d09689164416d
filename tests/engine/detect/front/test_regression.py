import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.regression import Equations, mean_square, robust_update

WIDE = np.array([np.eye(2) * 1e6])


def line(slope: float, offset: float, *, wrong: tuple[int, ...] = ()) -> Equations:
    """Forty points of a line with its slope and offset as unknowns; `wrong` ones lie 50 off."""
    x = np.linspace(-1.0, 1.0, 40)
    y = slope * x + offset
    y[list(wrong)] += 50.0
    return Equations(np.stack((x, np.ones(40)), axis=1), y, np.full(40, 0.01), 40)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_equations_that_agree_are_solved(slope: float, offset: float) -> None:
    means, _, standard = robust_update(np.zeros(2), WIDE, line(slope, offset))

    assert means[0] == pytest.approx((slope, offset), abs=1e-3)
    assert mean_square(standard) < 0.01


def test_a_few_wrong_ones_do_not_turn_the_rest() -> None:
    window = line(3.0, -2.0, wrong=(5, 20))
    means, _, standard = robust_update(np.zeros(2), WIDE, window)
    plain, *_ = np.linalg.lstsq(window.matrix, window.target, rcond=None)

    assert np.hypot(*(means[0] - (3.0, -2.0))) < np.hypot(*(plain - (3.0, -2.0))) / 3
    assert np.argsort(standard[0])[-2:].tolist() in ([5, 20], [20, 5])


def test_what_is_known_is_moved_by_as_much_as_it_is_uncertain() -> None:
    sure, unsure = np.diag([1e-8, 1e6]), np.diag([1e6, 1e6])
    means, covs, _ = robust_update(np.zeros(2), np.array((sure, unsure)), line(3.0, -2.0))

    assert means[0] == pytest.approx((0.0, -2.0), abs=0.1)
    assert means[1] == pytest.approx((3.0, -2.0), abs=0.01)
    assert covs[0, 0, 0] < covs[1, 0, 0]


def test_no_equations_are_no_misfit() -> None:
    assert mean_square(np.zeros(0)) == 0.0

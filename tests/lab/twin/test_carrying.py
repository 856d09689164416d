import numpy as np
import pytest

from lab.twin.board import STEP_S
from lab.twin.carrying import Carry

CARRY = Carry(1.0, 5.0, 2.0, 0.7)


def test_the_board_is_tipped_in_the_middle_and_level_at_both_ends() -> None:
    angle = CARRY.angle(np.array([0.5, 1.0, 3.0, 5.0, 6.0]))

    assert angle[[0, 1, 3, 4]] == pytest.approx(0.0, abs=1e-9)
    assert angle[2] == pytest.approx(2.0, abs=0.08)


def test_rate_and_direction_tell_of_the_same_turn() -> None:
    rows = np.array(CARRY.rows(1.0, 4000, 3))
    up, rate = rows[:, 0:3], rows[:, 3:6]
    turned = np.gradient(up, STEP_S, axis=0)

    assert np.allclose(np.linalg.norm(up, axis=1), 1.0)
    # Seen from a body that turns, what stands still turns the other way.
    assert np.allclose(turned[5:-5], -np.cross(rate, up)[5:-5], atol=0.02)
    assert (rows[:, 9] == 0).all()
    assert (rows[:, 10] == 3).all()


def test_a_lifted_board_goes_up_and_comes_down_again() -> None:
    t_s = np.arange(1.0, 5.0, 0.001)
    rising = CARRY.acceleration(t_s)

    assert rising.max() > 100
    assert rising.min() < -100
    assert rising.sum() * 0.001 == pytest.approx(0.0, abs=15)

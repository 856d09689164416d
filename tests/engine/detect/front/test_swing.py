"""The torques of a swinging board."""

import numpy as np
import pytest

from engine.detect.body import Stacks
from engine.detect.front.swing import MOVING_RAD_S, TableEstimate, drag, hang_gmm
from tests.engine.detect.tables import TABLETOP, Pendulum

EMPTY = Stacks(TABLETOP).body()


def test_friction_works_against_the_motion_and_at_rest_nobody_knows_how() -> None:
    rate = np.array(((0.5 * MOVING_RAD_S, 0.2), (0.0, 0.0)))

    assert drag(rate).T.tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_a_board_that_swings_freely_hangs_by_its_own_moment_all_the_time() -> None:
    pendulum = Pendulum((60.0, -20.0))
    table = TableEstimate(
        pendulum.inertia_gmm2 - EMPTY.inertia_xx_gmm2, pendulum.damping_gmm2_s, 0.0, 1.0, 120.0
    )
    ticks = list(pendulum.ticks(0.5))
    lean = np.array([(up[0] / up[2], up[1] / up[2]) for _, up in ticks]).T
    spin = np.array([(now.spin_x_rad_s2, now.spin_y_rad_s2) for now, _ in ticks]).T
    rate = np.array([(now.rate_x_rad_s, now.rate_y_rad_s) for now, _ in ticks]).T
    hung = hang_gmm(lean, spin, rate, table, EMPTY)

    assert hung.mean(axis=1).tolist() == pytest.approx([60.0, -20.0], abs=5.0)
    assert np.ptp(hung, axis=1).max() < 15.0

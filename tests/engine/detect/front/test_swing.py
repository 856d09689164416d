"""The torques of a swinging board."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.body import Body, Stacks
from engine.detect.front.swing import (
    MOVING_RAD_S,
    TableEstimate,
    across,
    drag,
    hang_gmm,
    torque,
    with_neighbours,
)
from engine.tabletop import CELLS, piece_centre_mm
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


@given(
    st.lists(st.sampled_from(CELLS), min_size=1, max_size=12),
    *(st.floats(-9.0, 9.0, allow_subnormal=False),) * 2,
)
def test_pieces_are_turned_by_what_moves_each_of_them_along_its_own_circle(
    cells: list[str], spin_x: float, spin_y: float
) -> None:
    """The sum of r x m (spin x r), whatever tensor one makes of it."""
    stacks, expected = Stacks(TABLETOP), np.zeros(3)
    for ref, cell in enumerate(cells):
        place = np.array(piece_centre_mm(TABLETOP, cell, stacks.height(cell)))
        moved = np.cross((spin_x, spin_y, 0.0), place)
        expected += TABLETOP.piece.mass_mean_g * np.cross(place, moved)
        stacks.put(ref, cell)

    turned = torque(stacks.body(), np.array(((spin_x,), (spin_y,))))

    assert turned[:, 0].tolist() == pytest.approx(expected[:2].tolist(), abs=1e-6)


def test_pieces_hold_a_board_back_as_the_boards_own_inertia_does() -> None:
    """What a swing costs grows with all that swings, and with all that brakes it."""
    stacks = Stacks(TABLETOP)
    for ref, cell in enumerate(("c3", "b2", "d4", "a1", "e5")):
        stacks.put(ref, cell)
    body = stacks.body()
    spin, rate = np.array(((3.0,), (-2.0,))), np.array(((0.3,), (-0.2,)))

    def lost(table: TableEstimate, body: Body) -> float:
        still = np.zeros((2, 1))
        hung = hang_gmm(still, spin, rate, table, body)
        return float(np.vdot(-hung, across(spin)))

    bare = TableEstimate(0.0, 0.0, 0.0, 1.0, 120.0)
    assert lost(bare, body) > 0.0 == lost(bare, EMPTY)
    for more in ("board_inertia_gmm2", "damping_gmm2_s", "friction_gmm"):
        assert lost(replace(bare, **{more: 9.0}), body) > lost(bare, body)


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_a_jolt_takes_the_ticks_beside_it_along(jolted: list[bool]) -> None:
    ticks = np.array(jolted)
    expected = [any(jolted[max(k - 1, 0) : k + 2]) for k in range(len(jolted))]

    assert with_neighbours(ticks).tolist() == expected
    assert ticks.tolist() == jolted

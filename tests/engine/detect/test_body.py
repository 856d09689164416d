from engine.detect.body import Stacks
from tests.engine.detect.tables import TABLETOP


def test_an_empty_board_has_the_calibrated_moment_and_no_pieces() -> None:
    body = Stacks(TABLETOP).body()

    assert (body.mass_g, body.moment_z_gmm) == (0.0, -4100.0)
    assert (body.inertia_xx_gmm2, body.inertia_xy_gmm2) == (0.0, 0.0)


def test_a_piece_at_a_corner_adds_its_moments_about_the_pivot() -> None:
    stacks = Stacks(TABLETOP)
    stacks.put(1, "e5")
    body = stacks.body()
    z = 5.8 - 48.0 + 4.5

    assert body.mass_g == 3.0
    assert body.moment_z_gmm == -4100.0 + 3.0 * z
    assert body.inertia_xx_gmm2 == 3.0 * (64.0**2 + z**2)
    assert body.inertia_xy_gmm2 == -3.0 * 64.0 * 64.0


def test_a_piece_that_is_taken_is_forgotten_and_no_other() -> None:
    stacks = Stacks(TABLETOP)
    stacks.put(1, "b2")
    stacks.put(2, "b2")

    for _ in range(2):
        stacks.take(1)
        assert (stacks.height("b2"), len(stacks)) == (1, 1)

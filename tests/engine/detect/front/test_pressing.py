"""Where a contact presses, on a pendulum written out by hand."""

from collections.abc import Iterable, Sequence
from itertools import chain, repeat

import numpy as np
import pytest

from engine.detect.body import Stacks
from engine.detect.front.pressing import FEWEST_TICKS, MOST_TICKS, Press, Pressing
from engine.detect.front.swing import TableEstimate
from tests.engine.detect.tables import TABLETOP, Pendulum

EMPTY = Stacks(TABLETOP).body()
HUNG_GMM = (0.0, 0.0)
BEFORE_G = 12.0

Place = tuple[float, float]


def pressed(
    places_mm: Iterable[Place],
    weights_g: Iterable[float],
    friction_gmm: float = 0.0,
    taps_g: Sequence[float] = (),
) -> Press | None:
    """What is found of a hand that presses here and there with one weight after the other.

    Args:
        places_mm: where, in each tick.
        weights_g: how hard.
        friction_gmm: of the pivot.
        taps_g: what somebody who taps on the table meanwhile adds to each weight.
    """
    pendulum = Pendulum(HUNG_GMM, friction_gmm=friction_gmm)
    pressing = Pressing()
    pressing.begin(BEFORE_G, HUNG_GMM)
    taps = chain(taps_g, repeat(0.0))
    for at_mm, weight_g, tap_g in zip(places_mm, weights_g, taps, strict=False):
        pendulum.moment[:2] = weight_g * np.array(at_mm)
        for now, up in pendulum.ticks(0.025):
            felt = now._replace(mass_g=BEFORE_G + weight_g + tap_g)
            rate = now.rate_x_rad_s, now.rate_y_rad_s
            pressing.add(felt, up, rate, tapped=tap_g != 0.0)
    table = TableEstimate(
        pendulum.inertia_gmm2, pendulum.damping_gmm2_s, friction_gmm, 1.0, pendulum.height_mm
    )
    return pressing.where(table, EMPTY)


PUTTING_DOWN_G = (2.0, 6.0, 11.0, 12.0, 9.0, 6.0, 4.0, 3.0)


@pytest.mark.parametrize("friction_gmm", [0.0, 15.0])
@pytest.mark.parametrize("at_mm", [(0.0, 0.0), (64.0, -64.0), (-32.0, 7.0), (70.0, 0.0)])
def test_a_hand_that_puts_a_piece_down_is_found_within_a_fifth_of_a_cell(
    at_mm: tuple[float, float], friction_gmm: float
) -> None:
    found = pressed(repeat(at_mm), PUTTING_DOWN_G, friction_gmm)

    assert found is not None
    assert found.at_mm == pytest.approx(at_mm, abs=6.0)


def test_a_hand_that_lifts_a_piece_is_found_where_it_lay() -> None:
    found = pressed(repeat((32.0, -64.0)), (-1.0, *(-3.0,) * 9))

    assert found is not None
    assert found.at_mm == pytest.approx((32.0, -64.0), abs=6.0)


def test_a_hand_that_presses_here_and_there_is_found_less_surely() -> None:
    steady = pressed(repeat((32.0, 0.0)), PUTTING_DOWN_G)
    restless = pressed(((60.0, 0.0), (-60.0, 0.0)) * 4, PUTTING_DOWN_G)

    assert steady is not None
    assert restless is not None
    assert restless.sd_mm > 10.0 * steady.sd_mm


def test_taps_on_the_table_do_not_seem_to_press_in_the_middle() -> None:
    """They weigh on the cells and turn no board: pieces were told on c3 (rough, seed 1400001)."""
    taps_g = (0.0, 0.0, 0.0, 26.0)
    found = pressed(repeat((0.0, 32.0)), (*PUTTING_DOWN_G, 3.0, 3.0), taps_g=taps_g)

    assert found is not None
    assert found.at_mm == pytest.approx((0.0, 32.0), abs=6.0)
    assert pressed(repeat((0.0, 32.0)), (6.0,) * 5, taps_g=(26.0,) * 5) is None


@pytest.mark.parametrize("weights_g", [(), (8.0, 8.0, 8.0), (0.5,) * 20])
def test_too_short_and_too_light_tells_nothing(weights_g: tuple[float, ...]) -> None:
    assert pressed(repeat((32.0, 0.0)), weights_g) is None


def test_without_tilt_nothing_is_found_and_a_hand_may_rest_all_evening() -> None:
    pressing = Pressing()
    pressing.begin(BEFORE_G, HUNG_GMM)
    table = TableEstimate(5.0e5, 4.0e5, 0.0, 1.0, 120.0)
    for now, _ in Pendulum(HUNG_GMM).ticks(0.5):
        pressing.add(now.without_imu(), (np.nan, np.nan, np.nan), (np.nan, np.nan), tapped=False)
    assert pressing.where(table, EMPTY) is None

    pendulum = Pendulum(HUNG_GMM)
    for now, up in pendulum.ticks(2 * MOST_TICKS * 0.025):
        pressing.add(now._replace(mass_g=BEFORE_G + 8.0), up, (0.0, 0.0), tapped=False)
    found = pressing.where(table, EMPTY)

    assert found is not None
    assert found.at_mm == pytest.approx((0.0, 0.0), abs=1.0)


@pytest.mark.parametrize("tapped", [0, 1, 3])
def test_a_tenth_of_a_second_without_taps_tells_where_it_pressed(tapped: int) -> None:
    """What is tapped takes the tick beside it along."""
    taps_g = (26.0,) * tapped
    spoilt = tapped + (tapped > 0)
    enough = (12.0,) * (FEWEST_TICKS + spoilt)

    assert pressed(repeat((32.0, 0.0)), enough, taps_g=taps_g) is not None
    assert pressed(repeat((32.0, 0.0)), enough[1:], taps_g=taps_g) is None


def test_how_hard_a_hand_pressed_is_told_with_where() -> None:
    found = pressed(repeat((32.0, 0.0)), PUTTING_DOWN_G)

    assert found is not None
    assert found.highest_g == pytest.approx(max(PUTTING_DOWN_G))


def test_a_pivot_that_sticks_is_less_sure_of_a_press_and_least_of_a_light_one() -> None:
    """Friction may hide so much of its torque."""
    smooth, rough = (pressed(repeat((32.0, 0.0)), (9.0,) * 8, f) for f in (0.0, 35.0))
    light = pressed(repeat((32.0, 0.0)), (4.5,) * 8, 35.0)

    assert smooth is not None
    assert rough is not None
    assert light is not None
    assert smooth.sd_mm < rough.sd_mm < light.sd_mm
    assert rough.sd_mm > 0.3 * 35.0 / 9.0

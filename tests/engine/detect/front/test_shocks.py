from dataclasses import replace
from math import inf
from typing import Any

import pytest

from engine.detect.front.shocks import Shocks
from engine.detect.front.ticks import TICK_S
from tests.engine.detect.tables import pressed, shaken, tick

LEVEL = (0.0, 0.0, 1.0)


def felt(at: int = 40, **values: float) -> Shocks:
    """Two seconds of a quiet table, with these values in one tick."""
    shocks = Shocks()
    for k in range(80):
        shocks.update(tick(k * TICK_S, **(values if k == at else {})), LEVEL)
    return shocks


@pytest.mark.parametrize("push", [{"force_x_g": 0.1}, {"force_y_g": -0.1}, {"force_z_g": 1.1}])
def test_a_pushed_table_is_felt_in_any_direction(push: dict[str, Any]) -> None:
    shocks = felt(**push)

    assert shocks.jolted(1.0)
    assert not shocks.struck(1.0)


def test_a_swinging_board_is_not_a_shock() -> None:
    shocks = Shocks()
    for k in range(80):
        shocks.update(tick(k * TICK_S, force_x_g=0.1, spin_x_rad_s2=30.0), (0.1, 0.0, 1.0))

    assert not shocks.jolted(1.0)
    assert not shocks.struck(1.0)


def test_a_push_counts_for_what_falls_soon_after_it() -> None:
    shocks = felt(force_x_g=0.5)

    assert shocks.jolted(1.0 + 0.7)
    assert not shocks.jolted(1.0 + 0.9)
    assert not shocks.jolted(1.0 - 0.5)
    assert shocks.jolted(1.0 - 0.5, lasted_s=0.6)


def test_a_push_before_a_contact_has_shifted_nothing_in_it() -> None:
    shocks = felt(force_x_g=0.5)

    assert shocks.jolted_since(0.9, 0.2)
    assert not shocks.jolted_since(1.1, 0.2)
    assert not shocks.jolted_since(0.3, 0.2)


def test_a_light_push_makes_no_piece_slide() -> None:
    assert felt(force_x_g=0.3).slid_since(0.9, 0.2)
    assert not felt(force_x_g=0.1).slid_since(0.9, 0.2)
    assert felt(force_x_g=0.1).jolted_since(0.9, 0.2)


def test_a_tremor_is_less_than_a_push() -> None:
    shocks = felt(force_z_g=1.04)

    assert shocks.trembled(1.0)
    assert not shocks.jolted(1.0)


def test_a_blow_on_the_board_turns_it_more_abruptly_than_a_hand() -> None:
    assert felt(spin_y_rad_s2=-60.0).struck(0.95)
    assert not felt(spin_y_rad_s2=-30.0).struck(0.95)
    assert not felt(spin_y_rad_s2=-60.0).struck(1.3)


def test_a_silent_sensor_feels_nothing_and_says_so() -> None:
    shocks = felt()
    assert shocks.heard
    shocks.update(tick(2.0, force_x_g=0.5).without_imu(), LEVEL)

    assert not shocks.heard
    assert not shocks.jolted(2.0)


def test_a_push_is_remembered_by_its_beginning() -> None:
    shocks = felt()
    for k in (100, 101, 140, 141, 142):
        shocks.update(tick(k * TICK_S, force_x_g=0.2), LEVEL)

    assert shocks.jolted_s == pytest.approx(140 * TICK_S)
    assert felt().jolted_s == -inf


def test_without_an_inertial_sensor_the_weight_alone_tells_of_a_shaken_table() -> None:
    """With one it must have trembled as well: pieces that fall shake the weight, too."""
    deaf, quiet = Shocks(), felt(1)
    trembled, pushed = felt(2, force_x_g=0.04), felt(2, force_x_g=0.1)

    told = {
        touch: [shocks.about(touch()).shaken for shocks in (deaf, quiet, trembled, pushed)]
        for touch in (shaken, pressed)
    }

    assert told[shaken] == [True, False, True, True]
    assert told[pressed] == [False, False, False, True]


@pytest.mark.parametrize(
    ("force_g", "began_s", "told"),
    [
        (0.3, 0.9, {"near", "caused", "shaken", "slid"}),
        (0.1, 0.9, {"near", "caused", "shaken"}),
        (0.3, 1.5, {"near", "caused"}),  # before it
        (0.3, 0.3, {"near", "shaken", "slid"}),  # once the board was lighter
        (0.3, 3.0, set()),
    ],
)
def test_what_is_said_of_a_push_is_said_of_the_contact_in_which_it_was(
    force_g: float, began_s: float, told: set[str]
) -> None:
    touch = replace(pressed(), began_s=began_s, felt_s=0.8, lighter_s=0.2)
    pushes = felt(force_x_g=force_g).about(touch)

    assert {name for name in ("near", "caused", "shaken", "slid") if getattr(pushes, name)} == told
    assert pushes.heard
    assert not pushes.struck

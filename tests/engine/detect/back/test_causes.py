from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.causes import bump_probability, fall_log_odds
from engine.detect.front.contact import Touch
from engine.detect.front.observation import Felt
from engine.detect.front.shocks import Shocks
from tests.engine.detect.tables import pressed, shaken, tick

LEVEL_UP = (0.0, 0.0, 1.0)


def quiet() -> Shocks:
    """The inertial sensor speaks, and feels nothing."""
    shocks = Shocks()
    shocks.update(tick(0.05), LEVEL_UP)
    return shocks


def pushed() -> Shocks:
    shocks = quiet()
    shocks.update(tick(0.1, force_x_g=0.15), LEVEL_UP)
    return shocks


def hit() -> Shocks:
    shocks = quiet()
    shocks.update(tick(0.1, spin_x_rad_s2=80.0), LEVEL_UP)
    return shocks


def falling() -> Touch:
    """Pieces that fall and bounce: down, up a little, down."""
    touch = Touch(0.0)
    for excess_g in (4.0, 4.0, -18.0, -18.0, 4.0, -18.0):
        touch.feel(excess_g)
    return touch


def bumped(touch: Touch, shocks: Shocks, *, in_turn: bool = True, since_s: float = inf) -> float:
    return bump_probability(
        Felt(touch, shocks.about(touch)), in_turn=in_turn, since_release_s=since_s
    )


def fall_odds(touch: Touch, shocks: Shocks, *, tipped: bool = False) -> float:
    return fall_log_odds(Felt(touch, shocks.about(touch), tipped=tipped))


def test_a_hand_that_presses_in_its_turn_was_placing() -> None:
    assert bumped(pressed(), quiet()) < 0.15


@pytest.mark.parametrize("shocks", [pushed(), hit()])
def test_a_push_or_a_blow_that_was_felt_is_a_bump_whoevers_turn_it_is(shocks: Shocks) -> None:
    assert bumped(pressed(), shocks) > 0.85
    assert bumped(pressed(), shocks, in_turn=False) > 0.85


def test_pieces_that_fall_shake_the_scale_but_nobody_felt_a_push() -> None:
    assert falling().shaken
    assert bumped(falling(), quiet()) < 0.15


def test_without_the_inertial_sensor_a_shaken_table_must_do() -> None:
    assert bumped(shaken(), Shocks()) > 0.5 > bumped(pressed(), Shocks())


def test_a_table_that_trembled_and_pressed_as_hard_as_it_fell_was_pushed() -> None:
    trembled = quiet()
    trembled.update(tick(0.1, force_x_g=0.04), LEVEL_UP)

    assert bumped(shaken(), trembled) > 0.85
    assert bumped(falling(), trembled) < 0.15
    assert bumped(shaken(), quiet()) < 0.15


def test_a_table_that_had_trembled_long_before_was_not_pushed_now() -> None:
    trembled = quiet()
    trembled.update(tick(0.1, force_x_g=0.04), LEVEL_UP)
    later = replace(shaken(), began_s=10.0)

    assert bumped(later, trembled) < 0.15


@given(st.sampled_from(["quiet", "pushed", "hit", "deaf"]), st.floats(0, 100))
def test_a_tower_that_falls_as_soon_as_a_piece_is_let_go_was_hardly_bumped(
    felt: str, later_s: float
) -> None:
    shocks = {"quiet": quiet, "pushed": pushed, "hit": hit, "deaf": Shocks}[felt]()
    at_once = bumped(pressed(), shocks, since_s=0.4)

    assert 0.0 < at_once <= bumped(pressed(), shocks, since_s=0.4 + later_s) < 1.0


@pytest.mark.parametrize("touch", [pressed(), shaken(), falling()])
@pytest.mark.parametrize("shocks", [quiet(), pushed(), hit(), Shocks()])
def test_between_turns_a_bump_is_likelier_than_in_a_turn(touch: Touch, shocks: Shocks) -> None:
    assert bumped(touch, shocks, in_turn=False) > bumped(touch, shocks)


def test_a_fall_presses_less_and_bounces_more_than_a_hand_that_takes() -> None:
    assert fall_odds(falling(), quiet()) > fall_odds(pressed(), quiet())


def test_a_board_that_is_lighter_by_a_stack_at_once_was_not_touched_before() -> None:
    """Demo, normal, seed 203: three of eleven fallen pieces left the board."""
    gone = replace(Touch(0.0), lowest_g=-24.0, lighter_s=0.025)
    held = replace(gone, lighter_s=0.3)
    one = replace(gone, lowest_g=-3.0)

    def odds(touch: Touch) -> float:
        return fall_odds(touch, quiet())

    assert odds(gone) > odds(held) == odds(one)


@pytest.mark.parametrize("touch", [pressed(), shaken(), falling()])
def test_a_jolt_and_a_tilted_table_speak_for_a_fall(touch: Touch) -> None:
    nothing = fall_odds(touch, quiet())

    assert fall_odds(touch, pushed()) > nothing
    assert fall_odds(touch, hit()) > nothing
    assert fall_odds(touch, quiet(), tipped=True) > nothing


def test_a_bump_is_the_surer_the_less_else_explains_what_was_felt() -> None:
    """Nothing but a push shakes the tip; a careless hand may turn a board like an elbow does.

    What the inertial sensor heard, and did not, says more than the weight does alone.
    """
    trembled = quiet()
    trembled.update(tick(0.1, force_x_g=0.04), LEVEL_UP)
    unfelt, unweighed = bumped(pressed(), quiet()), bumped(pressed(), Shocks())
    weighed, both = bumped(shaken(), Shocks()), bumped(shaken(), trembled)
    turned, shook = bumped(pressed(), hit()), bumped(pressed(), pushed())

    assert unfelt < unweighed < weighed < both < shook
    assert weighed < turned < shook


def test_a_fall_is_the_surer_the_less_else_explains_what_was_felt() -> None:
    """A tilt switch needs a tipped board; pieces that bounce may be a hand that hesitates."""
    gone = replace(Touch(0.0), lowest_g=-24.0, lighter_s=0.025)
    bounced, grasped = replace(Touch(0.0), impacts=3), replace(Touch(0.0), pressed_s=0.3)
    tipped, struck = fall_odds(Touch(0.0), quiet(), tipped=True), fall_odds(Touch(0.0), hit())

    assert fall_odds(grasped, quiet()) < 0.0 == fall_odds(Touch(0.0), quiet())
    assert 0.0 < fall_odds(bounced, quiet()) < fall_odds(gone, quiet()) < struck < tipped

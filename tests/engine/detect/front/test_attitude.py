import random
from math import cos, degrees, pi, radians, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.attitude import Attitude
from engine.detect.front.ticks import TICK_S
from tests.engine.detect.tables import Pendulum, tick
from tests.engine.detect.turned import MIRRORS, Mirror


def test_the_first_ticks_set_the_tilt_outright() -> None:
    attitude = Attitude()
    for k in range(8):
        attitude.update(tick(k * TICK_S, force_x_g=0.05, force_y_g=-0.03, force_z_g=0.998))

    assert attitude.up_x == pytest.approx(0.05)
    assert attitude.up_y == pytest.approx(-0.03)


def test_the_gyroscope_carries_the_tilt_through_a_swing() -> None:
    pendulum = Pendulum((300.0, -200.0))
    attitude = Attitude()
    worst = 0.0
    for now, up in pendulum.ticks(9.0):
        x, y = attitude.update(now)
        if now.t_s > 6.0:
            worst = max(worst, abs(x - up[0]), abs(y - up[1]))

    assert degrees(worst) < 0.05


def pushed(attitude: Attitude, *, first: int = 40) -> Attitude:
    """A quiet second, then a table that somebody pushes five times a second."""
    for k in range(first):
        attitude.update(tick(k * TICK_S))
    for k in range(16):
        shake_g = 0.26 * sin(2 * pi * 5.0 * k * TICK_S)
        attitude.update(tick((first + k) * TICK_S, force_x_g=shake_g, force_y_g=-shake_g))
    return attitude


def test_shaking_does_not_pull_the_tilt_away() -> None:
    attitude = pushed(Attitude())

    assert abs(degrees(attitude.up_x)) < 0.1


def test_a_push_is_not_taken_for_a_gyroscope_whose_bias_jumped() -> None:
    attitude = pushed(Attitude())
    for k in range(56, 120):
        attitude.update(tick(k * TICK_S))
        assert not attitude.jumped

    assert degrees(attitude.bias_rad_s[0]) == pytest.approx(0.0, abs=0.05)


def test_a_lost_direction_is_found_again_at_rest_in_seconds() -> None:
    attitude = Attitude()
    for k in range(40):
        attitude.update(tick(k * TICK_S))
    attitude.up_x = 0.1
    for k in range(40, 40 + 240):
        attitude.update(tick(k * TICK_S))

    assert abs(degrees(attitude.up_x)) < 0.2


def test_a_constant_rate_at_rest_is_learned_as_bias() -> None:
    attitude = Attitude()
    bias = radians(0.1)
    for k in range(1200):
        now = tick(k * TICK_S, rate_x_rad_s=bias, turn_x_rad=bias * TICK_S)
        attitude.update(now)

    assert degrees(attitude.bias_rad_s[0]) == pytest.approx(0.1, abs=0.005)
    assert abs(degrees(attitude.rate(now)[0])) < 0.005


def test_a_silent_sensor_leaves_the_tilt_as_it_was() -> None:
    attitude = Attitude()
    for k in range(10):
        attitude.update(tick(k * TICK_S, force_x_g=0.02))
    before = attitude.up_x

    assert attitude.update(tick(1.0, force_z_g=float("nan"))) == (before, attitude.up_y)


def test_a_gyroscope_whose_bias_jumps_is_understood_within_a_swing() -> None:
    attitude, bias = Attitude(), radians(5.0)
    for k in range(80):
        attitude.update(tick(k * TICK_S))
    jumps = 0
    for k in range(80, 160):
        now = tick(k * TICK_S, rate_y_rad_s=bias, turn_y_rad=bias * TICK_S)
        attitude.update(now)
        jumps += attitude.jumped

    assert 1 <= jumps <= 3
    assert degrees(attitude.bias_rad_s[1]) == pytest.approx(5.0, abs=0.3)
    assert abs(degrees(attitude.up_x)) < 0.2


@pytest.mark.parametrize("bias_dps", [0.6, 1.0, 1.5, 2.5])
def test_a_bias_that_jumps_by_less_shows_in_a_longer_stretch_of_a_swing(bias_dps: float) -> None:
    pendulum, attitude, bias = Pendulum((600.0, -400.0)), Attitude(), radians(bias_dps)
    jumps = 0
    for now, up in pendulum.ticks(8.0):
        off = bias if now.t_s > 4.0 else 0.0
        attitude.update(
            now._replace(
                rate_y_rad_s=now.rate_y_rad_s + off, turn_y_rad=now.turn_y_rad + off * TICK_S
            )
        )
        jumps += attitude.bias_jumped
        off_deg = degrees(abs(attitude.up_x - up[0]))

    assert jumps
    assert degrees(attitude.bias_rad_s[1]) == pytest.approx(bias_dps, abs=0.25)
    assert off_deg < 0.35


def test_a_board_that_is_lifted_is_no_measure_of_the_gyroscope() -> None:
    attitude = Attitude()
    for k in range(400):
        if k > 100:
            attitude.carried()
        felt_g = 0.02 * sin(2 * pi * 0.2 * k * TICK_S) if k > 100 else 0.0
        attitude.update(tick(k * TICK_S, force_x_g=felt_g))
        assert not attitude.bias_jumped


def test_a_sensor_that_falls_silent_as_its_bias_jumps_has_jumped_once() -> None:
    attitude, bias = Attitude(), radians(5.0)
    told = [
        attitude.update(tick(k * TICK_S, rate_y_rad_s=bias, turn_y_rad=bias * TICK_S))
        and attitude.bias_jumped
        for k in range(48)
    ]
    attitude.update(tick(2.0, force_z_g=float("nan")))

    assert any(told)
    assert not attitude.bias_jumped


@pytest.mark.parametrize(
    ("felt_dps", "turned_dps"), [(0.25, 0.0), (1.5, 0.0), (3.0, 0.0), (0.0, 1.5), (0.0, 3.0)]
)
def test_a_table_that_is_leaned_on_is_not_taken_for_a_bias_that_jumped(
    felt_dps: float, turned_dps: float
) -> None:
    """By 0.6 degrees, of which in recorded games only one of the two chips shows anything."""
    attitude, chance, felt_g = Attitude(), random.Random(5), 0.0
    for k in range(400):
        leaning = 100 <= k < 100 + 24 / max(felt_dps, turned_dps)
        felt_g += leaning * radians(felt_dps) * TICK_S
        rate = leaning * radians(turned_dps)
        now = tick(k * TICK_S, rate_y_rad_s=rate, turn_y_rad=rate * TICK_S)
        noise_x_g, noise_y_g = chance.gauss(0.0, 0.002), chance.gauss(0.0, 0.002)
        attitude.update(now._replace(force_x_g=felt_g + noise_x_g, force_y_g=noise_y_g))
        assert not attitude.bias_jumped


@pytest.mark.parametrize("friction_gmm", [0.0, 15.0])
def test_no_swing_is_taken_for_a_jump_of_the_bias(friction_gmm: float) -> None:
    pendulum = Pendulum((600.0, -400.0), friction_gmm=friction_gmm)
    attitude = Attitude()
    for now, _ in pendulum.ticks(6.0):
        attitude.update(now)
        assert not attitude.jumped


def test_a_wide_swing_is_no_reason_to_doubt_the_sensor() -> None:
    """The accelerometer's mean of a fifth of a second shows a tenth less of it: so must the other.

    Else some placements of each game were told without their cell.
    """
    pendulum = Pendulum((900.0, -630.0))
    attitude = Attitude()
    for now, _ in pendulum.ticks(6.0):
        attitude.update(now)
        assert not attitude.doubtful


@given(st.lists(st.tuples(st.floats(-0.09, 0.09), st.floats(-0.09, 0.09)), min_size=1, max_size=8))
def test_a_board_that_has_only_just_been_seen_hangs_by_the_mean_of_what_was_felt(
    felt_g: list[tuple[float, float]],
) -> None:
    attitude = Attitude()
    for k, (x_g, y_g) in enumerate(felt_g):
        attitude.update(tick(k * TICK_S, force_x_g=x_g, force_y_g=y_g))

    assert attitude.up_x == pytest.approx(sum(x_g for x_g, _ in felt_g) / len(felt_g))
    assert attitude.up_y == pytest.approx(sum(y_g for _, y_g in felt_g) / len(felt_g))


@pytest.mark.parametrize("mirror", MIRRORS)
def test_a_table_that_is_turned_or_mirrored_hangs_alike(mirror: Mirror) -> None:
    """Also where its gyroscope is off, by what is learned at rest and by what jumps."""
    plain, other, pendulum = Attitude(), Attitude(), Pendulum((300.0, -200.0), friction_gmm=15.0)
    jumps = 0
    for now, _ in pendulum.ticks(6.0):
        off = radians(2.0) if now.t_s > 4.0 else radians(0.1)
        seen = now._replace(
            rate_x_rad_s=now.rate_x_rad_s + off, turn_x_rad=now.turn_x_rad + off * TICK_S,
            rate_y_rad_s=now.rate_y_rad_s - off, turn_y_rad=now.turn_y_rad - off * TICK_S,
        )  # fmt: skip
        place, mirrored = plain.update(seen), other.update(mirror.tick(seen))
        assert mirrored == pytest.approx(mirror.place(*place), abs=1e-9)
        assert other.bias_rad_s == pytest.approx(mirror.axis(*plain.bias_rad_s), abs=1e-9)
        assert (other.jumped, other.doubtful) == (plain.jumped, plain.doubtful)
        jumps += plain.bias_jumped

    assert jumps


def test_a_board_that_turns_about_its_tip_takes_the_vertical_along() -> None:
    """A quarter turn about z turns a lean to the x side into one to the other side."""
    attitude = Attitude()
    for k in range(20):
        attitude.update(tick(k * TICK_S, force_x_g=0.08, force_z_g=0.9968))
    turn = pi / 2 / 40
    for k in range(40):
        lean = 0.08 * complex(cos((k + 1) * turn), -sin((k + 1) * turn))
        attitude.update(tick(k * TICK_S, turn_z_rad=turn, force_x_g=lean.real, force_y_g=lean.imag))

    assert (attitude.up_x, attitude.up_y) == pytest.approx((0.0, -0.08), abs=0.004)

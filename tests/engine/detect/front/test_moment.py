from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.body import Stacks
from engine.detect.front.moment import MOST_TICKS, MomentEstimator
from engine.detect.front.ticks import TICK_S
from tests.engine.detect.tables import TABLETOP, Pendulum, distance, tick
from tests.engine.detect.turned import MIRRORS, Mirror
from tests.soaked import examples

EMPTY = Stacks(TABLETOP).body()


def watch(estimator: MomentEstimator, pendulum: Pendulum, seconds: float) -> None:
    for count, (now, up) in enumerate(pendulum.ticks(seconds), start=1):
        estimator.add(now, up, (now.rate_x_rad_s, now.rate_y_rad_s))
        if count % 20 == 0:
            estimator.fold(EMPTY)


def acquainted(friction_gmm: float) -> tuple[MomentEstimator, Pendulum]:
    """An estimator that has seen this table swing, and the table at rest."""
    return deepcopy(_acquainted(friction_gmm))


@cache
def _acquainted(friction_gmm: float) -> tuple[MomentEstimator, Pendulum]:
    pendulum = Pendulum((-30.0, 40.0), friction_gmm=friction_gmm)
    estimator = MomentEstimator(TABLETOP)
    for moment in ((180.0, 40.0), (-30.0, 260.0), (-30.0, 40.0)):
        estimator.contact()
        pendulum.moment[:2] = moment
        watch(estimator, pendulum, 4.0)
    return estimator, pendulum


@pytest.mark.parametrize("friction_gmm", [0.0, 3.0, 15.0, 35.0])
def test_a_third_of_a_second_of_swing_tells_the_moment(friction_gmm: float) -> None:
    estimator, pendulum = acquainted(friction_gmm)
    before = pendulum.moment[:2].copy()
    estimator.contact()
    pendulum.moment[:2] += (96.0, -192.0)
    watch(estimator, pendulum, 0.3)
    measured = estimator.measure(EMPTY)

    assert distance(measured.change_gmm, (96.0, -192.0)) < 12.0
    assert distance(measured.now_gmm, (before[0] + 96.0, before[1] - 192.0)) < 12.0
    assert measured.sd_gmm < 20.0


def test_the_load_cells_see_through_a_pivot_that_sticks() -> None:
    """The tilt alone could be wrong by the friction band; the cells carry the friction torque."""
    estimator, pendulum = acquainted(35.0)
    estimator.contact()
    pendulum.moment[:2] += (20.0, 0.0)
    watch(estimator, pendulum, 1.5)
    tilt_says = float(pendulum.up[0] / pendulum.up[2] * EMPTY.moment_z_gmm)
    measured = estimator.measure(EMPTY)

    assert abs(tilt_says - pendulum.moment[0]) > 10.0
    assert distance(measured.now_gmm, pendulum.moment[:2]) < 0.7 * abs(
        tilt_says - pendulum.moment[0]
    )


def test_a_board_that_has_lain_still_for_long_tells_nothing_new_by_its_tilt() -> None:
    """Else the friction that holds it would be believed the more, the longer it holds."""
    estimator, pendulum = acquainted(35.0)
    estimator.contact()
    pendulum.moment[:2] += (20.0, 0.0)
    for now, up in pendulum.ticks(15.5):
        estimator.add(now, up, (now.rate_x_rad_s, now.rate_y_rad_s))

    assert distance(estimator.measure(EMPTY).now_gmm, pendulum.moment[:2]) < 5.0


def test_the_table_teaches_its_friction_inertia_and_damping() -> None:
    estimator, pendulum = acquainted(15.0)
    table = estimator.table()

    assert table.friction_gmm == pytest.approx(15.0, abs=2.0)
    assert table.board_inertia_gmm2 == pytest.approx(pendulum.inertia_gmm2, rel=0.03)
    assert table.damping_gmm2_s == pytest.approx(pendulum.damping_gmm2_s, rel=0.3)


def test_before_it_has_swung_a_pivot_may_be_a_bad_one() -> None:
    new, (known, _) = MomentEstimator(TABLETOP), acquainted(15.0)

    assert new.table().friction_sd_gmm > 4 * known.table().friction_sd_gmm


def test_a_lean_moves_the_cells_and_not_the_moment() -> None:
    estimator, pendulum = acquainted(15.0)
    for now, up in pendulum.ticks(3.0):
        leaning = now._replace(cop_x_gmm=now.cop_x_gmm + 180.0)
        estimator.add(leaning, up, (now.rate_x_rad_s, now.rate_y_rad_s))
        if estimator.ticks == 20:
            estimator.fold(EMPTY)

    assert estimator.restless or distance(estimator.now_gmm, (-30.0, 40.0)) < 15.0
    assert distance(estimator.now_gmm, (-30.0, 40.0)) < 15.0


def test_a_window_in_which_a_hand_was_teaches_nothing_about_the_table() -> None:
    estimator, pendulum = acquainted(3.0)
    before = estimator.table()
    rng = np.random.default_rng(5)
    for now, up in pendulum.ticks(0.5):
        pushed = now._replace(spin_x_rad_s2=rng.normal(0, 8.0), spin_y_rad_s2=rng.normal(0, 8.0))
        estimator.add(pushed, up, (now.rate_x_rad_s, now.rate_y_rad_s))
    estimator.fold(EMPTY)

    assert estimator.table() == before


def test_nothing_changed_puts_back_what_was_known() -> None:
    estimator, pendulum = acquainted(3.0)
    estimator.contact()
    watch(estimator, pendulum, 0.1)
    estimator.nothing_changed()

    assert distance(estimator.now_gmm, (-30.0, 40.0)) < 5.0


def test_without_the_inertial_sensor_the_window_is_deaf_and_nothing_breaks() -> None:
    estimator, pendulum = acquainted(3.0)
    estimator.contact()
    for now, up in pendulum.ticks(0.2):
        estimator.add(now._replace(spin_x_rad_s2=float("nan")), (np.nan, np.nan, 1.0), (0.0, 0.0))
        del up

    assert estimator.deaf
    assert np.isfinite(estimator.measure(EMPTY).change_gmm).all()


def test_a_hand_that_rests_on_the_board_all_evening_costs_no_memory() -> None:
    estimator, pendulum = acquainted(3.0)
    (now, up), *_ = list(pendulum.ticks(0.05))
    for _ in range(5 * MOST_TICKS):
        estimator.add(now, up, (0.0, 0.0))

    assert estimator.ticks <= MOST_TICKS


def test_a_hand_that_hovered_teaches_nothing_about_the_board() -> None:
    """A contact that was not over when it seemed so: S before it is "before" again."""
    estimator, pendulum = acquainted(15.0)
    estimator.contact()
    before = estimator.measure(EMPTY).now_gmm - estimator.measure(EMPTY).change_gmm
    rest = pendulum.moment.copy()
    pendulum.moment[:2] += (-150.0, 120.0)  # the hand carries half of the board
    watch(estimator, pendulum, 0.2)
    estimator.nothing_changed()
    estimator.rejoin()
    pendulum.moment[:2] = rest[:2] + 96.0
    watch(estimator, pendulum, 1.0)
    measured = estimator.measure(EMPTY)

    assert distance(before, rest[:2]) < 12.0
    assert distance(measured.change_gmm, (96.0, 96.0)) < 15.0


def test_a_load_beside_the_board_moves_the_plates_moment_and_not_the_boards() -> None:
    estimator, pendulum = acquainted(3.0)
    estimator.contact()
    for now, up in pendulum.ticks(1.5):
        beside = now._replace(cop_x_gmm=now.cop_x_gmm + 270.0)
        estimator.add(beside, up, (now.rate_x_rad_s, now.rate_y_rad_s))
    measured = estimator.measure(EMPTY)

    assert distance(measured.change_gmm, (0.0, 0.0)) < 15.0
    assert abs(measured.offset_shift_gmm - 270.0) < 5.0 * measured.offset_sd_gmm + 20.0


def test_the_longer_it_is_watched_the_better_the_plates_moment_is_known() -> None:
    estimator, pendulum = acquainted(3.0)
    estimator.contact()
    known = []
    for _ in range(3):
        watch(estimator, pendulum, 0.4)
        known.append(estimator.measure(EMPTY).offset_sd_gmm)

    assert known == sorted(known, reverse=True)
    assert 0.0 < known[-1] < 50.0


def test_who_taps_on_the_table_shakes_the_tip_and_those_ticks_are_not_believed() -> None:
    """Five taps turned a board by a cell that nobody had touched (seed 1200049, rough)."""

    def turned(felt_g: float) -> float:
        estimator, pendulum = acquainted(35.0)
        estimator.contact()
        for count, (now, up) in enumerate(pendulum.ticks(2.0)):
            seen = now
            if count % 8 == 3:
                shaken = {"force_y_g": now.force_y_g + felt_g, "cop_y_gmm": now.cop_y_gmm - 400.0}
                seen = now._replace(**shaken, rate_x_rad_s=-0.03, spin_x_rad_s2=-0.8)
            estimator.add(seen, up, (seen.rate_x_rad_s, seen.rate_y_rad_s))
        return estimator.measure(EMPTY).size_gmm

    assert turned(0.02) < 6.0
    assert turned(0.0) > 12.0


def test_who_leans_on_the_table_turns_it_with_the_board_that_sticks_to_it() -> None:
    """The board did not swing, so its pivot told nothing: b4 was told as c4 (seed 1200008)."""
    estimator, pendulum = acquainted(35.0)
    estimator.contact()
    watch(estimator, pendulum, 1.0)
    turned = 0.0
    for now, (up_x, up_y, up_z) in pendulum.ticks(0.5):
        turn = min(0.006 - turned, 0.001)
        turned += turn
        leaning = now._replace(
            cop_x_gmm=now.cop_x_gmm - turned * EMPTY.moment_z_gmm - 240.0,
            force_x_g=now.force_x_g + turned,
        )
        estimator.add(leaning, (up_x + turned, up_y, up_z), (0.0, -turn / TICK_S))
    estimator.fold(EMPTY)

    assert estimator.measure(EMPTY).size_gmm < 10.0


def test_what_lies_beside_a_board_that_moved_strangely_is_known_all_the_same() -> None:
    """Two of eleven pieces lay on the plate, and counted again at the next rest (26400185)."""
    estimator, pendulum = acquainted(3.0)
    estimator.contact()
    shifts: list[float] = []
    for _ in range(2):
        for now, up in pendulum.ticks(0.5):
            beside = now._replace(cop_x_gmm=now.cop_x_gmm + 800.0)
            estimator.add(beside, up, (now.rate_x_rad_s, now.rate_y_rad_s))
        estimator.drop_last(20, EMPTY)
        assert estimator.ticks == 0
        shifts.append(estimator.measure(EMPTY).offset_shift_gmm)
        estimator.contact()

    assert shifts == [pytest.approx(800.0, abs=150.0), pytest.approx(0.0, abs=100.0)]


def test_a_board_that_hung_as_before_is_known_as_well_as_before() -> None:
    """But for what the contact may have done to its seat, some 3 g mm each way."""
    estimator, pendulum = acquainted(3.0)
    before = estimator.measure(EMPTY)
    estimator.contact()
    watch(estimator, pendulum, 0.1)
    estimator.nothing_changed()
    now = estimator.measure(EMPTY)

    assert now.change_gmm.tolist() == [0.0, 0.0]
    assert 1.0 < now.sd_gmm < 5.0
    assert np.allclose(now.now_cov - before.now_cov, now.change_cov, atol=1.0)


def kicked(noise_gmm: float) -> tuple[MomentEstimator, Pendulum, float]:
    """An estimator that has been told how noisy the cells are, and learns from their kick."""
    estimator, pendulum = acquainted(15.0)
    estimator.cop_sd_gmm = noise_gmm
    estimator.contact()
    pendulum.moment[:2] += (96.0, -192.0)
    watch(estimator, pendulum, 0.5)
    return estimator, pendulum, estimator.measure(EMPTY).offset_sd_gmm


def test_the_noisier_the_cells_the_less_they_tell_of_what_lies_beside_the_board() -> None:
    """Nor do they tell less than was known before the contact."""
    known = [kicked(noise_gmm)[2] for noise_gmm in (2.0, 12.0, 40.0, 400.0)]

    assert known == sorted(known)
    assert known[2] > 1.5 * known[1] > 1.5 * known[0]
    assert known[3] < 60.0


@pytest.mark.parametrize("times", [1 / 8, 5.0])
def test_no_hand_makes_a_board_of_another_inertia_than_towers_have(times: float) -> None:
    """It pushes or brakes: the same torque turns the board by so many times as little."""
    estimator, pendulum = MomentEstimator(TABLETOP), Pendulum((180.0, 40.0))
    before = estimator.table()
    estimator.contact()
    for now, up in pendulum.ticks(0.5):
        spin = now.spin_x_rad_s2 / times, now.spin_y_rad_s2 / times
        seen = now._replace(spin_x_rad_s2=spin[0], spin_y_rad_s2=spin[1])
        estimator.add(seen, up, (now.rate_x_rad_s, now.rate_y_rad_s))
    estimator.fold(EMPTY)

    assert estimator.table() == before


def test_what_shakes_a_noisy_sensor_all_the_time_is_nobodys_tap() -> None:
    """A silence of the sensor teaches nothing of its noise."""
    estimator, rng = MomentEstimator(TABLETOP), np.random.default_rng(8)
    quiet_g = estimator.tap_g
    for k, (x_g, y_g) in enumerate(rng.normal(0.0, 0.006, (1500, 2))):
        now = tick(k * TICK_S, force_x_g=x_g, force_y_g=y_g)
        estimator.add(now.without_imu() if k % 50 == 7 else now, (0.0, 0.0, 1.0), (0.0, 0.0))

    assert estimator.tap_g > 2.0 * quiet_g
    assert estimator.tap_g > 3.0 * 0.006


def test_a_hard_push_does_not_make_taps_pass_for_noise() -> None:
    estimator = MomentEstimator(TABLETOP)
    quiet_g = estimator.tap_g
    for k in range(5):
        estimator.add(tick(k * TICK_S, force_x_g=0.5), (0.0, 0.0, 1.0), (0.0, 0.0))

    assert estimator.tap_g < 1.5 * quiet_g


@examples(25)
@given(st.sampled_from(MIRRORS), st.sampled_from([0.0, 15.0]))
def test_a_table_that_is_turned_or_mirrored_is_measured_alike(
    mirror: Mirror, friction_gmm: float
) -> None:
    plain, other = MomentEstimator(TABLETOP), MomentEstimator(TABLETOP)
    for estimator in (plain, other):
        estimator._mean[:4] = 0.0
    pendulum = Pendulum((0.0, 0.0), friction_gmm=friction_gmm)
    for moment in ((96.0, -192.0), (30.0, 20.0)):
        pendulum.moment[:2] = moment
        plain.contact()
        other.contact()
        for now, (up_x, up_y, up_z) in pendulum.ticks(0.6):
            rate = now.rate_x_rad_s, now.rate_y_rad_s
            plain.add(now, (up_x, up_y, up_z), rate)
            other.add(mirror.tick(now), (*mirror.place(up_x, up_y), up_z), mirror.axis(*rate))
        one, two = plain.measure(EMPTY), other.measure(EMPTY)
        assert two.now_gmm == pytest.approx(mirror.place(*one.now_gmm), abs=1e-4)
        assert two.sd_gmm == pytest.approx(one.sd_gmm)
        assert two.offset_shift_gmm == pytest.approx(one.offset_shift_gmm, abs=1e-4)
        assert two.misfit == pytest.approx(one.misfit)
        plain.fold(EMPTY)
        other.fold(EMPTY)


@pytest.mark.parametrize("begins", ["contact", "rejoin", "touch_again", "lost", "nothing_changed"])
def test_what_the_board_did_before_a_touch_is_no_part_of_what_it_does_after(begins: str) -> None:
    estimator, pendulum = acquainted(3.0)
    for now, up in pendulum.ticks(0.5):
        estimator.add(now, up, (now.rate_x_rad_s, now.rate_y_rad_s))
    getattr(estimator, begins)()

    assert estimator.ticks == 0
    assert estimator.misfit(EMPTY) == 0.0


@pytest.mark.parametrize("times", [0.5, 2.0])
def test_a_board_of_another_weight_is_thought_to_swing_and_to_stick_as_usual_ones_do(
    times: float,
) -> None:
    """In the same time, and within the same tilt, before anything is known of it."""
    x_gmm, y_gmm, z_gmm = TABLETOP.empty_moment_gmm
    heavy = replace(TABLETOP, empty_moment_gmm=(x_gmm, y_gmm, times * z_gmm))
    usual, other = MomentEstimator(TABLETOP).table(), MomentEstimator(heavy).table()

    assert other.board_inertia_gmm2 == pytest.approx(times * usual.board_inertia_gmm2)
    assert other.friction_gmm == pytest.approx(times * usual.friction_gmm)
    assert other.friction_sd_gmm == pytest.approx(times * usual.friction_sd_gmm)
    assert other.pivot_height_mm == usual.pivot_height_mm


def test_where_contacts_move_what_lies_beside_the_board_less_is_relied_on_it() -> None:
    """How steady a table stands is learned from what its own contacts leave."""

    def known_gmm(step_gmm: float) -> float:
        estimator, pendulum = acquainted(3.0)
        for sign in (1.0, -1.0, 1.0, -1.0, 1.0, -1.0):
            estimator.contact()
            for count, (now, up) in enumerate(pendulum.ticks(1.5), start=1):
                seen = now._replace(cop_x_gmm=now.cop_x_gmm + sign * step_gmm)
                estimator.add(seen, up, (now.rate_x_rad_s, now.rate_y_rad_s))
                if count % 20 == 0:
                    estimator.fold(EMPTY)
        estimator.contact()
        return estimator.measure(EMPTY).offset_sd_gmm

    assert known_gmm(25.0) > 1.3 * known_gmm(0.0)

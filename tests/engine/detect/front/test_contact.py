from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.contact import IMPACT_G, PRESS_G, Balance, Phase, Touch
from engine.detect.front.ticks import TICK_S
from tests.engine.detect.tables import weights

PIECE_G = 3.0


def free_board(mass_g: float = 0.0) -> Balance:
    balance = Balance(PIECE_G)
    for now in weights([mass_g] * 12):
        balance.update(now.t_s, now.mass_g)
    balance.accept()
    for now in weights([mass_g] * 40, start_s=0.3):
        balance.update(now.t_s, now.mass_g)
    return balance


def test_equal_weights_make_a_run() -> None:
    balance = Balance(PIECE_G)
    phases = [balance.update(now.t_s, now.mass_g) for now in weights([0.0] * 4)]

    assert phases == [Phase.CONTACT] * 3 + [Phase.SETTLING]


def test_a_hand_ends_the_freedom_and_a_new_steady_weight_the_contact() -> None:
    balance = free_board()
    for now in weights([8.0, 15.0, 9.0, 2.0], start_s=2.0):
        assert balance.update(now.t_s, now.mass_g) is Phase.CONTACT
    for now in weights([3.0] * 4, start_s=2.1):
        balance.update(now.t_s, now.mass_g)

    assert balance.phase is Phase.SETTLING
    assert balance.gained_g == pytest.approx(3.0)
    assert balance.arrived_s == pytest.approx(2.1)
    assert balance.touch.highest_g == 15.0


def test_noise_is_not_a_contact_and_drift_is_followed() -> None:
    rng = np.random.default_rng(3)
    balance = free_board()
    masses = rng.normal(0.0, 0.12, 2000) + np.linspace(0.0, 1.5, 2000)
    for now in weights(masses.tolist()):
        assert balance.update(now.t_s, now.mass_g) is Phase.FREE

    assert balance.before_g == pytest.approx(1.5, abs=0.2)


def test_a_small_step_does_not_sink_into_the_baseline_however_noisy() -> None:
    rng = np.random.default_rng(4)
    balance = free_board()
    balance.noise_g = 0.5
    steps = weights((3.0 + rng.normal(0, 0.5, 40)).tolist())
    phases = [balance.update(now.t_s, now.mass_g) for now in steps]

    assert Phase.SETTLING in phases
    assert balance.gained_g == pytest.approx(3.0, abs=0.4)


def test_a_shaken_table_is_told_from_a_hand_and_from_falling_pieces() -> None:
    table, hand, fall = Touch(0.0), Touch(0.0), Touch(0.0)
    for k in range(12):
        table.feel(40.0 * (-1) ** (k // 2))
        hand.feel(12.0 if k < 8 else 3.0)
    for k in range(30):
        fall.feel(10.0 if k < 20 else -12.0)

    assert (table.shaken, hand.shaken, fall.shaken) == (True, False, False)
    assert table.impacts >= 2
    assert hand.pressed_s == pytest.approx(12 * TICK_S)


def test_a_broken_rest_can_still_become_the_new_weight() -> None:
    balance = free_board()
    for now in weights([9.0, 9.5, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0], start_s=2.0):
        balance.update(now.t_s, now.mass_g)
    assert balance.update(2.3, 20.0) is Phase.CONTACT
    balance.rebase(2.3)

    assert balance.before_g == pytest.approx(3.0)


def test_a_contact_that_goes_on_is_weighed_against_the_board_before_it() -> None:
    balance = Balance(3.0)
    for one in weights([10.0] * 40):
        if balance.update(one.t_s, one.mass_g) is Phase.SETTLING and balance.run_ticks == 20:
            balance.accept()
    for one in weights([14.0] * 4 + [10.3] * 8, start_s=1.0):
        balance.update(one.t_s, one.mass_g)
    balance.accept()

    assert balance.rejoin()
    assert balance.before_g == pytest.approx(10.0, abs=0.05)


def test_on_a_table_only_just_switched_on_there_is_no_board_before() -> None:
    balance = Balance(PIECE_G)
    assert not balance.rejoin()
    for one in weights([10.0] * 12):
        balance.update(one.t_s, one.mass_g)
    balance.accept()

    assert not balance.rejoin()
    assert balance.before_g == pytest.approx(10.0)


def test_what_ends_a_rest_is_felt_with_what_follows_and_not_with_what_led_to_it() -> None:
    """A pushed table would hide that a piece had just come down (seed 1200043, rough)."""
    balance = free_board()
    for now in weights([8.0, 0.0, 0.0, 7.0, 3.0, 3.0, 3.0, 3.0, 3.0], start_s=2.0):
        balance.update(now.t_s, now.mass_g)
    rested = balance.touch.after_g, balance.touch.lowest_g
    (push, then) = weights([-30.0, -20.0], start_s=2.225)
    balance.update(push.t_s, push.mass_g)

    assert balance.phase is Phase.CONTACT
    assert (balance.touch.after_g, balance.touch.lowest_g) == rested
    balance.update(then.t_s, then.mass_g)
    assert balance.touch.lowest_g == -30.0


def test_a_touch_remembers_how_light_the_board_was_after_the_hand_had_gone() -> None:
    touch = Touch(0.0)
    for excess_g in (5.0, 9.0, 0.2, 0.1, -6.0, 7.0, 3.0):
        touch.feel(excess_g)

    assert (touch.after_g, touch.after_least_g) == (7.0, -6.0)


@pytest.mark.parametrize(
    ("excess_g", "seconds", "knocked"), [(40.0, 0.1, True), (20.0, 0.1, False), (40.0, 0.3, False)]
)
def test_a_knock_is_hard_and_short(excess_g: float, seconds: float, knocked: bool) -> None:
    touch = Touch(0.0)
    for _ in range(round(seconds / TICK_S)):
        touch.feel(excess_g)

    assert touch.knocked is knocked


@given(st.lists(st.sampled_from([-30.0, -8.0, -1.5, -0.5, 0.0, 0.5, 1.5, 8.0, 30.0]), max_size=20))
def test_a_touch_is_what_was_felt_in_all_its_ticks(felt_g: list[float]) -> None:
    touch = Touch(5.0)
    for excess_g in felt_g:
        touch.feel(excess_g)
    hard = [(k * TICK_S, g) for k, g in enumerate(felt_g, start=1) if abs(g) > IMPACT_G]
    lighter_s = min((at_s for at_s, g in hard if g < 0.0), default=inf)
    reversed_s = (at_s for (_, before), (at_s, g) in pairwise(hard) if before * g < 0.0)

    assert touch.highest_g == max(0.0, *felt_g, 0.0)
    assert touch.lowest_g == min(0.0, *felt_g, 0.0)
    assert touch.felt_s == pytest.approx(len(felt_g) * TICK_S)
    assert touch.pressed_s == pytest.approx(sum(g > PRESS_G for g in felt_g) * TICK_S)
    assert touch.lighter_s == pytest.approx(lighter_s)
    assert touch.first_reversal_s == pytest.approx(min(reversed_s, default=inf))


@given(st.lists(st.floats(0.0, 0.9), max_size=9), st.integers(1, 9), st.floats(-0.9, 0.0))
def test_what_bounces_is_counted_each_time_it_hits_the_board(
    noise: list[float], hits: int, low_g: float
) -> None:
    """Noise on the way up or down makes no more of them."""
    touch = Touch(0.0)
    for _ in range(hits):
        for height in (0.0, *sorted(noise), 1.0, *sorted(noise, reverse=True), 0.0):
            touch.feel(low_g + 9.0 * height)

    assert touch.impacts == hits


def test_a_hand_that_stays_once_its_piece_lies_there_is_another_contact() -> None:
    """It is weighed against the board with the piece, and nothing it did before is its own."""
    balance = free_board()
    for now in weights([8.0, 15.0, 3.0, 3.0, 3.0, 3.0], start_s=2.0):
        balance.update(now.t_s, now.mass_g)
    balance.rebase(2.2)

    assert balance.before_g == pytest.approx(3.0)
    assert balance.touch == Touch(2.2)
    for now in weights([4.0] * 6, start_s=2.2):
        balance.update(now.t_s, now.mass_g)
    assert balance.gained_g == pytest.approx(1.0, abs=0.3)
    assert balance.arrived_s == pytest.approx(2.2, abs=2 * TICK_S)

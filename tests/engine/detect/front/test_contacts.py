"""What is seen of contacts and rests, by the ticks alone."""

from dataclasses import replace
from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.front.contact import Touch
from engine.detect.front.observation import Look
from engine.detect.front.pressing import Press
from engine.detect.front.shocks import Pushes
from engine.detect.front.ticks import TICK_S
from engine.events import Placed
from tests.engine.detect.back.test_scene import (
    PIECE_G,
    UNKNOWN_UP,
    Watched,
    feel,
    hand,
    place,
    scene_at_rest,
    weigh,
)
from tests.engine.detect.tables import TABLETOP, Pendulum, tick, weights

PRESSED = Press((20.0, 0.0), 1.0, 12.0)


def turning(scene: Watched, mass_g: float, rates_rad_s: list[float]) -> None:
    """The board turns so fast, tick by tick."""
    for now in weights([mass_g] * len(rates_rad_s), start_s=scene.now_s):
        scene.now_s = now.t_s
        scene.contacts.weigh(now, UNKNOWN_UP, (rates_rad_s.pop(0), 0.0))


@pytest.mark.parametrize("noise_rad_s", [0.001, 0.008])
def test_a_board_that_hangs_still_is_at_rest_however_noisy_the_gyroscope(
    noise_rad_s: float,
) -> None:
    scene = scene_at_rest()
    place(scene, 1)
    weigh(scene, PIECE_G, 30.0)
    turning(scene, PIECE_G, [noise_rad_s] * 8)  # so it is known how still this board can be
    (sighting,) = scene.teller.sightings.values()
    sighting.still_s = inf
    turning(scene, PIECE_G, [0.05] * 40 + [0.03] * 40)
    assert sighting.still_s == inf
    turning(scene, PIECE_G, [noise_rad_s] * 8)

    assert sighting.still_s < inf


def test_a_hand_says_where_it_pressed_unless_the_table_was_pushed_meanwhile() -> None:
    """The push weighs on the cells and turns no board: pieces on c2 and c4 were told on c3."""
    contacts = Watched().contacts
    contacts.pressing.where = lambda *_: PRESSED  # type: ignore[method-assign]
    assert contacts._press(Pushes(heard=True)) == PRESSED
    assert contacts._press(Pushes(heard=True, shaken=True)) is None


def looks(scene: Watched) -> list[Look]:
    """What is looked at from now on."""
    seen: list[Look] = []
    weigh_it = scene.look

    def look(look: Look) -> bool:
        seen.append(look)
        return weigh_it(look)

    scene.look = look  # type: ignore[method-assign]
    return seen


def test_a_rest_is_looked_at_again_and_again_and_what_was_felt_before_it_stays() -> None:
    scene = scene_at_rest()
    seen = looks(scene)
    hand(scene, 0.0)
    weigh(scene, PIECE_G, 1.5)

    assert len(seen) > 3
    assert {look.felt.touch.began_s for look in seen} == {scene.touched_s}
    assert [look.steady_s for look in seen] == sorted(look.steady_s for look in seen)
    assert all(look.mass_g == pytest.approx(PIECE_G, abs=0.1) for look in seen)
    assert [look.let_go for look in seen][-1]


def test_what_is_less_than_before_all_the_time_is_seen_though_it_is_not_steady() -> None:
    scene = scene_at_rest()
    place(scene, 3)
    seen: list[Look] = []

    def lighter(look: Look) -> None:
        seen.append(look)

    scene.lighter = lighter  # type: ignore[method-assign]
    feel(scene, [g * PIECE_G for g in (2.3, 0.4, 1.6, 0.1, 2.2) * 6])

    assert seen
    assert all(look.moment is None and look.mass_g < 2.2 * PIECE_G for look in seen)


def test_no_rest_is_shorter_than_a_few_conversions_of_slow_cells() -> None:
    scene = scene_at_rest()
    seen = looks(scene)
    scene.contacts.scale_hz = 10.0
    hand(scene, 0.0)
    weigh(scene, PIECE_G, 1.0)

    assert min(look.steady_s for look in seen) > 0.3


def test_the_back_end_knows_since_when_the_board_is_touched() -> None:
    scene = scene_at_rest()
    assert not scene.in_contact
    feel(scene, [9.0, 14.0])

    assert scene.in_contact
    assert scene.touched_s == pytest.approx(scene.now_s - 2 * TICK_S, abs=TICK_S)


def test_a_first_weight_once_the_scale_is_back_is_compared_with_nothing() -> None:
    scene = scene_at_rest()
    place(scene, 2)
    scene.contacts.weigh_anew()
    events = weigh(scene, 5.5 * PIECE_G, 3.0)

    assert not [event for event in events if isinstance(event, Placed)]


@pytest.mark.parametrize("rate_rad_s", [(3.0, 0.0), (0.0, 3.0), (2.0, -2.0)])
def test_a_board_weighs_while_it_swings_what_it_weighs_at_rest(
    rate_rad_s: tuple[float, float],
) -> None:
    """What carries a board up presses on the cells: d2/dt2 of its moment along the vertical."""
    pendulum = Pendulum((300.0, -200.0))
    pendulum.rate = rate_rad_s
    contacts, moment = Watched().contacts, pendulum.moment
    contacts.moment._mean[2:4] = moment[:2]
    ticks, heights = [], []
    for now, up in pendulum.ticks(1.0):
        ticks.append((now, up))
        heights.append(float(moment @ up))
    felt_g = np.diff(heights, 2) / TICK_S**2 / 9806.65
    found_g = [
        contacts._resting_mass_g(
            now._replace(mass_g=9.0 + float(g)), up, (now.rate_x_rad_s, now.rate_y_rad_s)
        )
        for (now, up), g in zip(ticks[2:], felt_g, strict=True)
    ]

    assert np.ptp(felt_g) > 1.0
    assert np.ptp(found_g[2:]) < 0.4 * np.ptp(felt_g)
    assert np.mean(found_g[2:]) == pytest.approx(9.0, abs=0.1)


@given(
    st.tuples(*[st.floats(-400.0, 400.0)] * 2), st.tuples(*[st.floats(-0.4, 0.4)] * 2),
    st.tuples(*[st.floats(-0.3, 0.3)] * 3),
)  # fmt: skip
def test_how_fast_a_board_goes_up_is_told_by_how_it_hangs_and_turns(
    moment_gmm: tuple[float, float], lean: tuple[float, float], rate_rad_s: tuple[float, ...]
) -> None:
    """The vertical, seen from the board, turns the other way; one that hung still gathers way."""
    contacts = Watched().contacts
    contacts.moment._mean[2:4] = moment_gmm
    up = (*lean, sqrt(1.0 - lean[0] ** 2 - lean[1] ** 2))
    x, y, z = rate_rad_s
    way = np.dot((*moment_gmm, TABLETOP.empty_moment_gmm[2]), np.cross(up, (x, y, z)))
    now = tick(1.0, mass_g=9.0, turn_z_rad=z * TICK_S)
    dynamic_g = 9.0 - contacts._resting_mass_g(now, up, (x, y))

    assert dynamic_g == pytest.approx(way / TICK_S / 9806.65, abs=1e-9)
    assert contacts._resting_mass_g(now, up, (x, y)) == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("press", "kept"),
    [
        (PRESSED, True),
        (replace(PRESSED, sd_mm=9.0), False),  # known less well than a finger works
        (replace(PRESSED, highest_g=300.0), False),  # no hand presses so on a board
        (None, False),
    ],
)
def test_the_next_contact_is_told_where_the_one_before_pressed_if_a_hand_did(
    press: Press | None, kept: bool
) -> None:
    contacts = scene_at_rest().contacts
    contacts._press = lambda pushes: press  # type: ignore[method-assign]  # noqa: ARG005 - as it is called
    contacts._keep_hand()

    assert contacts._pressed_before[0] == (press if kept else None)


@pytest.mark.parametrize("touched", [True, False])
def test_only_a_board_that_nobody_touches_says_how_the_load_lies_on_the_cells(
    touched: bool,
) -> None:
    scene = scene_at_rest()
    place(scene, 1)
    noted = len(scene.contacts._rests.loads_g)
    if touched:
        feel(scene, [9.0, 14.0])
        noted = len(scene.contacts._rests.loads_g)
    scene.contacts.weigh_anew()

    assert len(scene.contacts._rests.loads_g) - noted == (0 if touched else 1)


def test_a_board_that_hangs_as_it_did_is_looked_at_no_more() -> None:
    """What was measured of it before says it better; somebody may think for minutes."""
    scene = scene_at_rest()
    place(scene, 1)
    hand(scene, PIECE_G)
    weigh(scene, PIECE_G, 1.5)
    seen = looks(scene)
    scene.agreed = lambda ticks: False  # type: ignore[method-assign]  # noqa: ARG005 - as it is called
    weigh(scene, PIECE_G, 30.0)
    assert not seen

    hand(scene, PIECE_G)
    weigh(scene, 2 * PIECE_G, 30.0)
    assert len(seen) > 5


def test_a_rest_weighs_on_each_cell_what_that_bore_in_the_mean() -> None:
    contacts, loads_g = scene_at_rest().contacts, np.random.default_rng(3).normal(9.0, 1.0, (30, 4))
    for begun in (0, 15):
        contacts._free_ticks = 0
        for cells_g in loads_g[begun : begun + 10]:
            contacts._average(tuple(cells_g.tolist()))
        mean_g = loads_g[begun : begun + 10].mean(axis=0)
        assert contacts.rest_cells_g == pytest.approx(mean_g.tolist())
        assert contacts.cells_g == pytest.approx(loads_g[begun + 9].tolist())


def test_a_cell_that_was_silent_when_a_rest_ended_is_weighed_again_in_the_next() -> None:
    contacts = scene_at_rest().contacts
    contacts._average((9.0, 9.0, nan, 9.0))
    contacts._free_ticks = 0
    contacts._average((9.0, 9.0, 8.0, 9.0))

    assert contacts.rest_cells_g == (9.0, 9.0, 8.0, 9.0)


@pytest.mark.parametrize(
    ("weights_g", "came"),
    [((), 2), ((50.0,), 2), ((50.0, 53.1), 1), ((50.0, 57.0), 2), ((50.0, 47.0), 2)],
)
def test_a_piece_put_down_under_a_hand_that_rests_came_when_that_grew_heavier_by_one(
    weights_g: tuple[float, ...], came: int
) -> None:
    contacts = scene_at_rest().contacts
    for n, mass_g in enumerate(weights_g):
        contacts.balance.arrived_s, contacts.balance.run_mean_g = float(n), mass_g
        contacts._go_back(was_free=False, held=True)
    contacts.balance.arrived_s = 2.0
    assert contacts._came_s() == came

    contacts._go_back(was_free=False, held=False)
    assert contacts._came_s() == 2.0


@pytest.mark.parametrize(("later_s", "landing"), [(0.05, True), (3.0, False)])
def test_what_has_only_just_left_the_board_is_what_lands_on_it(
    later_s: float, landing: bool
) -> None:
    contacts = scene_at_rest().contacts
    contacts._pressed_before = PRESSED, 7.0
    contacts.balance.touch.began_s = 7.0 + later_s
    felt = contacts._feel()

    assert felt.landing is landing
    assert felt.before == (PRESSED if landing else None)


@pytest.mark.parametrize(
    ("landing", "highest_g", "kept"), [(True, 0.5, True), (True, 9.0, False), (False, 0.5, False)]
)
def test_a_piece_that_only_left_its_stack_leaves_its_hand_where_it_had_pressed(
    landing: bool, highest_g: float, kept: bool
) -> None:
    contacts = scene_at_rest().contacts
    contacts._pressed_before = PRESSED, 7.0
    contacts.balance.touch = Touch(7.05 if landing else 9.0, highest_g=highest_g)
    contacts._felt = contacts._feel()
    contacts._keep_hand()

    assert contacts._pressed_before[0] == (PRESSED if kept else None)

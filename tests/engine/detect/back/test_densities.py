"""How likely weight and moments are, by physics alone."""

from collections.abc import Callable
from dataclasses import replace
from math import isfinite, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.account import Account, Fall, Sighting
from engine.detect.back.densities import Densities
from engine.detect.back.location import Location
from engine.detect.back.masses import Masses
from engine.detect.front.contact import Touch
from engine.detect.front.pressing import Press
from engine.events import ANYTHING, Expectation, ToppleKind
from engine.tabletop import CELLS, ColourPiece
from tests.engine.detect.rests import PIECE_G, Board, moment, pull_gmm

BOARD = Board(("c3", "d4"))


def densities(gained_g: float = 0.0, **seen: Any) -> Densities:
    """Of a rest on a board with two pieces."""
    return BOARD.explaining(BOARD.rest(gained_g, moment(**seen), 1.0)).density


def test_a_piece_weighs_what_pieces_weigh() -> None:
    density = densities()

    assert density.weight(0.0, 1) > density.weight(PIECE_G / 2, 1) > density.weight(PIECE_G, 1)


IN_TURN = ((0.02, 0.98), (0.98, 0.02), (0.95, 0.05))
"""After a light piece comes a heavy one, and the other way round; the first one is light."""


def after(before_g: float, follows: tuple[tuple[float, ...], ...] = IN_TURN) -> Densities:
    """Of a piece that comes after one of this weight; light ones weigh 3 g, heavy ones 4 g."""
    colours = ColourPiece("blue", 3.0, 0.03), ColourPiece("red", 4.0, 0.03)
    board = replace(BOARD, expectation=Expectation(colours=colours, follows=follows))
    density = board.explaining(board.rest(3.0, moment(), 1.0)).density
    density.tabletop = replace(density.tabletop, piece=density.tabletop.piece.of_colours(colours))
    density.masses = Masses(density.tabletop.piece)
    density.piece_g = density.tabletop.piece.mass_mean_g
    density.sightings[2].weighed = before_g, 0.07
    return density


def test_a_piece_is_expected_to_weigh_like_those_of_whose_turn_it_is() -> None:
    account = BOARD.account

    assert after(4.0).next_weight(account, 3.0) > after(3.0).next_weight(account, 3.0) + 3.0
    assert after(3.0).next_weight(account, 4.0) > after(4.0).next_weight(account, 4.0) + 3.0
    first = account.but(stands=())
    assert after(3.0).next_weight(first, 3.0) > after(3.0).next_weight(first, 4.0) + 2.0
    # Not a piece's at all, whoever is in turn.
    assert after(3.0).next_weight(account, 8.0) < after(3.0).next_weight(account, 3.0) - 3.0


@pytest.mark.parametrize("follows", [(), ((0.5, 0.5),) * 3], ids=["rolls told", "anybody"])
def test_where_the_order_of_turns_tells_nothing_any_colour_is_as_good(
    follows: tuple[tuple[float, ...], ...],
) -> None:
    density, account = after(4.0, follows), BOARD.account

    for gained_g in (3.0, 3.5, 4.0):
        alike = density.weight(gained_g - density.piece_g, 1)
        assert density.next_weight(account, gained_g) == pytest.approx(alike)


def test_without_the_boards_moment_the_order_of_turns_does_not_tell_a_piece_from_a_press() -> None:
    density = after(3.0)
    density.look = replace(density.look, moment=None)

    alike = density.weight(3.0 - density.piece_g, 1)
    assert density.next_weight(BOARD.account, 3.0) == alike


def test_a_piece_put_down_as_another_fell_may_be_of_the_other_colour() -> None:
    """A green piece pushed a red one off, and a gram more was no such thing (2200022, normal)."""
    density = after(3.0)

    assert density.exchanged(1.0, 1) == pytest.approx(density.exchanged(-1.0, 1), abs=0.1)
    assert density.exchanged(1.0, 1) > density.weight(1.0, 0) + 3.0
    assert density.exchanged(0.0, 1) > density.exchanged(0.5, 1) + 1.0
    assert density.exchanged(-3.5, 2) > density.exchanged(-6.0, 2)


def test_a_weight_far_from_that_of_any_piece_tells_of_no_colour_and_breaks_nothing() -> None:
    assert isfinite(after(400.0).next_weight(BOARD.account, 3.0))


def test_of_several_pieces_that_fell_some_may_lie_on_the_plate() -> None:
    """A bump left two of fifteen there, and no fall explained how the plate stood (2100009)."""
    on_plate, nowhere = densities(offset_shift_gmm=900.0), densities(offset_shift_gmm=0.0)

    assert on_plate.scattered(12) > 5.0
    assert -1.0 < nowhere.scattered(12) < 0.0
    assert on_plate.scattered(1) == 0.0


def test_after_a_piece_that_was_not_weighed_any_colour_is_as_good() -> None:
    density = after(nan)

    alike = density.weight(3.0 - density.piece_g, 1)
    assert density.next_weight(BOARD.account, 3.0) == alike


@pytest.mark.parametrize("load_g", [3.0, 30.0, 300.0])
def test_a_load_on_the_plate_is_told_by_the_plates_moment(load_g: float) -> None:
    lying = densities(load_g, offset_shift_gmm=90.0 * load_g)
    nowhere = densities(load_g, offset_shift_gmm=0.0)

    assert lying.plate_shift(load_g) > nowhere.plate_shift(load_g)


def test_what_moves_the_plate_while_nobody_touches_is_a_lean_and_no_load() -> None:
    """A lean began a second after a piece was put on c3; it was retracted (seed 1200003)."""
    seen = moment(offset_shift_gmm=90.0 * PIECE_G)
    rest = BOARD.rest(PIECE_G, seen, 2.0)
    from_the_first = replace(
        rest, look=replace(rest.look, shifts=((88.0 * PIECE_G, 30.0), (89.0 * PIECE_G, 10.0)))
    )
    later = replace(rest, look=replace(rest.look, shifts=((3.0, 30.0), (15.0, 10.0))))
    load, lean = (BOARD.explaining(each).density for each in (from_the_first, later))

    assert load.plate_shift(PIECE_G) > lean.plate_shift(PIECE_G) + 4.0


def test_an_arm_may_rest_beside_the_board_that_a_hand_presses() -> None:
    pressed = densities(30.0, offset_shift_gmm=900.0)

    assert pressed.offset_by_hand(30.0) > pressed.offset_here + 5.0


LEGAL = ("b2", "d4")


def pressed(
    at_mm: tuple[float, float], cell: str = "c3", before_mm: tuple[float, float] | None = None
) -> Densities:
    """Of a piece that lies on a cell, put down where the contact pressed."""
    seen = moment(pull_gmm(cell))
    board = replace(
        BOARD, expectation=Expectation(may_place=True, legal_cells=LEGAL), press=Press(at_mm, 1.0),
        before=None if before_mm is None else Press(before_mm, 1.0),
    )  # fmt: skip
    return board.explaining(board.rest(PIECE_G, seen, 1.0)).density


def test_a_cell_is_the_likelier_the_nearer_the_hand_pressed() -> None:
    gains = pressed((-32.0, -32.0)).pressed_at_cells

    assert CELLS[int(np.argmax(gains))] == "b2"
    assert gains.max() > 3.0
    assert gains.min() > -4.0


def test_who_lets_go_in_two_steps_has_put_the_piece_where_the_first_one_pressed() -> None:
    """The second hardly presses, and c4 was told as c3 (seed 1200016, rough)."""
    board = replace(BOARD, press=None, before=Press((-32.0, -32.0), 1.0))
    released = board.explaining(board.rest(PIECE_G, moment(pull_gmm("c3")), 1.0)).density
    once = pressed((32.0, 32.0), before_mm=(-32.0, -32.0))

    assert CELLS[int(np.argmax(released.put_at_cells))] == "b2"
    assert CELLS[int(np.argmax(once.put_at_cells))] == "d4"


def test_what_lies_on_the_plate_turns_no_board() -> None:
    assert pressed((0.0, 0.0)).pressed_beside > 3.0
    assert pressed((60.0, 60.0)).pressed_beside < 0.0


def test_a_piece_fell_from_where_it_was_put_to_a_cell_beside_and_not_above() -> None:
    """Put on b2 it can slide to a1; from d4 it comes nowhere near."""
    account = BOARD.account
    beside, far, above = (
        pressed((-32.0, -32.0), "a1"), pressed((32.0, 32.0), "a1"), pressed((-32.0, -32.0), "c3"),
    )  # fmt: skip

    assert beside.onto(account, PIECE_G) > far.onto(account, PIECE_G) + 3.0
    assert beside.onto(account, PIECE_G) > above.onto(account, PIECE_G) + 3.0


def test_what_has_left_its_stack_lands_beside_it_and_not_where_it_had_been_put() -> None:
    """A hand that took its piece up for a tenth of a second dropped none (26400201)."""
    fall = Fall(2, 0.0, ToppleKind.OFF_BOARD, 0.1, 1, takes=2)

    def landed(cell: str) -> float:
        return densities(PIECE_G, change=pull_gmm(cell)).landed(BOARD.account, fall)

    assert landed("c4") > landed("d4") + 1.0
    assert landed("c4") > landed("a1")


def test_a_piece_that_fell_was_put_where_the_contact_before_its_landing_pressed() -> None:
    account, landed_mm = BOARD.account, (-64.0, -64.0)
    put, elsewhere = (
        pressed(landed_mm, "a1", before_mm) for before_mm in ((-32.0, -32.0), (32.0, 32.0))
    )

    assert put.onto(account, PIECE_G) > elsewhere.onto(account, PIECE_G) + 2.0
    assert put.onto(account, PIECE_G) > pressed(landed_mm, "a1").onto(account, PIECE_G)


def test_a_finger_that_rests_on_the_board_is_expected_where_it_pressed() -> None:
    between_mm = -16.0, -48.0
    seen = moment(PIECE_G * np.array(between_mm))
    there, elsewhere = (
        replace(BOARD, press=Press(at_mm, 1.0)) for at_mm in (between_mm, (48.0, 16.0))
    )
    likely, unlikely = (
        board.explaining(board.rest(PIECE_G, seen, 0.2)).density.pressed(board.account, PIECE_G)
        for board in (there, elsewhere)
    )

    assert likely > unlikely + 1.0


def left_its_stack(*, hit_pieces: float = 2.4, hand_g: float = 0.0) -> bool:
    """Whether one did, by a board that was lighter by one, and then was hit by so many."""
    lighter = Touch(
        0.0, lowest_g=-PIECE_G, lightest_g=BOARD.mass_g - PIECE_G, after_g=hit_pieces * PIECE_G
    )
    board = replace(BOARD, touch=lighter)
    density = board.explaining(board.rest(PIECE_G, moment(pull_gmm("b2")), 1.0)).density
    account = BOARD.account.but(free_g=BOARD.account.free_g - hand_g)
    return density.one_left_its_stack(account, PIECE_G)


def test_a_hand_that_takes_its_own_piece_up_again_takes_none_off_a_stack() -> None:
    """It lay on the board with its hand for a moment, and was as light as before in the next."""
    assert left_its_stack()
    assert not left_its_stack(hand_g=PIECE_G)


@pytest.mark.parametrize("hit_pieces", [1.1, 7.0])
def test_what_leaves_its_stack_hits_the_board_and_no_finger_that_taps_hits_so(
    hit_pieces: float,
) -> None:
    """Seed 770004, calm: fingers tapped while a piece was put on a high stack."""
    assert not left_its_stack(hit_pieces=hit_pieces)


@pytest.mark.parametrize(
    ("first_sd_gmm", "second_sd_gmm", "cell"), [(4.0, 40.0, "c3"), (40.0, 4.0, "c4")]
)
def test_of_two_looks_at_one_piece_the_better_counts_for_more(
    first_sd_gmm: float, second_sd_gmm: float, cell: str
) -> None:
    """The second look says that it lies a cell further; nothing has moved since."""
    last = Sighting(
        3, 9.0, (PIECE_G, 0.1), ANYTHING, pull_gmm("c3"), Location("c3", 0.9, (), 0.0),
        spread_gmm2=np.eye(2) * (first_sd_gmm**2 + 8.0**2), hung_gmm2=first_sd_gmm**2,
    )  # fmt: skip
    seen = replace(moment(pull_gmm("c4")), now_cov=np.eye(2) * second_sd_gmm**2)
    place, _ = BOARD.explaining(BOARD.rest(0.0, seen, 1.0)).density.relocated(last, BOARD.account)

    assert place is not None
    assert place.cell == cell


def test_a_later_rest_settles_nothing_between_hypotheses_that_put_it_elsewhere() -> None:
    last = Sighting(
        2, 1.0, (PIECE_G, 0.05), Expectation(), pull_gmm("c4"), None,
        spread_gmm2=np.eye(2) * 9.0, hung_gmm2=4.0,
    )  # fmt: skip
    density = BOARD.explaining(BOARD.rest(0.0, moment(), 1.0)).density
    sure, _ = density.relocated(last, BOARD.account)
    doubted, _ = density.relocated(replace(last, agreed=0.6), BOARD.account)

    assert sure is not None
    assert doubted is not None
    assert doubted.probability == pytest.approx(0.6 * sure.probability)


def test_a_swing_that_fits_worse_than_usual_on_this_table_is_held() -> None:
    fits = [
        Densities.free_fit(moment(misfit=misfit, usual_misfit=0.1))
        for misfit in (0.1, 0.5, 2.0, 30.0)
    ]
    noisy = Densities.free_fit(moment(misfit=2.0, usual_misfit=2.0))

    assert fits == sorted(fits, reverse=True)
    assert fits[0] > 0.0 > -2.0 > fits[2]
    assert noisy > 0.0


def test_without_an_inertial_sensor_nothing_tells_whether_the_board_is_held() -> None:
    assert Densities.free_fit(None) == 0.0


@pytest.mark.parametrize(("least_g", "came_down"), [(0.0, True), (-6.4, False)])
def test_what_comes_down_makes_nothing_lighter_and_a_tap_does(
    least_g: float, came_down: bool
) -> None:
    """A finger tapped as a piece was put on b3, and the game went on (seed 1200014, rough)."""
    touch = Touch(
        20.0, pressed_s=0.1, back_s=0.1, back_until_s=0.2, after_g=2.2 * PIECE_G,
        after_least_g=least_g,
    )  # fmt: skip
    board = replace(BOARD, touch=touch)
    density = board.explaining(board.rest(PIECE_G, moment(pull_gmm("b2")), 1.0)).density

    assert density.came_down(board.account, PIECE_G) == came_down


@pytest.mark.parametrize(("sd_gmm", "anyhow"), [(1000.0, True), (12.0, False)])
def test_a_rest_may_not_tell_how_the_board_hangs(sd_gmm: float, anyhow: bool) -> None:
    seen = replace(moment(), change_cov=np.eye(2) * sd_gmm**2)
    rest = BOARD.rest(0.0, seen, 1.0)
    assert BOARD.explaining(rest).density.hangs_anyhow is anyhow
    assert not BOARD.explaining(BOARD.rest(0.0, None, 1.0)).density.hangs_anyhow


@given(st.floats(0.2, 1.0), st.floats(5.0, 60.0), st.floats(-20.0, 20.0))
def test_no_later_rest_makes_a_place_surer_than_the_hypotheses_agree(
    agreed: float, sd_gmm: float, off_mm: float
) -> None:
    last = Sighting(
        2, 1.0, (PIECE_G, 0.05), Expectation(), pull_gmm("c4") + PIECE_G * off_mm, None,
        spread_gmm2=np.eye(2) * (sd_gmm**2 + 9.0), hung_gmm2=sd_gmm**2, agreed=agreed,
    )  # fmt: skip
    density = BOARD.explaining(BOARD.rest(0.0, moment(), 1.0)).density
    place, _ = density.relocated(last, BOARD.account)

    assert place is not None
    assert 0.0 < place.probability <= agreed


FALLEN = Fall(2, 9.0, ToppleKind.OFF_STACK, 0.1, 1, takes=2)

OF_BOTH: dict[str, Callable[[Densities, Account], float]] = {
    "hangs as it did": lambda d, a: d.unmoved(a),
    "hangs as after a push": lambda d, a: d.still_unmoved(a.but(strayed_gmm=(40.0, 9.0))),
    "hangs anyhow": lambda d, _: d.anywhere(300.0),
    "a piece": lambda d, a: d.somewhere(a, PIECE_G)[0],
    "a piece of each of two turns": lambda d, a: d.of_two_turns(a)[0],
    "a piece that came down": lambda d, a: d.came_to_lie(a, PIECE_G),
    "a piece that fell from where it was put": lambda d, a: d.onto(a, PIECE_G),
    "a piece on another cell": lambda d, a: d.moved(a, pull_gmm("e2") - pull_gmm("c3")),
    "a piece that pushed off another": lambda d, a: d.knocked(a, PIECE_G),
    "a piece gone": lambda d, a: d.gone(a, 1),
    "two pieces gone": lambda d, a: d.gone(a, 2),
    "a piece that has landed": lambda d, a: d.landed(a, FALLEN),
    "one nobody knows that has landed": lambda d, a: d.landed(a, replace(FALLEN, takes=None)),
}  # fmt: skip
"""Densities of the moments of board and plate together, where nothing came to lie on the plate."""


@pytest.mark.parametrize("what", OF_BOTH)
def test_the_plate_says_the_same_of_all_that_happened_on_the_board_alone(what: str) -> None:
    """So it decides nothing between them, however far its moment has moved."""
    turns = tuple(Expectation((cell,)) for cell in ("c2", "e5", "a1"))
    touch = Touch(0.0, highest_g=20.0, after_g=2.0)
    board = replace(BOARD, touch=touch, press=Press((20.0, 9.0), 1.0, 20.0))
    rest = board.rest(PIECE_G, None, 1.0)

    def seen(shift_gmm: float) -> float:
        look = replace(rest.look, moment=moment(pull_gmm("c4"), offset_shift_gmm=shift_gmm))
        density = board.explaining(replace(rest, look=look, turns=turns)).density
        return OF_BOTH[what](density, board.account) - density.offset_here

    assert seen(0.0) == pytest.approx(seen(90.0)) == pytest.approx(seen(400.0))


def test_a_piece_that_left_its_stack_has_landed_beside_it_and_not_on_it() -> None:
    """All round it, and the less likely the farther off, from the next cell on."""
    last = Sighting(2, 9.0, (PIECE_G, 0.1), ANYTHING, pull_gmm("d4"), None)

    def landed(cells: float) -> float:
        there = pull_gmm("d4") + cells * (pull_gmm("d3") - pull_gmm("d4"))
        density = densities(change=there)
        density.sightings = {2: last}
        return density.landed(BOARD.account, FALLEN)

    assert landed(0.0) < landed(0.3) - 1.0 < landed(1.0) - 2.0
    assert landed(1.0) > landed(2.0) > landed(3.0) > landed(0.0)
    assert landed(-1.0) == pytest.approx(landed(1.0))


@pytest.mark.parametrize(
    ("press", "off"),
    [(None, True), (Press((0.0, 0.0), 1.0), True), (Press((40.0, 40.0), 1.0), False)],
)
def test_a_board_hangs_otherwise_for_nothing_after_what_may_have_been_a_tap_beside_it(
    press: Press | None, off: bool
) -> None:
    """What taps on the table seems to press in the middle, or nowhere."""
    board, seen = replace(BOARD, press=press), moment((12.0, -9.0))
    density = board.explaining(board.rest(0.0, seen, 1.0)).density

    assert density.strayed(board.account) == ((12.0, -9.0) if off else None)
    assert density.strayed(board.account.but(strayed_gmm=(5.0, 6.0))) == (
        (12.0, -9.0) if off else (5.0, 6.0)
    )


@pytest.mark.parametrize(
    ("before", "press"),
    [(Press((0.0, 0.0), 1.0), None), (None, Press((0.0, 0.0), 1.0)), (None, None)],
)
def test_a_piece_on_a_legal_cell_has_fallen_there_only_if_it_was_felt_elsewhere(
    before: Press | None, press: Press | None
) -> None:
    expected = Expectation(("c3", "c4"))
    board = replace(BOARD, expectation=expected, before=before, press=press)
    legal, other = (
        board.explaining(board.rest(PIECE_G, moment(pull_gmm(cell)), 1.0)).density.onto(
            board.account, PIECE_G
        )
        for cell in ("c4", "b3")
    )

    felt = before is not None or press is not None
    assert (legal > other - 3.0) == felt


@given(st.floats(-30.0, 30.0), st.floats(-30.0, 30.0), st.floats(0.1, 2.0), st.floats(0.0, 11.0))
def test_a_hand_pressed_as_often_near_as_it_did_not_press_far_away(
    x_mm: float, y_mm: float, sd_mm: float, off_mm: float
) -> None:
    """How much likelier than anywhere, in the mean over all places where a hand may press."""
    side = np.arange(-95.0, 96.0, 2.0)
    places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    gains = np.exp(densities()._press_gain(Press((x_mm, y_mm), sd_mm), places, off_mm))

    assert gains.mean() == pytest.approx(1.0, abs=0.04)
    assert np.hypot(*(places[gains.argmax()] - (x_mm, y_mm))) < 1.5


@given(st.integers(0, 6), st.floats(0.0, 1.0), st.floats(0.0, 2.0))
def test_a_weight_has_some_value(pieces: int, noise_g: float, least_g: float) -> None:
    """All of them together are one; the less is known, the less of it is in the middle."""
    rest = BOARD.rest(0.0, moment(), 1.0)
    rest = replace(rest, look=replace(rest.look, noise_g=noise_g))
    density = BOARD.explaining(rest).density
    gaps_g = np.arange(-16.0, 16.0, 0.05)
    found = np.exp([density.weight(float(gap_g), pieces, least_g) for gap_g in gaps_g])

    assert found.sum() * 0.05 == pytest.approx(1.0, abs=0.02)
    assert abs(gaps_g[found.argmax()]) < 0.1
    assert density.weight(0.0, pieces, least_g) <= density.weight(0.0, pieces) + 1e-9


def test_what_a_load_beside_it_leaves_in_the_cells_is_unsure_of_a_pieces_weight() -> None:
    density = densities()

    assert density.weighed_sd_g() == density.weighed_sd_g(0.0) < 0.1
    assert density.weighed_sd_g(100.0) > 1.0
    assert density.fused(PIECE_G)[1] < density.fused(PIECE_G, 100.0)[1]

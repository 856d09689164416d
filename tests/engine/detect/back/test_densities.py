"""How likely weight and moments are, by physics alone."""

from dataclasses import replace
from math import isfinite, nan
from typing import Any

import numpy as np
import pytest

from engine.detect.back.account import Fall, Sighting
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

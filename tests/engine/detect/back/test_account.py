import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.detect.back.account import Account, Fall, Sighting
from engine.events import ANYTHING, ToppleKind

FALL = Fall(3, 4.5, ToppleKind.OFF_BOARD, 0.2, 1)


def test_a_fall_belongs_to_its_round() -> None:
    playing = Account(0.0, 9.0, (1, 2, 3), fall=FALL, emptied=2)
    cleared = playing.but(fall=None, last_fall=FALL, emptied=3)

    assert playing.fall_since(2) == FALL
    assert cleared.fall_since(2) == FALL
    assert cleared.fall_since(3) is None


def test_a_round_without_a_topple_has_none_though_the_one_before_had() -> None:
    assert Account(0.0, 9.0, (1,), last_fall=FALL, emptied=3).fall_since(3) is None


@given(p=st.floats(-50, 0), g=st.floats(-0.4, 0.4), x=st.floats(-0.4, 0.4), y=st.floats(-0.4, 0.4))
def test_what_no_sensor_can_tell_apart_is_the_same(p: float, g: float, x: float, y: float) -> None:
    one = Account(0.0, 9.0, (1, 2), plate_g=(180.0,))
    other = Account(p, 9.0 + g, (1, 2), plate_g=(180.0 + g,), carried_gmm=(x, y))

    assert one.same_as == other.same_as


def test_how_surely_a_fall_was_bumped_does_not_make_it_another_one() -> None:
    assert FALL.same_as == replace(FALL, bumped=0.9, t_s=4.6).same_as
    assert FALL.same_as != replace(FALL, takes=2).same_as
    assert FALL.same_as != replace(FALL, kind=ToppleKind.COLLAPSE).same_as


@given(before_s=st.floats(0, 1e5), still_s=st.floats(0, 1e5) | st.just(math.inf))
def test_that_a_piece_had_come_to_rest_is_a_probability_at_any_time(
    before_s: float, still_s: float
) -> None:
    """A fall may be told that began long before the piece placed last came to rest."""
    piece = Sighting(1, 0.0, (3.0, 0.1), ANYTHING, None, None, still_s=still_s)

    assert 0.0 <= piece.rested(before_s) <= piece.rested(before_s + 1.0) <= 1.0


def test_a_piece_that_was_taken_to_have_fallen_on_another_cell_counts_as_play_goes_on() -> None:
    fall = replace(FALL, kind=ToppleKind.OFF_STACK, lies=True)
    fallen = Account(0.0, 12.0, (1, 2), fall=fall, over=True)

    assert fallen.resumed({1, 2, 3}).stands == (1, 2, 3)
    assert fallen.resumed({1, 2}).stands == (1, 2)
    assert fallen.resumed({1, 2, 3}).fall is None
    assert not fallen.resumed({1, 2, 3}).over


def test_a_piece_that_seemed_to_leave_the_board_and_land_there_counts_as_play_goes_on() -> None:
    """It weighed less for 0.15 s, as a hand pressed less, and was lost (rough, seed 2200045)."""
    landed = replace(FALL, kind=ToppleKind.OFF_STACK, takes=2)
    fallen = Account(0.0, 12.0, (1,), fall=landed, over=True)

    assert fallen.resumed({1, 2}).stands == (1, 2)
    assert fallen.resumed({1}).stands == (1,)
    assert fallen.but(stands=(1, 2)).resumed({1, 2}).stands == (1, 2)
    assert fallen.but(fall=replace(landed, kind=FALL.kind)).resumed({1, 2}).stands == (1,)


def test_what_fell_off_the_board_does_not_come_back_as_play_goes_on() -> None:
    fallen = Account(0.0, 9.0, (1, 2), fall=FALL, over=True)

    assert fallen.resumed({1, 2, 3}).stands == (1, 2)


@given(after_s=st.floats(0, 60), still=st.booleans())
def test_with_the_die_told_only_rest_makes_a_piece_count_and_else_time_does(
    after_s: float, still: bool
) -> None:
    told = Sighting(1, 10.0, (3.0, 0.1), ANYTHING, None, None)
    told.still_s = 9.0 if still else math.inf
    untold = replace(told, expectation=replace(ANYTHING, shares=(0.04,) * 25))

    rested = told.rested(10.0 + after_s)
    assert told.counts(10.0 + after_s) == pytest.approx(rested)
    assert rested - 1e-9 <= untold.counts(10.0 + after_s) <= 1.0


def test_by_now_the_next_player_has_rolled_where_nobody_tells_it() -> None:
    """Two bumps 3.1 s after a piece was let go took it along (calm, seed 1500009)."""
    piece = Sighting(1, 10.0, (3.0, 0.1), replace(ANYTHING, shares=(0.04,) * 25), None, None)

    assert piece.counts(10.6) < 0.1
    assert 0.3 < piece.counts(11.7) < 0.6
    assert piece.counts(13.1) > 0.8

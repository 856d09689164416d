"""How steps of weight and errors in the plane are spread."""

import numpy as np
import pytest

from engine.detect.back.distributions import any_load, round_normal, wide_normal, wide_normals
from tests.engine.detect.rests import PIECE_G


def test_a_wild_step_is_rarer_and_not_impossible() -> None:
    assert -40.0 < wide_normal(10.0, 1.0) < wide_normal(3.0, 1.0) < wide_normal(0.0, 1.0)


def test_several_steps_at_once_are_each_as_likely_as_one_by_one() -> None:
    gaps, sds = np.array([0.0, 3.0, -40.0]), np.array([1.0, 0.5, 2.0])

    assert list(wide_normals(gaps, sds)) == pytest.approx(list(map(wide_normal, gaps, sds)))


def test_things_are_of_any_weight_and_often_pieces() -> None:
    assert any_load(PIECE_G, 1.0) > any_load(PIECE_G, -20.0)


def test_hardly_anything_that_lies_about_is_lighter_than_a_piece() -> None:
    """A gram is a piece that its hand still holds (demo, calm, seed 209)."""
    assert any_load(1.0, -20.0) < any_load(PIECE_G, -20.0) - 1.5


def test_an_error_in_the_plane_has_no_direction_and_may_have_a_floor() -> None:
    assert round_normal(1.0, 1.0) > round_normal(3.0, 1.0) > round_normal(9.0, 1.0)
    assert round_normal(9.0, 1.0, most_sds=6.0) == round_normal(60.0, 1.0, most_sds=6.0)

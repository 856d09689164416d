"""What a piece weighs: as told, as those before it, or otherwise."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from engine.detect.back.masses import Masses
from engine.tabletop import ColourPiece
from tests.engine.detect.tables import TABLETOP

PIECE = TABLETOP.piece
TOLD_G, OWN_SD_G = PIECE.mass_mean_g, 0.1
MARKED = tuple(TOLD_G + step_g for step_g in (0.0, 1.0, 2.0, 3.0))
SEEN = tuple((mass_g, 0.05) for mass_g in MARKED)
COLOURS = tuple(
    ColourPiece(colour=name, mass_mean_g=mass_g, mass_std_g=0.05)
    for name, mass_g in zip("abcd", MARKED, strict=True)
)


def test_a_noisy_scale_leans_on_what_pieces_weigh() -> None:
    trusted, _ = Masses(PIECE).fused(TOLD_G + 0.3, 0.02)
    doubted, sd_g = Masses(PIECE).fused(TOLD_G + 0.3, 0.5)

    assert trusted == pytest.approx(TOLD_G + 0.3, abs=0.02)
    assert doubted == pytest.approx(TOLD_G, abs=0.05)
    assert sd_g < 0.2


def test_a_piece_that_weighs_much_more_than_told_is_taken_at_its_weight() -> None:
    assert Masses(PIECE).fused(2.0 * TOLD_G, 0.1) == (2.0 * TOLD_G, 0.1)


def test_what_was_seen_once_is_expected_the_next_time() -> None:
    for mass_g in MARKED[1:]:
        before = Masses(PIECE).log_density(mass_g, OWN_SD_G)
        assert Masses(PIECE, SEEN).log_density(mass_g, OWN_SD_G) > before + 1.0


def test_pieces_that_weigh_as_told_leave_little_room_for_others() -> None:
    as_told = Masses(PIECE, ((TOLD_G, 0.05),) * 20)
    at_first, later = (
        each.log_density(TOLD_G + 2.0, OWN_SD_G) for each in (Masses(PIECE), as_told)
    )

    assert later < at_first - 0.3
    assert as_told.log_density(TOLD_G, OWN_SD_G) == pytest.approx(
        Masses(PIECE).log_density(TOLD_G, OWN_SD_G), abs=0.2
    )


@pytest.mark.parametrize(
    "masses", [Masses(PIECE), Masses(PIECE, SEEN), Masses(replace(PIECE, colours=COLOURS))]
)
def test_the_density_is_one(masses: Masses) -> None:
    step_g = 0.01
    at_g = np.arange(-6.0, 12.0, step_g)
    total = sum(exp(masses.log_density(float(mass_g), OWN_SD_G)) for mass_g in at_g) * step_g

    assert total == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("pieces", [1, 2, 5])
@pytest.mark.parametrize("off", [-0.4, 0.0, 0.4])
def test_of_pieces_that_are_alike_each_weight_is_that_of_one_number_only(
    pieces: int, off: float
) -> None:
    alike = Masses(replace(PIECE, colours=COLOURS[:1], mass_mean_g=TOLD_G))
    may_be = [n for n in range(1, 8) if alike.may_be((pieces + off) * TOLD_G, n)]

    assert may_be == [pieces]


@pytest.mark.parametrize("masses", [Masses(replace(PIECE, colours=COLOURS)), Masses(PIECE, SEEN)])
def test_of_pieces_that_are_marked_the_heaviest_and_the_lightest_are_each_one(
    masses: Masses,
) -> None:
    assert all(masses.may_be(mass_g, 1) for mass_g in MARKED)
    assert not masses.may_be(0.3 * TOLD_G, 1)
    assert masses.differ_g == pytest.approx(MARKED[-1] - MARKED[0])


def test_what_is_known_of_all_pieces_is_in_between_until_many_were_seen() -> None:
    told_g, told_sd_g = Masses(PIECE).mean_g
    few_g, few_sd_g = Masses(PIECE, SEEN).mean_g
    many_g, _ = Masses(PIECE, SEEN * 10).mean_g

    assert (told_g, told_sd_g) == Masses(PIECE).told_g
    assert told_g < few_g < many_g < np.mean(MARKED)
    assert few_sd_g > 0.8


def test_before_pieces_were_weighed_one_may_weigh_half_or_twice_as_much_as_told() -> None:
    lightest_g, heaviest_g = Masses(PIECE).range_g

    assert (lightest_g, heaviest_g) == pytest.approx((TOLD_G / 2, 2 * TOLD_G))
    assert Masses(PIECE).differ_g == pytest.approx(1.5 * TOLD_G)
    assert Masses(PIECE, SEEN * 2).range_g == (MARKED[0], MARKED[-1])

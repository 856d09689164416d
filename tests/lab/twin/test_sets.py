"""Sets of pieces: what the colours of a simulated tower weigh, and what its owner believes."""

from random import Random
from statistics import mean

import numpy as np
import pytest

from lab.people.simulation import SimulatedEvening
from lab.twin.box import Box
from lab.twin.parameters import preset_parameters
from lab.twin.sets import SetMasses, SetName, drawn_set, with_pieces

PLAIN = preset_parameters("calm")


@pytest.mark.parametrize(("name", "apart_g"), [("dyes", 0.06), ("half-gram", 0.5), ("marked", 1.0)])
def test_each_further_colour_is_heavier_and_the_owner_knows(name: SetName, apart_g: float) -> None:
    parameters = with_pieces(PLAIN, name, ("red", "blue"))
    box = Box(parameters, np.random.default_rng(1))
    red_g, blue_g = (mean(box.take(colour).mass_g for _ in range(12)) for colour in ("red", "blue"))

    assert blue_g - red_g == pytest.approx(apart_g, abs=0.04)
    owned = parameters.calibration.piece
    known = {each.colour: each.mass_mean_g for each in owned.colours}
    assert known["blue"] - known["red"] == pytest.approx(apart_g, abs=0.04)
    assert owned.mass_mean_g == pytest.approx(mean(known.values()))


def test_one_piece_of_the_second_colour_has_lost_its_washer_and_the_others_are_as_before() -> None:
    boxes = [
        Box(with_pieces(PLAIN, name, ("red", "blue")), np.random.default_rng(1))
        for name in ("marked", "lost-washer")
    ]
    marked, lost = [
        [box.take(colour).mass_g for colour in ("red", "blue") for _ in range(12)] for box in boxes
    ]

    gone = [before - after for before, after in zip(marked, lost, strict=True)]
    assert sorted(gone) == pytest.approx([0.0] * 23 + [1.0])
    assert 1.0 in [pytest.approx(grams) for grams in gone[12:]]


def test_equal_colours_change_nothing() -> None:
    assert with_pieces(PLAIN, "equal", ("red", "blue")) is PLAIN


def test_drawn_sets_are_wider_than_the_named_ones_and_some_were_never_weighed() -> None:
    drawn = [drawn_set(Random(seed)) for seed in range(400)]
    sets = [each for each in drawn if isinstance(each, SetMasses)]

    assert 0.3 < drawn.count("equal") / len(drawn) < 0.5
    spreads = [each.spread_share for each in sets]
    assert min(spreads) < 0.006
    assert max(spreads) > 0.045
    assert any(0.0 < each.step_share < 0.01 for each in sets)
    assert any(each.lost and each.step_g > 1.0 for each in sets)

    unweighed = next(each for each in sets if not each.weighed)
    parameters = with_pieces(PLAIN, unweighed, ("red", "blue"))
    assert parameters.calibration == PLAIN.calibration
    lightest_g = PLAIN.piece.mass_mean_g * unweighed.mean_share
    assert parameters.piece.colours[0].mass_mean_g == pytest.approx(lightest_g)


def test_an_evening_marks_the_colours_that_are_played() -> None:
    evening = SimulatedEvening.begin(1, "calm", players=2, two_colours=False, pieces="marked")
    marked = {each.colour for each in evening.tabletop.piece.colours}

    assert marked == set(evening.people.colours)

"""How surely weights name colours, against simulation, and the least that must be added."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.pieces import ColourMass, PieceSet, Weighing
from engine.separation import (
    SINGLE_G,
    WANTED,
    WASHERS,
    Washer,
    advice,
    certainty,
    loaded,
    strangers,
    tells,
    verdict_words,
)

NAMES = ("red", "blue", "yellow", "green")
PIECE_G = 3.0


def pieces(*means_g: float, spread_g: float = 0.03) -> dict[str, ColourMass]:
    return {
        name: ColourMass(mean_g, 0.0, spread_g, "weighed")
        for name, mean_g in zip(NAMES, means_g, strict=False)
    }


def simulated(colours: list[ColourMass], weighing_sd_g: float, n: int = 400_000) -> float:
    """Share of weighed pieces for which the likeliest colour is the true one."""
    rng = np.random.default_rng(11)
    sds = np.array([np.hypot(each.spread_g, weighing_sd_g) for each in colours])
    means = np.array([each.mean_g for each in colours])
    true = rng.integers(len(colours), size=n)
    masses = rng.normal(means[true], sds[true])[:, None]
    scores = -0.5 * ((masses - means) / sds) ** 2 - np.log(sds)
    return float((scores.argmax(axis=1) == true).mean())


@pytest.mark.parametrize(
    "colours",
    [
        pieces(3.0, 3.1),
        pieces(3.0, 3.2, spread_g=0.12),
        pieces(3.0, 3.1, 3.3),
        pieces(3.4, 3.0, 3.1, 3.2),
        {"red": ColourMass(3.0, 0.0, 0.02), "blue": ColourMass(3.05, 0.0, 0.3)},
        {"a": ColourMass(3.0, 0.0, 0.1), "b": ColourMass(3.0, 0.0, 0.3), "c": ColourMass(4, 0, 0)},
    ],
)
def test_the_certainty_is_the_share_of_simulated_pieces_that_are_named_rightly(
    colours: dict[str, ColourMass],
) -> None:
    known = list(colours.values())

    assert certainty(known, 0.05) == pytest.approx(simulated(known, 0.05), abs=0.003)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_equal_colours_are_named_by_chance(count: int) -> None:
    assert certainty([ColourMass(3.0, 0.0, 0.03)] * count) == pytest.approx(1 / count)


@given(st.lists(st.floats(2.0, 5.0), min_size=2, max_size=4), st.floats(0.0, 0.3))
def test_a_little_unlike_spread_changes_little(means_g: list[float], spread_g: float) -> None:
    alike = [ColourMass(mean_g, 0.0, spread_g) for mean_g in means_g]
    unlike = [*alike[:-1], ColourMass(means_g[-1], 0.0, spread_g + 1e-6)]

    assert certainty(unlike) == pytest.approx(certainty(alike), abs=1e-4)


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize(("apart_g", "told"), [(0.0, "none"), (0.12, "some"), (1.0, "all")])
def test_how_many_pieces_weights_tell_is_said_for_two_to_four_colours(
    count: int, apart_g: float, told: str
) -> None:
    assert tells(list(pieces(*(3.0 + at * apart_g for at in range(count))).values())) == told


def test_one_colour_alone_and_none_at_all_tell_nothing() -> None:
    assert tells(list(pieces(3.0).values())) == tells([]) == "none"


def test_equal_colours_that_chance_has_set_apart_tell_nothing() -> None:
    rng, told = np.random.default_rng(38), []
    for _ in range(100):
        weighed = [Weighing(NAMES[at % 2], rng.normal(3.0, 0.085), 0.08) for at in range(24)]
        learned = PieceSet.of({"mass_mean_g": 3.0, "mass_std_g": 0.3}).learned(weighed)
        told.append(tells([learned.mass(name) for name in NAMES[:2]]))

    assert told.count("none") >= 95
    assert "all" not in told


def test_steel_washers_weigh_what_the_shop_says() -> None:
    assert SINGLE_G == {"M3": 0.12, "M4": 0.31, "M5": 0.44, "M6": 1.02, "M8": 1.83}


@pytest.mark.parametrize(
    ("spread_share", "steps_g"), [(0.01, (0.5, 1.0, 1.5)), (0.04, (1.0, 2.0, 3.0))]
)
def test_four_equal_colours_need_even_steps_that_grow_with_the_spread(
    spread_share: float, steps_g: tuple[float, ...]
) -> None:
    found = advice(pieces(*[PIECE_G] * 4, spread_g=spread_share * PIECE_G))

    assert found is not None
    assert list(found.putty_g) == ["blue", "yellow", "green"]
    assert tuple(found.putty_g.values()) == pytest.approx(steps_g, rel=0.12)


@pytest.mark.parametrize("spread_g", [0.03, 0.06, 0.12])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_what_is_advised_suffices(spread_g: float, count: int) -> None:
    colours = pieces(*[PIECE_G] * count, spread_g=spread_g)
    found = advice(colours)

    assert found is not None
    by_washers = loaded(colours, found.washers)
    by_putty = loaded(colours, {name: Washer("", g) for name, g in found.putty_g.items()})
    assert certainty(by_washers) == found.certainty >= WANTED
    assert certainty(by_putty) >= WANTED


@pytest.mark.parametrize("means_g", [(3.0, 3.1), (3.2, 3.0, 3.05)])
def test_nothing_lighter_would_do(means_g: tuple[float, ...]) -> None:
    colours = pieces(*means_g)
    found = advice(colours)

    assert found is not None
    heaviest_g = max(each.mass_g for each in found.washers.values())
    lighter = [Washer("", 0.0), *(each for each in WASHERS if each.mass_g < heaviest_g)]
    best = max(
        certainty(loaded(colours, dict(zip(colours, added, strict=True))))
        for added in product(lighter, repeat=len(colours))
    )
    assert best < WANTED


def test_the_heavier_colour_is_made_heavier_still() -> None:
    found = advice(pieces(3.3, 3.0))

    assert found is not None
    assert list(found.washers) == ["red"]


def test_pieces_that_differ_too_much_among_themselves_get_no_advice() -> None:
    assert advice(pieces(3.0, 3.0, 3.0, spread_g=0.6)) is None
    assert "no washer" in verdict_words(pieces(3.0, 3.0, 3.0, spread_g=0.6))


def test_equal_colours_are_told_in_words_what_to_glue() -> None:
    assert verdict_words(pieces(3.0, 3.01, spread_g=0.12)) == (
        "Red and blue differ by 0.01 g and cannot be told apart: two M5 washers in each blue "
        "piece (24 needed) make it 99.9; or putty, 0.89 g in each blue piece."
    )


def test_a_set_that_is_nearly_good_is_told_how_good_it_is() -> None:
    words = verdict_words(pieces(3.0, 3.4))

    assert words.startswith("Red and blue differ by 0.40 g: whose piece it is will be known in 99.")
    assert "of 100 cases only: an M3 washer in each blue piece (12 needed)" in words


def test_three_colours_are_judged_by_the_two_that_are_nearest() -> None:
    words = verdict_words(pieces(3.0, 4.0, 5.5))

    assert words.startswith("Red, blue and yellow differ by 1.00 g or more: whose piece")


def test_no_certainty_is_told_as_a_hundred_of_a_hundred() -> None:
    assert "99.99 of 100 cases" in verdict_words(pieces(3.0, 9.0))


def test_the_colours_of_a_calibration_are_those_that_were_weighed() -> None:
    given = {"mass_mean_g": 3.5, "mass_std_g": 0.5}

    assert PieceSet.of(given).colours == {}
    red = {"red": {"mass_mean_g": 3.0, "mass_std_g": 0.03}}
    found = PieceSet.of(given | {"colours": red}).colours
    assert found["red"].mean_g == 3.0


MARKED = PieceSet(ColourMass(3.5, 0.1, 0.1), pieces(3.0, 4.0))


def test_a_piece_that_weighs_like_another_colour_is_counted_each_time() -> None:
    game = [Weighing("blue", g, 0.05) for g in (4.0, 3.02, 2.97, 4.03, 3.0)]

    assert strangers(MARKED, [*game, Weighing("red", 3.0, 0.05)]) == {("blue", "red"): 3}


@pytest.mark.parametrize(
    "each",
    [
        Weighing("blue", 3.5, 0.05),
        Weighing("blue", float("nan"), float("inf")),
        Weighing("green", 3.0, 0.05),
    ],
)
def test_what_weighs_like_none_is_not_laid_to_a_colour(each: Weighing) -> None:
    assert strangers(MARKED, [each] * 3) == {}


def test_colours_that_weigh_alike_are_never_strangers() -> None:
    alike = PieceSet(ColourMass(3.0, 0.1, 0.1), pieces(3.0, 3.05))

    assert strangers(alike, [Weighing("blue", g, 0.05) for g in (2.9, 3.0, 3.1)]) == {}

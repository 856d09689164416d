"""What a weight says of whose piece it was."""

from math import inf, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.pieces import OddPiece, PieceSet, Weighing

UNWEIGHED = {"mass_mean_g": 3.5, "mass_std_g": 0.1}
MARKED = {
    "mass_mean_g": 4.0, "mass_std_g": 0.5,
    "colours": {
        "red": {"mass_mean_g": 3.5, "mass_std_g": 0.04},
        "blue": {"mass_mean_g": 4.5, "mass_std_g": 0.04},
    },
}  # fmt: skip
EVEN = {"red": 0.5, "blue": 0.5}


def rounds(chance: Random, red_g: float, blue_g: float, count: int) -> list[Weighing]:
    """Pieces of both colours in turn, as a table weighs them."""
    masses = {"red": red_g, "blue": blue_g}
    return [
        Weighing(colour, chance.gauss(masses[colour], 0.09), 0.08)
        for _ in range(count) for colour in masses
    ]  # fmt: skip


def test_a_marked_piece_is_known_by_its_weight() -> None:
    assert PieceSet.of(MARKED).probabilities(4.42, 0.08, EVEN)["blue"] > 0.99


def test_colours_nobody_weighed_stay_as_likely_as_before() -> None:
    assert PieceSet.of(UNWEIGHED).probabilities(3.4, 0.08, EVEN) == EVEN


@pytest.mark.parametrize("weighing", [(nan, 0.1), (3.5, inf)])
def test_what_was_not_weighed_says_nothing(weighing: tuple[float, float]) -> None:
    assert PieceSet.of(MARKED).probabilities(*weighing, EVEN) == EVEN


@given(mass_g=st.floats(0.0, 50.0), sd_g=st.floats(0.001, 5.0), red=st.floats(0.01, 0.99))
def test_probabilities_add_up_and_no_weight_is_proof(
    mass_g: float, sd_g: float, red: float
) -> None:
    found = PieceSet.of(MARKED).probabilities(mass_g, sd_g, {"red": red, "blue": 1 - red})

    assert sum(found.values()) == pytest.approx(1.0)
    assert min(found.values()) > 1e-7


def test_marked_colours_are_learned_from_a_round_though_nobody_weighed_them() -> None:
    before = PieceSet.of({"mass_mean_g": 4.0, "mass_std_g": 0.5})
    learned = before.learned(rounds(Random(1), 3.5, 4.5, 10))

    assert learned.mass("red").mean_g == pytest.approx(3.5, abs=0.05)
    assert learned.mass("red").source == "learned"
    assert learned.probabilities(4.4, 0.08, EVEN)["blue"] > 0.99


def test_a_few_pieces_taken_for_the_other_colour_do_not_spoil_what_is_learned() -> None:
    pieces = rounds(Random(2), 3.5, 4.5, 10)
    pieces += [Weighing("red", 4.5, 0.08), Weighing("red", 4.48, 0.08)]

    learned = PieceSet.of({"mass_mean_g": 4.0, "mass_std_g": 0.5}).learned(pieces)

    assert learned.mass("red").mean_g == pytest.approx(3.5, abs=0.05)


def test_equal_colours_are_learned_to_be_equal() -> None:
    told = [
        PieceSet.of(UNWEIGHED).learned(rounds(Random(seed), 3.5, 3.5, 12))
        .probabilities(3.6, 0.08, EVEN)["red"]
        for seed in range(100)
    ]  # fmt: skip

    assert sum(p == pytest.approx(0.5) for p in told) >= 75
    assert all(0.2 < p < 0.8 for p in told)


def test_two_pieces_teach_nothing() -> None:
    few = rounds(Random(3), 3.5, 4.5, 1)

    assert PieceSet.of(UNWEIGHED).learned(few) == PieceSet.of(UNWEIGHED)
    assert PieceSet.of(UNWEIGHED).learned([]) == PieceSet.of(UNWEIGHED)


# --- a lost washer --------------------------------------------------------------------------------

LOST = Weighing("blue", 3.52, 0.08, said=True)
AGAIN = Weighing("blue", 3.45, 0.08, said=True)


def test_a_piece_that_people_called_blue_twice_is_held_possible_when_one_weighs_like_it() -> None:
    pieces = rounds(Random(1), 3.5, 4.5, 10)
    mostly_blue = {"red": 0.03, "blue": 0.97}
    before = PieceSet.of(MARKED).learned(pieces)
    learned = PieceSet.of(MARKED).learned([*pieces, LOST, AGAIN])

    assert before.probabilities(3.46, 0.08, mostly_blue)["blue"] < 0.05
    assert learned.odd == {"blue": (OddPiece(3.45, 0.08),)}
    assert 0.5 < learned.probabilities(3.46, 0.08, mostly_blue)["blue"] < 0.9
    assert learned.probabilities(3.46, 0.08, EVEN)["red"] > 0.9
    assert learned.probabilities(4.5, 0.08, EVEN)["blue"] > 0.99


def test_the_same_odd_piece_is_learned_once_however_often_people_say_so() -> None:
    pieces = [*rounds(Random(1), 3.5, 4.5, 10), LOST, AGAIN]
    learned = PieceSet.of(MARKED).learned(pieces)

    assert PieceSet.of(MARKED).learned([*pieces, LOST, LOST]).odd == learned.odd
    assert learned.learned([*rounds(Random(2), 3.5, 4.5, 10), LOST, AGAIN]).odd == learned.odd


def test_one_weight_that_people_contradict_is_a_hand_on_the_board_and_two_that_differ_are() -> None:
    pieces = rounds(Random(1), 3.5, 4.5, 10)
    for said in ([LOST], [LOST, Weighing("blue", 3.1, 0.08, said=True)]):
        assert PieceSet.of(MARKED).learned([*pieces, *said]).odd == {}


def test_a_wrong_colour_that_people_confirm_and_a_weight_nobody_spoke_of_make_no_odd_piece() -> (
    None
):
    pieces = rounds(Random(1), 3.5, 4.5, 10)
    for each in (Weighing("red", 3.52, 0.08, said=True), Weighing("blue", 3.52, 0.08)):
        assert PieceSet.of(MARKED).learned([*pieces, each, each]).odd == {}


@given(said=st.lists(st.sampled_from(["red", "blue"]), max_size=24), seed=st.integers(0, 999))
def test_where_colours_weigh_the_same_nothing_that_people_say_makes_a_piece_odd(
    said: list[str], seed: int
) -> None:
    chance = Random(seed)
    pieces = [Weighing(colour, chance.gauss(3.5, 0.1), 0.08, said=True) for colour in said]

    assert PieceSet.of(UNWEIGHED).learned(pieces).odd == {}

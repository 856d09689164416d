"""What people say who saw it; test_players.py asks them in the middle of a game."""

from functools import partial

import pytest

from controller.evening.eyewitness import Eyewitness
from hw.sim.twin.parameters import preset_parameters
from hw.sim.twin.tower import Tower

CELLS = ("b3", "c3", "none")


@pytest.fixture(scope="module")
def tower() -> Tower:
    """A piece on c3 at 2 s, one on b3 at 6 s, which a bump fells at 10 s."""
    tower = Tower(preset_parameters("calm"), 3)
    for at_s, cell in ((1.5, "c3"), (5.5, "b3")):
        tower.at(at_s, partial(tower.place, cell, player=0))
    tower.at(10.0, lambda: tower.knock("a1", 0.01, player=1))
    tower.at(10.1, lambda: tower.knock_off("b3"))
    tower.advance(14.0)
    return tower


@pytest.mark.parametrize(("about_s", "cell"), [(2.0, "c3"), (6.5, "b3"), (30.0, "none")])
def test_they_know_where_the_piece_went_that_was_laid_about_then(
    tower: Tower, about_s: float, cell: str
) -> None:
    assert Eyewitness(tower, ("Ann", "Bob")).answer("cell", about_s, CELLS) == cell


def test_who_bumped_the_table_is_named_as_the_table_names_him(tower: Tower) -> None:
    saw = Eyewitness(tower, ("Ann", "Bob"))

    assert saw.answer("blame", 10.0, ("Ann", "Bob", "placing", "none")) == "Bob"
    assert saw.answer("blame", 10.0, ("0", "1")) == "1"


def test_of_two_topples_in_a_round_the_first_one_counts() -> None:
    tower = Tower(preset_parameters("calm"), 3)
    for at_s, cell in ((1.5, "c3"), (5.5, "b3")):
        tower.at(at_s, partial(tower.place, cell, player=0))
    tower.at(10.0, lambda: tower.knock("a1", 0.01, player=1))
    tower.at(10.1, lambda: tower.knock_off("b3"))
    tower.at(16.0, lambda: tower.knock("a1", 0.01, player=0))
    tower.at(16.1, lambda: tower.knock_off("c3"))
    tower.advance(20.0)

    saw = Eyewitness(tower, ("Ann", "Bob"))
    assert saw.answer("blame", 17.0, ("Ann", "Bob", "placing", "none")) == "Bob"


def test_what_fell_in_a_later_round_does_not_answer_for_an_earlier_one(tower: Tower) -> None:
    earlier = Tower(preset_parameters("calm"), 3)
    earlier.truth.add(2.0, "place")
    earlier.truth.add(5.0, "cleared")
    earlier.truth.add(8.0, "place")
    earlier.topple = tower.topple  # at 10 s

    saw = Eyewitness(earlier, ("Ann", "Bob"))
    assert saw.answer("blame", 4.0, ("Ann", "Bob", "none")) == "none"
    assert saw.answer("blame", 9.0, ("Ann", "Bob", "none")) == "Bob"


def test_what_is_not_among_the_options_they_do_not_know(tower: Tower) -> None:
    assert Eyewitness(tower, ("Ann", "Bob")).answer("cell", 2.0, ("a1", "a2")) is None

"""What people say who saw it; test_players.py asks them in the middle of a game."""

from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from lab.people.eyewitness import Eyewitness, mistaken
from lab.twin.episodes import TruthLog
from lab.twin.parameters import preset_parameters
from lab.twin.tower import Tower

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
    earlier.truth.add(12.0, "cleared")
    assert saw.answer("blame", 13.0, ("Ann", "Bob", "none")) == "Bob"


def test_what_is_not_among_the_options_they_do_not_know(tower: Tower) -> None:
    assert Eyewitness(tower, ("Ann", "Bob")).answer("cell", 2.0, ("a1", "a2")) is None


# --- the piece that is meant ----------------------------------------------------------------------


def happened(*entries: tuple[float, str, dict[str, Any]]) -> Eyewitness:
    """What Ann and Bob saw."""
    truth = TruthLog()
    for t_s, kind, facts in entries:
        truth.add(t_s, kind, **facts)
    seen: Any = SimpleNamespace(truth=truth, topple=None)
    return Eyewitness(seen, ("Ann", "Bob"))


def rolls(t_s: float, seat: int) -> tuple[float, str, dict[str, Any]]:
    return t_s, "turn", {"player": seat}


def laid(
    t_s: float, cell: str, *, fell: bool = False, colour: str = "red"
) -> tuple[float, str, dict[str, Any]]:
    return t_s, "place", {"cell": cell, "colour": colour, "ended_in_topple": fell}


def test_of_two_pieces_near_in_time_the_one_of_the_player_is_meant() -> None:
    saw = happened(rolls(1.0, 0), laid(2.0, "b3"), rolls(2.5, 1), laid(3.5, "c3"))

    assert saw.answer("cell", 3.7, CELLS, "Ann") == "b3"
    assert saw.answer("cell", 3.7, CELLS, "Bob") == "c3"
    assert saw.answer("cell", 3.7, CELLS) == "c3"


def test_a_piece_that_was_laid_after_the_table_saw_one_is_not_meant() -> None:
    saw = happened(rolls(1.0, 0), laid(3.0, "b3"))

    assert saw.answer("placed", 2.2, CELLS, "Ann") == "none"
    assert saw.answer("cell", 2.9, CELLS, "Ann") == "b3"


def test_a_table_that_errs_in_the_turn_means_the_only_piece_there_is() -> None:
    assert happened(rolls(1.0, 0), laid(2.0, "b3")).answer("cell", 2.5, CELLS, "Bob") == "b3"


def test_a_piece_that_did_not_stand_fell_where_that_is_offered() -> None:
    saw = happened(rolls(1.0, 0), laid(2.0, "b3", fell=True))

    assert saw.answer("cell", 2.5, ("b3", "fell", "none", "unknown"), "Ann") == "fell"
    assert saw.answer("cell", 2.5, CELLS, "Ann") == "none"


def test_a_piece_on_a_cell_that_is_not_offered_lies_on_another_one() -> None:
    saw = happened(rolls(1.0, 0), laid(2.0, "b3"))

    assert saw.answer("cell", 2.5, ("a1", "another", "fell", "none", "unknown"), "Ann") == "another"


def test_the_colour_is_that_of_the_piece_which_was_laid_whosever_turn_it_was() -> None:
    colours = ("red", "blue", "unknown")
    ann, bob = laid(2.0, "b3", colour="blue"), laid(3.5, "c3", colour="red")
    saw = happened(rolls(1.0, 0), ann, rolls(2.5, 1), bob)

    assert saw.answer("colour", 2.2, colours, "Ann") == "blue"
    assert saw.answer("colour", 3.7, colours, "Ann") == "blue"
    assert saw.answer("colour", 3.7, colours, "Bob") == "red"
    assert saw.answer("colour", 30.0, colours, "Bob") == "unknown"
    assert saw.answer("colour", 2.2, ("red", "unknown"), "Ann") == "unknown"


def test_where_no_answer_fits_nobody_knows() -> None:
    saw = happened(rolls(1.0, 0), laid(2.0, "b3"))

    assert saw.answer("cell", 2.5, ("a1", "none", "unknown"), "Ann") == "unknown"


@pytest.mark.parametrize(("done", "answer"), [(laid(2.0, "b3"), "b3"), ((2.0, "pass", {}), "pass")])
def test_what_was_done_before_a_roll_is_known_from_that_turn(
    done: tuple[float, str, dict[str, Any]], answer: str
) -> None:
    saw = happened(laid(0.5, "c3"), rolls(1.0, 0), done, rolls(9.0, 1), laid(11.0, "a1"))

    assert saw.answer("placed", 9.1, ("a1", "b3", "c3", "pass", "reroll"), "Ann") == answer


@pytest.mark.parametrize(
    ("entries", "begins"),
    [
        ((rolls(1.0, 0), laid(2.0, "b3")), "Bob"),
        ((rolls(1.0, 0), laid(2.0, "b3", fell=True)), "Ann"),
        ((rolls(1.0, 0), laid(2.0, "b3"), rolls(2.9, 1)), "Bob"),
        ((rolls(1.0, 1), laid(2.0, "b3"), rolls(2.9, 0)), "Ann"),
    ],
)
def test_the_player_begins_whom_a_bump_interrupted(entries: Any, begins: str) -> None:
    assert happened(*entries).answer("turn", 3.0, ("Ann", "Bob")) == begins


def test_who_errs_gives_another_answer_and_never_that_nobody_knows() -> None:
    chance, options = Random(1), ("b3", "c3", "none", "unknown")

    assert mistaken("b3", options, 0.0, chance) == "b3"
    assert {mistaken("b3", options, 1.0, chance) for _ in range(50)} == {"c3", "none"}
    assert mistaken(None, options, 1.0, chance) is None

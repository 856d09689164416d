"""What people saw, on their own sheet: topples, pieces taken back, a cleared board."""

from typing import Any

import pytest

from lab.bench.people_account import PeopleAccount
from tests.lab.bench.test_people_account import begun, board, laid, say


def toppled(people: PeopleAccount, t_s: float, cause: str = "placing", **facts: Any) -> None:
    entry = {"type": "topple", "t": t_s, "cause": cause, "player": 1, "fallen": 1, "g_off": 3.0}
    people.happened({**entry, **facts})


def two_turns() -> PeopleAccount:
    people = begun()
    for at, cell in enumerate(("d4", "b2")):
        say(people, "roll", value=3)
        laid(people, cell, 10.0 * at, player=at)
    return people


def scores(people: PeopleAccount) -> dict[str, int | None]:
    assert people.sheet is not None
    return people.sheet.scores


def test_a_piece_that_falls_right_after_it_was_let_go_was_not_placed() -> None:
    people = two_turns()
    toppled(people, 10.5)
    assert scores(people) == {"Ann": 3, "Bob": -10}
    assert people.sheet is not None
    assert (people.sheet.phase, people.sheet.current) == ("clear", 0)


def test_after_the_next_roll_it_is_the_next_player_who_topples() -> None:
    people = two_turns()
    say(people, "roll", value=3)
    toppled(people, 14.0, player=0)
    assert scores(people) == {"Ann": -10, "Bob": 3}


@pytest.mark.parametrize(("settled_s", "next_player"), [(10.2, "Ann"), (None, "Bob")])
def test_a_bump_fells_what_had_been_placed_only_if_it_had_lain_still(
    settled_s: float | None, next_player: str
) -> None:
    people = begun()
    for at, (cell, mass) in enumerate((("d4", 2.9), ("b2", 3.0))):
        say(people, "roll", value=3)
        facts = {"mass": mass, "ended_in_topple": at == 1 and settled_s is None}
        laid(people, cell, 10.0 * at, **facts)
    toppled(people, 11.0, "bump", player=0)
    assert scores(people) == {"Ann": -10, "Bob": 0}
    assert people.sheet is not None
    assert people.sheet.names[people.sheet.current] == next_player


def test_a_piece_taken_back_at_once_leaves_nothing_behind() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    people.happened({"type": "remove", "t": 3.0, "where": "board", "cell": "d4", "n": 1})
    assert board(people) == {}
    laid(people, "b2", 5.0)
    assert board(people) == {"b2": ["red"]}


def test_a_board_is_cleared_after_its_round_and_nobody_can_follow_otherwise() -> None:
    people = two_turns()
    toppled(people, 10.5)
    people.happened({"type": "cleared", "t": 20.0})
    assert people.sheet is not None
    assert people.sheet.phase == "roll"
    in_mid_round = two_turns()
    in_mid_round.happened({"type": "cleared", "t": 20.0})
    assert "middle of a round" in in_mid_round.lost


@pytest.mark.parametrize("pressed", [False, True])
def test_an_agreed_stop_ends_the_round_for_nothing_and_they_count_on(*, pressed: bool) -> None:
    people = two_turns()
    people.happened({"type": "agreed", "t": 12.0})
    people.happened({"type": "remove", "t": 14.0, "where": "board", "cell": "d4", "n": 1})
    if pressed:
        say(people, "cleared")
    people.happened({"type": "cleared", "t": 20.0})
    assert scores(people) == {"Ann": 0, "Bob": 0}
    assert people.sheet is not None
    assert (people.sheet.phase, people.sheet.current, board(people)) == ("roll", 0, {})
    say(people, "roll", value=3)
    laid(people, "b2", 25.0)
    assert (people.lost, board(people)) == ("", {"b2": ["red"]})


def test_after_a_stop_that_ends_the_game_there_is_nothing_to_clear() -> None:
    people = begun(target=5)
    for at, cell in enumerate(("a1", "b1", "c1", "d1", "e1")):
        say(people, "roll", value=6)
        laid(people, cell, 10.0 * at, player=at % 2)
    people.happened({"type": "agreed", "t": 52.0})
    people.happened({"type": "cleared", "t": 60.0})
    assert people.sheet is not None
    assert (people.lost, people.sheet.phase, people.sheet.winners) == ("", "over", ("Ann",))

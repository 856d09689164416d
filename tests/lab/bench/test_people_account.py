"""What people say, on their own sheet: orders in, board and points out."""

from typing import Any

from lab.bench.people_account import PeopleAccount

START = {
    "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
    "first": 0,
}
NOTHING: dict[str, Any] = {"board": {}, "pending": None, "doubt": None}


def begun(**changed: Any) -> PeopleAccount:
    people = PeopleAccount()
    say(people, "start", **{**START, **changed})
    return people


def say(people: PeopleAccount, verb: str, /, shown: Any = None, **data: Any) -> None:
    people.said(verb, data, 1.0, shown or NOTHING, told={})


def undo(people: PeopleAccount, verb: str, cell: str | None = None) -> None:
    people.said("undo", {}, 1.0, NOTHING, told={"verb": verb, "cell": cell})


def laid(people: PeopleAccount, cell: str, t_s: float = 2.0, **facts: Any) -> None:
    """A piece was truly put down."""
    colour = people.sheet.hands[people.sheet.current][0] if people.sheet else "red"
    entry = {"type": "place", "t": t_s, "t_release": t_s, "cell": cell, "colour": colour}
    people.happened(
        {**entry, "mass": 3.0, "ended_in_topple": False, "t_settled": None, "player": 0, **facts}
    )


def board(people: PeopleAccount) -> dict[str, list[str]]:
    assert people.sheet is not None
    return people.sheet.seen


def test_a_piece_counts_in_its_turn_and_undo_takes_one_thing_back_at_a_time() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    assert board(people) == {"d4": ["red"]}
    undo(people, "place", "d4")
    assert board(people) == {}
    assert people.sheet is not None
    assert people.sheet.die == 3
    undo(people, "roll")
    assert people.sheet.die is None
    say(people, "redo")
    say(people, "redo")
    assert board(people) == {"d4": ["red"]}
    assert people.lost == ""


def test_a_piece_before_its_roll_waits_and_one_more_stands_for_the_roll_nobody_told() -> None:
    people = begun()
    laid(people, "c3")
    assert board(people) == {}
    say(people, "roll", value=1)
    assert board(people) == {"c3": ["red"]}
    laid(people, "d4", 4.0)
    laid(people, "d4", 6.0)
    assert board(people) == {"c3": ["red"], "d4": ["blue"]}


def test_a_correction_moves_one_piece_and_scores_all_again() -> None:
    people = begun()
    for at, cell in enumerate(("c3", "c3", "c3", "c3")):
        say(people, "roll", value=1)
        laid(people, cell, 10.0 * at)
    assert people.sheet is not None
    assert people.sheet.scores == {"Ann": 0, "Bob": 2}
    shown = {
        "board": {"c3": [{"ref": ref} for ref in (3, 5, 7, 9)]},
        "pending": None,
        "doubt": None,
    }
    say(people, "correct", shown, ref=9, nothing=True)
    assert people.sheet.scores == {"Ann": 0, "Bob": 0}
    assert board(people) == {"c3": ["red", "blue", "red"]}
    undo(people, "correct")
    assert people.sheet.scores == {"Ann": 0, "Bob": 2}


def test_the_start_itself_can_be_taken_back() -> None:
    people = begun()
    undo(people, "start")
    assert people.sheet is None
    say(people, "redo")
    assert people.sheet is not None


def test_undo_in_another_order_than_things_happened_is_not_compared() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    say(people, "roll", value=3)
    undo(people, "place", "d4")
    assert people.astray == 1
    say(people, "redo")
    assert (people.astray, people.lost) == (0, "")


def test_a_pass_before_its_roll_is_one_where_rolls_are_told_late() -> None:
    people = begun()
    laid(people, "d4")
    say(people, "roll", value=3)
    say(people, "pass")
    sheet = people.sheet
    assert sheet is not None
    assert (sheet.phase, sheet.current) == ("roll", 1)
    say(people, "roll", value=1)
    sheet = people.sheet
    assert sheet is not None
    assert (sheet.phase, sheet.current) == ("roll", 0)
    assert people.wrong == []


def test_what_was_done_against_the_rules_and_refused_with_them_is_told() -> None:
    people = begun()
    people.refused("roll", {"value": 3}, 1.0, "no")
    people.refused("pass", {}, 1.0, "not_rolled")
    assert len(people.wrong) == 1
    say(people, "pass")
    assert len(people.wrong) == 2

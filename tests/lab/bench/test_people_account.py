"""What people did and said, on their own account: orders and truth in, board and points out."""

from typing import Any

import pytest

from lab.bench.people_account import PeopleAccount
from lab.bench.rules_oracle import Oracle
from lab.bench.running import play_and_judge
from lab.bench.scenario_files import read

START = {
    "players": [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}],
    "first": 0,
}


def begun(**changed: Any) -> PeopleAccount:
    people = PeopleAccount()
    say(people, "start", **{**START, **changed})
    return people


def say(people: PeopleAccount, verb: str, /, shown: Any = None, **data: Any) -> None:
    people.said(verb, {"data": data}, 1.0, shown or {"board": {}}, {})


def undo(people: PeopleAccount, verb: str, cell: str | None = None) -> None:
    people.said("undo", {}, 1.0, {"board": {}}, {"verb": verb, "cell": cell})


def laid(people: PeopleAccount, cell: str, t_s: float = 2.0, **facts: Any) -> None:
    """A piece was truly put down."""
    colour = game(people).hands[game(people).current][0]
    entry = {"type": "place", "t": t_s, "t_release": t_s, "cell": cell, "colour": colour}
    people.happened({**entry, "ended_in_topple": False, **facts})


def taken(people: PeopleAccount, cell: str, t_s: float) -> None:
    people.happened({"type": "remove", "t": t_s, "where": "board", "cell": cell, "n": 1})


def toppled(people: PeopleAccount, t_s: float, cause: str = "placing", **facts: Any) -> None:
    people.happened({"type": "topple", "t": t_s, "cause": cause, "player": 1, **facts})


def game(people: PeopleAccount) -> Oracle:
    found = people.game()
    assert found is not None, people.lost
    return found


def two_turns(**changed: Any) -> PeopleAccount:
    people = begun(**changed)
    for at, cell in enumerate(("d4", "b2")):
        say(people, "roll", value=3)
        laid(people, cell, 10.0 * at)
    return people


# --- turns, undo, corrections -----------------------------------------------------------------


def test_a_piece_counts_in_its_turn_and_undo_takes_one_thing_back_at_a_time() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    assert game(people).lying == {"d4": ["red"]}
    undo(people, "place", "d4")
    assert (game(people).lying, game(people).die) == ({}, 3)
    undo(people, "roll")
    assert game(people).die is None
    say(people, "redo")
    say(people, "redo")
    assert game(people).lying == {"d4": ["red"]}


def test_a_piece_before_its_roll_waits_for_it_and_with_a_second_one_nobody_can_know() -> None:
    people = begun()
    laid(people, "c3")
    assert game(people).lying == {}
    say(people, "roll", value=1)
    assert game(people).lying == {"c3": ["red"]}
    laid(people, "d4", 4.0)
    laid(people, "d4", 6.0)
    assert people.game() is None


def test_a_correction_moves_one_piece_and_scores_all_again() -> None:
    people = begun()
    for at in range(4):
        say(people, "roll", value=1)
        laid(people, "c3", 10.0 * at)
    assert game(people).scores() == {"Ann": 0, "Bob": 2}
    shown = {"board": {"c3": [{"ref": ref} for ref in (3, 5, 7, 9)]}}
    say(people, "correct", shown, ref=9, nothing=True)
    assert game(people).scores() == {"Ann": 0, "Bob": 0}
    assert game(people).lying == {"c3": ["red", "blue", "red"]}
    undo(people, "correct")
    assert game(people).scores() == {"Ann": 0, "Bob": 2}
    say(people, "correct", shown, ref=4, cell="c3")
    assert "no piece of this round" in people.lost


def test_undo_in_another_order_than_things_happened_is_not_compared() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    say(people, "roll", value=3)
    undo(people, "place", "d4")
    assert people.game() is None


def test_what_never_was_is_on_no_page_and_undo_passes_it() -> None:
    people = begun()
    say(people, "roll", value=3)
    laid(people, "d4")
    taken(people, "d4", 3.0)
    assert game(people).lying == {}
    laid(people, "b2", 5.0)
    undo(people, "place", "b2")
    undo(people, "place")  # the table still knows the piece that was taken back
    assert game(people).lying == {}
    say(people, "redo")
    say(people, "redo")
    assert game(people).lying == {"b2": ["red"]}


def test_what_was_done_against_the_rules_and_refused_with_them_is_told() -> None:
    people = begun()
    people.refused("roll", {"data": {"value": 3}}, 1.0, "no")
    people.refused("pass", {}, 1.0, "not_rolled")
    assert len(people.wrong) == 1
    say(people, "pass")
    assert len(people.wrong) == 2


# --- topples and rounds -----------------------------------------------------------------------


def test_a_piece_that_falls_right_after_it_was_let_go_was_not_placed() -> None:
    people = two_turns()
    toppled(people, 10.5)
    assert game(people).scores() == {"Ann": 3, "Bob": -10}
    assert (game(people).phase, game(people).current) == ("clear", "Ann")


def test_after_the_next_roll_it_is_the_next_player_who_topples() -> None:
    people = two_turns()
    say(people, "roll", value=3)
    toppled(people, 14.0)
    assert game(people).scores() == {"Ann": -10, "Bob": 3}


@pytest.mark.parametrize(("fell", "following"), [(False, "Ann"), (True, "Bob")])
def test_a_bump_fells_what_had_been_placed_only_if_it_had_lain_still(
    *, fell: bool, following: str
) -> None:
    people = begun()
    for at, cell in enumerate(("d4", "b2")):
        say(people, "roll", value=3)
        laid(people, cell, 10.0 * at, ended_in_topple=at == 1 and fell)
    toppled(people, 11.0, "bump", player=0)
    assert game(people).scores() == {"Ann": -10, "Bob": 0}
    assert game(people).current == following


def test_a_board_is_cleared_after_its_round_and_nobody_can_follow_otherwise() -> None:
    people = two_turns()
    toppled(people, 10.5)
    people.happened({"type": "cleared", "t": 20.0})
    assert game(people).phase == "roll"
    in_mid_round = two_turns()
    in_mid_round.happened({"type": "cleared", "t": 20.0})
    assert "middle of a round" in in_mid_round.lost


@pytest.mark.parametrize("pressed", [False, True])
def test_an_agreed_stop_ends_the_round_for_nothing_and_they_count_on(*, pressed: bool) -> None:
    people = two_turns()
    people.happened({"type": "agreed", "t": 12.0})
    taken(people, "d4", 14.0)
    if pressed:
        say(people, "cleared")
    people.happened({"type": "cleared", "t": 20.0})
    assert game(people).scores() == {"Ann": 0, "Bob": 0}
    assert (game(people).phase, game(people).current, game(people).lying) == ("roll", "Ann", {})
    say(people, "roll", value=3)
    laid(people, "b2", 25.0)
    assert game(people).lying == {"b2": ["red"]}


def test_a_bump_is_blamed_on_whom_people_name() -> None:
    people = two_turns()
    toppled(people, 14.0, "bump", player=None)
    assert game(people).scores() == {"Ann": 0, "Bob": 0}
    say(people, "answer", question="blame-7", value="Bob")
    assert game(people).scores() == {"Ann": 0, "Bob": -10}
    say(people, "blame", player="Ann")
    assert game(people).scores() == {"Ann": -10, "Bob": 0}


# --- scenarios of a user's own, which the judge must let pass -----------------------------------

HARMLESS = {
    "a correction after undo and redo, and the piece laid once more": """
steps:
  - turns: [3 d4, 3 b2, 1 c3]
  - undo: yes
  - redo: yes
  - correct: {ref: last, nothing: true}
  - lift: c3
  - turns: [1 c3]
expect: [{state: {phase: roll}}]
""",
    "pieces before their rolls, a restart, and a roll forgotten": """
steps:
  - {place: d4, pause: 3}
  - {roll: 3, pause: 2}
  - kill: yes
  - wait: 3
  - {place: b2, pause: 3}
  - {place: c3, pause: 3}
  - {roll: 1, pause: 2}
expect: [{placed: d4}, {placed: b2}, {placed: c3}]
""",
    "the board cleared in the middle of a round": """
steps:
  - turns: [3 d4, 3 b2]
  - clear: yes
  - command: {verb: cleared}
  - turns: [1 c3]
expect: [{state: {phase: roll}}]
""",
    "an older piece lifted to look at it, and put back": """
steps:
  - turns: [3 d4, 3 b2]
  - lift: d4
  - {place: {cell: d4, colour: red}, pause: 4}
expect: [{scores: {Ann: 0, Bob: 0}}]
""",
    "a pass, a restart, the pass taken back, and a piece after all": """
steps:
  - turns: [3 d4, 4 pass]
  - kill: yes
  - wait: 3
  - undo: yes
  - {place: a2, pause: 4}
expect: [{board: {d4: [red], a2: [blue]}}]
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_scenario_does_not_fail_in_the_judge(name: str) -> None:
    text = f"about: {name}\nunexpected: allow\n{HARMLESS[name]}"

    assert play_and_judge(read(text, "harmless", "harmless.yaml")[0]).verdict.failures == ()

"""The versions of the game, and what opens and ends one."""

from random import Random
from typing import Any

import pytest

from engine.events import HumanInput
from engine.referee import choices, dealt, handle_input
from engine.referee.basics import as_shown
from engine.referee.fold import _where, fold
from engine.referee.ledger import Move, MoveKind
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin


def test_the_young_version_has_no_scores() -> None:
    game = begin(target=None)
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()

    assert game.scores == {}
    assert game.state.position.over


def test_what_was_taken_back_is_as_if_never_said() -> None:
    position = begin().state.position
    step = fold(position, Move(9, 3.0, MoveKind.ROLL, {"value": 4}, void="mistyped"))

    assert step.refusal is not None
    assert (step.after, step.applied) == (position, ())


@pytest.mark.parametrize(
    ("name", "turn"),
    [("Ann", ("Ann", "act", 3)), ("Bob", ("Bob", "act", 2)), ("Cat", ("Cat", "roll", None))],
)
def test_a_word_about_the_turn_keeps_the_roll_that_was_told_ahead_of_it(
    name: str, turn: tuple[str, str, int | None]
) -> None:
    colours = {"Ann": "blue", "Bob": "red", "Cat": "green"}
    game = begin([{"name": name, "colours": [colour]} for name, colour in colours.items()])
    game.say("roll", value=3)
    game.say("roll", value=2)
    after = fold(game.state.position, Move(9, 9.0, MoveKind.TURN, {"player": name})).after

    assert (after.player, after.phase, after.view["die"]) == turn
    assert as_shown(after).player == ("Bob" if name == "Ann" else name)


def test_a_refused_move_leaves_the_position_as_it_was() -> None:
    position = begin().state.position
    step = fold(position, Move(9, 3.0, MoveKind.PASS))

    assert step.refusal is not None
    assert step.refusal.code == "not_rolled"
    assert step.after is position


def by_hand(game: str, **start: Any) -> Script:
    table = Script()
    said = HumanInput(1.0, "start", {"game": game, **start})
    table._take(handle_input(table.state, dealt(table.state, said, Random(2).random)))
    return table


def headline(table: Script) -> tuple[str, str | None, dict[str, Any]]:
    outcome = table.ruling.outcomes[0]
    return outcome.type, outcome.player, dict(outcome.data)


def test_a_move_by_hand_is_told_with_its_player_and_its_place() -> None:
    table = by_hand("topolo", red="Ann", black="Bob")
    table.say("place", cell="a1", size="S")
    assert headline(table) == ("place", "Ann", {"ref": 2, "cell": "a1"})
    assert table.state.judged_moves[-1].applied[0].actions[0]["type"] == "place"

    table = by_hand("topominos", players=["Ann", "Bob"])
    offer = next(action for action in choices(table.state) if action["type"] == "place")
    table.say("action", action=offer)
    assert headline(table) == ("place", "Ann", {"ref": 2, "cell": "1"})


def test_who_answers_a_question_for_everybody_is_told_by_name() -> None:
    for seat, name in (("x", "Ann"), ("o", "Bob")):
        table = by_hand("triple-topper-toe", x="Ann", o="Bob", variant="quiz")
        assert table.state.position.player is None
        table.say("action", action={"type": "buzz", "player": seat, "correct": True})

        assert headline(table) == ("buzz", name, {"ref": 2})


@pytest.mark.parametrize(
    ("place", "shown"),
    [("c3", "c3"), (7, "7"), (None, None), (["c3"], None), ("y" * 20, "y" * 20), ("y" * 21, None)],
)
def test_a_place_is_told_only_if_it_can_be_the_name_of_one(place: Any, shown: str | None) -> None:
    assert _where({"type": "x", "cell": place}) == shown
    assert _where({"type": "x", "cell": "a1", "compartment": 3}) == "3"


def test_after_its_end_no_game_takes_moves() -> None:
    table = by_hand("topolo", red="Ann", black="Bob")
    table.say("end")
    table.say("place", cell="a1", size="S")
    assert table.ruling.refused is not None
    assert table.ruling.refused.code == "game_over"


def test_of_a_game_by_hand_the_sensors_say_nothing() -> None:
    table = by_hand("topolo", red="Ann", black="Bob")
    before = table.state
    table.placed("e2")
    table.cleared()

    assert table.state is before


@cases("""
with an untold die the turn passes with each placement
    start untold; piece e2; piece c3 -> board e2=blue c3=red; expects 22 anywhere
once passed the piece before can fall no more
    turn 4 e2; roll 4; pass -> position.before_placement null
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

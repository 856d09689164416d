"""What people say, and what the referee makes of it."""

from typing import Any

import pytest

from engine.events import HumanInput
from engine.referee import handle_input
from tests.engine.referee.script import ANN_AND_BOB, TWO_COLOURS, Script, begin


def test_an_answer_moves_the_piece_and_tells_the_detector() -> None:
    game = begin()
    game.say("roll", value=4)
    event = game.placed("e2", 0.8, alternatives=(("e4", 0.15),))
    game.say("answer", question=game.questions[0], value="e4")

    assert game.board == {"e4": ["blue"]}
    assert game.ruling.amendments == ((event, "e4"),)
    assert game.questions == []


def test_nothing_was_placed_gives_the_turn_back() -> None:
    game = begin()
    game.say("roll", value=4)
    event = game.placed("e2", 0.8)
    game.say("answer", value="none")

    assert game.board == {}
    assert game.state.position.player == "Ann"
    assert game.state.position.phase == "act"
    assert game.ruling.amendments == ((event, None),)


def test_an_unseen_piece_can_be_named_afterwards() -> None:
    game = begin()
    game.say("roll", value=4)
    game.say("roll", value=1)
    game.say("answer", value="a2")

    assert game.board == {"a2": ["blue"]}
    assert game.state.position.player == "Bob"


def test_a_second_roll_can_be_the_die_told_again() -> None:
    game = begin()
    game.say("roll", value=4)
    game.say("roll", value=5)
    game.say("answer", value="reroll")

    view = game.state.position.rules.view(game.state.position.game_state)
    assert (view["current"], view["die"]) == ("Ann", 5)


UNSEEN = (("roll", 4), ("roll", 1))
"""Two rolls and no piece between: the first player's was not seen."""


def test_an_unseen_piece_may_have_fallen_before_the_board_is_cleared() -> None:
    game = begin()
    for verb, value in UNSEEN:
        game.say(verb, value=value)
    game.say("answer", value="fell")  # Bob has rolled too soon

    assert game.scores == {"Ann": -10, "Bob": 0}
    assert game.state.position.phase == "clear"
    game.cleared()
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "roll")


def test_after_an_unseen_piece_that_fell_who_placed_since_had_cleared_the_board() -> None:
    game = begin()
    game.turn(6, "a1")
    game.turn(6, "b1")
    for verb, value in UNSEEN:
        game.say(verb, value=value)
    game.placed("c3")
    assert game.questions == ["placed-7"]
    game.say("answer", value="fell")

    assert game.scores == {"Ann": -10, "Bob": 3}
    assert game.board == {"c3": ["red"]}
    assert game.state.position.player == "Ann"
    game.say("undo")
    assert game.board == {"a1": ["blue"], "b1": ["red"], "c3": ["red"]}


def test_of_an_unseen_piece_nothing_may_have_been_placed() -> None:
    game = begin()
    game.say("roll", value=1)
    game.say("roll", value=4)
    game.placed("e2")
    assert game.board == {"c3": ["blue"], "e2": ["red"]}
    game.say("answer", value="none")

    assert game.board == {"e2": ["red"]}
    assert game.questions == []


def test_a_piece_that_waited_for_its_roll_may_have_fallen() -> None:
    game = begin()
    game.turn(6, "a1")
    game.placed("e2")
    game.say("roll", value=1)
    game.say("answer", value="fell")

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.state.position.phase == "clear"


def test_every_question_about_a_piece_can_be_answered_by_who_knows_and_by_who_does_not() -> None:
    seen, unseen, early = begin(), begin(), begin()
    seen.say("roll", value=4)
    seen.placed("e2", 0.8)
    for verb, value in UNSEEN:
        unseen.say(verb, value=value)
    early.placed("e2")
    early.say("roll", value=1)

    for game in (seen, unseen, early):
        (asked,) = (*game.state.questions(), *game.state.doubts())
        assert [choice.value for choice in asked.choices[-3:]] == ["fell", "none", "unknown"]


def test_a_double_tap_on_the_die_is_refused() -> None:
    game = begin()
    game.say("roll", value=4)
    before = game.state
    ruling = handle_input(before, HumanInput(game.t_s + 0.4, "roll", {"value": 4}))

    assert ruling.refused is not None
    assert ruling.refused.code == "already_rolled"
    assert ruling.state == before


def test_the_next_roll_of_people_in_a_hurry_is_no_double_tap() -> None:
    """Ways hasty, seed 750001: her piece is told when Bob has rolled, 1.3 s after she did."""
    game = begin()
    game.say("roll", value=5)
    game.t_s += 1.3 - 2.0
    game.say("roll", value=2)
    game.placed("e5", at=game.t_s - 0.3)

    assert game.board == {"e5": ["blue"]}
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "act")


def test_who_is_blamed_while_pieces_stand_again_has_bumped_them_now() -> None:
    """Rough, seeds 760005 and 760006: the question of a round long ago took the answer."""
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump")
    game.cleared()
    game.turn(6, "a1")
    game.turn(6, "a5")
    game.say("blame", player="Bob")

    assert game.scores == {"Ann": 0, "Bob": -10}
    assert game.state.position.clearing
    game.toppled("bump", after_s=1.0)
    assert game.scores == {"Ann": 0, "Bob": -10}
    assert game.questions == ["blame-4"]


def test_blame_may_come_after_the_board_was_cleared_and_play_went_on() -> None:
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump")
    game.cleared()
    game.turn(6, "a1")
    game.say("answer", value="Ann")

    assert game.scores == {"Ann": -10, "Bob": 0}
    assert game.board == {"a1": ["red"]}


def test_blame_corrects_a_topple_taken_for_clumsy_placing() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled("placing")
    game.say("blame", player="Ann")

    assert game.scores == {"Ann": -10, "Bob": 0}


def test_in_the_wrong_phase_words_are_refused_and_nothing_changes() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()
    scores, position = game.scores, game.state.position
    refused = game.say("roll", value=3).refused

    assert refused is not None
    assert refused.code == "clear_first"
    assert (game.scores, game.state.position) == (scores, position)


def test_a_game_can_be_ended_early_and_taken_up_again() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("end")
    assert game.state.position.phase == "over"

    game.say("undo")

    assert game.state.position.phase == "roll"


def test_starting_over_a_running_game_is_refused() -> None:
    game = begin()
    refused = game.say("start", players=ANN_AND_BOB).refused

    assert refused is not None
    assert refused.code == "game_running"


def test_a_new_game_goes_on_counting_revisions() -> None:
    game = begin()
    game.say("end")
    rev, seq = game.state.rev, game.state.seq
    game.say("start", players=ANN_AND_BOB, id="second")

    assert game.state.game_id == "second"
    assert game.state.rev == rev + 1
    assert game.state.seq > seq
    assert game.state.undo_depth == 1


def test_a_colour_named_afterwards_corrects_the_last_piece() -> None:
    game = begin(TWO_COLOURS)
    game.turn(4, "e2")
    assert game.board == {"e2": ["blue"]}
    game.say("colour", colour="green")

    assert game.board == {"e2": ["green"]}


def test_another_game_is_played_by_hand_with_undo() -> None:
    topolo = Script()
    topolo.say("start", game="topolo", red="Ann", black="Bob")
    assert topolo.ruling.refused is None
    topolo.say("action", action={"type": "place", "cell": "a1", "size": "S"})
    topolo.say("place", cell="b1", size="L")
    assert topolo.ruling.refused is None
    assert topolo.board == {"a1": "red-S", "b1": "black-L"}

    topolo.say("undo")

    assert topolo.board == {"a1": "red-S"}
    assert topolo.state.position.player == "Bob"


@pytest.mark.parametrize(
    ("verb", "data", "code"),
    [
        ("dance", {}, "unknown_verb"),
        ("roll", {"value": 7}, "bad_die"),
        ("roll", {"value": "x"}, "bad_die"),
        ("pass", {}, "not_rolled"),
        ("place", {"cell": "c3"}, "not_rolled"),
        ("blame", {"player": 9}, "unknown_player"),
        ("blame", {}, "unknown_player"),
        ("blame", {"player": 0}, "empty_board"),
        ("topple", {"cause": "wind"}, "bad_cause"),
        ("cleared", {}, "nothing_to_clear"),
        ("answer", {"value": "c3"}, "no_question"),
        ("correct", {"ref": 99, "cell": "c3"}, "unknown_ref"),
        ("correct", {"ref": [], "cell": "c3"}, "unknown_ref"),
        ("correct", {"ref": 1, "nothing": True}, "not_correctable"),
        ("redo", {}, "nothing_to_redo"),
        ("colour", {"colour": "gold"}, "not_your_colour"),
        ("action", {}, "bad_action"),
        ("start", {"game": "chess", "replace": True}, "unknown_game"),
        ("start", {"game": [], "replace": True}, "unknown_game"),
        ("start", {"players": 3, "replace": True}, "bad_players"),
    ],
)
def test_what_cannot_be_is_refused_with_a_code_and_words(
    verb: str, data: dict[str, Any], code: str
) -> None:
    game = begin()
    before = game.state
    refused = game.say(verb, **data).refused

    assert refused is not None
    assert refused.code == code
    assert len(refused.message) > 8
    assert game.state == before


def test_a_mistyped_roll_while_clearing_is_not_kept() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()
    for value in (7, "x", None, [3]):
        before = game.state
        assert game.say("roll", value=value).refused is not None
        assert game.state == before

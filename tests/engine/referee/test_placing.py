"""Rolls and placements: in time, late, early, unseen."""

from tests.engine.referee.script import begin


def test_a_piece_placed_before_the_roll_is_told_waits_for_it() -> None:
    game = begin()
    game.placed("e2")
    assert game.board == {}

    game.say("roll", value=4)

    assert game.board == {"e2": ["blue"]}
    assert game.state.position.player == "Bob"
    assert game.types == ["rolled", "placed", "turn"]


def test_a_waiting_piece_the_die_does_not_allow_is_asked_about_and_does_not_count() -> None:
    game = begin()
    game.placed("e2")
    game.say("roll", value=1)

    assert game.board == {}
    assert game.state.position.player == "Ann"
    assert game.questions == ["placed-2"]
    game.say("answer", value="e2")  # Ann had placed; this is Bob's roll
    assert game.board == {"e2": ["blue"]}
    assert game.state.position.player == "Bob"
    assert game.state.position.phase == "act"


def test_two_pieces_without_a_roll_mean_that_the_first_roll_was_forgotten() -> None:
    game = begin()
    game.placed("e2")
    game.placed("c3")
    assert game.board == {"e2": ["blue"]}

    game.say("roll", value=1)

    assert game.board == {"e2": ["blue"], "c3": ["red"]}


def test_a_roll_before_the_piece_was_seen_belongs_to_the_next_player() -> None:
    game = begin()
    game.say("roll", value=4)
    game.say("roll", value=1)

    assert game.state.position.player == "Bob"
    assert game.questions == ["placed-3"]


def test_an_unseen_piece_after_a_one_can_only_be_in_the_centre() -> None:
    game = begin()
    game.say("roll", value=1)
    game.say("roll", value=4)

    assert game.board == {"c3": ["blue"]}
    assert game.questions == ["placed-3"]

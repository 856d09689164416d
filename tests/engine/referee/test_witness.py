"""What the sensors report, and what the referee makes of it."""

from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Fault,
    Placed,
    Restored,
    Suspected,
    ToppleKind,
)
from engine.referee import RefereeState, expectation, observe, standing
from tests.engine.referee.script import begin


def test_a_sure_placement_counts_at_once_and_passes_the_turn() -> None:
    game = begin()
    game.turn(4, "e2")

    assert game.board == {"e2": ["blue"]}
    assert game.state.position.player == "Bob"
    assert game.types == ["placed", "turn"]
    assert game.questions == []


def test_a_late_correction_re_scores_everything_after_it() -> None:
    game = begin()
    first = game.turn(6, "a1")
    for cell in ("b1", "c1", "d1", "e1"):
        game.turn(6, cell)
    assert game.scores == {"Ann": 5, "Bob": 0}  # e1 completes rank 1: 3 + own tops on a1, c1

    game.see(Corrected(first, game.t_s + 1, "a2", 0.97))

    assert game.scores == {"Ann": 0, "Bob": 0}
    assert game.types == ["corrected", "score"]
    assert game.ruling.outcomes[0].data["was"] == "a1"
    assert game.ruling.outcomes[0].data["changes"] == {"Ann": -5}


def test_a_correction_below_certainty_asks_and_a_sure_one_settles_the_question() -> None:
    game = begin()
    event = game.turn(4, "e2")
    game.see(Corrected(event, game.t_s, "e4", 0.7, (("e2", 0.3),)))
    assert game.questions == ["cell-3"]

    game.see(Corrected(event, game.t_s, "e4", 0.99))

    assert game.questions == []
    assert game.types == ["corrected", "settled"]


def test_people_are_believed_rather_than_later_evidence() -> None:
    game = begin()
    game.say("roll", value=4)
    event = game.placed("e2", 0.8, alternatives=(("e4", 0.15),))
    game.say("answer", value="e4")

    game.see(Corrected(event, game.t_s, "e2", 0.99))

    assert game.board == {"e4": ["blue"]}


def test_a_placement_decided_after_the_next_roll_takes_its_place_before_it() -> None:
    game = begin()
    game.say("roll", value=4)
    game.say("roll", value=1)
    game.placed("e2", at=3.5)

    assert game.board == {"e2": ["blue"]}
    assert game.questions == []
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "act")


def test_blame_for_a_fall_nobody_saw_counts_as_a_topple() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("blame", player=0)
    assert game.scores == {"Ann": -10, "Bob": 0}

    game.toppled("bump")  # the sensors decide later: the same fall

    assert game.scores == {"Ann": -10, "Bob": 0}
    assert game.questions == []


def test_a_topple_on_an_empty_board_by_a_bump_is_ignored() -> None:
    game = begin()
    game.toppled("bump")

    assert game.state.position.phase == "roll"
    assert game.types == []


def test_pieces_handled_while_clearing_do_not_count() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()
    rev = game.state.rev
    game.placed("a1")

    assert game.state.rev == rev
    assert game.board == {}
    game.cleared()
    assert game.state.position.phase == "roll"
    assert game.state.position.player == "Ann"


def test_play_going_on_without_clearing_means_that_nothing_had_fallen() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled("placing", sure=0.96)
    assert game.scores["Bob"] == -10
    game.placed("a2")  # Bob's piece after all
    game.say("roll", value=1)
    game.placed("c3")

    assert game.scores == {"Ann": 0, "Bob": 0}
    assert game.board == {"e2": ["blue"], "a2": ["red"], "c3": ["blue"]}


def test_a_roll_told_while_clearing_makes_the_detector_look_for_a_piece_again() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled("placing", sure=0.96)
    assert expectation(game.state).pieces_left == 0
    game.say("roll", value=1)

    assert expectation(game.state).may_place
    assert expectation(game.state).legal_cells == ("c3",)


def test_a_full_board_is_cleared_even_if_pieces_had_fallen_in_the_round_before() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()
    game.cleared()
    for _ in range(24):
        game.turn(6, "c3")

    assert game.state.position.phase == "clear"
    assert not expectation(game.state).may_place
    assert expectation(game.state).pieces_left == 0


def test_evidence_about_an_undone_piece_holds_when_it_is_redone() -> None:
    game = begin()
    event = game.turn(4, "e2")
    game.say("undo")
    game.see(Corrected(event, game.t_s, "e4", 0.99))
    game.say("redo")

    assert game.board == {"e4": ["blue"]}


def test_a_piece_entered_by_hand_and_then_seen_is_one_piece() -> None:
    game = begin()
    game.say("roll", value=4)
    game.say("place", cell="e2", colour="blue")
    game.placed("e2")

    assert game.board == {"e2": ["blue"]}
    assert standing(game.state) == ((1, "e2"),)


def test_faults_are_passed_on() -> None:
    game = begin()
    game.see(Fault(3.0, "scale.2", "check the wire"))
    assert game.types == ["fault"]
    game.see(Restored(4.0, "scale.2"))
    assert game.types == ["restored"]


def test_before_the_first_game_pieces_mean_nothing() -> None:
    state = RefereeState()

    assert observe(state, Placed(1, 1.0, 1.2, "c3", 0.99)).state == state


def test_a_board_cleared_by_word_and_by_sensors_is_cleared_once() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=1)
    game.toppled()
    game.say("cleared")
    assert game.types == ["cleared"]
    depth = game.state.undo_depth

    # The sensors decide later, about an earlier moment.
    game.see(Cleared(game.t_s - 1.0, game.t_s + 0.5))

    assert game.types == []
    assert game.state.undo_depth == depth
    assert game.state.position.phase == "roll"


def suspicion(number: int = 77) -> Suspected:
    return Suspected(number, 6.0, 6.2, 0.6, ToppleKind.OFF_STACK)


def test_a_suspicion_and_its_end_are_told_and_change_nothing() -> None:
    game = begin()
    game.turn(4, "e2")
    before = game.state

    told = game.see(suspicion()).outcomes[0]
    ended = game.see(Dismissed(77, 7.0)).outcomes[0]

    assert game.state is before
    assert (told.type, told.t_s, told.player) == ("suspected", 6.2, None)
    assert told.data == {"id": 77, "kind": "off_stack", "probability": 0.6, "valid_s": 6.0}
    assert (ended.type, ended.t_s, ended.data) == ("dismissed", 7.0, {"id": 77})
    assert told.seq == ended.seq == before.seq


def test_a_suspicion_takes_no_number_from_what_follows() -> None:
    game = begin()
    game.turn(4, "e2")
    seq, rev = game.state.seq, game.state.rev
    game.see(suspicion())

    game.toppled()

    assert game.types[0] == "fell"
    assert game.ruling.outcomes[0].seq == seq + 1
    assert game.state.rev == rev + 1


def test_nothing_is_suspected_where_no_topple_would_count() -> None:
    nothing = observe(RefereeState(), suspicion())
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump")
    while_clearing = game.see(suspicion())

    assert nothing.outcomes == while_clearing.outcomes == ()

"""Topples and cleared boards: who is to blame, and how a round ends."""

import pytest

from engine.events import Cleared, Corrected, Retracted
from engine.games.topple.rules import TOPPLE
from engine.referee.witness import rolled_while_clearing
from engine.scoreboard import document, status_of
from tests.engine.referee.script import Script, begin


def test_a_topple_while_placing_costs_the_player_in_turn_and_rewards_the_one_before() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.state.position.phase == "clear"


def test_the_rules_come_to_the_same_score_from_what_they_were_told_of_a_fall_before_the_roll() -> (
    None
):
    game = begin()
    game.turn(4, "e2")
    game.toppled(after_s=20.0)
    assert game.scores == {"Ann": 3, "Bob": -10}

    told = [
        action
        for judged in game.state.judged_moves
        for one in judged.applied
        for action in one.actions
    ]
    start, *rest = told
    scored = TOPPLE.start({key: start[key] for key in start if key != "type"}, None)
    for action in rest:
        scored = TOPPLE.apply(scored, action)

    assert TOPPLE.scores(scored) == game.scores
    assert "roll" in game.state.judged_moves[-1].applied[0].assumed


def test_a_piece_that_falls_after_it_was_let_go_never_scored() -> None:
    game = begin()
    for cell in ("a1", "b1", "c1", "d1"):
        game.turn(6, cell)
    event = game.turn(6, "e1")
    assert game.scores["Ann"] == 5

    game.toppled()
    game.see(Retracted(event, game.t_s + 1, "toppled while placing"))

    assert game.scores == {"Ann": -10, "Bob": 3}


def test_retraction_before_the_topple_gives_the_same() -> None:
    game = begin()
    for cell in ("a1", "b1", "c1", "d1"):
        game.turn(6, cell)
    event = game.turn(6, "e1")
    game.see(Retracted(event, game.t_s + 0.5, "toppled while placing"))
    game.toppled()

    assert game.scores == {"Ann": -10, "Bob": 3}


def test_a_bump_waits_for_blame_and_then_costs_whoever_did_it() -> None:
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump")
    assert game.scores == {"Ann": 0, "Bob": 0}
    assert game.state.position.phase == "clear"
    assert game.questions == ["blame-4"]

    game.say("blame", player=1)

    assert game.scores == {"Ann": 0, "Bob": -10}
    assert game.questions == []
    assert "round" not in game.types  # announced when the pieces fell


def test_an_uncertain_cause_is_asked_about_and_can_be_denied_altogether() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled("placing", sure=0.7)
    assert game.scores["Bob"] == -10

    game.say("answer", value="none")

    assert game.scores == {"Ann": 0, "Bob": 0}
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "act")


def test_the_piece_that_ends_the_round_may_still_fall() -> None:
    game = begin(options={"pass": "always"})
    for number in range(24):
        game.turn(6, "c3" if number % 2 else "a1")
    assert game.state.position.phase == "clear"
    before = game.scores["Bob"]
    points = game.state.applied()[max(game.state.applied())].points or 0

    game.toppled()

    assert game.scores["Bob"] == before - points - 10


def test_a_bump_for_which_nobody_owns_up_costs_nobody_once_all_pieces_are_played() -> None:
    """Seed 1200003, rough: who bumps then need not say a word."""
    game = begin(options={"pass": "always"})
    for number in range(24):
        game.turn(6, "c3" if number % 2 else "a1")
    before = dict(game.scores)
    game.toppled(cause="bump", sure=0.92)
    game.cleared()

    assert game.scores == before


def test_a_board_cleared_in_mid_round_ends_it_by_agreement() -> None:
    game = begin()
    game.turn(4, "e2")
    game.cleared()

    assert game.board == {}
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "roll")
    refused = game.say("cleared").refused
    assert refused is not None
    assert refused.code == "nothing_to_clear"


def test_a_board_seen_empty_late_that_was_cleared_before_the_game_began_is_no_topple() -> None:
    game = begin()
    game.say("roll", value=2)
    game.see(Cleared(game.t_s, game.t_s + 0.1))
    game.placed("d3")

    assert game.board == {"d3": ["blue"]}
    assert game.scores == {"Ann": 0, "Bob": 0}
    assert game.state.questions() == ()


def test_long_after_the_start_an_empty_board_in_mid_turn_still_means_a_piece_that_fell() -> None:
    game = begin()
    game.t_s += 60.0
    game.say("roll", value=2)
    game.cleared()

    assert game.scores["Ann"] == -10


def test_after_an_agreed_end_players_who_ran_out_of_pieces_are_in_again() -> None:
    game = begin()
    for _ in range(2):
        game.say("roll", value=6)
        game.say("pass")
        game.turn(6, "a1")
    while (position := game.state.position).rules.view(position.game_state)["left"]["red"]:
        game.turn(6, "b2")
    game.turn(6, "c3")
    assert game.state.position.player == "Ann"  # Bob has no piece left and is skipped

    game.cleared()

    assert game.state.position.player == "Bob"


def test_a_board_cleared_in_mid_turn_means_that_a_piece_fell_unseen() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.say("cleared")

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert (game.state.position.player, game.state.position.phase) == ("Ann", "roll")
    assert game.questions == ["blame-5"]
    assert game.types[:1] == ["toppled"]


def test_an_unseen_fall_can_be_a_bump_or_an_agreement() -> None:
    for answer, scores in (("Ann", {"Ann": -10, "Bob": 0}), ("none", {"Ann": 0, "Bob": 0})):
        game = begin()
        game.turn(4, "e2")
        game.say("roll", value=4)
        game.say("cleared")
        game.say("answer", value=answer)

        assert game.scores == scores
        assert game.questions == []


def test_the_first_piece_of_a_round_can_fall_unseen_too() -> None:
    game = begin()
    game.say("roll", value=4)
    game.say("cleared")

    assert game.scores == {"Ann": -10, "Bob": 0}


def test_a_topple_decided_after_the_clearing_is_not_counted_twice() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.say("cleared")
    game.t_s -= 1.5
    game.toppled("placing")

    assert game.scores == {"Ann": 3, "Bob": -10}


@pytest.mark.parametrize("pieces", [2, 8])
def test_a_board_cleared_between_turns_is_asked_about(pieces: int) -> None:
    for answer, scores in (
        ("none", {"Ann": 0, "Bob": 0}),
        ("placing", {"Ann": 3, "Bob": -10}),
        ("Ann", {"Ann": -10, "Bob": 0}),
    ):
        game = begin()
        for cell in ("e2", "b1", "a2", "d1", "b2", "d2", "c1", "c5")[:pieces]:
            game.turn(6, cell)
        game.cleared()
        # With a high tower people agree to stop; with two pieces one fell.
        fell = {"Ann": 3, "Bob": -10}
        assert game.scores == (fell if pieces == 2 else {"Ann": 0, "Bob": 0})

        game.say("answer", question=game.questions[0], value=answer)

        assert game.scores == scores
        assert game.questions == []
        assert game.state.position.player == "Ann"


# --- who was placing: believed, told quietly, settled by the next roll ---------------------------


def fallen_while_bob_places(sure: float = 0.88, p: float = 0.99) -> Script:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled("placing", sure=sure, p=p)
    return game


def test_a_cause_that_is_probable_enough_is_believed_and_not_asked_about() -> None:
    game = fallen_while_bob_places()

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.questions == []
    assert game.doubts == ["blame-5"]
    assert "asked" not in game.types
    board = document(game.state, table="t", boot="b")
    assert board.pending is None
    assert board.last is not None
    assert board.last.status == "provisional"
    assert "answer" in board.can["any"]


def test_below_that_the_table_asks() -> None:
    for game in (fallen_while_bob_places(sure=0.8), fallen_while_bob_places(p=0.8)):
        assert game.questions == ["blame-5"]
        assert game.doubts == []


def test_whoever_knows_better_says_so_and_the_points_move() -> None:
    said = (
        ("answer", {"question": "blame-5", "value": "Ann"}),
        ("blame", {"player": 0}),
        ("correct", {"ref": 5, "cause": "bump", "player": "Ann"}),
    )
    for verb, data in said:
        game = fallen_while_bob_places()
        game.cleared()
        game.say(verb, **data)

        assert game.scores == {"Ann": -10, "Bob": 0}, verb
        assert game.doubts == game.questions == []


def test_if_nothing_fell_the_turn_goes_on() -> None:
    game = fallen_while_bob_places()
    game.say("answer", question="blame-5", value="none")

    assert game.scores == {"Ann": 0, "Bob": 0}
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "act")


def test_the_cause_stays_open_over_the_clearing_and_is_settled_by_the_next_roll() -> None:
    game = fallen_while_bob_places()
    game.cleared()
    applied = game.state.applied()[5]
    assert game.doubts == ["blame-5"]
    assert status_of(game.state, applied) == "provisional"

    game.say("roll", value=4)

    assert game.doubts == []
    assert status_of(game.state, applied) == "confirmed"
    refused = game.say("answer", question="blame-5", value="Ann").refused
    assert refused is not None
    assert game.say("correct", ref=5, cause="bump", player="Ann").refused is None
    assert game.scores == {"Ann": -10, "Bob": 0}


def test_without_dice_the_next_piece_settles_it() -> None:
    game = begin(options={"dice": "untold"})
    game.placed("e2")
    game.toppled("placing", sure=0.9, after_s=4.0)
    game.cleared()
    assert game.doubts == ["blame-3"]
    game.placed("c3")
    assert game.doubts == []


# --- rolls told late, and presses -------------------------------------------------------------


def test_a_roll_told_after_the_fall_tells_who_was_placing() -> None:
    game = begin()
    game.turn(4, "e2")
    game.toppled(after_s=6.0)
    assert game.scores == {"Ann": -10, "Bob": 0}  # as far as anybody can know

    game.say("roll", value=4)  # Bob's, told late

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.types[:2] == ["corrected", "score"]
    game.cleared()
    assert game.state.position.player == "Ann"


def test_a_piece_seen_before_its_roll_was_told_tells_who_was_placing() -> None:
    for retracted in (False, True):
        game = begin()
        game.turn(4, "e2")
        second = game.placed("e4", at=game.t_s + 5.0)
        if retracted:
            game.retracted(second, "toppled while placing")
        game.toppled(at=game.t_s + 3.5)

        assert game.scores == {"Ann": 3, "Bob": -10}, retracted


def test_a_press_that_comes_late_means_the_clearing_that_has_been() -> None:
    game = fallen_while_bob_places()
    game.cleared()
    game.turn(4, "e2")
    refused = game.say("cleared").refused

    assert refused is not None
    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.board == {"e2": ["blue"]}


def test_sensors_that_come_after_an_early_press_mean_the_same_clearing() -> None:
    game = fallen_while_bob_places()
    game.say("cleared")
    game.say("roll", value=4)
    game.cleared()

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert (game.state.position.player, game.state.position.phase) == ("Ann", "act")


# --- bumps ------------------------------------------------------------------------------------


def bumped(*, rolled: bool, after_s: float, retracted: bool = False) -> Script:
    """Ann completes a row for 5 points, and the table is bumped."""
    game = begin()
    for cell in ("a1", "b1", "c1", "d1"):
        game.turn(6, cell)
    event = game.turn(6, "e1")
    let_go_s = game.t_s
    if rolled:
        game.say("roll", value=6)
    if retracted:
        game.retracted(event, "toppled while placing")
    game.toppled("placing" if retracted else "bump", sure=0.9, at=let_go_s + after_s)
    return game


def test_after_a_bump_the_last_piece_keeps_its_points_whoever_rolled_since() -> None:
    for rolled in (False, True):
        game = bumped(rolled=rolled, after_s=2.5)
        game.say("blame", player=1)

        assert game.scores == {"Ann": 5, "Bob": -10}, rolled


def test_a_piece_the_sensors_took_for_fallen_keeps_its_points_if_people_say_it_was_a_bump() -> None:
    game = bumped(rolled=False, after_s=1.0, retracted=True)
    assert game.scores == {"Ann": -10, "Bob": 3}
    game.say("blame", player=1)

    assert game.scores == {"Ann": 5, "Bob": -10}


def test_a_piece_that_had_not_lain_still_does_not() -> None:
    game = bumped(rolled=False, after_s=0.2, retracted=True)
    game.say("blame", player=1)

    assert game.scores == {"Ann": 0, "Bob": -10}


def test_a_culprit_can_be_named_until_the_next_board_is_cleared() -> None:
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump", after_s=20.0)
    game.cleared()
    asked = game.questions
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled(after_s=12.0)
    assert game.questions == asked != []
    game.cleared()

    assert game.questions == []
    assert game.types == ["cleared", "settled"]


def test_where_a_piece_lay_is_asked_until_the_board_is_cleared() -> None:
    game = begin()
    game.say("roll", value=4)
    game.placed("e2", 0.6, alternatives=(("e4", 0.3),))
    assert game.questions == ["cell-3"]
    game.say("roll", value=4)
    game.toppled(after_s=12.0)
    assert game.questions == ["cell-3"]
    game.cleared()

    assert game.questions == []


def test_a_fall_that_people_told_of_awaits_no_piece_however_often_they_roll() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("topple", player="Bob")
    game.say("roll", value=4)

    assert rolled_while_clearing(game.state) is None


def test_what_the_sensors_say_better_of_a_fall_is_said_of_no_piece() -> None:
    game = begin()
    game.turn(4, "e2")
    fall = game.toppled("bump", after_s=12.0)
    before = game.state
    game.see(Corrected(fall, game.t_s, "e4", 0.99))

    assert game.state is before


def swept_off() -> Script:
    """A bump has felled all pieces; what lies about is taken away after the board was empty."""
    table = begin()
    table.turn(3, "c1")
    table.toppled("bump", sure=0.97)
    table.say("blame", player="Bob")
    table.cleared()
    return table


def test_what_is_taken_from_the_plate_after_a_tower_was_swept_off_is_no_second_fall() -> None:
    table = swept_off()
    before = table.scores, table.state.position.player
    table.toppled("placing", after_s=3.0)
    table.cleared()

    assert (table.scores, table.state.position.player) == before
    assert table.state.position.phase == "roll"


def test_a_piece_that_falls_once_somebody_has_rolled_is_a_fall() -> None:
    table = swept_off()
    before = table.scores
    table.say("roll", value=3)
    table.toppled("placing", after_s=3.0)

    assert table.scores != before


@pytest.mark.parametrize(("p", "ann"), [(0.99, 0), (0.5, -10)])
def test_a_high_tower_cleared_after_a_piece_that_lies_between_cells_lost_that_piece(
    p: float, ann: int
) -> None:
    """People who lift the board off, normal table, seed 760001: it was taken for an agreed stop."""
    game = begin()
    for cell in ("a1", "e5", "a5", "e1", "b2", "d4", "b4", "d2"):
        game.turn(6, cell)
    game.say("roll", value=6)
    game.placed("e3", p, alternatives=(("d3", 0.3), ("e2", 0.15)))
    game.cleared()

    assert game.scores["Ann"] == ann

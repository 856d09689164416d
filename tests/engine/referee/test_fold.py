"""What a move means at its moment: rolls, topples, rounds."""

from engine.events import Retracted
from engine.referee import expectation
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


def test_a_topple_while_placing_costs_the_player_in_turn_and_rewards_the_one_before() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.state.position.phase == "clear"


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


def test_a_board_cleared_in_mid_round_ends_it_by_agreement() -> None:
    game = begin()
    game.turn(4, "e2")
    game.cleared()

    assert game.board == {}
    assert (game.state.position.player, game.state.position.phase) == ("Bob", "roll")
    refused = game.say("cleared").refused
    assert refused is not None
    assert refused.code == "nothing_to_clear"


def test_after_an_agreed_end_players_who_ran_out_of_pieces_are_in_again() -> None:
    game = begin()
    for _ in range(2):
        game.say("roll", value=6)
        game.say("pass")
        game.turn(6, "a1")
    while (position := game.state.position).book.view(position.game)["left"]["red"]:
        game.turn(6, "b2")
    game.turn(6, "c3")
    assert game.state.position.player == "Ann"  # Bob has no piece left and is skipped

    game.cleared()

    assert game.state.position.player == "Bob"


def test_with_an_untold_die_the_turn_passes_with_each_placement() -> None:
    game = begin(options={"dice": "untold"})
    game.placed("e2")
    game.placed("c3")

    assert game.board == {"e2": ["blue"], "c3": ["red"]}
    assert expectation(game.state).legal_cells is None


def test_the_young_version_has_no_scores() -> None:
    game = begin(target=None)
    game.turn(4, "e2")
    game.say("roll", value=4)
    game.toppled()

    assert game.scores == {}
    assert game.state.position.over

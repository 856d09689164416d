"""Topples and cleared boards: who is to blame, and how a round ends."""

import pytest

from engine.games.topple.rules import TOPPLE
from engine.referee.witness import rolled_while_clearing
from engine.scoreboard import status_of
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin


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


def test_a_fall_that_people_told_of_awaits_no_piece_however_often_they_roll() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("topple", player="Bob")
    game.say("roll", value=4)

    assert rolled_while_clearing(game.state) is None


@cases("""
a topple while placing costs the player in turn and rewards the one before
    turn 4 e2; roll 4; fall placing -> scores Ann=3 Bob=-10; turn Ann clear
a piece that falls after it was let go never scored
    turns a1 b1 c1 d1 e1 -> scores Ann=5 Bob=0
    fall placing; gone 5 toppled while placing -> scores Ann=-10 Bob=3
retraction before the topple gives the same
    turns a1 b1 c1 d1 e1; gone 5 toppled while placing; fall placing -> scores Ann=-10 Bob=3
a bump waits for blame and then costs whoever did it
    turn 4 e2; fall bump -> scores Ann=0 Bob=0; turn Bob clear; asks blame-4
    blame player=1 -> scores Ann=0 Bob=-10; asks nothing; told corrected score settled
an uncertain cause is asked about and can be denied altogether
    turn 4 e2; roll 4; fall placing sure=0.7 -> scores Ann=3 Bob=-10
    answer none -> scores Ann=0 Bob=0; turn Bob act
a board cleared in mid round ends it by agreement
    turn 4 e2; emptied -> board nothing; turn Bob roll
    cleared -> refused nothing_to_clear
long after the start an empty board in mid turn still means a piece that fell
    wait 60.0; roll 2; emptied -> scores Ann=-10 Bob=0
a board cleared in mid turn means that a piece fell unseen
    turn 4 e2; roll 4; cleared -> scores Ann=3 Bob=-10; turn Ann roll; asks blame-5
    -> told toppled score round asked turn
the first piece of a round can fall unseen too
    roll 4; cleared -> scores Ann=-10 Bob=0
a topple decided after the clearing is not counted twice
    turn 4 e2; roll 4; cleared; wait -1.5; fall placing -> scores Ann=3 Bob=-10
if nothing fell the turn goes on
    turn 4 e2; roll 4; fall placing sure=0.88; answer question=blame-5 value=none
    -> scores Ann=0 Bob=0; turn Bob act
without dice the next piece settles it
    start untold; piece e2; fall placing sure=0.9 after_s=4.0; emptied -> doubts blame-3
    piece c3 -> doubts nothing
a roll told after the fall tells who was placing
    turn 4 e2; fall placing after_s=6.0 -> scores Ann=-10 Bob=0
    roll 4 -> scores Ann=3 Bob=-10; told corrected score turn
    emptied -> turn Ann roll
a press that comes late means the clearing that has been
    turn 4 e2; roll 4; fall placing sure=0.88; emptied; turn 4 e2; cleared
    -> refused nothing_to_clear; scores Ann=3 Bob=-10; board e2=blue
sensors that come after an early press mean the same clearing
    turn 4 e2; roll 4; fall placing sure=0.88; cleared; roll 4; emptied -> scores Ann=3 Bob=-10
    -> turn Ann act
a piece the sensors took for fallen keeps its points if people say it was a bump
    turns a1 b1 c1 d1 e1; gone 5 toppled while placing; fall placing sure=0.9 late_s=0.0
    -> scores Ann=-10 Bob=3
    blame player=1 -> scores Ann=5 Bob=-10
a piece that had not lain still does not
    turns a1 b1 c1 d1 e1; gone 5 toppled while placing; fall placing sure=0.9 late_s=0.8
    blame player=1 -> scores Ann=0 Bob=-10
where a piece lay is asked until the board is cleared
    roll 4; piece e2 p=0.6 e4=0.3 -> asks cell-3
    roll 4; fall placing after_s=12.0 -> asks cell-3
    emptied -> asks nothing
what is taken from the plate after a tower was swept off is no second fall
    turn 3 c1; fall bump sure=0.97; blame player=Bob; emptied; fall placing after_s=3.0; emptied
    -> scores Ann=0 Bob=-10; turn Bob roll
a piece that falls once somebody has rolled is a fall
    turn 3 c1; fall bump sure=0.97; blame player=Bob; emptied; roll 3; fall placing after_s=3.0
    -> scores Ann=0 Bob=-20
an unseen fall can be a bump or an agreement: Ann
    turn 4 e2; roll 4; cleared; answer Ann -> scores Ann=-10 Bob=0; asks nothing
an unseen fall can be a bump or an agreement: none
    turn 4 e2; roll 4; cleared; answer none -> scores Ann=0 Bob=0; asks nothing
a cause that is probable enough is believed and not asked about
    turn 4 e2; roll 4; fall placing sure=0.88 -> scores Ann=3 Bob=-10; asks nothing
    -> doubts blame-5; told toppled score round turn; shown.pending null
    -> shown.last.status provisional
    -> shown.can.any ["cleared","blame","correct","end","answer","undo"]
below that the table asks: sure=0.8
    turn 4 e2; roll 4; fall placing sure=0.8 -> asks blame-5; doubts nothing
below that the table asks: sure=0.88 p=0.8
    turn 4 e2; roll 4; fall placing sure=0.88 p=0.8 -> asks blame-5; doubts nothing
whoever knows better says so and the points move: answer question=blame-5 value=Ann
    turn 4 e2; roll 4; fall placing sure=0.88; emptied; answer question=blame-5 value=Ann
    -> scores Ann=-10 Bob=0; doubts nothing; asks nothing
whoever knows better says so and the points move: blame player=0
    turn 4 e2; roll 4; fall placing sure=0.88; emptied; blame player=0 -> scores Ann=-10 Bob=0
    -> doubts nothing; asks nothing
whoever knows better says so and the points move: correct ref=5 cause=bump player=Ann
    turn 4 e2; roll 4; fall placing sure=0.88; emptied; correct ref=5 cause=bump player=Ann
    -> scores Ann=-10 Bob=0; doubts nothing; asks nothing
a piece seen before its roll was told tells who was placing: fall late_s=-2.5
    turn 4 e2; piece e4 after_s=5.0; fall placing late_s=-2.5 -> scores Ann=3 Bob=-10
a piece seen before its roll was told tells who was placing: gone 2 toppled while
    turn 4 e2; piece e4 after_s=5.0; gone 2 toppled while placing; fall placing late_s=-2.5
    -> scores Ann=3 Bob=-10
a high tower cleared after a piece that lies between cells lost that piece: as usual
    # People who lift the board off, normal table, seed 760001: it was taken for an agreed stop.
    turns a1 e5 a5 e1 b2 d4 b4 d2; roll 6; piece e3 d3=0.3 e2=0.15; emptied -> scores Ann=0 Bob=0
a high tower cleared after a piece that lies between cells lost that piece: p=0.5
    turns a1 e5 a5 e1 b2 d4 b4 d2; roll 6; piece e3 p=0.5 d3=0.3 e2=0.15; emptied
    -> scores Ann=-10 Bob=3
a bump for which nobody owns up costs nobody once all pieces are played
    # Seed 1200003, rough: who bumps then need not say a word.
    start pass=always; turns a1 c3 *12; fall bump sure=0.92; emptied -> scores Ann=72 Bob=72
after an agreed end players who ran out of pieces are in again
    roll 6; pass; turn 6 a1; roll 6; pass
    turns a1 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 b2 c3 -> turn Ann roll
    emptied -> turn Bob roll
after a bump the last piece keeps its points whoever rolled since: fall bump sure=0.9 late_s=-1.5
    turns a1 b1 c1 d1 e1; fall bump sure=0.9 late_s=-1.5; blame player=1 -> scores Ann=5 Bob=-10
after a bump the last piece keeps its points whoever rolled since: roll 6
    turns a1 b1 c1 d1 e1; roll 6; fall bump sure=0.9 late_s=0.5; blame player=1
    -> scores Ann=5 Bob=-10
the piece that ends the round may still fall
    start pass=always; turns a1 c3 *12 -> turn Ann clear; scores Ann=72 Bob=72
    -> applied.49.points 12
    fall placing -> scores Ann=75 Bob=50
a board seen empty late that was cleared before the game began is no topple
    roll 2; wait -5.0; emptied; piece d3 -> board d3=blue; scores Ann=0 Bob=0; asks nothing
a roll that was refused for a fall has its event once people say that nothing had fallen
    # Soak, seed 157216: documents showed a die of which no event had told.
    turn 4 e2; roll 4; fall bump sure=0.6; wait 2; roll 2 -> refused clear_first
    answer none -> told corrected rolled settled turn; outcome.1.die 2
a bump that felled the only piece as it was let go is blamed: the sensors saw both
    # The table retracted the piece, and refused the blame since no piece was left.
    roll 1; piece c3; fall bump after_s=0.2 rested=0.1; gone 1 -> turn Ann act; asks nothing
    -> shown.can.any ["blame","topple","turn","correct","end","undo"]
    blame player=Bob -> told toppled score round; scores Ann=0 Bob=-10; turn Ann clear
    emptied -> turn Ann roll
    undo; undo -> scores Ann=0 Bob=0; turn Ann act
a bump that felled the only piece as it was let go is blamed: nobody tells the die
    start untold; piece c3; fall bump after_s=0.2 rested=0.1; gone 1; blame player=0
    -> scores Ann=-10 Bob=0; turn Ann clear
a bump that felled the only piece as it was let go is blamed: its roll has not been told
    piece c3; blame player=Bob -> scores Ann=0 Bob=-10; turn Ann clear
a bump that felled the only piece as it was let go is blamed: people were first
    roll 1; piece c3; topple cause=bump player=Bob; gone 1 -> scores Ann=0 Bob=-10; turn Ann clear
a bump that felled the only piece as it was let go is blamed: not before anything was let go
    roll 1; piece c3; gone 1; pass; roll 1; topple cause=bump player=Bob -> refused empty_board
    blame player=Ann -> refused empty_board; turn Bob act
what the sensors say better of a fall is said of no piece
    turn 4 e2; fall bump after_s=12.0 -> state.rev 4; state.undo_depth 4
    better 2 e4 -> told nothing; state.rev 4; state.undo_depth 4
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

"""Before the winner is called: asked once, together, and only what the result hangs on."""

import pytest

from engine.events import ToppleCause, Toppled, ToppleKind
from engine.referee import RefereeState, ending
from engine.scoreboard import document
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin


def two_rounds(target: int, first: float = 0.99, second: float = 0.6) -> Script:
    """Ann completes a row in both rounds, and Bob topples both times: 16 to -20.

    Args:
        target: points that win.
        first: probability that Ann's first piece lies on a1; else it lies on e5.
        second: that the piece with which she completed the row of the first round lies on e1.
    """
    game = begin(target=target)
    game.say("roll", value=6)
    game.placed("a1", first, alternatives=(("e5", 1.0 - first),))
    for cell in ("b1", "c1", "d1"):
        game.turn(6, cell)
    game.say("roll", value=6)
    game.placed("e1", second, alternatives=(("e5", 1.0 - second),))
    bob_topples(game)
    game.cleared()
    for cell in ("a1", "b1", "c1", "d1", "e1"):
        game.turn(6, cell)
    bob_topples(game)
    return game


def bob_topples(game: Script, sure: float = 0.99) -> None:
    game.say("roll", value=6)
    game.toppled(sure=sure)


@pytest.mark.parametrize("target", [9, 11])
def test_it_is_not_asked_about_when_the_winner_is_the_same_with_every_answer(target: int) -> None:
    game = two_rounds(target)

    assert game.state.position.phase == "over"
    assert (game.questions, game.state.at_end) == ([], ())


@pytest.mark.parametrize(("sure", "asked"), [(0.6, ["blame"]), (0.9, [])])
def test_a_cause_that_was_believed_in_sight_of_all_is_not_asked_about(
    sure: float, asked: list[str]
) -> None:
    """Had somebody bumped the table, Ann had no bonus, and the game went on."""
    game = begin(target=8)
    for cell in ("a1", "b1", "c1", "d1", "e1"):
        game.turn(6, cell)
    bob_topples(game, sure)

    assert (game.scores["Ann"], game.state.position.phase) == (8, "over")
    assert [question.kind for question in game.state.questions()] == asked


@pytest.mark.parametrize(("begins", "points"), [("Bob", 5), ("Ann", 0)])
def test_whether_the_winning_piece_counted_before_a_bump_is_asked_and_the_answer_counts(
    begins: str, points: int
) -> None:
    """It had decided a game, and nobody was asked (seed 1200004)."""
    game = begin(target=1)
    for cell in ("a1", "b1", "c1", "d1", "e1"):
        game.turn(6, cell)
    fell_s = game.t_s + 0.5
    game.see(Toppled(
        90, fell_s, fell_s + 0.3, ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.98, 0.98, 2, 0.6
    ))  # fmt: skip
    game.say("blame", player="Bob")
    assert (game.scores["Ann"], game.state.position.phase) == (5, "over")
    (asked,) = (question for question in game.state.questions() if question.kind == "turn")
    game.say("answer", question=asked.id, value=begins)

    assert game.scores["Ann"] == points
    assert not any(question.kind == "turn" for question in game.state.questions())


def test_what_is_seen_after_the_end_leaves_the_questions_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each trial of an answer scores the game anew: not for every hand that clears the board."""
    game = two_rounds(target=16)
    tried: list[RefereeState] = []
    monkeypatch.setattr(ending, "asked_at_end", tried.append)
    game.placed("c3")
    game.cleared()

    assert (game.questions, tried) == (["cell-11"], [])


def test_it_is_final_when_nobody_answers_and_can_still_be_answered() -> None:
    game = two_rounds(target=16)
    shown = document(game.state, table="t", boot="b", awaited=False)

    assert (shown.result, len(shown.before_winner)) == ("final", 1)


def test_while_a_game_goes_on_there_is_no_result() -> None:
    assert document(begin().state, table="t", boot="b").result is None
    assert document(RefereeState(), table="t", boot="b").result is None


@cases("""
what people did not know is not asked again
    start target=8; turns a1 b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4
    answer question=cell-11 value=unknown; roll 6; fall placing -> turn None over; asks nothing
a risk as small as that of any placement is taken
    start target=8; roll 6; piece a1 p=0.94 e5=0.04; turns b1 c1 d1 e1; roll 6; fall placing
    -> turn None over; asks nothing
a question of the last round stays open for the points alone
    start target=3; turns a1 b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4; roll 6; fall placing
    -> turn None over; asks cell-11
one of the last round with which nothing changes is settled
    start target=3; turns a1 b1 c1 d1 e1; roll 6; piece c4 p=0.6 c5=0.4 -> asks cell-13
    roll 6; fall placing -> turn None over; asks nothing; told toppled score round over settled
a game that people broke off has no winner to ask about
    start target=100; roll 6; piece e1 p=0.6 e5=0.4; end -> state.at_end null; shown.result final
a doubt of an earlier round on which the winner hangs is asked about once, and the answer counts
    start target=16; roll 6; piece a1 e5=0.01; turns b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4
    roll 6; fall placing; emptied; turns a1 b1 c1 d1 e1; roll 6; fall placing
    -> scores Ann=16 Bob=-20; turn None over; asks cell-11; told toppled score round over asked
    -> shown.result open; shown.winners ["Ann"]; shown.round 2; shown.before_winner.0.id cell-11
    -> shown.before_winner.0.round 1; shown.players.0.provisional true; shown.can.any.0 start
    answer question=cell-11 value=e5 -> scores Ann=11 Bob=-20; turn Ann clear; asks nothing
    -> state.at_end null
    undo -> scores Ann=16 Bob=-20; asks cell-11
    answer question=cell-11 value=e1 -> scores Ann=16 Bob=-20; turn None over; asks nothing
    -> state.at_end []; told corrected settled
    undo; answer question=cell-11 value=unknown -> scores Ann=16 Bob=-20; turn None over
    -> asks nothing; state.at_end []; told settled
what was not worth a question is when the winner hangs on it
    # Where a1 is empty Ann's row was none: 5 points that nobody could foresee.
    start target=16; roll 6; piece a1 p=0.94 e5=0.06; turns b1 c1 d1; roll 6; piece e1 e5=0.01
    roll 6; fall placing; emptied; turns a1 b1 c1 d1 e1; roll 6; fall placing -> asks cell-3
    -> asked.cell-3.spared true
several are asked together
    start target=16; roll 6; piece a1 p=0.9 e5=0.1; turns b1 c1 d1; roll 6; piece e1 p=0.6 e5=0.4
    roll 6; fall placing; emptied; turns a1 b1 c1 d1 e1; roll 6; fall placing
    -> asks cell-11 cell-3; shown.pending.id cell-11; shown.before_winner.0.id cell-11
    -> shown.before_winner.1.id cell-3
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

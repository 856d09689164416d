"""Rounds whose end the sensors saw badly: what a press of the button says, and the last piece."""

import pytest

from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin


def all_but_the_last_piece() -> tuple[Script, int]:
    """All pieces but Bob's last are placed; gives the number of Ann's last."""
    game, last = begin(options={"dice": "untold"}), 0
    for number in range(23):
        last = game.placed("c3" if number % 2 else "a1")
    return game, last


def test_a_bump_takes_another_piece_along_as_ever() -> None:
    game, last = all_but_the_last_piece()
    game.toppled("bump", after_s=0.2)
    game.retracted(last, "toppled while placing")

    assert len(game.board) == 0
    assert game.state.judged_move(24).refusal is not None


@pytest.mark.parametrize(("after_s", "pays"), [(0.4, "Ann"), (4.0, "Bob")])
def test_the_only_piece_that_goes_as_the_board_is_cleared_had_fallen(
    after_s: float, pays: str
) -> None:
    """It slid to the next cell, was told there, and was taken off (rough, seed 1500002)."""
    game = begin(options={"dice": "untold"})
    game.placed("c5")
    game.toppled("placing", after_s=3.6)
    game.t_s += after_s - 2.0
    game.say("cleared")

    assert [name for name, points in game.scores.items() if points < 0] == [pays]


@pytest.mark.parametrize("later_s", [-0.5, 0.5])
def test_if_nothing_fell_what_seemed_to_fall_along_was_placed_and_it_is_asked_once(
    later_s: float,
) -> None:
    """They had agreed to stop: the piece was lost, and they were asked twice (26610007)."""
    games = []
    for seen in (False, True):
        game = begin()
        game.turn(4, "e2")
        piece = game.turn(4, "b5")
        released_s = game.t_s
        if seen:
            game.toppled(p=0.6, at=released_s + later_s)
            game.retracted(piece, "toppled while placing")
        game.cleared()
        game.say("answer", value="none")
        games.append(game)
    agreed, denied = games

    assert "placed" in denied.types
    assert denied.scores == agreed.scores
    assert denied.questions == agreed.questions == []
    assert denied.board == agreed.board == {}
    denied.say("undo")
    assert denied.questions


@cases("""
a second press says that the first piece of a round fell at once
    # It slid off the empty board, or was taken for one taken back (rough, seed 1600001).
    start untold; piece a1; fall placing; emptied; cleared; wait 7.0; cleared
    -> scores Ann=-10 Bob=-10; asks blame-5; turn Ann act
a second press says so also of a piece that was seen and seemed taken back
    start untold; piece a1; fall placing; emptied; cleared; piece d3 p=0.67; gone 3; wait 3.0
    cleared -> scores Ann=-10 Bob=-10
a button that is pressed twice at once says nothing new
    start untold; piece a1; fall placing; emptied; cleared; cleared -> refused nothing_to_clear
    -> scores Ann=-10 Bob=0
the first press may come late and is for the clearing that was seen
    start untold; piece a1; fall placing; emptied; wait 9.0; cleared -> scores Ann=-10 Bob=0
where rolls are told a press without a roll says nothing new
    roll 6; piece a1; fall placing; emptied; cleared; wait 7.0; cleared
    -> refused nothing_to_clear; scores Ann=-10 Bob=0
on a board just cleared only a hand lets something fall: bump
    # A bump swept the whole tower off its board; then hands shook it (rough, seed 1700001).
    start untold; piece a1; fall placing; emptied; cleared; fall bump -> turn Bob act
on a board just cleared only a hand lets something fall: as usual
    start untold; piece a1; fall placing; emptied; cleared; fall placing -> turn Ann clear
a bump takes the last piece of all along and costs nobody
    # The tower came down a tenth of a second after the last hand let go (rough, seed 1700016).
    start untold; pieces a1 c3 *12; fall bump after_s=0.2; gone 24 toppled while placing; emptied
    -> scores Ann=72 Bob=72
who is blamed bumped before a last piece that hardly stood: p=0.24
    # A hand had its piece over the board when others fell (rough, seed 1700016).
    start untold; pieces a1 c3 *11; piece a1; piece e2 p=0.24 -> turn Ann clear
    blame player=Ann -> refused nothing; scores Ann=62 Bob=60
who is blamed bumped before a last piece that hardly stood: as usual
    start untold; pieces a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 c3 a1 e2
    -> turn Ann clear
    blame player=Ann -> refused clear_first; scores Ann=72 Bob=60
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

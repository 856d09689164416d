"""Whose turn it is, by what people say and by what the table believes."""

import pytest

from engine.events import Retracted, ToppleCause, Toppled, ToppleKind
from engine.referee import expectation
from engine.referee.turns import ASTRAY, belief
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import TWO_COLOURS, Script, begin


def bumped(rested: float, *, retracted: bool, cleared: bool = True) -> Script:
    """Ann and Bob have placed, Ann again, and before Bob rolls somebody bumps the table."""
    game = begin()
    for cell in ("e2", "b1"):
        game.turn(6, cell)
    event = game.turn(6, "a2")
    t_s = game.t_s + 0.5
    fall = Toppled(90, t_s, t_s + 0.3, ToppleKind.COLLAPSE, ToppleCause.BUMP, 0.98, 0.98, 2, rested)
    game.see(fall)
    if retracted:
        game.see(Retracted(event, t_s + 0.4, "toppled while placing"))
    game.say("blame", player="Bob")
    if cleared:
        game.cleared()
    return game


@pytest.mark.parametrize("cleared", [True, False])
@pytest.mark.parametrize(("rested", "retracted"), [(0.6, False), (0.4, True)])
def test_where_it_is_not_clear_who_begins_one_tap_settles_it(
    rested: float, *, retracted: bool, cleared: bool
) -> None:
    """Also while the pieces are still to be taken off: then the question is new."""
    game = bumped(rested, retracted=retracted, cleared=cleared)
    believed = game.state.position.player
    (question,) = (q for q in game.state.questions() if q.kind == "turn")
    assert question.text.startswith(f"{believed} begins?")
    player, p = belief(game.state)
    assert (player, round(p, 2)) == (believed, 0.6)

    other = {"Ann": "Bob", "Bob": "Ann"}[str(believed)]
    for name in (other, believed):
        again = bumped(rested, retracted=retracted, cleared=cleared)
        again.say("answer", question=question.id, value=name)
        assert again.state.position.player == name
        assert again.questions == []
        assert again.scores == {"Ann": 0, "Bob": -10}


def test_a_guess_that_named_rolls_have_settled_is_not_turned_round_by_a_later_word() -> None:
    game = bumped(0.98, retracted=False)
    for at in range(12):
        for name in ("Bob", "Ann"):
            game.say("roll", value=6, player=name)
            if at or name == "Bob":
                game.placed(("c2", "d4", "b2")[at % 3])
            else:
                game.say("pass")
    board = game.board
    game.say("roll", value=6, player="Bob")  # the table takes him to have no piece left

    assert game.board == board
    assert {each.refusal for each in game.state.judged_moves} == {None}


@pytest.mark.parametrize("name", ["Zoe", None])
def test_a_turn_of_nobody_is_refused(name: str | None) -> None:
    game = begin()
    game.say("turn", player=name)

    assert game.ruling.refused is not None
    assert game.ruling.refused.code == "unknown_player"


MARKED = {
    "mass_mean_g": 4.0,
    "mass_std_g": 0.5,
    "colours": {
        name: {"mass_mean_g": 3.0 + at, "mass_std_g": 0.04}
        for at, name in enumerate(["blue", "red", "green", "yellow"])
    },
}
UNTOLD = {"options": {"dice": "untold"}, "masses": MARKED}


def test_where_no_die_is_told_colours_take_turns_and_one_may_be_passed_over() -> None:
    three = [{"name": name, "colours": [colour]}
             for name, colour in (("Ann", "blue"), ("Bob", "red"), ("Cleo", "green"))]  # fmt: skip
    blue, red, green, first = expectation(begin(three, **UNTOLD).state).follows

    assert blue[1] > 0.9 > blue[2] > blue[0]
    assert red[2] > 0.9
    assert green[0] > 0.9
    assert first[0] > 0.9  # `first` is Ann's seat
    assert sum(blue) == pytest.approx(1.0)


def test_of_a_player_with_two_colours_either_may_come_next() -> None:
    blue, green, red, yellow, _ = expectation(begin(TWO_COLOURS, **UNTOLD).state).follows

    assert blue == green
    assert red == yellow
    assert blue[2] == blue[3] > 0.4


def test_a_pass_that_was_told_is_no_slip() -> None:
    table = begin(**UNTOLD)
    table.placed("a1", mass_g=3.0)
    table.say("pass")
    blue, red, _ = expectation(table.state).follows

    assert blue[0] > 0.9
    assert red[0] > 0.9


def test_who_begins_the_next_round_is_expected_as_surely_as_it_is_known() -> None:
    table = begin(**UNTOLD)
    table.placed("a1", mass_g=3.0)
    assert expectation(table.state).follows[-1] == (0.5, 0.5)  # that is not the first piece

    table.placed("a2", mass_g=4.0)
    table.toppled(after_s=3.0)  # Ann's next piece
    assert expectation(table.state).follows[-1][1] > 0.9


def test_who_has_no_piece_left_places_none() -> None:
    table = begin(**UNTOLD)
    for _ in range(12):
        table.placed("a1", mass_g=3.0)
    blue, red, _ = expectation(table.state).follows

    assert blue[0] == red[0] == pytest.approx(ASTRAY / 2)


@pytest.mark.parametrize(
    "start", [{"masses": MARKED}, {"options": {"dice": "untold"}}], ids=["rolls told", "no masses"]
)
def test_where_rolls_are_told_or_colours_weigh_alike_the_order_of_turns_tells_nothing(
    start: dict[str, object],
) -> None:
    table = begin(**start)

    assert expectation(table.state).follows == ()


@cases("""
a word that no guess explains means that players passed
    turn 6 e2; turn player=Ann -> turn Ann roll
    undo -> turn Bob roll
the roll of a turn goes to whose turn it is
    turn 6 e2; roll 3; turn player=Ann; piece c1 -> board c1=blue e2=blue
a roll by the phone of another seat is believed and undone in one step
    turn 6 e2; roll value=3 player=Ann -> turn Ann act
    undo -> turn Bob roll
a push for which nobody is named came by chance however surely it was felt
    # It came a seventh of a second after the piece had slipped off (seed 1200027, rough).
    turn 4 e2; roll 4; fall bump sure=0.97 -> scores Ann=0 Bob=0
    emptied -> scores Ann=3 Bob=-10
a bump after the board came to rest leaves the turn to the next player
    turns e2 b1 a2; fall bump sure=0.98 p=0.98 after_s=0.5 kind=collapse fallen=2 rested=0.98
    blame player=Bob; emptied -> turn Bob roll; asks nothing
a bump while the board swings lets the interrupted player begin
    turns e2 b1 a2; fall bump sure=0.98 p=0.98 after_s=0.5 kind=collapse fallen=2 rested=0.04
    gone 3 toppled while placing; blame player=Bob; emptied -> turn Ann roll; asks nothing
who begins is asked no more when two turns were played
    turns e2 b1 a2; fall bump sure=0.98 p=0.98 after_s=0.5 kind=collapse fallen=2 rested=0.6
    blame player=Bob; emptied; turn 6 c2 -> asks turn-8
    turn 6 c3 -> asks nothing
people may say later who began and the round is repaired
    turns e2 b1 a2; fall bump sure=0.98 p=0.98 after_s=0.5 kind=collapse fallen=2 rested=0.98
    blame player=Bob; emptied; turn 6 c2; turn 6 d4 -> board c2=red d4=blue
    turn player=Ann -> board c2=blue d4=red; turn Ann roll
the piece before a roll told ahead is still seen when people have said whose turn that roll began
    start masses=apart; roll 6; roll 6; turn player=Bob -> shown.turn.player Bob; told nothing
    piece a1 mass_g=3.5 late_s=3.5 -> board a1=blue; turn Bob act
    piece e1 mass_g=4.5 -> board a1=blue e1=red; turn Ann roll
to say what is believed changes nothing
    turn player=Ann -> told nothing; state.rev 1; state.undo_depth 1; turn Ann roll
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

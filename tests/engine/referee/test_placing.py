"""Rolls and placements: in time, late, early, unseen."""

from dataclasses import replace

import pytest

from engine.events import Corrected
from engine.referee.ledger import Move, MoveKind, SensedPlacement
from engine.referee.placing import place
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import begin

# --- a piece put down twice ---------------------------------------------------------------------

TWICE = ("retracted first", "placed first", "after the next roll", "corrected")


@pytest.mark.parametrize("order", TWICE)
@pytest.mark.parametrize("dice", ["told", "untold"])
def test_a_piece_moved_by_the_same_hand_is_one_placement_at_its_last_cell(
    order: str, dice: str
) -> None:
    game = begin(options={"dice": dice})
    told = dice == "told"
    if told:
        game.say("roll", value=6)
    first = game.placed("e2")
    if order == "retracted first":
        game.retracted(first)
    if order == "corrected":
        game.see(Corrected(first, game.t_s + 1.0, "e4", 0.99))
    else:
        game.placed("e4")
    if told:
        game.say("roll", value=6)
    if order in ("placed first", "after the next roll"):
        game.retracted(first)
    if order == "placed first" and told:
        game.say("undo")
        game.say("roll", value=6)

    assert game.board == {"e4": ["blue"]}
    assert game.state.position.player == "Bob"
    assert game.questions == []
    game.placed("c3")
    assert game.board == {"e4": ["blue"], "c3": ["red"]}


def test_a_piece_that_fell_while_the_board_is_cleared_ends_no_turn() -> None:
    game = begin()
    game.turn(6, "e2")
    game.say("roll", value=1)
    game.toppled()
    clearing = game.state.position
    lost = Move(ref=90, t_s=20.0, kind=MoveKind.PLACE, void="fell")
    rolled = Move(ref=91, t_s=21.0, kind=MoveKind.ROLL, data={"value": 1})
    soon = Move(
        ref=92, t_s=21.3, kind=MoveKind.PLACE, seen=SensedPlacement(60, (("c1", 0.4),), 0.4)
    )

    step = place(clearing, lost, (rolled, soon, replace(rolled, ref=93, t_s=24.0)))

    assert clearing.clearing
    assert (step.after, step.applied) == (clearing, ())


def test_a_stack_is_known_from_the_bottom_up() -> None:
    game = begin()
    for _ in range(3):
        game.turn(1, "c3")

    assert game.state.position.refs == {"c3": (3, 5, 7)}
    assert game.board == {"c3": ["blue", "red", "blue"]}


def test_a_piece_that_people_denied_is_no_piece_that_stood_when_the_table_was_bumped() -> None:
    for said in ({"nothing": True}, {}):
        game = begin()
        game.turn(4, "e2")
        event = game.turn(4, "e4")
        game.toppled("bump" if not said else "placing", after_s=1.0)
        if said:
            game.say("correct", ref=5, **said)
        else:
            game.retracted(event)
        game.say("blame", player="Ann")
        fell = game.state.judged_move(5)

        assert [applied.type for applied in fell.applied] != ["placed"]


@pytest.mark.parametrize(("p", "ann"), [(0.2, 1), (0.8, 2)])
def test_of_two_pieces_in_one_turn_only_the_certain_one_counts_if_little_speaks_for_the_other(
    p: float, ann: int
) -> None:
    """Restless people, normal table, seed 770001: an arm made a piece, and the turn went on."""
    game = begin()
    game.say("roll", value=2)
    game.placed("c2", p)
    game.placed("b3", 0.99)
    game.say("roll", value=6)

    assert sum(map(len, game.board.values())) == ann
    assert game.state.position.player == ("Bob" if ann == 1 else "Ann")


def test_a_pass_before_the_roll_is_refused_where_rolls_were_told_in_time() -> None:
    table = begin()
    table.turn(5, "a1")

    assert table.say("pass").refused is not None


@cases("""
a piece placed before the roll is told waits for it
    piece e2 -> board nothing
    roll 4 -> board e2=blue; turn Bob roll; told rolled placed turn
a waiting piece counts if it lies for certain where rolls are told late and early
    # Its own roll nobody has told, or somebody did before: this one is the next player's.
    piece d4; roll 3; piece e2; roll 1 -> board e2=red d4=blue; turn Ann act; asks nothing
a waiting piece the die does not allow is asked about and does not count
    piece e2; roll 1 -> board nothing; turn Ann act; asks placed-2
    answer e2 -> board e2=blue; turn Bob act
two pieces without a roll mean that the first roll was forgotten
    piece e2; piece c3 -> board e2=blue
    roll 1 -> board e2=blue c3=red
a roll whose own piece follows shows that the piece before was not seen
    roll 4; roll 1 -> asks nothing; doubts placed-3
    piece c3 -> board c3=red; asks placed-3; turn Ann roll
three rolls show that the first piece was not seen
    roll 4; roll 1; roll 6 -> asks placed-3; turn Bob act
an unseen piece after a one can only be in the centre
    roll 1; roll 4; piece e2 -> board e2=red c3=blue; asks placed-3
a roll told while the last hand is still there is the next players
    roll 4; roll 1; piece e2 after_s=0.3 -> board e2=blue; asks nothing; doubts nothing
    -> turn Bob act; told placed
    piece c3 -> board e2=blue c3=red
before a piece is decided both dice are expected
    roll 1; roll 2 -> expects 24 c2 b3 c3 d3 c4 ahead
    piece c3 -> expects 22 anywhere
a pass after a second roll is of whoever rolled it
    roll 4; roll 1; pass -> asks placed-3; turn Ann roll
from a second roll on it is the next players turn for all that people see and say
    # Documents went on showing Ann, and gave her what only Bob could do.
    roll 4; roll 1 -> told rolled turn; shown.turn.player Bob; shown.turn.die 1
    -> shown.turn.cells ["c3"]; shown.can.Bob ["place","pass"]; shown.doubt.id placed-3
    turn player=Bob -> told nothing; doubts placed-3
    pass player=Ann -> refused not_current_player
    roll 2 player=Bob -> refused already_rolled
    pass player=Bob -> told passed asked turn; shown.turn.player Ann
a piece that is entered after a second roll is of whoever says so: the next player
    roll 4; roll 6; place cell=e2 player=Bob -> board e2=red; asks placed-3; shown.turn.player Ann
a piece that is entered after a second roll is of whoever says so: nobody
    roll 4; roll 6; place cell=e2 -> board e2=red; asks placed-3
a piece that is entered after a second roll is of whoever says so: the player before
    roll 4; roll 6; place cell=e2 player=Ann -> board e2=blue; asks nothing; shown.turn.player Bob
a piece that is entered after a second roll is of whoever says so: only the old die allows it
    roll 4; roll 1; place cell=e2 -> board e2=blue; asks nothing; shown.turn.player Bob
a second roll was the same players if people say that it is still their turn
    roll 4; roll 1; turn player=Ann -> told turn; doubts nothing; shown.turn.player Ann
    -> shown.turn.die 1
    undo -> shown.turn.player Bob
    place cell=c3 -> board c3=red
the last cell counts also if the next roll came before it
    roll 6; piece e2; gone 1; roll 1; piece e4 after_s=0.4 -> board e4=blue; turn Bob act
a piece taken back after the next roll does not shift the turn
    turn 6 e2; roll 1; gone 1 fell with the others -> turn Bob act
    piece c3 -> board c3=red; turn Ann roll
a pass told before its roll waits for it where rolls are told late
    piece a1; roll 5; pass -> refused nothing; turn Bob roll
    roll 1 -> told rolled passed turn
    turn 4 b3 -> board a1=blue b3=blue; turn Bob roll; asks nothing
a roll that was never told belonged to the pass before the next piece
    piece a1; roll 5; pass; piece b3; piece c3; roll 1 -> board a1=blue b3=blue c3=red
    -> turn Ann roll
a pass that waits for its roll has been when pieces fall
    piece a1; roll 5; pass; fall placing after_s=12.0 -> scores Ann=-10 Bob=3
two pieces and then their two rolls are two turns: c3
    # Also where both rolls fit either piece.
    piece e2; piece c3; roll 4; roll 1 -> board e2=blue c3=red; turn Ann roll; asks nothing
    -> doubts nothing
    turn 5 a1 -> board a1=blue e2=blue c3=red
two pieces and then their two rolls are two turns: e4
    piece e2; piece e4; roll 4; roll 4 -> board e2=blue e4=red; turn Ann roll; asks nothing
    -> doubts nothing
    turn 5 a1 -> board a1=blue e2=blue e4=red
a pass that a roll may forbid waits for none: pass=never
    start pass=never; piece a1; roll 5; pass -> refused pass_not_allowed
a pass that a roll may forbid waits for none: pass=not_on_one
    start pass=not_on_one; piece a1; roll 5; pass -> refused pass_not_allowed
a piece found to lie before a roll is told with it, and not the piece that had the roll
    piece e2; roll 4 -> told rolled placed turn
    piece e2 after_s=-0.5 -> board e2=blue+red; told rolled placed turn; outcome.1.ref 4
    gone 1 -> board e2=blue; told corrected retracted turn; outcome.0.ref 4
    -> outcome.0.colour blue
a doubtful piece counts if the next player could have placed the certain one: after_s=2.0
    roll 6; roll 6; piece c3 p=0.36 after_s=0.2; piece b3 after_s=2.0 -> board b3=red c3=blue
a doubtful piece counts if the next player could have placed the certain one: after_s=-1.0
    roll 6; roll 6; piece c3 p=0.36 after_s=0.2; piece b3 after_s=-1.0 -> board b3=blue
where no die is told a piece that stands counts though its cell is open: e1=0.49
    # Ann's piece lay on e2 or e1; Bob's next was certain (rough table, seed 1700004).
    start untold; piece e2 p=0.4 e1=0.49; piece a3 -> board e2=blue a3=red
where no die is told a piece that stands counts though its cell is open: e1=0.05
    start untold; piece e2 p=0.4 e1=0.05; piece a3 -> board a3=blue
what falls before a hand can be there falls from the turn before: after_s=0.4
    # In haste the next player rolls while the piece still slides (heavy, seed 1400102).
    turn 6 e2; roll 4; fall placing after_s=0.4 -> scores Ann=-10 Bob=0
what falls before a hand can be there falls from the turn before: after_s=2.0
    turn 6 e2; roll 4; fall placing after_s=2.0 -> scores Ann=3 Bob=-10
a roll told ahead of the last piece is of no turn
    turns a1 b1 c1 d1 e1 a2 b2 c2 d2 e2 a3 b3 d3 e3 a4 b4 c4 d4 e4 a5 b5 c5 d5; roll 6; roll 4
    piece e5 after_s=0.5 -> turn Ann clear; told placed score round turn
    emptied -> turn Ann roll
a piece that is corrected keeps the roll that was told after it
    piece e2; roll 4; turn 3 d4 -> turn Ann roll
    correct ref=2 cell=e4 -> turn Ann roll; board d4=red e4=blue; applied.2.assumed
    -> applied.2.die null
a waiting piece raises the revision since it can be undone
    start -> state.undo_depth 1; state.rev 1; state.seq 2
    piece c3 -> state.undo_depth 2; state.rev 2; state.seq 2
a board played full stands until it is cleared
    turns a1 b1 c1 d1 e1 a2 b2 c2 d2 e2 a3 b3 d3 e3 a4 b4 c4 d4 e4 a5 b5 c5 d5; turn 6 e5
    -> turn Ann clear; position.refs {}
    blame player=Ann -> refused clear_first
    emptied -> position.standing {}; turn Ann roll
the last piece may be seen before its roll is told
    turns a1 b1 c1 d1 e1 a2 b2 c2 d2 e2 a3 b3 d3 e3 a4 b4 c4 d4 e4 a5 b5 c5 d5; piece e5; piece c3
    -> turn Ann clear
    emptied -> turn Ann roll; position.waiting null
after the last piece nobody saw no roll counts
    turns a1 b1 c1 d1 e1 a2 b2 c2 d2 e2 a3 b3 d3 e3 a4 b4 c4 d4 e4 a5 b5 c5 d5; roll 1; roll 4
    roll 2 -> state.judged_moves.-2.refusal.code clear_first
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

"""What the sensors report, and what the referee makes of it."""

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.events import (
    Cleared,
    Corrected,
    Dismissed,
    Fault,
    HumanInput,
    Placed,
    Restored,
    Retracted,
    Suspected,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.referee import RefereeState, handle_input, observe
from engine.tabletop import CELLS
from engine.troubles import CELL_REPEATS
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import Script, begin
from tests.soaked import examples


def test_evidence_about_an_undone_piece_holds_when_it_is_redone() -> None:
    game = begin()
    event = game.turn(4, "e2")
    game.say("undo")
    game.see(Corrected(event, game.t_s, "e4", 0.99))
    game.say("redo")

    assert game.board == {"e4": ["blue"]}


def test_faults_are_passed_on() -> None:
    (game := begin()).see(Fault.of(3.0, "scale.2", CELL_REPEATS(n="C2")))
    told = [(outcome.type, outcome.data["code"]) for outcome in game.ruling.outcomes]
    assert told == [("fault", "cell_repeats")]
    game.see(Restored(4.0, "scale.2"))
    assert game.types == ["restored"]


def test_before_the_first_game_pieces_mean_nothing() -> None:
    state = RefereeState()

    assert observe(state, Placed(1, 1.0, 1.2, "c3", 0.99)).state == state


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


# --- evidence that comes late, or is taken back --------------------------------------------------


def test_the_same_fall_may_be_told_again() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=4)
    fall = game.toppled("bump", sure=0.6)
    kind, cause = ToppleKind.COLLAPSE, ToppleCause.PLACING
    game.see(Toppled(fall, game.t_s, game.t_s + 2.0, kind, cause, 0.99, 0.95))

    assert game.scores == {"Ann": 3, "Bob": -10}
    assert game.questions == []


# --- in whatever order evidence is decided, it comes to the same ----------------------------------

Told = tuple[float, HumanInput | Placed | Retracted | Toppled | Cleared]
"""When the referee hears of something, and what."""

delays_s = st.sampled_from([0.3, 0.3, 1.0, 4.0, 9.0, 25.0])
turns = st.lists(
    st.tuples(st.sampled_from(CELLS), delays_s, st.sampled_from(["", "moved", "fell"])),
    min_size=1,
    max_size=4,
)
ends = st.fixed_dictionaries(
    {
        "cause": st.sampled_from(ToppleCause),
        "gap_s": st.sampled_from([0.5, 1.2, 5.0]),
        "late_s": delays_s,
        "cleared_late_s": delays_s,
        "taken_back": st.booleans(),
        "again": st.booleans(),
        "sure": st.sampled_from([0.6, 0.9, 0.97]),
    }
)


def evening(rounds: list[tuple[Any, Any]]) -> list[Told]:
    """What happens in some rounds; each thing with the time at which the referee hears of it."""
    told: list[Told] = []
    t_s, ids, cleared_s = 2.0, iter(range(1, 1000)), 0.0
    for placements, end in rounds:
        for cell, delay_s, moved_or_fell in placements:
            t_s += 3.0
            # Until the clearing is told, this piece says that play went on: it is not taken back.
            then = moved_or_fell if t_s + 2.0 > cleared_s else ""
            told.append((t_s, HumanInput(t_s, "roll", {"value": 6})))
            t_s += 2.0
            event = next(ids)
            # What comes after the next turn was played takes no piece back (`settled`).
            late_s = min(delay_s, 3.0) if then else delay_s
            told.append((t_s + late_s, Placed(event, t_s, t_s + late_s, cell, 0.99)))
            if then:
                away_s = t_s + late_s + 0.5
                told.append((away_s, Retracted(event, away_s, then)))
            if then == "moved":
                t_s += 1.0
                told.append((t_s + late_s, Placed(next(ids), t_s, t_s + late_s, "c3", 0.99)))
        t_s += end["gap_s"]
        told += falls(t_s, end, ids)
        t_s += 8.0
        if not end["taken_back"] or end["again"]:
            decided_s = t_s + end["cleared_late_s"]
            told.append((decided_s, Cleared(t_s, decided_s)))
            cleared_s = decided_s
    return told


def falls(t_s: float, end: dict[str, Any], ids: Any) -> list[Told]:
    """A fall, perhaps told twice, perhaps taken back."""
    found: list[Told] = []
    for again in (False, True)[: 1 + end["again"]]:
        event, decided_s = next(ids), t_s + end["late_s"] + again
        sure = end["sure"] if again else 0.7
        kind, cause = ToppleKind.COLLAPSE, end["cause"]
        found.append((decided_s, Toppled(event, t_s, decided_s, kind, cause, 0.99, sure)))
        if end["taken_back"] and not again:
            found.append((decided_s + 0.4, Retracted(event, decided_s + 0.4, "nothing fell")))
    return found


def heard(told: list[Told]) -> Script:
    game = begin()
    for _, what in told:
        if isinstance(what, HumanInput):
            game.state = handle_input(game.state, what).state
        else:
            game.see(what)
    return game


def about(game: Script) -> list[tuple[str, int, bool]]:
    """What is asked, or believed, about which of the sensors' events."""
    source = {move.ref: move.source for move in game.state.ledger}
    found = (*game.state.questions(), *game.state.doubts())
    return sorted((one.kind, source[one.ref] or 0, one.quiet) for one in found)


def punctual(told: list[Told]) -> list[Told]:
    """The same, each thing heard as it happens; what is known of an event right behind it."""
    at_s = {what.id: what.t_s for _, what in told if isinstance(what, (Placed, Toppled))}
    return sorted(
        told,
        key=lambda one: at_s[one[1].ref] if isinstance(one[1], Retracted) else one[1].t_s,
    )


@examples(25)
@given(st.lists(st.tuples(turns, ends), min_size=1, max_size=2))
def test_the_order_in_which_evidence_is_decided_does_not_matter(rounds: list[Any]) -> None:
    told = evening(rounds)
    late = heard(sorted(told, key=lambda one: one[0]))
    early = heard(punctual(told))

    assert late.scores == early.scores
    assert late.board == early.board
    assert about(late) == about(early)
    assert late.state.position.player == early.state.position.player
    assert late.state.position.phase == early.state.position.phase
    assert all(a.t_s <= b.t_s for a, b in pairwise(late.state.ledger))


def test_two_topples_the_sensors_saw_within_a_quarter_of_a_minute_are_two() -> None:
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump", after_s=1.0)
    game.say("blame", player="Bob")
    game.cleared()
    game.say("roll", value=4)
    game.toppled(after_s=1.0)

    assert game.state.position.clearing
    assert game.scores == {"Ann": 0, "Bob": -20}


def test_of_two_pieces_entered_the_nearer_in_time_is_the_one_that_was_seen() -> None:
    for at_s, seen in ((6.0, "e2"), (8.0, "e4")):
        game = begin(options={"dice": "untold"})
        game.t_s = 4.0
        game.say("place", cell="e2")
        game.say("place", cell="e4")
        game.placed("c3", at=at_s)

        assert [m.cell for m in game.state.ledger if m.seen is not None] == [seen]


@cases("""
a sure placement counts at once and passes the turn
    turn 4 e2 -> board e2=blue; turn Bob roll; told placed turn; asks nothing
a correction below certainty asks and a sure one settles the question
    turn 4 e2; better 1 e4 p=0.7 e2=0.3 -> asks cell-3
    better 1 e4 -> asks nothing; told corrected settled
people are believed rather than later evidence
    roll 4; piece e2 p=0.8 e4=0.15; answer e4; better 1 e2 -> board e4=blue
a placement decided after the next roll takes its place before it
    roll 4; roll 1; piece e2 after_s=-2.5 -> board e2=blue; asks nothing; turn Bob act
blame for a fall nobody saw counts as a topple
    turn 4 e2; blame player=0 -> scores Ann=-10 Bob=0
    fall bump -> scores Ann=-10 Bob=0; asks nothing
a topple on an empty board by a bump is ignored
    fall bump -> turn Ann roll; told nothing
play going on without clearing means that nothing had fallen
    turn 4 e2; roll 4; fall placing sure=0.96 -> scores Ann=3 Bob=-10
    piece a2; roll 1; piece c3 -> scores Ann=0 Bob=0; board a2=red e2=blue c3=blue
a roll told while clearing makes the detector look for a piece again
    turn 4 e2; roll 4; fall placing sure=0.96 -> expects 0 anywhere
    roll 1 -> expects None c3
a topple taken back restores the round with what was placed meanwhile
    turn 4 e2; roll 4; fall placing; piece b1; roll 1; gone 2 nothing had fallen
    -> scores Ann=0 Bob=0; board b1=red e2=blue; turn Ann act
a topple taken back restores a game that it had ended
    start target=3; turn 4 e2; roll 4; fall placing -> turn None over
    piece b1; gone 2 nothing had fallen -> turn Ann roll; board b1=red e2=blue
people who named a culprit are believed rather than sensors that change their mind
    turn 4 e2; fall bump; blame player=1; gone 2 nothing had fallen -> scores Ann=0 Bob=-10
a topple decided half a minute late takes its place
    turn 4 e2; roll 4; wait 8.0; cleared; answer none; turn 1 c3; undo; undo; undo; turn 1 c3
    fall placing late_s=26.0 -> scores Ann=3 Bob=-10; board c3=blue; asks nothing
a surer account of a fall replaces an earlier one
    turn 4 e2; roll 4; fall bump sure=0.6 -> asks blame-5
    fall placing sure=0.97 -> scores Ann=3 Bob=-10; asks nothing
    fall bump sure=0.6 -> scores Ann=3 Bob=-10
a piece entered by hand and seen after the next roll is one piece
    roll 4; place cell=e2 colour=blue; roll 1; piece b1 after_s=-3.0 -> board e2=blue; turn Bob act
a late correction re scores everything after it
    turns a1 b1 c1 d1 e1 -> scores Ann=5 Bob=0
    better 1 a2 p=0.97 -> scores Ann=0 Bob=0; told corrected score; outcome.0.was a1
    -> outcome.0.changes {"Ann":-5}
pieces handled while clearing do not count
    turn 4 e2; roll 4; fall placing; piece a1 -> state.rev 5; board nothing
    emptied -> turn Ann roll
a full board is cleared even if pieces had fallen in the round before
    turn 4 e2; roll 4; fall placing; emptied; turns c3 *24 -> turn Ann clear; expects 0 anywhere
a board cleared by word and by sensors is cleared once
    # The sensors decide later, about an earlier moment.
    turn 4 e2; roll 1; fall placing; cleared -> told cleared; state.undo_depth 6
    wait -6.0; emptied -> told nothing; state.undo_depth 6; turn Ann roll
long after the end of a game nothing is noted
    start target=3; turn 4 e2; roll 4; fall placing; wait 90.0 -> state.rev 5; state.undo_depth 5
    piece b1 -> state.rev 5; state.undo_depth 5; told nothing
a piece entered by hand and then seen is one piece
    roll 4; place cell=e2 colour=blue -> state.rev 3
    # What it weighs is shown from now on.
    piece e2 -> board e2=blue; stands 1=e2; state.rev 4; told nothing
what was refused for a fall has its event once play has gone on
    turn 4 e2; roll 4; fall placing after_s=0.6; wait 2; roll 5 -> refused clear_first
    gone 2 play went on -> told retracted rolled score turn; outcome.1.die 5
    piece e4 after_s=-1 -> told placed; shown.turn.player Ann; shown.turn.die 5
and so has a piece that was seen meanwhile
    turn 4 e2; roll 4; fall placing after_s=0.6; wait 2; roll 5; piece e4 after_s=-1 -> told nothing
    gone 2 play went on -> told retracted placed rolled score turn; board e2=blue e4=red
a piece that fell before its late roll is none by an event
    turn 4 e2; piece c3; wait 1; roll 1 -> told rolled placed turn; board e2=blue c3=red
    fall placing late_s=2.0 after_s=1.0 -> told corrected toppled score round
    -> outcome.0.of nothing; outcome.0.was c3; scores Ann=3 Bob=-10
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)


def test_a_piece_that_stands_again_before_its_roll_is_told_with_that_roll() -> None:
    game = begin()
    game.turn(4, "e2")
    event = game.placed("c1")
    game.retracted(event)
    let_go_s = game.t_s + 1.0
    game.say("roll", value=3)
    game.see(Placed(event, let_go_s, game.t_s + 0.3, "c1", 0.98))

    assert game.board == {"c1": ["red"], "e2": ["blue"]}
    assert game.types == ["rolled", "placed", "turn"]


def test_a_piece_that_waits_for_a_roll_by_an_earlier_one_seen_late_is_taken_off_the_board() -> None:
    game = begin()
    game.turn(4, "e2")
    game.say("roll", value=6)
    game.placed("c1")
    game.placed("e3", at=game.t_s - 1.0)

    assert game.board == {"e2": ["blue"], "e3": ["red"]}
    assert game.types == ["corrected", "placed"]
    assert (game.ruling.outcomes[0].data["of"], game.ruling.outcomes[0].data["was"]) == (
        "nothing",
        "c1",
    )
    game.say("roll", value=3)
    assert game.board == {"c1": ["blue"], "e2": ["blue"], "e3": ["red"]}
    assert game.types == ["rolled", "placed", "turn"]


def test_a_piece_that_waits_for_a_roll_by_an_earlier_one_that_stands_again_is_taken_off() -> None:
    """Soak 159078: by the events two pieces lay on a cell, and the document showed one."""
    game = begin()
    game.say("roll", value=1)
    event = game.placed("c3")
    let_go_s = game.t_s
    game.retracted(event)
    game.placed("c3")
    game.see(Placed(event, let_go_s, game.t_s + 0.3, "c3", 0.97))

    assert game.board == {"c3": ["blue"]}
    assert game.types == ["corrected", "placed"]
    assert game.ruling.outcomes[0].data["of"] == "nothing"

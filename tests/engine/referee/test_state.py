"""The referee's memory: undo, redo, and the laws they keep."""

from dataclasses import replace
from itertools import pairwise
from math import nan
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.events import (
    Cleared,
    Corrected,
    HumanInput,
    Placed,
    Retracted,
    Reweighed,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)
from engine.referee import RefereeState, Ruling, handle_input, observe
from engine.referee.state import refolded
from engine.scoreboard import document
from engine.summary import summary
from engine.tabletop import CELLS
from tests.engine.referee.cases import assert_played, cases
from tests.engine.referee.script import ANN_AND_BOB, TWO_COLOURS, begin
from tests.soaked import examples


def test_undo_and_redo_have_no_depth_limit() -> None:
    game = begin()
    for number in range(10):
        game.turn(6, "c3" if number % 2 else "a1")
    depth = game.state.undo_depth
    final = game.board
    for _ in range(depth):
        assert game.say("undo").refused is None
    assert game.state.position.phase == "idle"
    assert game.say("undo").refused is not None
    for _ in range(depth):
        assert game.say("redo").refused is None
    assert game.board == final
    assert game.say("redo").refused is not None


def test_a_judgement_that_hangs_on_the_two_next_moves_is_made_anew() -> None:
    game = begin()
    game.say("roll", value=4)
    fell = game.placed("e2")
    game.retracted(fell)
    game.say("roll", value=3)
    assert game.state.position.player == "Bob"
    # The same hand, a moment later: the roll was told ahead of the next turn.
    game.placed("e4", at=game.t_s + 0.5)

    assert game.board == {"e4": ["blue"]}
    assert_as_if_judged_anew(game.state)


def test_a_topple_is_judged_anew_by_all_that_follows() -> None:
    game = begin()
    game.turn(4, "e2")
    game.toppled("bump", after_s=12.0)
    for _ in range(4):
        game.say("roll", value=4)
    game.placed("e4")

    assert not game.state.position.clearing
    assert_as_if_judged_anew(game.state)


def test_what_was_seen_better_stays_so_through_undo_and_redo() -> None:
    game = begin()
    event = game.turn(4, "e2")
    game.see(Corrected(event, game.t_s + 1.0, "e4", 0.99))
    game.say("undo")
    game.say("redo")
    assert game.board == {"e4": ["blue"]}
    game.retracted(event)
    for verb in ("undo", "undo", "redo", "redo"):
        game.say(verb)

    assert game.board == {}


def test_a_roll_done_again_is_where_its_time_belongs_though_its_piece_was_let_go_later() -> None:
    game = begin()
    event = game.turn(4, "e2")
    game.retracted(event)
    game.say("roll", value=4)
    game.t_s += 1.0
    game.see(Placed(event, game.t_s, game.t_s + 0.3, "e4", 0.99))
    before = shown(game.state)
    for verb in ("undo", "undo", "redo", "redo"):
        game.say(verb)

    assert before["board"]["e4"][0]["status"] == "provisional"
    assert shown(game.state) == before


def shown(state: RefereeState) -> dict[str, Any]:
    """The document, without what undo and redo change on their way."""
    found = msgspec.to_builtins(document(state, table="t1", boot="b1"))
    return {key: value for key, value in found.items() if key not in ("rev", "seq", "last")}


# --- laws ------------------------------------------------------------------------------------

# A step is (what, seconds since the step before, data); times and numbers come when it is played.
cells = st.sampled_from([*CELLS, "c3", "e5", "z9"])
chance = st.sampled_from([0.4, 0.9, 0.96, 0.999])
wait_s = st.sampled_from([0.2, 1.0, 3.0, 12.0])
refs = st.integers(0, 30)
WORDS = ("none", "pass", "reroll", "placing", "Ann", "unknown", "red", "blue", "green")
said = st.one_of(
    st.tuples(
        st.just("roll"),
        st.fixed_dictionaries(
            {"value": st.integers(0, 6)}, optional={"player": st.sampled_from(["Ann", "Bob"])}
        ),
    ),
    st.tuples(st.sampled_from(["pass", "cleared", "undo", "redo", "end", "topple"]), st.just({})),
    st.tuples(st.just("place"), st.fixed_dictionaries({"cell": cells})),
    st.tuples(st.just("blame"), st.fixed_dictionaries({"player": st.integers(-1, 2)})),
    st.tuples(
        st.just("colour"),
        st.fixed_dictionaries(
            {"colour": st.sampled_from(["blue", "green", "red"]), "ref": st.none() | refs}
        ),
    ),
    st.tuples(
        st.just("answer"),
        st.fixed_dictionaries({"value": st.sampled_from([*CELLS, *WORDS])}),
    ),
    st.tuples(
        st.just("correct"),
        st.fixed_dictionaries(
            {"ref": refs},
            optional={
                "cell": cells,
                "value": st.integers(1, 6),
                "nothing": st.booleans(),
                "cause": st.sampled_from(["placing", "bump"]),
                "player": st.sampled_from(["Ann", "Bob"]),
            },
        ),
    ),
)
seen: st.SearchStrategy[Any] = st.one_of(
    st.tuples(
        st.just("placed"),
        st.fixed_dictionaries(
            {"cell": st.none() | st.sampled_from(CELLS), "p": chance, "late_s": wait_s},
            optional={"mass_g": st.sampled_from([3.5, 4.0, 4.5])},
        ),
    ),
    st.tuples(
        st.just("corrected"),
        st.fixed_dictionaries({"ref": refs, "cell": st.sampled_from(CELLS), "p": chance}),
    ),
    st.tuples(
        st.just("weighed"),
        st.fixed_dictionaries({"ref": refs, "mass_g": st.sampled_from([3.5, 4.0, 4.5])}),
    ),
    st.tuples(st.just("retracted"), st.fixed_dictionaries({"ref": refs})),
    st.tuples(
        st.just("stands"),
        st.fixed_dictionaries({"ref": refs, "cell": st.sampled_from(CELLS), "p": chance}),
    ),
    st.tuples(
        st.just("toppled"),
        st.fixed_dictionaries(
            {"cause": st.sampled_from(ToppleCause), "sure": chance, "late_s": wait_s}
        ),
    ),
    st.tuples(st.just("emptied"), st.just({})),
)
scripts = st.lists(st.tuples(st.one_of(said, seen), wait_s), max_size=25)
MARKED = {
    "mass_mean_g": 4.0, "mass_std_g": 0.5,
    "colours": {
        "blue": {"mass_mean_g": 3.5, "mass_std_g": 0.04},
        "red": {"mass_mean_g": 4.5, "mass_std_g": 0.04},
    },
}  # fmt: skip
openings = st.sampled_from(
    [
        {"players": ANN_AND_BOB},
        {"players": TWO_COLOURS},
        {"players": ANN_AND_BOB, "target": None},
        {"players": ANN_AND_BOB, "options": {"dice": "untold"}},
        {"players": ANN_AND_BOB, "options": {"pass": "never"}},
        {"players": ANN_AND_BOB, "masses": MARKED},
        {"players": TWO_COLOURS, "masses": MARKED},
    ]
)


def take(state: RefereeState, what: str, data: dict[str, Any], t_s: float, number: int) -> Ruling:
    event = as_event(what, data, t_s, number)
    if event is None:
        return handle_input(state, HumanInput(t_s, what, data))
    return observe(state, event)


def as_event(what: str, data: dict[str, Any], t_s: float, number: int) -> TableEvent | None:
    """What the sensors report; None where people say something."""
    found: TableEvent | None = None
    at_s = t_s - data.get("late_s", 0.0)
    match what:
        case "placed":
            mass_g, others = data.get("mass_g", nan), (("c2", 0.1),)
            found = Placed(number, at_s, t_s, data["cell"], data["p"], others, mass_g, 0.08)
        case "stands":
            found = Placed(data["ref"], t_s, t_s, data["cell"], data["p"])
        case "corrected":
            found = Corrected(data["ref"], t_s, data["cell"], data["p"])
        case "weighed":
            found = Reweighed(data["ref"], t_s, data["mass_g"], 0.06)
        case "retracted":
            found = Retracted(data["ref"], t_s, "it fell")
        case "toppled":
            kind = ToppleKind.COLLAPSE
            found = Toppled(number, at_s, t_s, kind, data["cause"], 0.99, data["sure"])
        case "emptied":
            found = Cleared(t_s, t_s)
    return found


def played(opening: dict[str, Any], script: list[Any]) -> list[RefereeState]:
    """The states a script leads through."""
    state, t_s = begin(**opening).state, 2.0
    states = [state]
    for number, ((what, data), after_s) in enumerate(script, start=1):
        t_s += after_s
        state = take(state, what, data, t_s, number).state
        states.append(state)
    return states


def assert_as_if_judged_anew(state: RefereeState) -> None:
    anew = refolded(replace(state, ledger=(), judged_moves=()), state.ledger)
    assert anew.judged_moves == state.judged_moves
    assert tuple(judged.move for judged in state.judged_moves) == state.ledger


def essence(state: RefereeState) -> Any:
    """What a game is, without the counters that only ever go up."""
    return state.ledger, state.position, state.applied(), state.questions()


@examples(40)
@given(openings, scripts)
def test_nothing_anybody_says_or_sees_can_break_the_referee(
    opening: dict[str, Any], script: list[Any]
) -> None:
    states = played(opening, script)
    revisions = [state.rev for state in states]

    assert revisions == sorted(revisions)
    for state in states:
        board = document(state, table="t1", boot="b")
        assert msgspec.json.decode(msgspec.json.encode(board), type=type(board)) == board
        assert len(summary(board)) <= 200


@examples(40)
@given(openings, scripts)
def test_the_revision_rises_when_something_is_told_or_shown_and_only_then(
    opening: dict[str, Any], script: list[Any]
) -> None:
    states = played(opening, script)
    for before, after in pairwise(states):
        told = after.seq != before.seq
        assert (after.rev > before.rev) == (told or on_displays(after) != on_displays(before))


def on_displays(state: RefereeState) -> Any:
    """The document, without the counters."""
    return msgspec.structs.replace(document(state, table="t1", boot="b1"), rev=0, seq=0)


@examples(40)
@given(openings, scripts)
def test_folding_the_whole_ledger_anew_gives_the_same_game(
    opening: dict[str, Any], script: list[Any]
) -> None:
    for state in played(opening, script):
        assert_as_if_judged_anew(state)


@examples(40)
@given(openings, scripts, st.one_of(said, seen))
def test_undo_is_as_if_it_had_never_happened(
    opening: dict[str, Any], script: list[Any], last: tuple[str, dict[str, Any]]
) -> None:
    state = played(opening, script)[-1]
    what, data = last
    after = take(state, what, data, 1000.0, 99).state
    if what in ("undo", "redo") or after.undo_depth != state.undo_depth + 1:
        return
    back = handle_input(after, HumanInput(1001.0, "undo", {})).state
    again = handle_input(back, HumanInput(1002.0, "redo", {})).state

    assert essence(back) == essence(state)
    assert essence(again) == essence(after)
    assert back.rev == after.rev + 1


@examples(40)
@given(openings, scripts)
def test_everything_can_be_undone_and_redone(opening: dict[str, Any], script: list[Any]) -> None:
    state = played(opening, script)[-1]
    back = state
    for _ in range(state.undo_depth):
        back = handle_input(back, HumanInput(2000.0, "undo", {})).state
    assert back.ledger == ()
    again = back
    for _ in range(state.undo_depth):
        again = handle_input(again, HumanInput(2001.0, "redo", {})).state

    assert essence(again)[1:] == essence(state)[1:]
    assert shown(again) == shown(state)


named_rolls = st.lists(
    st.tuples(
        st.sampled_from(CELLS), st.sampled_from([3.5, 4.5]),
        st.sampled_from(["red", "blue", "unknown", "", "undo"]),
    ),
    min_size=1, max_size=10,
)  # fmt: skip


@examples(40)
@given(named_rolls)
def test_a_piece_of_anothers_colour_keeps_the_laws(turns: list[tuple[str, float, str]]) -> None:
    game = begin(masses=MARKED)
    for cell, mass_g, word in turns:
        before = essence(game.state)
        game.say("roll", value=6, player=game.state.position.player)
        if game.ruling.refused is not None:
            game.say("cleared")
            continue
        game.placed(cell, mass_g=mass_g)
        placed = essence(game.state)
        if word == "undo":
            for _ in range(2):
                game.say("undo")
            assert essence(game.state) == before
        elif word and game.questions:
            game.say("answer", value=word)
            assert game.ruling.refused is None
            answered = essence(game.state)
            game.say("undo")
            assert essence(game.state) == placed
            game.say("redo")
            assert essence(game.state) == answered
        assert_as_if_judged_anew(game.state)
        pieces = sum(map(len, game.board.values()))
        left = game.state.position.rules.view(game.state.position.game_state)["left"]
        assert pieces + sum(left.values()) == 24


@cases("""
undo raises the revision and tells the detector
    turn 4 e2; undo -> state.rev 4; amended 1=None; told undone turn
    redo -> amended 1=e2
""")
def test_in_a_short_game(lines: list[str]) -> None:
    assert_played(lines)

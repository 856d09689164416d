"""Whatever people say, in whatever game: it is taken, or refused and everything is as before."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.acceptable import acceptable
from engine.events import HumanInput
from engine.referee import VERBS, RefereeState, handle_input
from tests.engine.referee.script import begin
from tests.engine.referee.test_corrections import OPENINGS, played

REMEMBERED = ("clear_first", "game_over", "nothing_to_clear")
"""Refusals of what says something about the fall before it all the same."""

FIELDS = {
    "start": ("players", "game", "options", "first", "target", "id", "replace"),
    "roll": ("value", "player"), "pass": ("player",), "place": ("cell", "colour", "player"),
    "topple": ("cause", "player", "colour"), "blame": ("player",), "turn": ("player", "ref"),
    "colour": ("colour", "ref"), "answer": ("question", "value"), "action": ("action",),
    "correct": ("ref", "cell", "value", "colour", "cause", "player", "nothing"),
}  # fmt: skip
"""What each verb may say."""

ODD = st.sampled_from(
    [
        *(None, True, False, -1, 0, 3, 6, 7, 10**9, 2.5, float("nan"), "", "z9", "a", "a1", "c3"),
        *("Ann", "Bob", "Carl", "bump", "placing", "blue", "purple", [], {}, ["a1"], {"a": 1}),
    ]
)
HOW = st.sampled_from(["told", "late", "untold", "unknown", "fell"])
TURNS = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 24), HOW), max_size=5)


def likely(state: RefereeState, verb: str, field: str) -> list[Any]:
    """What such a field says where it is meant well."""
    questions = state.questions()
    known: dict[str, list[Any]] = {
        "ref": [move.ref for move in state.ledger],
        "question": [question.id for question in questions],
        "value": [choice.value for q in questions for choice in q.choices],
    }
    return [] if field == "value" and verb != "answer" else known.get(field, [])


@given(OPENINGS, TURNS, st.data())
def test_it_is_taken_or_refused_in_words_and_a_refusal_changes_nothing(
    opening: dict[str, Any], turns: list[tuple[int, int, str]], data: st.DataObject
) -> None:
    state = played(opening, turns).state
    for number in range(data.draw(st.integers(1, 3))):
        verb = data.draw(st.sampled_from(VERBS))
        fields = FIELDS.get(verb, ())
        named = data.draw(st.sets(st.sampled_from(fields))) if fields else ()
        values = {name: likely(state, verb, name) for name in named}
        said = {
            name: data.draw(st.sampled_from(meant) | ODD if meant else ODD)
            for name, meant in values.items()
        }
        ruling = handle_input(state, HumanInput(1000.0 + number, verb, said))
        if ruling.refused is not None:
            assert ruling.refused.message
            assert ruling.state is state or ruling.refused.code in REMEMBERED
        state = ruling.state
        assert acceptable(state)["any"]


@pytest.mark.parametrize("cell", ["z9", "a", "", True, ["c3"]])
@pytest.mark.parametrize("rolled", [False, True])
def test_a_cell_that_the_board_does_not_have_is_refused_also_while_no_die_is_known(
    cell: Any, rolled: bool
) -> None:
    game = begin()
    game.placed("e2")
    if rolled:
        game.say("roll", value=4)
        game.placed("d4")
    before = game.state
    for said in ({"ref": before.ledger[1].ref}, {"ref": before.ledger[-1].ref, "value": 3}):
        refused = game.say("correct", **said, cell=cell).refused
        assert refused is not None
        assert refused.code == "unknown_cell"
    assert game.say("place", cell=cell).refused is not None
    assert game.state is before

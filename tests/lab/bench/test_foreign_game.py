"""Whether events tell what changed: true ones do, and each thing that is not told is found."""

import json
from typing import Any

import pytest

from lab.bench.foreign_client import heard
from lab.bench.foreign_game import board_of, unexplained
from lab.bench.observed import Sent
from tests.lab.bench.spoiling import Document, spoilt, true_run


def _messages(name: str) -> tuple[Sent, ...]:
    return (*true_run(name).sent, *true_run(name).encore)


def _stacked(state: Document) -> bool:
    stack = next((s for s in state["board"].values() if len(s) > 1), None)
    return stack is not None and stack.reverse() is None


def _turn(state: Document) -> bool:
    if state["phase"] != "roll" or not state["board"]:
        return False
    other = next(p["name"] for p in state["players"] if p["name"] != state["turn"]["player"])
    state["turn"]["player"] = other
    return True


def _in(state: Document, key: str, value: Any) -> bool:
    fits = bool(state["board"]) and state["phase"] in ("roll", "act")
    if fits:
        state[key] = value
    return fits


def _score(state: Document) -> bool:
    if not state["board"]:
        return False
    state["players"][0]["score"] += 1
    return True


@pytest.mark.parametrize(
    ("suffix", "change", "words"),
    [
        ("state", _stacked, "the board is c3"),
        ("state", _turn, "turn, told was"),
        ("state", _score, "the score is"),
        ("state", lambda s: _in(s, "phase", "over"), "the game is over, and no event tells it"),
        ("state", lambda s: _in(s, "undo_depth", 0), "steps back and forth"),
        ("state", lambda s: _in(s, "last", None), "the last thing was None"),
        ("state", lambda s: _in(s, "history", []), "history has 0 rows"),
        ("state", lambda s: _in(s, "pending", {"id": "cell-1"}), "cell-1 is pending"),
    ],
)
def test_what_no_event_tells_is_found(suffix: str, change: Any, words: str) -> None:
    messages = spoilt(_messages("rule_stack"), suffix, change, 4)
    assert words in "; ".join(heard(true_run("rule_stack").orders, messages))


def test_an_announced_colour_that_stays_for_the_next_turn_is_found() -> None:
    def keep(state: Document) -> bool:
        if not state["board"] or state["phase"] != "roll":
            return False
        state["turn"]["colour"] = state["players"][0]["colours"][0]
        return True

    messages = spoilt(_messages("rule_two_colours"), "state", keep, 0)
    words = "; ".join(heard(true_run("rule_two_colours").orders, messages))
    assert "a turn begins with the colour" in words


def test_a_correction_moves_its_own_piece_and_no_other() -> None:
    state = next(
        m.document() for m in _messages("rule_row_completed")
        if m.suffix == "state" and len(m.document()["board"]) > 2
    )  # fmt: skip
    (cell, [(ref, colour)]), *_ = board_of(state).items()
    after = json.loads(json.dumps(state))
    after["board"]["e5"] = after["board"].pop(cell)
    after["rev"] += 1
    data = {"ref": ref, "cell": "e5", "colour": colour, "of": "placed", "was": cell}
    event = {"type": "corrected", "player": state["last"]["player"], "data": data, "rev": 0}
    told = [words for words in unexplained(state, after, [event]) if "the board" in words]
    assert told == []
    data["ref"] = ref + 1000
    assert any("the board is" in words for words in unexplained(state, after, [event]))


def test_a_topple_that_was_none_brings_its_pieces_back_and_names_no_cell() -> None:
    after = next(
        m.document() for m in _messages("rule_row_completed")
        if m.suffix == "state" and len(m.document()["board"]) > 2
    )  # fmt: skip
    before = {**after, "board": {}, "rev": after["rev"] - 1}
    data = {"ref": 4, "reason": "play went on", "changes": {}}
    event = {"type": "retracted", "player": "Ann", "data": data, "rev": after["rev"]}

    assert not [w for w in unexplained(before, after, [event]) if "the board" in w]
    event["data"] = {**data, "cell": "d4", "colour": "red"}
    assert [words for words in unexplained(before, after, [event]) if "the board" in words]

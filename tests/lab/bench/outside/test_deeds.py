"""The line of a hand, and what a deed tells about the tower."""

from typing import Any

import msgspec
import pytest

from lab.bench.outside.deeds import DeedLine, Done, asked, coloured, shifted, truth_of
from lab.bench.steps import Place, Some


@pytest.mark.parametrize(
    ("verb", "value", "line"),
    [
        ("can", True, b'{"can":true}'),
        ("clear", True, b'{"clear":true}'),
        ("bump", 3.5, b'{"bump":3.5}'),
        ("touch", "c3", b'{"touch":"c3"}'),
    ],
)
def test_a_line_is_the_step_as_json_and_nothing_else(verb: str, value: Any, line: bytes) -> None:
    assert asked(verb, value) == line
    assert getattr(msgspec.json.decode(line, type=DeedLine), verb) == value


def test_a_piece_has_the_colour_of_whoever_is_in_turn_unless_it_has_its_own() -> None:
    assert coloured("d4", "red") == Place("d4", colour="red")
    assert coloured(Place("d4", colour="blue"), "red").colour == "blue"
    assert b'"colour":"red"' in asked("place", coloured("d4", "red"))


def test_times_of_the_truth_are_moved_and_nothing_else() -> None:
    entry = {"t": 3.0, "t_release": 2.5, "t_settled": None, "target": "piece", "k": 2}

    assert shifted(entry, -3.0) == {**entry, "t": 0.0, "t_release": -0.5}


def told(verb: str, value: Any, released_s: float | None = None) -> list[dict[str, Any]]:
    return list(truth_of(Done(verb, value, 10.0, 12.0, released_s, "red")))


def test_a_piece_was_let_go_when_the_hand_says_or_else_somewhere_before_its_answer() -> None:
    (known,), (unknown,) = told("place", Place("d4"), 11.0), told("place", Place("d4"))

    assert (known["t_contact"], known["t_release"]) == (10.0, 11.0)
    assert "slid_from" not in known
    assert unknown["t_release"] == 12.0
    assert unknown["slid_from"] == "somewhere"


def test_other_deeds_take_pieces_away_or_only_touch() -> None:
    assert [entry["type"] for entry in told("put_back", "d4")] == ["place", "remove"]
    assert told("lift", Some("d4", 2))[0]["n"] == 2
    assert told("clear", True)[0]["type"] == "cleared"
    assert told("bump", 2.0) == [{"t": 10.0, "type": "touch", "target": "bump", "dur": 2.0}]

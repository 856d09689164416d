import json
from typing import Any

import pytest

from engine.errors import BadRecord
from engine.games.registry import GAMES
from engine.record import (
    Scored,
    difference_of,
    first_difference,
    read_lines,
    result_of,
    score_lines,
)
from tests.records import record_lines
from tests.rules_cases import record_lines_of

START: dict[str, Any] = {
    "type": "start",
    "players": [{"name": "Ann", "colours": ["pink"]}, {"name": "Bob", "colours": ["blue"]}],
    "target": 5,
    "first": "Ann",
}


def view(scored: Scored) -> dict[str, Any]:
    assert scored.view is not None
    return scored.view


def code(scored: Scored) -> str | None:
    return None if scored.refusal is None else scored.refusal.code


def line(action: object, **more: object) -> str:
    return json.dumps({"game": "topple", "id": "g", "action": action, **more})


@pytest.mark.parametrize("game", list(GAMES))
def test_worked_games_are_played_exactly(game: str) -> None:
    lines = list(record_lines_of(game))
    scored = list(score_lines(lines))

    assert len(scored) == len(lines)
    assert [difference_of(one) for one in scored if difference_of(one)] == []


@pytest.mark.parametrize("game", list(GAMES))
def test_record_to_game_to_record_is_exact(game: str) -> None:
    given = [json.loads(text) for text in record_lines_of(game)]
    for id_ in dict.fromkeys(entry["id"] for entry in given):
        play = [entry for entry in given if entry["id"] == id_]
        actions = [entry["action"] for entry in play]
        rewritten = record_lines(game, id_, actions, play[0]["options"])
        assert [json.loads(text) for text in rewritten] == play


def test_written_record_reads_back_and_agrees_with_itself() -> None:
    actions: list[dict[str, Any]] = [START, {"type": "pass"}, {"type": "roll", "value": 1}]
    lines = list(record_lines("topple", "x", actions, {"share": "once"}))

    scored = list(score_lines(lines))

    assert [code(one) for one in scored] == [None, "not_rolled", None]
    assert not any(difference_of(one) for one in scored)
    assert list(record_lines("topple", "x", actions, {"share": "once"})) == lines


def test_start_of_another_id_begins_a_new_game() -> None:
    lines = [line(START, n=0), line({"type": "roll", "value": 1}, n=1), line(START, id="h", n=0)]

    phases = [view(one)["phase"] for one in score_lines(lines)]

    assert phases == ["roll", "act", "roll"]


def test_second_start_of_the_same_game_is_refused_and_harmless() -> None:
    lines = [line(START, n=0), line({"type": "roll", "value": 1}, n=1), line(START, n=2)]

    *_, rolled, again = score_lines(lines)

    assert code(again) == "already_started"
    assert again.state is rolled.state


def test_action_before_any_start_is_refused() -> None:
    (scored,) = score_lines([line({"type": "pass"})])

    assert result_of(scored) == {
        "game": "topple",
        "id": "g",
        "n": 0,
        "ok": False,
        "code": "not_started",
        "message": "no game has begun; the first action is start",
    }


def test_refused_start_leaves_room_for_a_right_one() -> None:
    lines = [line(START | {"target": 0}), line(START)]

    refused, begun = score_lines(lines)

    assert code(refused) == "bad_target"
    assert view(begun)["phase"] == "roll"


def test_the_young_version_is_begun_without_a_target_only() -> None:
    young = START | {"variant": "young"}
    lines = [line(young), line(young | {"target": None})]

    refused, begun = score_lines(lines)

    assert code(refused) == "bad_target"
    assert view(begun)["phase"] == "roll"


def test_house_rules_of_one_game_do_not_reach_the_next() -> None:
    lines = [
        line(START, n=0, options={"dice": "untold"}),
        line(START, id="h", n=0),
    ]

    assert [view(one)["phase"] for one in score_lines(lines)] == ["act", "roll"]


def test_given_options_go_before_those_of_the_record() -> None:
    lines = [line(START, n=0, options={"dice": "untold"})]

    assert view(next(score_lines(lines, {"dice": "told"})))["phase"] == "roll"


def test_start_without_id_and_number_begins_another_game() -> None:
    bare = json.dumps({"game": "topple", "action": START})
    lines = [bare, '{"action":{"type":"roll","value":2}}', bare]

    first, _, again = score_lines(lines)

    assert again.view == first.view
    assert again.entry.id != first.entry.id


def test_names_may_be_left_out_after_the_first_line() -> None:
    lines = [line(START), "", '{"action":{"type":"roll","value":2}}']

    entries = list(read_lines(lines))

    assert [(entry.line, entry.game, entry.id, entry.n) for entry in entries] == [
        (1, "topple", "g", 0),
        (3, "topple", "g", 1),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        "not json",
        '{"game":"topple"',
        b"\xff\xfe\x00",
        "[]",
        "3",
        '{"game":"topple","id":"g","n":1}',
        '{"game":"topple","action":[]}',
        '{"game":"topple","action":{}}',
        '{"game":"topple","action":{"type":4}}',
        '{"game":"chess","action":{"type":"start"}}',
        "[" * 100_000,
    ],
)
def test_line_that_is_no_action_is_named_after_the_lines_before(broken: str | bytes) -> None:
    played = score_lines([line(START), broken])
    assert view(next(played))["phase"] == "roll"

    with pytest.raises(BadRecord) as caught:
        next(played)

    assert caught.value.line == 2
    assert "line 2" in str(caught.value)


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ('{"game":"topple"', "this is no game action: it ends too early"),
        ("[]", "this is no game action: it must be a group of keys, and is a list"),
        ('{"game":"topple"}', "this is no game action: action is missing"),
    ],
)
def test_what_is_wrong_with_a_line_is_said_in_plain_words(broken: str, why: str) -> None:
    with pytest.raises(BadRecord, match=why):
        list(score_lines([broken]))


@pytest.mark.parametrize(
    ("expected", "actual", "difference"),
    [
        ({"a": 1}, {"a": 1}, None),
        ({"a": 1}, {"a": 2}, ("a", 1, 2)),
        ({"a": 1}, {"a": True}, ("a", 1, True)),
        ({"a": {"b": [1, 2]}}, {"a": {"b": (1, 3)}}, ("a.b[1]", 2, 3)),
        ({"a": [1]}, {"a": [1, 5]}, ("a[1]", "<missing>", 5)),
        ({"a": None}, {}, ("a", None, "<missing>")),
        ({}, {"a": 0}, ("a", "<missing>", 0)),
        ([], {}, ("", [], {})),
    ],
)
def test_first_difference_names_field_expected_and_actual(
    expected: object, actual: object, difference: object
) -> None:
    assert first_difference(expected, actual) == difference


def test_disagreement_about_refusal_is_a_difference() -> None:
    lines = [line(START, reject="bad_first"), line({"type": "pass"}, expect={"round": 1})]

    accepted, refused = map(difference_of, score_lines(lines))

    assert accepted is not None
    assert refused is not None
    assert (accepted.field, accepted.expected, accepted.actual) == ("reject", "bad_first", None)
    assert (refused.line, refused.field, refused.actual) == (2, "reject", "not_rolled")
    assert str(refused) == 'line 2: reject: expected null, got "not_rolled"'


def test_a_record_brings_no_name_along_that_a_start_could_not() -> None:
    start = {**START, "players": [{**START["players"][0], "name": "x" * 41}, START["players"][1]]}
    (scored,) = score_lines([line(start)])

    assert scored.refusal is not None
    assert scored.refusal.code == "bad_name"


@pytest.mark.parametrize("name", ["x" * 65, "\x1b[2J"])
def test_a_record_whose_game_cannot_be_named_is_refused(name: str) -> None:
    with pytest.raises(BadRecord, match="at most 64 characters"):
        list(score_lines([json.dumps({"game": "topple", "id": name, "action": START})]))

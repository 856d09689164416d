"""Commands from phones: obeyed once, on the right screen, in time - or refused in words."""

import json
import random
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from controller.contract.verbs import VERB_DATA
from controller.table.commands import (
    CODES,
    LARGEST_COMMAND_BYTES,
    LONGEST_ID,
    LONGEST_WORDS,
    REMEMBERED_CLIENTS,
    REMEMBERED_IDS,
    Answered,
    Code,
    CommandDesk,
)
from controller.table.pipeline import Pipeline
from controller.table.resultbook import ResultBook
from engine.events import HumanInput
from engine.games.chance import Chance
from engine.games.registry import GAMES
from tests.controller.evenings import TABLETOP
from tests.controller.scripted import ScriptedDetector
from tests.engine.referee.script import ANN_AND_BOB

NOW_S = 1_800_000_000.0


def at(later_s: float, *, hours_east: int) -> str:
    """A time a little later than now, as a clock in some time zone shows it."""
    zone = timezone(timedelta(hours=hours_east))
    return datetime.fromtimestamp(NOW_S + later_s, zone).isoformat()


class Table:
    """A desk, and a clock that goes on with each command."""

    def __init__(self, chance: Chance | None = None) -> None:
        self.pipeline = Pipeline(ScriptedDetector(), chance=chance)
        self.book = ResultBook()
        self.desk = CommandDesk(self.pipeline, results=self.book)
        self.t_s = 0.0

    def send(self, verb: str, data: dict[str, Any] | None = None, **fields: Any) -> Answered:
        return self.raw(verb, json.dumps({"data": data or {}, **fields}).encode())

    def raw(self, verb: str, payload: bytes) -> Answered:
        self.t_s += 2.0
        return self.desk.receive(verb, payload, t_s=self.t_s, unix_s=NOW_S)


@pytest.fixture
def table() -> Table:
    table = Table()
    assert table.send("start", {"players": ANN_AND_BOB, "first": 0}).reply.ok
    return table


def test_an_obeyed_command_is_answered_with_the_new_revision(table: Table) -> None:
    answered = table.send("roll", {"value": 4}, id="a1", client="phone-1")

    assert (answered.client, answered.reply.ok, answered.reply.id) == ("phone-1", True, "a1")
    assert answered.reply.rev == table.pipeline.state.rev == 2
    assert len(answered.outputs) == 1


def test_a_command_delivered_twice_is_obeyed_once(table: Table) -> None:
    first = table.send("roll", {"value": 4}, id="a1", client="phone-1")
    payload = b'{"id":"a1","client":"phone-1","data":{"value":4}}'
    again = table.desk.receive("roll", payload, t_s=9.0, unix_s=NOW_S + 60.12345)

    assert again.repeated
    assert first.reply.now == NOW_S
    assert again.reply == structs.replace(first.reply, now=NOW_S + 60.123)
    assert again.outputs == ()
    assert table.pipeline.state.rev == 2


def test_a_refusal_is_remembered_like_an_answer(table: Table) -> None:
    stale = table.send("roll", {"value": 4}, rev=99, client="p", id="a")
    again = table.send("roll", {"value": 4}, client="p", id="a")

    assert again.repeated
    assert (again.reply.code, stale.reply.code) == ("stale-rev", "stale-rev")


def test_an_id_without_a_client_and_a_client_without_an_id_are_not_remembered(table: Table) -> None:
    for _ in range(2):
        assert not table.send("undo", id="a").repeated
        assert not table.send("undo", client="p").repeated


def test_the_same_id_from_another_client_is_another_command(table: Table) -> None:
    table.send("roll", {"value": 4}, id="a1", client="phone-1")
    other = table.send("undo", id="a1", client="phone-2")

    assert other.reply.ok
    assert not other.repeated


# Without a journal the revisions begin anew: a higher one is no newer one.
@pytest.mark.parametrize("rev", [1, 50])
def test_a_button_pressed_on_another_screen_is_refused(table: Table, rev: int) -> None:
    table.send("roll", {"value": 4}, rev=1)
    answered = table.send("pass", rev=rev, id="x", client="phone-1")

    assert (answered.reply.ok, answered.reply.code, answered.reply.rev) == (False, "stale-rev", 2)
    assert table.pipeline.state.position.phase == "act"


@pytest.mark.parametrize("exp", [NOW_S - 3595, 0])
def test_a_phone_with_a_wrong_clock_learns_the_tables(table: Table, exp: float) -> None:
    late = table.send("roll", {"value": 4}, id="a", client="p", exp=exp).reply

    assert (late.code, late.now) == ("expired", NOW_S)
    assert table.desk.receive("roll", b'{"exp": 0}', t_s=3.0, unix_s=0.5).reply.code == "expired"


@pytest.mark.parametrize("table_clock_s", [0.0, 1_000_000_000.0, 5_000_000_000.0])
def test_whatever_the_tables_clock_says_a_command_without_expiry_is_obeyed(
    table: Table, table_clock_s: float
) -> None:
    # A Raspberry Pi has no clock of its own: it may think it is 1970 until it has a network.
    answered = table.desk.receive("roll", b'{"data":{"value":4}}', t_s=9.0, unix_s=table_clock_s)

    assert answered.reply.ok
    assert answered.reply.now == table_clock_s


def test_who_is_turned_away_is_told_and_may_come_again(table: Table) -> None:
    payload = b'{"id":"a1","client":"phone-1","data":{"value":4}}'
    away = table.desk.turned_away(payload, NOW_S)

    assert (away.client, away.reply.code, away.reply.id) == ("phone-1", "busy", "a1")
    assert (away.reply.ok, away.outputs, away.repeated) == (False, (), False)
    assert table.raw("roll", payload).reply.ok
    assert table.desk.turned_away(b"noise", NOW_S).client is None


@pytest.mark.parametrize(
    ("exp", "code"),
    [
        (NOW_S - 1, "expired"),
        ("2020-01-01T00:00:00Z", "expired"),
        ("2020-01-01T00:00:00", "expired"),
        (at(-60, hours_east=2), "expired"),
        (at(60, hours_east=2), ""),
        (at(-60, hours_east=-5), "expired"),
        (at(60, hours_east=-5), ""),
        (at(60, hours_east=0).removesuffix("+00:00"), ""),
        (NOW_S, ""),
        ("soon", "bad-json"),
        (NOW_S + 5, ""),
        ("2100-01-01T00:00:00+01:00", ""),
    ],
)
def test_a_command_is_only_good_until_it_expires(table: Table, exp: Any, code: str) -> None:
    assert table.send("roll", {"value": 4}, exp=exp).reply.code == code


def test_what_the_rules_refuse_is_answered_in_words_with_the_reason(table: Table) -> None:
    reply = table.send("pass", id="p", client="phone-1").reply

    assert (reply.ok, reply.code, reply.reason) == (False, "illegal", "not_rolled")
    assert "roll" in reply.msg


def test_who_rolls_is_believed_to_be_in_turn_and_who_places_must_be(table: Table) -> None:
    assert table.send("roll", {"value": 4}, player="Bob").reply.ok
    assert table.pipeline.state.position.player == "Bob"
    reply = table.send("place", {"cell": "c5"}, player="Ann").reply

    assert (reply.ok, reply.code) == (False, "not-your-turn")
    assert table.send("pass", player="Ann").reply.reason == "not_current_player"


def test_a_phone_says_for_whom_it_rolls_and_not_for_whom_it_undoes(table: Table) -> None:
    def told(answered: Answered) -> object:
        cause = answered.outputs[-1].cause
        assert isinstance(cause, HumanInput)
        return cause.data

    assert told(table.send("roll", {"value": 4}, player="Ann")) == {"value": 4, "player": "Ann"}
    assert told(table.send("undo", player="Bob")) == {}


def test_people_say_whose_turn_it_is_by_name_or_by_seat(table: Table) -> None:
    for who, name in (("Bob", "Bob"), (0, "Ann"), ("Ann", "Ann")):
        assert table.send("turn", {"player": who}).reply.ok
        assert table.pipeline.state.position.player == name
    refused = table.send("turn", {"player": "Zoe"}).reply

    assert (refused.code, refused.reason) == ("illegal", "unknown_player")
    assert Table().send("turn", {"player": 0}).reply.reason == "no_game"


LONG_ID = b"x" * (LONGEST_ID + 1)
FILLING = b" " * LARGEST_COMMAND_BYTES


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"", "bad-json"),
        (b"  ", "bad-json"),
        (b"not json", "bad-json"),
        (b"[1]", "bad-json"),
        (b'{"data": 3}', "bad-json"),
        (b'{"client": "a/b"}', "bad-json"),
        (b'{"client": "a:b"}', "bad-json"),
        (b'{"client": "a\\n"}', "bad-json"),
        (b'{"client": 17}', "bad-json"),
        (b'{"v": 2}', "bad-json"),
        (b'{"client": "#"}', "bad-json"),
        (b'{"id": "' + LONG_ID + b'"}', "bad-json"),
        (b"[" * 10_000, "bad-json"),
        (b"\xff\xfe", "bad-json"),
        (b'"' + b"x" * LARGEST_COMMAND_BYTES + b'"', "too-large"),
        ('"' + "\N{GREEK SMALL LETTER MU}" * (LARGEST_COMMAND_BYTES // 2) + '"', "too-large"),
        (b'{"data": {"client": "p1", "id": "a"}}' + FILLING, "too-large"),
        (b'{"data": {"value": 4}}'.ljust(LARGEST_COMMAND_BYTES + 1), "too-large"),
    ],
)
def test_what_is_no_command_is_refused_and_answers_nobody(
    table: Table, payload: bytes | str, code: str
) -> None:
    answered = table.raw("roll", payload.encode() if isinstance(payload, str) else payload)

    assert (answered.reply.ok, answered.reply.code) == (False, code)
    assert answered.client is None
    assert answered.outputs == ()
    assert table.raw("roll", b'{"data": {"value": 4}}'.ljust(LARGEST_COMMAND_BYTES)).reply.ok


@pytest.mark.parametrize(
    ("payload", "name", "code", "words"),
    [
        (
            b'{"client":"p1","id":"' + LONG_ID[1:] + b'","rev":"x"}',
            LONG_ID[1:].decode(),
            "bad-json",
            "rev must be",
        ),
        (b'{"client":"p1","id":17, x', "17", "bad-json", "id must be a text"),
        (b'{"client":"p1","id":17}', "17", "bad-json", "id must be a text of at most 64"),
        (b'{"client":"p1","id":"a","rev":"17"}', "a", "bad-json", "rev must be a whole number"),
        (b'{"client":"p1","id":"a","data":null}', "a", "bad-json", "data must be an object"),
        (b'{"client":"p1","id":"a","exp":[1]}', "a", "bad-json", "exp must be Unix seconds or"),
        (b'{"client":"p1","id":"a","v":"1"}', "a", "bad-json", "v must be 1"),
        (b'{"client":"p1","id":"' + LONG_ID + b'"}', None, "bad-json", "id must be a text of at"),
        (b'{"client":"p1","id":true}', None, "bad-json", "id must be a text"),
        (b'{"client":"p1","id":"a","data":{},}', "a", "bad-json", "this is no JSON"),
        (b"{'client': 'p1', 'id': 'a'}", "a", "bad-json", "this is no JSON"),
        (b'{"client":"p1","id":"a","data":{"value":', "a", "bad-json", "this is no JSON"),
        (b'{"client":"p1","id":"a","player":"\xff"}', "a", "bad-json", "this is no JSON"),
        (b'{"client":"p1","id":"a"}' + FILLING, "a", "too-large", "at most 16384"),
        (b'{"client":"p1","id":"a","data":{"x":"' + FILLING, "a", "too-large", "at most 16384"),
    ],
)
def test_what_is_no_command_is_answered_where_its_sender_can_be_read(
    table: Table, payload: bytes, name: str | None, code: str, words: str
) -> None:
    answered = table.raw("roll", payload)

    assert (answered.client, answered.reply.id, answered.reply.code) == ("p1", name, code)
    assert words in answered.reply.msg
    assert "`" not in answered.reply.msg
    assert answered.outputs == ()


def test_a_mended_command_may_come_again_under_its_id(table: Table) -> None:
    assert table.raw("roll", b'{"client":"p1","id":"a","rev":"1"}').reply.code == "bad-json"

    again = table.send("roll", {"value": 4}, client="p1", id="a", rev=1)
    assert again.reply.ok
    assert not again.repeated


def test_an_answer_does_not_send_back_a_book(table: Table) -> None:
    book = "x" * 9000
    said = [
        table.send("roll", {"value": book}),
        table.send("blame", {"player": book}),
        table.send("view", player=book),
        table.send("a" * 9000),
    ]

    assert all(0 < len(answered.reply.msg) <= LONGEST_WORDS for answered in said)


def test_an_unknown_verb_is_named(table: Table) -> None:
    answered = table.send("dance", client="phone-1")

    assert (answered.reply.code, answered.client) == ("unknown-verb", "phone-1")
    assert "dance" in answered.reply.msg


def test_an_empty_payload_clears_a_retained_command_and_is_none(table: Table) -> None:
    table.send("roll", {"value": 4})
    answered = table.raw("undo", b"")

    assert (answered.reply.ok, answered.client) == (False, None)
    assert table.pipeline.state.position.phase == "act"
    assert table.raw("undo", b"{}").reply.ok


def test_the_risk_map_is_switched_on_and_off_once(table: Table) -> None:
    for on, id_ in ((True, "a"), (False, "b")):
        answered = table.send("hints", {"on": on}, client="p", id=id_)
        assert (answered.client, answered.reply.ok, answered.reply.id) == ("p", True, id_)
        assert table.desk.hints_on is on
    assert table.send("hints", {"on": True}, client="p", id="b").repeated
    assert table.desk.hints_on is False
    unclear = table.send("hints", {"on": 1}, client="p", id="c")
    assert (unclear.reply.ok, unclear.reply.code, unclear.malformed) == (False, "bad-json", False)


def test_a_recording_begins_and_ends_where_the_table_can(table: Table) -> None:
    assert table.send("record", {"on": True}).reply.code == "illegal"
    told: list[bool] = []
    table.desk.record = told.append
    for on in (True, False):
        assert table.send("record", {"on": on}).reply.ok

    assert told == [True, False]
    assert table.desk.hints_on is False


def test_every_code_has_its_meaning_in_words() -> None:
    assert set(get_args(Code)) == set(CODES)
    assert all(CODES.values())


def test_a_desk_remembers_the_newest_ids_of_each_client(table: Table) -> None:
    for number in range(REMEMBERED_IDS + 1):
        table.send("redo", client="p", id=str(number))

    assert table.send("redo", client="p", id="1").repeated
    assert not table.send("redo", client="p", id="0").repeated


def test_a_desk_forgets_the_client_that_was_silent_for_longest(table: Table) -> None:
    for number in range(REMEMBERED_CLIENTS):
        table.send("redo", client=f"p{number}", id="a")
    table.send("redo", client="p0", id="b")
    table.send("redo", client="new", id="a")

    assert table.send("redo", client="p0", id="a").repeated
    assert table.send("redo", client="p2", id="a").repeated
    assert not table.send("redo", client="p1", id="a").repeated


@given(st.sampled_from(["roll", "start", "answer", "correct", "action"]), st.binary(max_size=80))
def test_no_payload_can_break_the_desk(verb: str, payload: bytes) -> None:
    answered = Table().raw(verb, payload)

    assert answered.reply.ok or answered.reply.code


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)
fields = st.sampled_from(
    ["value", "cell", "colour", "player", "ref", "cause", "question", "players", "options"]
) | st.sampled_from(
    ["game", "first", "target", "variant", "action", "type", "nothing", "id", "red", "black"]
)


@given(
    st.sampled_from(["topple", "topolo", "triple-topper-toe", "topominos", "none"]),
    st.lists(
        st.tuples(
            st.sampled_from(["start", "roll", "pass", "place", "topple", "blame", "colour"])
            | st.sampled_from(["answer", "correct", "action", "undo", "redo", "end", "cleared"]),
            st.dictionaries(fields, json_values, max_size=4),
        ),
        max_size=6,
    ),
)
def test_no_data_of_any_verb_can_break_the_referee(
    game: str, sent: list[tuple[str, dict[str, Any]]]
) -> None:
    table = Table()
    openings: dict[str, dict[str, Any]] = {
        "topple": {"players": ANN_AND_BOB},
        "topolo": {"game": "topolo", "red": "Ann", "black": "Bob"},
    }
    if game in openings:
        assert table.send("start", openings[game]).reply.ok
    for verb, data in sent:
        answered = table.send(verb, data)
        assert answered.reply.ok or answered.reply.msg


# --- corrections ---------------------------------------------------------------------------------


def test_what_may_be_corrected_is_told_without_a_change_and_is_obeyed(table: Table) -> None:
    table.send("roll", {"value": 3})
    table.send("place", {"cell": "c1"})
    before = table.pipeline.state
    (piece,) = table.pipeline.state.position.refs["c1"]
    offered = table.send("corrections", {"ref": piece}).reply.corrections

    assert table.pipeline.state is before
    assert {"ref": piece, "cell": "c2", "value": 2} in offered
    assert table.send("correct", {"ref": piece, "cell": "c2", "value": 2}).reply.ok


def test_of_no_move_nothing_can_be_corrected(table: Table) -> None:
    for ref in (999, None, "c1", [1]):
        reply = table.send("corrections", {"ref": ref}).reply
        assert (reply.ok, reply.code, reply.corrections) == (False, "illegal", ())


# --- games by hand -----------------------------------------------------------------------------


@pytest.fixture
def cube() -> Table:
    """Triple Topper Toe, dealt by the table."""
    table = Table(chance=random.Random(2).random)
    start = {"game": "triple-topper-toe", "x": "Ann", "o": "Bob"}
    assert table.send("start", start).reply.ok
    return table


def test_a_view_shows_the_own_hand_and_what_may_be_done_and_changes_nothing(cube: Table) -> None:
    before = cube.pipeline.state
    answered = cube.send("view", player="Ann", client="phone-1", id="a")
    other = cube.send("view", player="Bob").reply
    view = answered.reply.view

    assert answered.client == "phone-1"
    assert view is not None
    assert (len(view["hands"]["x"]), view["hands"]["o"]) == (3, 3)
    assert {"type": "draw"} in answered.reply.legal
    assert answered.reply.legal_left_out == 0
    assert other.view is not None
    assert len(other.view["hands"]["o"]) == 3
    assert other.legal == ()
    assert answered.outputs == ()
    assert cube.pipeline.state is before


def test_a_view_asked_for_again_is_the_newest_and_no_other_reply_holds_one(cube: Table) -> None:
    cube.send("view", player="Ann", client="p", id="x")
    drawn = cube.send("action", {"type": "draw"}, player="Ann").reply
    again = cube.send("view", player="Ann", client="p", id="x")

    assert (drawn.ok, drawn.view) == (True, None)
    assert not again.repeated
    assert again.reply.view is not None
    assert again.reply.rev == 2


@pytest.mark.parametrize("player", [None, "Eve", "", "x"])
def test_a_stranger_gets_no_view_and_before_the_first_game_nobody(
    cube: Table, player: str | None
) -> None:
    for reply in (cube.send("view", player=player).reply, Table().send("view", player="Ann").reply):
        assert (reply.ok, reply.code, reply.view) == (False, "illegal", None)


def test_a_view_of_topple_names_the_legal_placements(table: Table) -> None:
    table.send("roll", {"value": 1})
    reply = table.send("view", player="Ann").reply

    assert {action["cell"] for action in reply.legal if action["type"] == "place"} == {"c3"}


def test_one_players_phone_does_not_play_for_another_but_anybody_undoes(cube: Table) -> None:
    reply = cube.send("action", {"type": "draw"}, player="Bob").reply

    assert (reply.ok, reply.code) == (False, "not-your-turn")
    assert cube.pipeline.state.rev == 1
    assert cube.send("action", {"type": "draw"}).reply.ok
    assert cube.send("undo", player="Bob").reply.ok


@pytest.mark.parametrize(
    ("first", "second"), [("friday", "friday"), (7, "7"), ("7", 7)], ids=["text", "number", "both"]
)
@pytest.mark.parametrize("by", ["start", "action"])
def test_a_new_game_with_the_id_of_one_that_is_known_is_refused(
    first: Any, second: Any, by: str
) -> None:
    table, players = Table(), {"players": ANN_AND_BOB, "first": 0}
    assert table.send("start", {**players, "id": first}).reply.ok
    again = {**players, "id": second, "replace": True}
    again = {"action": {"type": "start", **again}} if by == "action" else again
    running = table.send(by, again).reply
    table.send("end")
    table.book.note(table.pipeline.state, NOW_S, TABLETOP)
    assert table.send("start", {**players, "id": "saturday"}).reply.ok
    before, kept = table.pipeline.state, table.book.games
    known = table.send(by, again).reply

    for reply in (running, known):
        assert (reply.ok, reply.code, reply.reason) == (False, "illegal", "known_id")
        assert reply.msg.startswith(f"this table has a game {first} already")
    assert table.pipeline.state is before
    assert table.book.games == kept
    table.send("forget", {"game": str(first)})
    assert table.send(by, again).reply.ok


def test_a_start_that_is_sent_twice_is_obeyed_once_and_answered_the_same() -> None:
    table, start = Table(), {"players": ANN_AND_BOB, "id": "friday"}
    said = [table.send("start", start, client="p", id="a") for _ in range(2)]

    assert [each.reply.ok for each in said] == [True, True]
    assert said[1].repeated


ODD: tuple[Any, ...] = (
    None, True, False, 0, 3, 10**30, 1.5, "", "O'Hara", "\x1b[2J", "x" * 5000,
    ["a1", None], {}, {"a": None}, [[[]]],
)  # fmt: skip
PYTHON = re.compile(
    r"\b(None|True|False|nan|inf|NoneType|dict|tuple|str|int|float|bool|codec|object has no)\b"
    r"|\\[xnu]|[\[{]['\[{]|`|Error"
)
"""What a person should not have to read."""

PLAYERS = {"players": ANN_AND_BOB, "first": 0}
OPENINGS: dict[str, tuple[Any, ...]] = {
    "no game": (),
    "a piece is awaited": ("start", ("roll", {"value": 1})),
    "it is asked": ("start", ("roll", {"value": 3}), ("roll", {"value": 4}), ("pass", {})),
    "pieces fell": ("start", ("roll", {"value": 1}), ("topple", {})),
    **{game: (game, ("action", {"type": "draw"})) for game in GAMES if game != "topple"},
}
SAID = [(verb, "it is asked") for verb in VERB_DATA if verb not in ("start", "action")]
SAID += [("start", "no game"), ("action", "it is asked"), ("correct", "pieces fell")]
SAID += [(verb, "a piece is awaited") for verb in ("place", "roll", "topple", "colour")]
SAID += [("action", game) for game in GAMES if game != "topple"] + [("place", "topolo")]


def opened(steps: tuple[Any, ...]) -> Table:
    table = Table(random.Random(7).random)
    for step in steps:
        if isinstance(step, str) and step in GAMES:
            example = {key: value for key, value in GAMES[step].example.items() if key != "type"}
            table.send("start", {"game": step, **example})
        else:
            table.send(*(step if isinstance(step, tuple) else (step, PLAYERS)))
    return table


FIELDS: dict[str, tuple[str, ...]] = {
    "topple": ("players", "first", "target", "variant", "rolloff"),
    "topolo": ("red", "black"),
    "triple-topper-toe": ("x", "o", "variant", "deck"),
    "topominos": ("players", "first", "pieces", "racks", "match", "firstdraw"),
    "action": (
        "cell", "size", "card", "cards", "reshuffle", "player", "correct", "piece", "drawn",
        "compartment", "dots", "give", "first", "racks", "value",
    ),
}  # fmt: skip
"""Of a start, by game, and of an action."""

ACTIONS = ("place", "play", "discard", "buzz", "draw", "end", "pass", "next_round", "roll")
MEANT_WELL: dict[str, tuple[dict[str, Any], ...]] = {
    "action": tuple({"type": kind} for kind in ACTIONS),
    "correct": tuple({"ref": ref, "nothing": False} for ref in (1, 2, 3)),
    "topple": ({}, {"cause": "bump"}, {"cause": "placing"}),
}


def odd_data(verb: str) -> Iterator[dict[str, Any]]:
    """Each field of a verb with each odd value, beside what is meant well."""
    if verb == "start":
        yield from odd_starts()
        return
    own = (*VERB_DATA[verb].__struct_fields__, "type", "action", *FIELDS.get(verb, ()))
    for meant in MEANT_WELL.get(verb, ({},)):
        yield from ({**meant, name: odd} for name in own for odd in ODD)
        yield from ({**meant, "action": {"type": odd}} for odd in ODD)


def odd_starts() -> Iterator[dict[str, Any]]:
    for game, kind in GAMES.items():
        example = {**kind.example, "game": game, "replace": True}
        for name in ("game", "options", "id", "replace", "again", "type", *FIELDS[game]):
            yield from ({**example, name: odd} for odd in ODD)
        for rule in (*kind.rules.options, "xyz"):
            yield from ({**example, "options": {rule: odd}} for odd in ODD)
    for odd in ODD:
        for player in (
            {"name": odd, "colours": ["red"]},
            {"name": "Zoe", "colours": odd},
            {"name": "Zoe", "colours": [odd]},
        ):
            yield {**PLAYERS, "replace": True, "players": [player, ANN_AND_BOB[1]]}
        yield {**PLAYERS, "replace": True, "rolloff": [{"Ann": odd, "Bob": 3}]}


@pytest.mark.parametrize(("verb", "opening"), SAID)
def test_whatever_odd_thing_a_command_says_it_is_refused_in_words_for_people(
    verb: str, opening: str
) -> None:
    table = opened(OPENINGS[opening])
    state = table.pipeline.state
    for data in odd_data(verb):
        reply = table.send(verb, data).reply
        assert reply.ok or reply.msg
        assert PYTHON.search(reply.msg) is None, f"{data}: {reply.msg}"
        if table.pipeline.state is not state:
            table = opened(OPENINGS[opening])
            state = table.pipeline.state


@pytest.mark.parametrize(
    ("verb", "data", "reason"),
    [
        *(("start", {**PLAYERS, "replace": True, "options": odd}, "bad_option")
          for odd in (False, 0, "", "each")),
        *(("correct", {"ref": ref, "value": 3}, "unknown_ref") for ref in (True, 1.5, "1", None)),
        *(("correct", {"ref": 3, "cause": "placing", "colour": odd}, "not_your_colour")
          for odd in (False, 0, "")),
    ],
)  # fmt: skip
def test_what_is_of_another_kind_than_the_contract_has_is_not_taken_for_something_else(
    verb: str, data: dict[str, Any], reason: str
) -> None:
    assert opened(OPENINGS["pieces fell"]).send(verb, data).reply.reason == reason


@pytest.mark.parametrize("field", ["player", "rev", "exp", "id", "client", "v", "data"])
def test_a_command_that_is_odd_itself_is_refused_in_words_for_people(field: str) -> None:
    for verb in (*VERB_DATA, "d\u00e4nce", "x" * 99):
        for odd in ODD:
            reply = opened(()).raw(verb, json.dumps({field: odd}).encode()).reply
            assert PYTHON.search(reply.msg) is None, f"{field} {odd}: {reply.msg}"


@pytest.mark.parametrize(
    "payload", [b"\xff", b'{"player":"\xff"}', b"[" * 9000, b"nan", b"1" * 9999]
)
def test_what_is_no_json_is_refused_in_words_for_people(table: Table, payload: bytes) -> None:
    for sent in (payload, b'{"data":{"value":' + payload + b"}}"):
        reply = table.raw("roll", sent).reply
        assert reply.code == "bad-json"
        assert PYTHON.search(reply.msg) is None, reply.msg


def test_without_a_shuffler_the_players_must_bring_the_deck() -> None:
    reply = Table().send("start", {"game": "triple-topper-toe", "x": "Ann", "o": "Bob"}).reply

    assert (reply.ok, reply.reason) == (False, "bad_deck")

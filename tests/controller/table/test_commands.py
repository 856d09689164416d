"""Commands from phones: obeyed once, on the right screen, in time - or refused in words."""

import json
import random
from datetime import datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from engine.games.chance import Chance
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
        self.desk = CommandDesk(self.pipeline)
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
    again = table.send("roll", {"value": 4}, id="a1", client="phone-1")

    assert again.repeated
    assert again.reply == first.reply
    assert again.outputs == ()
    assert table.pipeline.state.rev == 2


def test_the_same_id_from_another_client_is_another_command(table: Table) -> None:
    table.send("roll", {"value": 4}, id="a1", client="phone-1")
    other = table.send("undo", id="a1", client="phone-2")

    assert other.reply.ok
    assert not other.repeated


def test_a_button_pressed_on_an_old_screen_is_refused(table: Table) -> None:
    table.send("roll", {"value": 4}, rev=1)
    answered = table.send("pass", rev=1, id="x", client="phone-1")

    assert (answered.reply.ok, answered.reply.code, answered.reply.rev) == (False, "stale-rev", 2)
    assert table.pipeline.state.position.phase == "act"


def test_a_screen_from_before_the_table_lost_its_game_is_old_too(table: Table) -> None:
    # Without a journal the revisions begin anew: a higher one is no newer one.
    reply = table.send("roll", {"value": 4}, rev=50).reply

    assert (reply.ok, reply.code) == (False, "stale-rev")


def test_a_phone_with_a_wrong_clock_learns_the_tables_and_is_obeyed_then(table: Table) -> None:
    phone_now_s = NOW_S - 3600
    late = table.send("roll", {"value": 4}, id="a", client="p", exp=phone_now_s + 5).reply
    assert (late.code, late.now) == ("expired", NOW_S)
    assert late.now is not None
    offset_s = late.now - phone_now_s

    assert table.send(
        "roll", {"value": 4}, id="b", client="p", exp=phone_now_s + offset_s + 5
    ).reply.ok


@pytest.mark.parametrize("table_clock_s", [0.0, 1_000_000_000.0, 5_000_000_000.0])
def test_whatever_the_tables_clock_says_a_command_without_expiry_is_obeyed(
    table: Table, table_clock_s: float
) -> None:
    # A Raspberry Pi has no clock of its own: it may think it is 1970 until it has a network.
    answered = table.desk.receive("roll", b'{"data":{"value":4}}', t_s=9.0, unix_s=table_clock_s)

    assert answered.reply.ok
    assert answered.reply.now == table_clock_s


def test_a_repeated_answer_tells_the_time_of_now(table: Table) -> None:
    table.send("roll", {"value": 4}, id="a1", client="phone-1")
    payload = b'{"id":"a1","client":"phone-1","data":{"value":4}}'
    again = table.desk.receive("roll", payload, t_s=9.0, unix_s=NOW_S + 60)

    assert again.repeated
    assert again.reply.now == NOW_S + 60


def test_who_is_turned_away_is_told_and_may_come_again(table: Table) -> None:
    payload = b'{"id":"a1","client":"phone-1","data":{"value":4}}'
    away = table.desk.turned_away(payload, NOW_S)

    assert (away.client, away.reply.code, away.reply.id) == ("phone-1", "busy", "a1")
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


def test_another_players_button_is_not_your_turn(table: Table) -> None:
    assert table.send("roll", {"value": 4}, player="Ann").reply.ok
    reply = table.send("pass", {}, player="Bob").reply

    assert (reply.ok, reply.code) == (False, "not-your-turn")
    assert table.send("pass", {}, player="Ann").reply.ok


def test_who_rolls_is_whose_turn_it_is(table: Table) -> None:
    assert table.send("roll", {"value": 4}, player="Bob").reply.ok
    assert table.pipeline.state.position.player == "Bob"


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
        (b'{"data": {"client": "p1", "id": "a"}}' + FILLING, "too-large"),
    ],
)
def test_what_is_no_command_is_refused_and_answers_nobody(
    table: Table, payload: bytes, code: str
) -> None:
    answered = table.raw("roll", payload)

    assert (answered.reply.ok, answered.reply.code) == (False, code)
    assert answered.client is None
    assert answered.outputs == ()


@pytest.mark.parametrize(
    ("payload", "name", "code", "words"),
    [
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


def test_every_code_has_its_meaning_in_words() -> None:
    assert set(get_args(Code)) == set(CODES)
    assert all(CODES.values())


def test_memory_stays_bounded_however_many_ids_and_clients(table: Table) -> None:
    for number in range(REMEMBERED_IDS + 10):
        table.send("pass", id=str(number), client="phone-1")
    assert table.send("pass", id="300", client="phone-1").repeated is False
    assert table.send("pass", id=str(REMEMBERED_IDS + 5), client="phone-1").repeated
    assert not table.send("pass", id="0", client="phone-1").repeated

    for number in range(REMEMBERED_CLIENTS):
        table.send("pass", id="1", client=f"other-{number}")
    assert not table.send("pass", id=str(REMEMBERED_IDS + 5), client="phone-1").repeated


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
    view = answered.reply.view

    assert answered.client == "phone-1"
    assert view is not None
    assert (len(view["hands"]["x"]), view["hands"]["o"]) == (3, 3)
    assert {"type": "draw"} in answered.reply.legal
    assert answered.outputs == ()
    assert cube.pipeline.state is before


def test_who_is_not_in_turn_sees_the_own_hand_and_no_actions(cube: Table) -> None:
    reply = cube.send("view", player="Bob").reply

    assert reply.view is not None
    assert len(reply.view["hands"]["o"]) == 3
    assert reply.legal == ()


def test_no_other_reply_holds_a_view(cube: Table) -> None:
    drawn = cube.send("action", {"type": "draw"}, player="Ann").reply

    assert drawn.ok
    assert drawn.view is None
    assert cube.send("view", player="Ann", client="p", id="x").reply.view is not None


def test_a_view_asked_for_again_is_the_newest_one(cube: Table) -> None:
    cube.send("view", player="Ann", client="p", id="x")
    cube.send("action", {"type": "draw"}, player="Ann")
    again = cube.send("view", player="Ann", client="p", id="x")

    assert not again.repeated
    assert again.reply.rev == 2


@pytest.mark.parametrize("player", [None, "Eve", "", "x"])
def test_a_stranger_gets_no_view(cube: Table, player: str | None) -> None:
    reply = cube.send("view", player=player).reply

    assert (reply.ok, reply.code, reply.view) == (False, "illegal", None)


def test_before_the_first_game_there_is_nothing_to_view() -> None:
    reply = Table().send("view", player="Ann").reply

    assert (reply.ok, reply.code) == (False, "illegal")


def test_a_view_of_topple_names_the_legal_placements(table: Table) -> None:
    table.send("roll", {"value": 1})
    reply = table.send("view", player="Ann").reply

    assert {action["cell"] for action in reply.legal if action["type"] == "place"} == {"c3"}


def test_one_players_phone_does_not_play_for_another(cube: Table) -> None:
    reply = cube.send("action", {"type": "draw"}, player="Bob").reply

    assert (reply.ok, reply.code) == (False, "not-your-turn")
    assert cube.pipeline.state.rev == 1


def test_without_a_shuffler_the_players_must_bring_the_deck() -> None:
    reply = Table().send("start", {"game": "triple-topper-toe", "x": "Ann", "o": "Bob"}).reply

    assert (reply.ok, reply.reason) == (False, "bad_deck")

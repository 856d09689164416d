"""What the command desk does besides passing on commands: switches, memory, limits."""

import random

import pytest

from controller.table.commands import (
    LARGEST_COMMAND_BYTES,
    LONGEST_ID,
    REMEMBERED_CLIENTS,
    REMEMBERED_IDS,
    Answered,
)
from engine.events import HumanInput
from tests.controller.table.test_commands import NOW_S, Table
from tests.engine.referee.script import ANN_AND_BOB


@pytest.fixture(name="table")
def opened() -> Table:
    """A game of Topple that has begun."""
    table = Table()
    assert table.send("start", {"players": ANN_AND_BOB, "first": 0}).reply.ok
    return table


@pytest.fixture
def cube() -> Table:
    """Triple Topper Toe, dealt by the table."""
    table = Table(chance=random.Random(2).random)
    assert table.send("start", {"game": "triple-topper-toe", "x": "Ann", "o": "Bob"}).reply.ok
    return table


def said(answered: Answered) -> object:
    """What the referee was told."""
    cause = answered.outputs[-1].cause
    assert isinstance(cause, HumanInput)
    return cause.data


def test_the_risk_map_is_switched_on_and_off(table: Table) -> None:
    assert table.desk.hints_on is False
    on = table.send("hints", {"on": True}, client="p", id="a")
    assert (on.client, on.reply.ok, on.reply.id, table.desk.hints_on) == ("p", True, "a", True)
    off = table.send("hints", {"on": False}, client="p", id="b")
    assert (off.reply.ok, table.desk.hints_on) == (True, False)
    again = table.send("hints", {"on": True}, client="p", id="b")
    assert again.repeated
    assert table.desk.hints_on is False
    unclear = table.send("hints", {"on": 1}, client="p", id="c")
    assert (unclear.reply.ok, unclear.reply.code) == (False, "bad-json")
    assert not unclear.malformed


def test_a_recording_begins_and_ends_where_the_table_can(table: Table) -> None:
    assert table.send("record", {"on": True}).reply.code == "illegal"
    told: list[bool] = []
    table.desk.record = told.append
    for on in (True, False):
        assert table.send("record", {"on": on}).reply.ok

    assert told == [True, False]
    assert table.desk.hints_on is False


def test_who_is_turned_away_is_told_that_it_was_not_done(table: Table) -> None:
    away = table.desk.turned_away(b'{"client":"p"}', NOW_S)

    assert (away.reply.ok, away.outputs, away.repeated) == (False, (), False)


def test_every_reply_tells_its_version_and_the_time_in_milliseconds(table: Table) -> None:
    reply = table.desk.receive("roll", b"{}", t_s=3.0, unix_s=NOW_S + 0.12345).reply

    assert (reply.v, reply.now) == (1, NOW_S + 0.123)


def test_a_refusal_is_remembered_like_an_answer(table: Table) -> None:
    stale = table.send("roll", {"value": 4}, rev=99, client="p", id="a")
    again = table.send("roll", {"value": 4}, client="p", id="a")

    assert again.repeated
    assert (again.reply.code, stale.reply.code) == ("stale-rev", "stale-rev")


def test_an_id_without_a_client_and_a_client_without_an_id_are_not_remembered(table: Table) -> None:
    for _ in range(2):
        assert not table.send("undo", id="a").repeated
        assert not table.send("undo", client="p").repeated


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


def test_as_long_as_an_honest_command_may_be_it_is_read(table: Table) -> None:
    payload = b'{"data": {"value": 4}}'
    longest = payload + b" " * (LARGEST_COMMAND_BYTES - len(payload))

    assert table.raw("roll", longest + b" ").reply.code == "too-large"
    assert table.raw("roll", longest).reply.ok


def test_a_sender_can_have_the_longest_id_and_one_in_digits(table: Table) -> None:
    name = "i" * LONGEST_ID
    broken = [f'{{"client": "p", "id": "{name}", "rev": "x"}}', '{"client": "p", "id": 17, x']

    assert [table.raw("roll", each.encode()).reply.id for each in broken] == [name, "17"]


def test_a_phone_says_for_whom_it_rolls_passes_and_places_and_for_nothing_else(
    table: Table,
) -> None:
    assert said(table.send("roll", {"value": 4}, player="Ann")) == {"value": 4, "player": "Ann"}
    assert said(table.send("undo", player="Bob")) == {}


def test_at_a_tower_everybody_may_say_what_is_seen_and_in_a_game_by_hand_anybody_undoes(
    table: Table, cube: Table
) -> None:
    assert table.send("pass", player="Bob").reply.reason == "not_rolled"
    assert cube.send("action", {"type": "draw"}).reply.ok
    assert cube.send("undo", player="Bob").reply.ok


def test_an_expiry_of_nought_is_long_ago(table: Table) -> None:
    assert table.send("roll", {"value": 4}, exp=0).reply.code == "expired"
    assert table.desk.receive("roll", b'{"exp": 0}', t_s=3.0, unix_s=0.5).reply.code == "expired"


def test_a_view_counts_the_actions_it_leaves_out(cube: Table) -> None:
    assert cube.send("view", player="Ann").reply.legal_left_out == 0

"""What must hold after every run: messages in, broken promises out."""

import json
from dataclasses import replace

import msgspec
import pytest

from engine.scoreboard import document
from lab.bench.invariants import (
    contract_broken,
    folded_differs,
    late_joiner_differs,
    times_broken,
)
from lab.bench.observed import Sent
from tests.engine.referee.script import begin


@pytest.mark.parametrize(
    ("suffix", "qos", "retain", "wrong"),
    [
        ("availability", 1, True, 0),
        ("availability", 1, False, 1),
        ("film", 1, False, 1),
        ("trace", 0, True, 1),
        ("reply/phone-1", 1, False, 0),
        ("reply/phone-1", 1, True, 1),
        ("reply/phone-1", 0, False, 1),
    ],
)
def test_each_topic_is_sent_as_its_readers_need_it(
    suffix: str, qos: int, retain: bool, wrong: int
) -> None:
    assert len(list(contract_broken([Sent(0.0, suffix, b"", qos=qos, retain=retain)]))) == wrong


def test_a_stale_judgement_is_found() -> None:
    game = begin()
    game.turn(4, "e2")
    assert list(folded_differs(game.state)) == []
    stale = replace(game.state.judged_moves[1], after=game.state.position)
    moves = (game.state.judged_moves[0], stale, *game.state.judged_moves[2:])

    assert len(list(folded_differs(replace(game.state, judged_moves=moves)))) == 1


def test_who_joins_late_finds_the_table_online() -> None:
    last = begin().state
    shown = msgspec.json.encode(document(last, table="bench", boot=""))
    kept = {"state": shown, "summary": b'{"r": 1}', "availability": b"online"}

    assert list(late_joiner_differs(last, kept)) == []
    assert len(list(late_joiner_differs(last, kept | {"availability": b"offline"}))) == 1


def when(row: str, t_s: float, text: str, process: int = 0) -> Sent:
    found = {"since": text} if row == "status" else {"games": [{"ended": text}]}
    return Sent(t_s, row, json.dumps(found).encode(), process=process)


NOON_S = 1_800_000_000.0
NOON, LATER = "2027-01-15T08:00:00+00:00", "2027-01-15T08:01:40+00:00"


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ([when("status", 0.0, NOON), when("status", 100.0, LATER)], 0),
        ([when("status", 0.0, NOON), when("status", 130.0, NOON)], 0),
        ([when("status", 0.0, NOON.replace("+00:00", ""))], 1),
        ([when("status", 0.0, NOON.replace("T08", "T20"))], 1),
        ([when("status", 0.0, NOON), when("results", 100.0, LATER)], 0),
        ([when("status", 0.0, NOON), when("results", 100.0, LATER.replace("T08", "T07"))], 1),
        ([when("results", 0.0, "2027-01-01T00:00:00+00:00")], 0),
        ([when("status", 0.0, NOON), when("status", 90.0, NOON.replace("00:00+", "00:40+"))], 0),
    ],
    ids=["as they happen", "said again", "no zone", "local", "a game", "a game, local", "kept",
         "said late, as while the broker was away"],
)  # fmt: skip
def test_times_of_day_have_a_zone_and_are_when_it_happened(sent: list[Sent], wrong: int) -> None:
    assert len(list(times_broken(sent, [NOON_S]))) == wrong


def test_a_clock_that_jumped_is_believed() -> None:
    sent = [when("status", 0.0, NOON), when("status", 40.0, LATER)]

    assert len(list(times_broken(sent, [NOON_S]))) == 1
    assert list(times_broken(sent, [NOON_S, NOON_S + 60.0])) == []


@pytest.mark.parametrize(
    ("said_ago_s", "valid_s", "wrong"),
    [(0.0, 35.0, 0), (9.9, 35.0, 0), (20.0, 35.0, 1), (0.0, 350.0, 1)],
    ids=["now", "repeated at a new connection", "too old", "valid for too long"],
)
def test_health_is_valid_from_when_it_was_said(
    said_ago_s: float, valid_s: float, wrong: int
) -> None:
    until = NOON_S + 30.0 - said_ago_s + valid_s
    health = Sent(30.0, "health", f'{{"until": {until}, "valid_s": 35.0}}'.encode())

    assert len(list(times_broken([health], [NOON_S]))) == wrong

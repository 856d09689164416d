"""What must hold after every run: messages in, broken promises out."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from engine.scoreboard import document
from lab.bench.invariants import (
    contract_broken,
    folded_differs,
    late_joiner_differs,
    numbers_go_back,
    order_broken,
    revision_kept,
    times_broken,
)
from lab.bench.observed import Sent
from tests.engine.referee.script import begin


def events(*told: tuple[int, str]) -> list[Sent]:
    documents = [{"seq": seq, "rev": seq, "type": kind} for seq, kind in told]
    return [Sent(0.0, "event", json.dumps(d).encode(), qos=1) for d in documents]


@pytest.mark.parametrize(
    "told",
    [
        ((1, "started"), (2, "placed"), (3, "turn")),
        ((2, "placed"), (2, "suspected"), (2, "dismissed"), (3, "rolled")),
        ((2, "suspected"), (3, "toppled")),
    ],
)
def test_events_in_order_break_nothing(told: tuple[tuple[int, str], ...]) -> None:
    assert list(order_broken(events(*told))) == []


@pytest.mark.parametrize(
    "told",
    [
        ((1, "started"), (3, "turn")),
        ((2, "placed"), (2, "turn")),
        ((2, "placed"), (3, "suspected")),
        ((2, "placed"), (2, "suspected"), (4, "rolled")),
    ],
)
def test_a_gap_a_repetition_and_a_number_taken_by_a_suspicion_are_found(
    told: tuple[tuple[int, str], ...],
) -> None:
    assert len(list(order_broken(events(*told)))) == 1


def told(process: int, seq: int, t_s: float, kind: str = "turn") -> Sent:
    said = json.dumps({"seq": seq, "rev": 1, "t": t_s, "type": kind}).encode()
    return Sent(0.0, "event", said, qos=1, process=process)


def test_numbers_count_on_over_games_and_restarts() -> None:
    assert (
        list(numbers_go_back([told(0, 3, 1.0), told(0, 3, 1.0, "suspected"), told(1, 5, 0.5)]))
        == []
    )
    for again in (told(0, 1, 2.0), told(1, 3, 2.0)):
        assert len(list(numbers_go_back([told(0, 3, 1.0), again]))) == 1


def test_a_process_tells_everything_in_the_order_of_table_time() -> None:
    assert len(list(numbers_go_back([told(0, 3, 1.0), told(0, 4, 0.9)]))) == 1


def state(**more: Any) -> Sent:
    return Sent(0.0, "state", json.dumps({"rev": 4, "phase": "roll", **more}).encode())


def test_another_game_under_the_same_revision_is_found() -> None:
    assert list(revision_kept([state(), state(boot="b2"), state(rev=5, phase="act")])) == []
    assert len(list(revision_kept([state(), state(phase="act")]))) == 1


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

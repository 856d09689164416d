"""Promises of docs/mqtt.md over what one case left behind: kept by a true run, and each spoilt."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lab.bench.observed import Sent
from lab.bench.outside.promises import Overheard, broken_promises
from lab.bench.outside.sitting import Sitting
from lab.bench.scenario_files import read
from tests.lab.bench.outside.indoors import TABLE, IndoorHand, IndoorLink
from tests.lab.bench.spoiling import spoilt

GAME = """about: a short game
steps: [turns: [1 c3, 2 c4], undo: yes, wait: 6, end: yes]
"""


@pytest.fixture(scope="module")
def true(tmp_path_factory: pytest.TempPathFactory) -> Overheard:
    hand, kept = IndoorHand(), list[Overheard]()
    link = IndoorLink(tmp_path_factory.mktemp("table"), hand)

    class Watched(Sitting):
        def _run(self, heard: Overheard, truth: Any) -> Any:
            kept.append(heard)
            return super()._run(heard, truth)

    Watched(read(GAME, "game", "game.yaml")[0], TABLE, link, hand).play()
    return kept[0]


def broken(case: Overheard) -> str:
    return "; ".join(broken_promises(case))


def test_a_true_run_keeps_them_all(true: Overheard) -> None:
    assert broken(true) == ""


def _changed(**change: Any) -> Callable[[Any], bool]:
    return lambda document: document.update(change) is None


@pytest.mark.parametrize(
    ("suffix", "change", "words"),
    [
        ("state", _changed(rev="7"), 'state: rev: "7" is not of type "integer"'),
        ("state", _changed(table="t9"), "messages speak of table t9"),
        ("health", _changed(valid_s=35_000), "health: until is"),
        ("health", _changed(valid_s=0.5, until=1_800_000_010), "s of silence"),
        ("summary", _changed(p={"Ann" * 90: 0}), "bytes; displays take 200"),
        ("event", lambda e: e["type"] == "undone" and _changed(seq=999)(e), "is followed by 999"),
    ],
)
def test_a_document_that_is_wrong_is_told(
    true: Overheard, suffix: str, change: Any, words: str
) -> None:
    number = 0 if suffix == "event" else -1
    assert words in broken(replace(true, sent=spoilt(true.sent, suffix, change, number)))


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-28T10:00:00", "has no time zone"),
        ("yesterday", "'yesterday' is no time"),
        ("2999-01-01T00:00:00+00:00", "is not the time at which it happened"),
    ],
)
def test_moments_have_their_zone_and_are_over(true: Overheard, moment: str, words: str) -> None:
    (status,) = spoilt((true.joined["status"],), "status", _changed(since=moment))
    game = {
        "game": "g", "kind": "topple", "rev": 7, "ended": moment, "players": [], "winners": [],
        "over": True, "broken_off": True, "asked": False, "highlights": None,
    }  # fmt: skip
    document = {"table": TABLE, "boot": "boot0", "games": [game], "simulated": True, "v": 1}
    results = Sent(1.0, "results", json.dumps(document).encode(), 1, retain=True)

    for joined in ({"status": status}, {"results": results}):
        assert words in broken(replace(true, joined={**true.joined, **joined}))


def _without(messages: tuple[Sent, ...], suffix: str) -> tuple[Sent, ...]:
    return tuple(message for message in messages if message.suffix != suffix)


def test_flags_that_are_lost_are_told_by_each_message_where_they_can_be_seen(
    true: Overheard,
) -> None:
    states = (replace(m, retain=False) if m.suffix == "state" else m for m in true.sent)
    lost = replace(true, sent=tuple(states))

    assert "state: qos 1, retained False" in broken(lost)
    assert broken(replace(lost, flags=False)) == ""


def test_what_somebody_is_given_who_comes_later_is_the_newest(true: Overheard) -> None:
    old = replace(true.kept["state"], payload=true.joined["state"].payload)
    nothing = {key: value for key, value in true.kept.items() if key != "health"}

    assert "late joiner: is given an old state" in broken(
        replace(true, kept={**true.kept, "state": old})
    )
    assert "late joiner: no health is retained at the end" in broken(replace(true, kept=nothing))
    assert "late joiner: event is retained at the end" in broken(
        replace(true, kept={**true.kept, "event": replace(old, suffix="event")})
    )


def test_a_command_without_an_answer_is_told(true: Overheard) -> None:
    assert "got no answer" in broken(replace(true, sent=_without(true.sent, "reply/bench")))


def test_a_mistake_that_is_made_all_the_time_is_told_a_few_times(true: Overheard) -> None:
    wrong = spoilt(true.sent, "summary", _changed(p={"Ann" * 90: 0}))

    assert sum(message.suffix == "summary" for message in wrong) > 3
    found = broken_promises(replace(true, sent=wrong))
    assert sum("displays take 200" in words for words in found) == 3


def test_no_json_is_no_document(true: Overheard) -> None:
    first = next(n for n, m in enumerate(true.sent) if m.suffix == "state")
    sent = list(true.sent)
    sent[first] = replace(sent[first], payload=b"{")

    assert "state: this is no JSON" in broken(replace(true, sent=tuple(sent)))


def test_a_table_that_is_ready_when_somebody_comes_has_begun_before(true: Overheard) -> None:
    assert [json.loads(m.payload)["phase"] for m in true.before[:2]] == ["init", "ready"]

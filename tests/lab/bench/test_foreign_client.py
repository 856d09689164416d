"""What a client that knows only docs/mqtt.md finds: a true run nothing, a spoilt one its fault."""

import json
from dataclasses import replace
from typing import Any

import pytest

from lab.bench.foreign_client import heard, summary_problems, unlocked
from lab.bench.observed import Order, Sent
from tests.lab.bench.spoiling import Document, spoilt, true_run


def found(messages: tuple[Sent, ...]) -> str:
    return "; ".join(heard(true_run().orders, messages))


def everything() -> tuple[Sent, ...]:
    return (*true_run().sent, *true_run().encore)


def test_a_true_run_keeps_every_promise() -> None:
    assert found(everything()) == ""


def _placed(event: Document, **change: Any) -> bool:
    fits = event["type"] == "placed"
    if fits:
        event.update(change)
    return fits


def _later(field: str, by: float) -> Any:
    def change(document: Document) -> bool:
        document[field] += by
        return True

    return change


def _being_played(state: Any) -> bool:
    """Pieces lie, and not those of the evening before."""
    return bool(state["board"]) and state["phase"] != "over"


@pytest.mark.parametrize(
    ("suffix", "change", "words"),
    [
        ("event", lambda e: _placed(e, t=e["t"] - 5), "back in time"),
        ("event", lambda e: _placed(e, seq=e["seq"] + 1), "is followed by"),
        ("event", lambda e: _placed(e, rev=e["rev"] - 1), "revision"),
        ("event", lambda e: _placed(e, boot="other"), "an event of boot other"),
        ("state", lambda s: _being_played(s) and _later("seq", 1)(s), "the newest event has"),
        ("summary", _later("r", 1), "summary: r is"),
        ("status", lambda s: s.update(boot="boot0") is None, "an event of boot"),
        ("health", lambda h: h["sensors"]["imu"].update(ok=False) is None, "health: ['imu'] fail"),
        ("health", lambda h: h["sensors"]["scale.2"].update(age_s=8.0) is None, "silent for 8 s"),
    ],
)
def test_a_promise_that_is_not_kept_is_told(suffix: str, change: Any, words: str) -> None:
    assert words in found(spoilt(everything(), suffix, change, 0 if suffix != "status" else -1))


def test_a_number_means_one_event_also_over_a_restart_and_a_suspicion_has_none() -> None:
    def of_a_new_process(event: Document) -> bool:
        event["seq"] -= 900
        return event["boot"] != "boot0"

    assert "is followed by" in found(spoilt(everything(), "event", of_a_new_process, 0))
    run = true_run("piece_put_back")
    messages = (*run.sent, *run.encore)

    def counted(event: Document) -> bool:
        event["seq"] += 1
        return event["type"] in ("suspected", "dismissed")

    words = heard(run.orders, spoilt(messages, "event", counted, 0))
    assert any("has a number of its own" in text for text in words)


@pytest.mark.parametrize(("ahead", "told"), [(-1, True), (0, False), (1, False), (2, True)])
def test_a_suspicion_may_tell_the_revision_of_a_piece_that_waits_for_its_roll(
    ahead: int, *, told: bool
) -> None:
    run = true_run("piece_put_back")

    def later(event: Document) -> bool:
        event["rev"] += ahead
        return event["type"] == "suspected"

    messages = (*run.sent, *run.encore)
    words = heard(run.orders, spoilt(messages, "event", later, 0) if ahead else messages)
    assert any("has a number of its own" in text for text in words) is told


@pytest.mark.parametrize(("ahead", "told"), [(-1, True), (0, False), (2, False), (3, True)])
def test_a_piece_that_waits_for_its_roll_may_come_between_two_events(
    ahead: int, *, told: bool
) -> None:
    def later(event: Document) -> bool:
        event["rev"] += ahead
        return event["type"] == "turn"  # in one document with the piece that ends the turn

    words = found(spoilt(everything(), "event", later, 1) if ahead else everything())
    assert ("after one of" in words) is told


def test_a_document_that_changes_in_one_revision_is_told() -> None:
    messages = list(everything())
    at = next(k for k, m in enumerate(messages) if m.suffix == "state" and m.document()["board"])
    again = (*messages[: at + 2], messages[at], messages[at + 1], *messages[at + 2 :])
    assert found(again) == ""  # saying it again is no harm
    other = spoilt((messages[at],), "state", lambda s: s.update(target=7) is None)
    words = found((*messages[: at + 2], *other, messages[at + 1], *messages[at + 2 :]))
    assert "target is another one in the same revision" in words


def test_an_answer_before_its_state_and_one_that_is_missing_are_told() -> None:
    messages = list(everything())
    at = next(k for k, m in enumerate(messages) if m.suffix == "reply/bench")
    early = [*messages[: at - 2], messages[at], *messages[at - 2 : at], *messages[at + 1 :]]
    assert "a reply speaks of" in found(tuple(early))
    assert "got no answer" in found((*messages[:at], *messages[at + 1 :]))
    twice = (*messages[: at + 1], *messages[at:])
    assert "an answer that nobody waits for" in found(twice)


@pytest.mark.slow
def test_a_repeated_command_must_get_the_same_answer() -> None:
    run = true_run("command_twice")
    messages = (*run.sent, *run.encore)
    assert heard(run.orders, messages) == ()

    def last_of_three(reply: Document) -> bool:
        if reply.get("id") != "u1":
            return False
        reply["ok"] = False
        return True

    words = heard(run.orders, spoilt(messages, "reply/bench", last_of_three, 2))
    assert any("was repeated as another one" in text for text in words)


def test_a_command_to_a_dead_table_gets_no_answer() -> None:
    run = true_run()
    dead_s = next(m.t_s for m in run.sent if m.payload == b"offline") + 0.5
    place = next(k for k, m in enumerate(run.sent) if m.t_s > dead_s)
    order = replace(run.orders[1], t_s=dead_s, place=place, payload=b'{"client":"x","id":"y"}')
    assert heard((*run.orders, order), everything()) == ()


def test_a_summary_cuts_names_and_tells_the_same() -> None:
    state = {
        "phase": "roll",
        "rev": 4,
        "turn": {"player": "Alexandrina", "die": None},
        "players": [{"name": "Alexandrina", "score": 2}, {"name": "Bo", "score": -10}],
        "winners": [],
    }
    good = {"v": 1, "ph": "roll", "r": 4, "p": {"Alex": 2, "Bo": -10}, "t": "Alex", "d": None}
    assert list(summary_problems(good, state)) == []
    for key, value in {"r": 3, "t": "Bo", "d": 5, "p": {"Alex": 2, "Bo": 0}}.items():
        assert list(summary_problems({**good, key: value}, state)), key


def asked(**command: Any) -> tuple[Order, ...]:
    """The orders of a true run, the last of them with other fields."""
    *before, last = true_run().orders
    payload = {**last.document(), **command}
    return (*before, replace(last, payload=json.dumps(payload).encode()))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"rev": 1}, "was done, though it saw 1 when"),
        ({"exp": 1_700_000_000}, "s after it was void"),
        ({"exp": "2023-11-14T23:13:20+01:00"}, "s after it was void"),
        ({"exp": 1_900_000_000, "player": "Ann"}, ""),
    ],
)
def test_what_is_done_though_it_came_too_late_is_told(command: dict[str, Any], words: str) -> None:
    told = "; ".join(heard(asked(**command), everything()))
    assert words in told
    assert bool(told) is bool(words)


def test_what_is_refused_without_need_and_done_for_the_wrong_player_is_told() -> None:
    shown = Sent(1.0, "state", b'{"rev":7,"turn":{"player":"Ann"}}')
    old = {"ok": False, "code": "stale-rev", "rev": 7, "now": 50.0}
    early = {"ok": False, "code": "expired", "rev": 7, "now": 50.0}
    done = {"ok": True, "rev": 8, "now": 50.0}

    def told(verb: str, command: dict[str, Any], answer: dict[str, Any]) -> str:
        order = Order(2.0, verb, b"{}")
        return "; ".join(unlocked(order, {"id": "x", **command}, answer, (shown,)))

    assert told("undo", {"rev": 7}, old) == (
        "client: undo x at 2.0 s is refused as old, and 7 is the newest"
    )
    assert told("undo", {"rev": 6}, old) == ""
    assert "has expired 10 s too early" in told("undo", {"exp": 60}, early)
    assert "was done for Bob in Ann's turn" in told("pass", {"player": "Bob"}, done)
    assert told("roll", {"player": "Bob"}, done) == told("pass", {"player": "Ann"}, done) == ""

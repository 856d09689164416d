"""The table at work, driven by hand: time is passed in, the wire is a list."""

import json
import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from controller.common.rate_limited_log import MOST
from controller.common.troubles import JOURNAL_FROM_COPY
from controller.mqtt import topics
from controller.mqtt.client import Message, Mqtt
from controller.table.loop import (
    GREETING_WAIT_S,
    INBOX_SIZE,
    MOST_PER_STEP,
    LiveTable,
)
from controller.table.pipeline import Pipeline
from controller.table.publisher import Announcer, Identity
from engine.events import Fault, HumanInput, Restored
from engine.scoreboard import Scoreboard
from engine.tabletop import ColourPiece
from hw.source import REPLAY_STEP_S, Item
from tests.controller.evenings import (
    PLACED,
    START,
    Detector,
    Evening,
    Kept,
    Source,
    Wire,
    samples,
)


def test_opening_says_state_before_online() -> None:
    evening = Evening()

    assert evening.wire.rows() == ["status", "state", "summary", "availability"]
    assert evening.wire.last("status")["phase"] == "init"


def test_every_decision_is_journalled_before_it_is_published() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    evening.step(6.0)

    assert len(evening.journal.outputs) == 3
    counts = [len(output.outcomes) for output in evening.journal.outputs]
    assert evening.journal.published_before == [0, counts[0], counts[0] + counts[1]]
    assert evening.table.board.board["c3"][0].colour == "red"


def test_events_come_in_order_and_the_state_that_contains_them_follows() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    before = len(evening.wire.sent)
    evening.step(6.0)
    rows = [row for row in evening.wire.rows()[before:] if row in ("event", "state")]
    seqs = [json.loads(p.payload)["seq"] for p in evening.wire.sent if p.topic.endswith("event")]

    assert rows == ["event"] * len(seqs) + ["state"]
    assert seqs == list(range(1, len(seqs) + 1))
    assert evening.wire.last("state")["seq"] == seqs[-1]


def test_a_command_is_obeyed_and_answered() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.command("roll", id="a1", data={"value": 4})
    evening.step(2.0)

    assert evening.wire.last("reply/phone")["ok"] is True
    assert evening.table.board.turn is not None
    assert evening.table.board.turn.die == 4


def test_an_answer_never_comes_before_the_state_it_speaks_of() -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = len(evening.wire.sent)
    for number, verb in enumerate(("roll", "undo", "roll")):
        evening.command(verb, id=str(number), data={"value": 4})
    evening.step(2.0)
    shown = 0
    for said in evening.wire.sent[before:]:
        document = json.loads(said.payload)
        if said.topic.endswith("/state"):
            shown = document["rev"]
        elif "/reply/" in said.topic:
            assert document["rev"] <= shown


def test_a_command_delivered_twice_counts_once() -> None:
    evening = Evening(START)
    evening.step(1.0)
    for _ in range(2):
        evening.command("roll", id="a1", data={"value": 4})
    evening.step(2.0)

    causes = [output.cause for output in evening.journal.outputs]
    assert [getattr(cause, "type", None) for cause in causes] == ["start", "roll"]
    assert evening.wire.rows().count("reply/phone") == 2


def test_a_refused_command_changes_nothing_and_the_journal_is_told() -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = evening.table.board
    evening.command("roll", id="a1", data={"value": 9})
    evening.step(2.0)

    assert evening.wire.last("reply/phone")["ok"] is False
    assert evening.table.board is before
    assert [output.remembered for output in evening.journal.outputs] == [True, False]


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"no json",
        b"[]",
        b"\xff\xfe",
        b'{"data":3}',
        b'{"player":"\xff"}',
        b'{"data":{"value":"\xc3"}}',
        b'{"data":' + b'{"a":' * 3000,
        b'{"exp":"0001-01-01T00:00+23:59"}',
    ],
)
def test_noise_as_a_command_harms_nothing(payload: bytes) -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = evening.table.board.rev
    evening.table.receive(Message("topple/1/t1/cmd/roll", payload, retained=False))
    evening.step(2.0)

    assert evening.table.board.rev == before


def test_clearing_a_retained_command_undoes_nothing() -> None:
    """As `mosquitto_pub -r -n` arrives at who has subscribed already: empty, and not retained."""
    evening = Evening(START)
    evening.step(1.0)
    evening.command("roll", data={"value": 4})
    evening.step(2.0)
    before = evening.table.board.rev
    evening.table.receive(Message("topple/1/t1/cmd/undo", b"", retained=False))
    evening.step(3.0)

    assert evening.table.board.rev == before


def test_what_is_no_command_is_logged_when_nobody_can_be_told_and_limited_in_rate(
    caplog: pytest.LogCaptureFixture,
) -> None:
    evening = Evening(START)
    evening.step(1.0)
    for second in range(2, 200):
        for payload in (b"no json\x1b[2J", b'{"client":"a:b"}', b"x" * 17_000):
            evening.table.receive(Message("topple/1/t1/cmd/roll", payload, retained=False))
        evening.step(float(second))
    unreadable = b'{"client":"p","id":17}'
    evening.table.receive(Message("topple/1/t1/cmd/roll", unreadable, retained=False))
    evening.step(300.0)

    said = [record.getMessage() for record in caplog.records]
    assert "No command on topple/1/t1/cmd/roll: this is no JSON" in said[0]
    assert "client must be 1 to 64 letters" in said[1]
    assert "at most 16384" in said[2]
    assert len(said) == MOST
    assert evening.wire.rows().count("reply/p") == 1
    assert evening.wire.last("reply/p")["code"] == "bad-json"


def test_a_retained_command_never_reaches_the_game() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.table.receive(Message("topple/1/t1/cmd/roll", b'{"data":{"value":4}}', retained=True))
    evening.step(2.0)

    assert evening.table.board.phase == "roll"


def test_a_storm_of_commands_is_bounded_and_who_had_no_room_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    evening = Evening(START)
    for number in range(INBOX_SIZE + 10):
        evening.command("pass", id=str(number))
    evening.step(1.0)

    replies = [json.loads(p.payload) for p in evening.wire.sent if "/reply/" in p.topic]
    assert [reply["id"] for reply in replies if reply.get("code") == "busy"] == [
        str(number) for number in range(INBOX_SIZE, INBOX_SIZE + 10)
    ]
    assert "dropped" in caplog.text


def test_a_storm_of_commands_does_not_keep_the_detection_waiting() -> None:
    evening = Evening(START, samples(5.0))
    for number in range(INBOX_SIZE):
        evening.command("pass", id=str(number))
    steps = 0
    while evening.wire.rows().count("reply/phone") < INBOX_SIZE:
        before = evening.wire.rows().count("reply/phone")
        evening.table.wait(0.0)
        evening.step(1.0 + steps)
        steps += 1

        assert evening.wire.rows().count("reply/phone") - before <= MOST_PER_STEP

    assert steps == INBOX_SIZE // MOST_PER_STEP


def test_what_was_not_taken_in_one_step_wakes_the_next() -> None:
    evening = Evening(START)
    for number in range(MOST_PER_STEP + 1):
        evening.command("pass", id=str(number))
    evening.table.wait(0.0)
    evening.step(1.0)
    # It would fail at the test's own time limit if nobody had set the bell.
    evening.table.wait(3600.0)
    evening.step(2.0)

    assert evening.wire.rows().count("reply/phone") == MOST_PER_STEP + 1


def test_a_command_wakes_a_waiting_table() -> None:
    evening = Evening(START)
    threading.Timer(0.05, evening.command, ("roll",)).start()
    evening.table.wait(30.0)
    evening.step(1.0)

    assert "reply/phone" in evening.wire.rows()


def test_the_journal_is_tended_in_every_step_also_when_nothing_happens() -> None:
    evening = Evening()
    for second in range(5):
        evening.step(float(second))

    assert evening.journal.tended == 5


def test_a_score_in_doubt_is_said_until_another_game_begins() -> None:
    doubtful = Evening(doubt=JOURNAL_FROM_COPY())
    doubtful.step(1.0)
    said = doubtful.wire.last("status")
    doubtful.command("start", id="a", data=START.data)
    doubtful.step(2.0)
    doubtful.step(3.0)

    reason = JOURNAL_FROM_COPY().sentence
    told = {"sensor": "journal", "reason": reason, "code": "journal_from_copy"}
    assert said["troubles"] == [told]
    assert said["mode"].endswith(f"that is shown. {reason}.")
    assert doubtful.wire.last("status")["phase"] == "ready"


def test_status_follows_the_sensors_and_tells_what_to_check() -> None:
    fault = Fault(2.0, "scale.2", "No counts. Check its plug.")
    blocks = samples(1.0), samples(2.5), samples(6.0)
    evening = Evening(*blocks, events=(fault, Restored(5.0, "scale.2")))
    phases = []
    for t_s in (1.0, 3.0, 7.0):
        evening.step(t_s)
        phases.append(evening.wire.last("status"))

    assert [status["phase"] for status in phases] == ["ready", "degraded", "ready"]
    assert phases[1]["troubles"] == [{"sensor": "scale.2", "reason": "No counts. Check its plug."}]
    assert phases[1]["mode"].endswith("with three load cells. No counts. Check its plug.")
    assert phases[2]["mode"] == ""


def test_status_and_health_say_what_pieces_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = (ColourPiece("red", 3.0, 0.03), ColourPiece("blue", 4.0, 0.03))
    tabletop = replace(Source.tabletop, piece=Source.tabletop.piece.of_colours(marked))
    monkeypatch.setattr(Source, "tabletop", tabletop)
    evening = Evening(START, samples(5.0))
    assert evening.wire.last("status")["pieces_tell"] == "all"
    evening.step(1.0)
    since = evening.wire.last("status")["since"]

    evening.step(30.0, unix_s=2000.0)  # a game of which nobody has weighed the pieces goes on
    assert evening.wire.last("health")["pieces_tell"] == "none"
    status = evening.wire.last("status")
    assert (status["pieces_tell"], status["phase"], status["since"]) == ("none", "ready", since)


def born(message: Message, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a table with everything said says again after a message."""
    monkeypatch.setattr("controller.table.loop.GREETING_WAIT_S", (0.0, 0.0))
    evening = Evening(START)
    evening.step(1.0)
    before = len(evening.wire.sent)
    evening.table.receive(message)
    for _ in range(2):
        evening.step(1.0)
    return evening.wire.rows()[before:]


def test_when_home_assistant_starts_everything_retained_is_said_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = born(Message("homeassistant/status", b"online", retained=False), monkeypatch)

    assert {"status", "state", "summary", "health", "availability"} <= set(said)


@pytest.mark.parametrize(
    "message",
    [
        Message("homeassistant/status", b"offline", retained=False),
        Message("homeassistant/status", b"online", retained=True),
    ],
)
def test_an_old_birth_or_a_death_of_home_assistant_is_not_greeted(
    message: Message, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert born(message, monkeypatch) == []


def test_home_assistant_is_given_a_moment_before_it_is_greeted() -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = len(evening.wire.sent)
    evening.table.receive(Message("homeassistant/status", b"online", retained=False))
    evening.step(1.0)

    assert len(evening.wire.sent) == before
    assert min(GREETING_WAIT_S) > 0


def test_after_a_pause_of_the_machine_the_source_is_polled_in_small_steps() -> None:
    evening = Evening(START)
    polled: list[float] = []
    poll = evening.source.poll

    def watched(until_s: float) -> list[Item]:
        polled.append(until_s)
        return poll(until_s)

    with patch.object(evening.source, "poll", watched):
        evening.step(3.1)

    assert polled[-1] == 3.1
    assert all(b - a <= REPLAY_STEP_S + 1e-9 for a, b in pairwise([0.0, *polled]))


def test_a_computer_that_is_behind_is_alive_after_each_second_of_table_time() -> None:
    evening = Evening(START)
    told: list[str] = []

    def watched(until_s: float) -> list[Item]:
        told.append(f"polled {until_s:.1f}")
        return []

    with patch.object(evening.source, "poll", watched):
        evening.table.step(2.1, 0.0, after_slice=lambda: told.append("alive"))

    assert told == ["polled 1.0", "alive", "polled 2.0", "alive", "polled 2.1", "alive"]


def test_closing_says_stopping_and_the_farewell_says_offline() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.table.close(2000.0)

    assert evening.wire.last("status")["phase"] == "stopping"
    assert evening.source.closed
    assert evening.announcer.farewell() == [topics.availability("t1", online=False)]


def test_the_listener_hears_every_outcome() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}))
    evening.step(2.0)

    assert evening.heard[0] == "started"
    assert "rolled" in evening.heard


def test_the_risk_map_is_off_until_somebody_wants_it_and_off_again() -> None:
    evening = Evening(START)
    evening.step(1.0)
    assert evening.wire.last("state")["hints"] is None
    rev = evening.table.board.rev
    shown = []
    for number, wanted in enumerate((True, False)):
        evening.command("hints", id=str(number), data={"on": wanted})
        evening.step(2.0 + number)
        evening.announcer.flush_now()
        shown.append(evening.wire.last("state")["hints"])
        assert evening.wire.last("reply/phone")["ok"] is True

    assert set(shown[0]["e5"]) == {"points", "risk"}
    assert shown[1] is None
    assert (evening.table.board.rev, len(evening.journal.outputs)) == (rev, 1)


@pytest.mark.parametrize("data", [{}, {"on": 1}, {"on": "yes"}, {"on": None}])
def test_hints_are_switched_by_true_or_false_only(data: dict[str, Any]) -> None:
    evening = Evening(START)
    evening.command("hints", data=data)
    evening.step(1.0)

    assert evening.wire.last("reply/phone")["ok"] is False
    assert evening.table.board.hints is None


def test_a_late_subscriber_gets_the_whole_game_from_a_real_broker(
    broker: Any, wait_until: Any
) -> None:
    identity = Identity("t1", "boot-1")
    edge = Mqtt(
        broker.address(), "table", birth=lambda: announcer.birth(),  # noqa: PLW0108 - made below
        subscriptions=(topics.command_filter("t1"),),
        will=topics.availability("t1", online=False),
    )  # fmt: skip
    announcer = Announcer(edge, identity)
    wire = Wire()
    table = LiveTable(Source(START), Pipeline(Detector()), Kept(wire), announcer, identity)
    edge.on_message(table.receive)
    table.open(0.0)
    edge.start()
    heard: list[Message] = []
    late = Mqtt(broker.address(), "late", subscriptions=("topple/1/#",))
    late.on_message(heard.append)
    try:
        wait_until(lambda: edge.connection.up, "the table's connection")
        table.step(1.0, 1000.0)
        late.start()
        wait_until(lambda: late.connection.up and len(heard) >= 4, "what is retained")
        late.publish(topics.command("t1", "roll", {"client": "late", "data": {"value": 4}}))

        def answered() -> bool:
            table.step(2.0, 1000.0)
            return any(message.topic.endswith("reply/late") for message in heard)

        wait_until(answered, "the reply")
        states = [m for m in heard if m.topic.endswith("/state")]
        assert states[0].retained
        assert msgspec.json.decode(states[-1].payload, type=Scoreboard).players[0].name == "Ann"

        def shown() -> bool:
            table.step(2.0, 1000.0)
            return b'"die":4' in [m for m in heard if m.topic.endswith("/state")][-1].payload

        wait_until(shown, "the state with the roll")
    finally:
        late.stop()
        edge.stop(announcer.farewell())


def test_whose_turn_it_is_is_said_over_a_real_broker_and_believed(
    guarded_mosquitto: Any, wait_until: Any
) -> None:
    identity = Identity("t1", "boot-1")
    edge = Mqtt(
        guarded_mosquitto.address("table"), "table",
        subscriptions=(topics.command_filter("t1"),),
    )  # fmt: skip
    announcer = Announcer(edge, identity)
    table = LiveTable(Source(START), Pipeline(Detector()), Kept(Wire()), announcer, identity)
    edge.on_message(table.receive)
    table.open(0.0)
    heard: list[Message] = []
    phone = Mqtt(
        guarded_mosquitto.address("controller"), "phone-7",
        subscriptions=("topple/1/t1/state", "topple/1/t1/reply/phone-7"),
    )  # fmt: skip
    phone.on_message(heard.append)

    def said(row: str) -> list[Any]:
        table.step(2.0, 1000.0)
        return [json.loads(m.payload) for m in heard if f"/{row}" in m.topic]

    edge.start()
    phone.start()
    try:
        wait_until(lambda: edge.connection.up and phone.connection.up, "both connections")
        for player in ("Bob", "Zoe"):
            word = {"client": "phone-7", "data": {"player": player}}
            phone.publish(topics.command("t1", "turn", word))
        wait_until(lambda: len(said("reply")) == 2, "both replies")
        wait_until(lambda: said("state")[-1]["turn"]["player"] == "Bob", "the turn")
    finally:
        phone.stop()
        edge.stop(announcer.farewell())

    assert [(reply["ok"], reply.get("reason")) for reply in said("reply")] == [
        (True, None), (False, "unknown_player"),
    ]  # fmt: skip
    shown = said("state")[-1]
    assert "turn" in shown["can"]["any"]
    assert 0.5 < shown["turn"]["p"] < 1.0

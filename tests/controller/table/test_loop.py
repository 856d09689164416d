"""The table at work, driven by hand: time is passed in, the wire is a list."""

import json
import threading
from dataclasses import replace
from itertools import pairwise
from unittest.mock import patch

import pytest

from controller.common.rate_limited_log import MOST
from controller.common.troubles import JOURNAL_FROM_COPY
from controller.mqtt import topics
from controller.mqtt.client import Message
from controller.table.loop import (
    GREETING_WAIT_S,
    INBOX_SIZE,
    MOST_PER_STEP,
    MOST_TURNED_AWAY,
)
from engine.events import Fault, HumanInput, Restored
from engine.tabletop import ColourPiece
from hw.source import REPLAY_STEP_S, Item
from tests.controller.evenings import (
    PLACED,
    START,
    Evening,
    Source,
    samples,
)


def test_opening_says_state_before_online_and_each_step_tends_the_journal() -> None:
    evening = Evening()

    assert evening.wire.rows() == ["status", "state", "summary", "availability"]
    assert evening.wire.last("status")["phase"] == "init"
    for second in range(5):
        evening.step(float(second))
    assert evening.journal.tended == 5


def test_every_decision_is_journalled_published_in_order_and_then_in_the_state() -> None:
    evening = Evening(START, HumanInput(1.0, "roll", {"value": 1}), samples(5.0), events=(PLACED,))
    before = len(evening.wire.sent)
    evening.step(6.0)
    rows = [row for row in evening.wire.rows()[before:] if row in ("event", "state")]
    seqs = [json.loads(p.payload)["seq"] for p in evening.wire.sent if p.topic.endswith("event")]

    assert len(evening.journal.outputs) == 3
    counts = [len(output.outcomes) for output in evening.journal.outputs]
    assert evening.journal.published_before == [0, counts[0], counts[0] + counts[1]]
    assert evening.table.board.board["c3"][0].colour == "red"
    assert rows == ["event"] * len(seqs) + ["state"]
    assert seqs == list(range(1, len(seqs) + 1))
    assert evening.wire.last("state")["seq"] == seqs[-1]
    assert len(evening.heard) == len(seqs)
    assert evening.heard[0] == "started"


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


def test_a_command_delivered_twice_is_obeyed_once_and_answered_twice() -> None:
    evening = Evening(START)
    evening.step(1.0)
    for _ in range(2):
        evening.command("roll", id="a1", data={"value": 4})
    evening.step(2.0)

    causes = [output.cause for output in evening.journal.outputs]
    assert [getattr(cause, "type", None) for cause in causes] == ["start", "roll"]
    assert evening.wire.rows().count("reply/phone") == 2
    assert evening.wire.last("reply/phone")["ok"] is True
    assert evening.table.board.turn is not None
    assert evening.table.board.turn.die == 4


def test_a_refused_command_changes_nothing_and_the_journal_is_told() -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = evening.table.board
    evening.command("roll", id="a1", data={"value": 9})
    evening.step(2.0)

    assert evening.wire.last("reply/phone")["ok"] is False
    assert evening.table.board is before
    assert [output.remembered for output in evening.journal.outputs] == [True, False]


ROLL = b'{"data":{"value":4}}'


@pytest.mark.parametrize(
    ("verb", "payload", "retained"),
    [
        ("roll", b"", False),
        ("roll", b"no json", False),
        ("roll", b"[]", False),
        ("roll", b"\xff\xfe", False),
        ("roll", b'{"data":3}', False),
        ("roll", b'{"player":"\xff"}', False),
        ("roll", b'{"data":{"value":"\xc3"}}', False),
        ("roll", b'{"data":' + b'{"a":' * 3000, False),
        ("roll", b'{"exp":"0001-01-01T00:00+23:59"}', False),
        ("roll", ROLL, True),
        # As `mosquitto_pub -r -n` arrives at who has subscribed already: empty, and not retained.
        ("undo", b"", False),
    ],
)
def test_noise_and_retained_commands_harm_nothing(
    verb: str, payload: bytes, retained: bool
) -> None:
    evening = Evening(START)
    evening.step(1.0)
    before = evening.table.board.rev
    evening.table.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=retained))
    evening.step(2.0)

    assert evening.table.board.rev == before
    assert evening.table.board.phase == "roll"


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


def test_a_storm_beyond_all_answers_is_counted() -> None:
    evening = Evening(START)
    many = INBOX_SIZE + MOST_TURNED_AWAY + 1000
    for number in range(many):
        evening.command("pass", id=str(number))
    for second in range(1, 30):
        evening.step(float(second))

    told = evening.wire.last("/health")["refused"]
    assert told["busy"] == many - INBOX_SIZE
    answers = [json.loads(p.payload) for p in evening.wire.sent if "/reply/" in p.topic]
    assert sum(answer.get("code") != "busy" for answer in answers) == INBOX_SIZE
    assert sum(answer.get("code") == "busy" for answer in answers) == MOST_TURNED_AWAY


def test_a_command_longer_than_any_message_is_still_answered_and_counted() -> None:
    evening = Evening(START)
    payload = b'{"client":"phone","id":"1","data":"' + b"x" * 70_000
    evening.table.receive(Message("topple/1/t1/cmd/roll", payload, retained=False))
    evening.step(1.0)
    evening.step(12.0)

    assert evening.wire.last("reply/phone")["code"] == "too-large"
    assert evening.wire.last("/health")["refused"] == {"too-large": 1}


def test_a_storm_of_commands_does_not_keep_the_detection_waiting() -> None:
    evening = Evening(START, samples(5.0))
    for number in range(INBOX_SIZE):
        evening.command("pass", id=str(number))
    steps = 0
    while evening.wire.rows().count("reply/phone") < INBOX_SIZE:
        before = evening.wire.rows().count("reply/phone")
        # What was not taken in one step wakes the next.
        evening.table.wait(3600.0)
        evening.step(1.0 + steps)
        steps += 1

        assert evening.wire.rows().count("reply/phone") - before <= MOST_PER_STEP

    assert steps == INBOX_SIZE // MOST_PER_STEP


def test_a_command_wakes_a_waiting_table() -> None:
    evening = Evening(START)
    threading.Timer(0.05, evening.command, ("roll",)).start()
    # It would fail at the test's own time limit if nobody had set the bell.
    evening.table.wait(3600.0)
    evening.step(1.0)

    assert "reply/phone" in evening.wire.rows()


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


@pytest.mark.parametrize(
    ("word", "retained", "wait_s", "greeted"),
    [
        (b"online", False, 0.0, True),
        (b"offline", False, 0.0, False),
        (b"online", True, 0.0, False),
        (b"online", False, min(GREETING_WAIT_S), False),
    ],
    ids=["it starts", "it ends", "an old birth", "it is given a moment"],
)
def test_when_home_assistant_starts_everything_retained_is_said_again(
    word: bytes, retained: bool, wait_s: float, greeted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.table.loop.GREETING_WAIT_S", (wait_s, wait_s))
    evening = Evening(START)
    evening.step(1.0)
    before = len(evening.wire.sent)
    evening.table.receive(Message("homeassistant/status", word, retained=retained))
    for _ in range(2):
        evening.step(1.0)

    assert min(GREETING_WAIT_S) > 0
    said = set(evening.wire.rows()[before:])
    everything = {"status", "state", "summary", "health", "availability"}
    assert said >= everything if greeted else not said


def test_a_table_that_is_behind_polls_in_small_steps_and_is_alive_after_each_second() -> None:
    evening = Evening(START)
    polled: list[float] = []
    told: list[str] = []

    def watched(until_s: float) -> list[Item]:
        polled.append(until_s)
        told.append(f"polled {until_s:.1f}")
        return []

    with patch.object(evening.source, "poll", watched):
        evening.table.step(2.1, 0.0, after_slice=lambda: told.append("alive"))

    assert all(b - a <= REPLAY_STEP_S + 1e-9 for a, b in pairwise([0.0, *polled]))
    assert told == ["polled 1.0", "alive", "polled 2.0", "alive", "polled 2.1", "alive"]


def test_closing_says_stopping_and_the_farewell_says_offline() -> None:
    evening = Evening(START)
    evening.step(1.0)
    evening.table.close(2000.0)

    assert evening.wire.last("status")["phase"] == "stopping"
    assert evening.source.closed
    assert evening.announcer.farewell() == [topics.availability("t1", online=False)]


def test_the_risk_map_is_off_until_somebody_wants_it_and_off_again() -> None:
    evening = Evening(START)
    evening.step(1.0)
    assert evening.wire.last("state")["hints"] is None
    rev = evening.table.board.rev
    shown = []
    for number, wanted in enumerate((True, False, "yes", None)):
        evening.command("hints", id=str(number), data={"on": wanted})
        evening.step(2.0 + number)
        evening.announcer.flush_now()
        shown.append(evening.wire.last("state")["hints"])
        assert evening.wire.last("reply/phone")["ok"] is isinstance(wanted, bool)

    assert set(shown[0]["e5"]) == {"points", "risk"}
    assert shown[1:] == [None] * 3
    assert evening.table.board.rev == rev

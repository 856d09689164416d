from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.mqtt import topics
from controller.mqtt.topics import TOPICS, Presence, Publication, SensorTrouble, TableStatus
from engine.results import RESULTS_LIMIT_BYTES, Results
from engine.scoreboard import Scoreboard

BOARD = Scoreboard(
    table="t1", boot="b", game=None, rev=0, seq=0, kind=None, phase="idle", round=0, target=None,
    turn=None, players=(), board={}, last=None, pending=None, can={}, undo_depth=0, redo_depth=0,
)  # fmt: skip
STATUS = TableStatus("b", "degraded", "2026-11-20T19:00:00Z", "0.1", simulated=True,
                     troubles=(SensorTrouble("imu", "No answer. Check its cable."),))  # fmt: skip

# One row of the contract, one row here: topic, quality of service, retained.
ROWS = [
    (topics.availability("t1", online=True), "topple/1/t1/availability", 1, True),
    (topics.availability("t1", online=False), "topple/1/t1/availability", 1, True),
    (topics.status("t1", STATUS), "topple/1/t1/status", 1, True),
    (topics.state(BOARD), "topple/1/t1/state", 1, True),
    (topics.summary("t1", {"s": [1, 2]}), "topple/1/t1/summary", 1, True),
    (topics.results(Results("t1", "b", ())), "topple/1/t1/results", 1, True),
    (topics.event("t1", {"seq": 1}), "topple/1/t1/event", 1, False),
    (topics.health("t1", {"v": 1}), "topple/1/t1/health", 0, True),
    (topics.trace("t1", {"v": 1}), "topple/1/t1/trace", 0, False),
    (topics.film("t1", {"v": 1}), "topple/1/t1/film", 1, True),
    (topics.command("t1", "roll", {"v": 1}), "topple/1/t1/cmd/roll", 1, False),
    (topics.reply("t1", "phone-ab", {"ok": True}), "topple/1/t1/reply/phone-ab", 1, False),
    (topics.presence("t1", "hall", Presence("display")), "topple/1/t1/client/hall", 1, True),
    (topics.presence("t1", "hall", None), "topple/1/t1/client/hall", 1, True),
]


@pytest.mark.parametrize(("publication", "topic", "qos", "retain"), ROWS)
def test_every_row_of_the_contract_is_published_as_promised(
    publication: Publication, topic: str, qos: int, retain: bool
) -> None:
    assert (publication.topic, publication.qos, publication.retain) == (topic, qos, retain)


def test_every_row_of_the_table_of_topics_is_tested() -> None:
    tested = {topic.split("/")[3] for _, topic, _, _ in ROWS}

    assert tested == set(TOPICS)
    assert [said.payload for said, *_ in ROWS[:2]] == [b"online", b"offline"]
    assert ROWS[-1][0].payload == b""


def test_the_state_is_the_whole_document_and_can_be_read_back() -> None:
    payload = topics.state(BOARD).payload

    assert msgspec.json.decode(payload, type=Scoreboard) == BOARD


def test_what_is_longer_than_promised_is_refused() -> None:
    with pytest.raises(ValueError, match="201 bytes"):
        topics.summary("t1", b"x" * 201)
    with pytest.raises(ValueError, match="at most 64000"):
        topics.results(Results("t1", "b" * RESULTS_LIMIT_BYTES, ()))


@pytest.mark.parametrize("table", ["", "T1", "a/b", "+", "#", "tisch ä", "x" * 33])
def test_a_table_id_that_would_change_the_topic_is_refused(table: str) -> None:
    with pytest.raises(ValueError, match="table id"):
        topics.availability(table, online=True)


@pytest.mark.parametrize("client", ["", "a/b", "+", "#", "a b", "x" * 65])
def test_a_client_id_that_would_change_the_topic_is_refused(client: str) -> None:
    assert not topics.is_client_id(client)
    with pytest.raises(ValueError, match="reply"):
        topics.reply("t1", client, {})


@pytest.mark.parametrize(
    "topic",
    ["", "topple/2/t1/state", "topple/1/t1", "topple/1/t1/cmd", "topple/1/t1/state/x",
     "topple/1/T1/state", "topple/1/t1/cmd/roll/x", "topple/1/t1/other"],
)  # fmt: skip
def test_a_topic_that_is_not_ours_is_told_as_foreign(topic: str) -> None:
    assert topics.parse(topic) is topics.FOREIGN


@given(
    table=st.from_regex(r"[a-z0-9-]{1,32}", fullmatch=True),
    row=st.sampled_from(sorted(TOPICS)),
    level=st.from_regex(r"[a-z_]{1,32}", fullmatch=True),
)
def test_splitting_undoes_joining(table: str, row: str, level: str) -> None:
    level = level if "{}" in TOPICS[row].suffix else ""

    assert topics.parse(topics.topic(table, row, level)) == (table, row, level)


def rules(user: str) -> set[str]:
    """What the shipped access rules let a user do, as `write state`."""
    path = Path(__file__).parents[3] / "deploy" / "mosquitto" / "topple-table.acl"
    section = path.read_text().split(f"user {user}\n")[1].split("user ")[0]
    lines = (line.split() for line in section.splitlines() if line.startswith("topic "))
    return {f"{may} {full.removeprefix('topple/1/+/')}" for _, may, full in lines}


def test_the_shipped_access_rules_let_every_row_of_the_contract_through() -> None:
    said = {row.suffix.replace("{}", "+") for row in TOPICS.values() if row.speaker == "table"}
    shown = {row.suffix for row in TOPICS.values() if "{}" not in row.suffix}

    assert {f"write {topic}" for topic in said} <= rules("table")
    assert {f"read {topic}" for topic in shown} | {"deny reply/#"} == rules("display")
    assert {f"read {topic}" for topic in shown} <= rules("controller")

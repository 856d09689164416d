"""The recorded evening: whole, valid by today's contract, and always of today."""

import gzip
from itertools import count
from pathlib import Path

import msgspec
import pytest

from controller.common.errors import BadInput
from controller.mqtt.topics import TOPICS
from lab.demo.recorded_evening import SHIPPED, RecordedMessage, read, renewed, write
from tests.controller.judge import faults_of_said

NOW_S = 1_900_000_000.0
EVENTS = {
    "started", "rolled", "placed", "passed", "toppled", "retracted", "corrected", "undone",
    "redone", "cleared", "colour", "ended", "suspected", "dismissed", "asked", "settled", "score",
    "round", "over", "turn", "fault", "restored",
}  # fmt: skip
"""All of a game of Topple but `fell`, a piece whose fall nobody saw in time."""


def played(now_s: float = NOW_S) -> list[tuple[float, str, dict[str, object]]]:
    numbers = count()
    return [
        (t_s, said.topic.removeprefix("topple/1/t9/"), msgspec.json.decode(said.payload))
        for t_s, said in renewed(read(), "t9", now_s, lambda: f"b{next(numbers)}")
        if not said.topic.endswith("availability")
    ]


def test_every_kind_of_event_comes_within_a_minute() -> None:
    seen = {document["type"] for t_s, row, document in played() if row == "event" and t_s < 60.0}

    assert seen >= EVENTS


def test_every_row_of_the_contract_is_in_it() -> None:
    rows = {message.suffix for message in read()}

    assert rows == {row for row, told in TOPICS.items() if told.speaker == "table"} - {"reply"}


def test_every_message_keeps_todays_contract() -> None:
    """When this fails the contract has changed: `python -m scripts.record_evening`."""
    numbers = count()
    for _, said in renewed(read(), "t9", NOW_S, lambda: f"b{next(numbers)}"):
        assert faults_of_said(said) == []
        row = said.topic.removeprefix("topple/1/t9/")
        assert (said.qos, said.retain) == (TOPICS[row].qos, TOPICS[row].retain)


def test_it_ends_with_a_game_that_somebody_won() -> None:
    last = [document for _, row, document in played() if row == "state"][-1]

    assert last["phase"] == "over"
    assert last["winners"]


def test_its_clock_is_the_clock_of_now() -> None:
    for t_s, row, document in played():
        if row == "trace":
            assert document["unix_s"] == pytest.approx(NOW_S + t_s, abs=10.0)
        if row == "health":
            assert 0.0 < float(str(document["until"])) - NOW_S - t_s < 60.0
        if row == "status":
            assert str(document["since"]).startswith("2030-03-17")


def test_each_process_of_it_and_each_repetition_is_a_new_one() -> None:
    boots = [document["boot"] for _, row, document in played() if row == "state"]

    assert list(dict.fromkeys(boots)) == ["b0", "b1"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    messages = (RecordedMessage(0.5, "availability", 1, True, "online"),)
    write(tmp_path / "short.jsonl.gz", messages)

    assert read(tmp_path / "short.jsonl.gz") == messages


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no archive", "recorded evening"),
        (gzip.compress(b"[0.5]\n", mtime=0), "line 1"),
        (gzip.compress(b"\xff\n", mtime=0), "line 1"),
        (gzip.compress(b"", mtime=0), "no message"),
        (SHIPPED.read_bytes()[:100], "recorded evening"),
    ],
)
def test_what_is_no_recording_is_refused_in_words(
    tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "evening.jsonl.gz"
    file.write_bytes(content)

    with pytest.raises(BadInput, match=words):
        read(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing"):
        read(tmp_path / "nothing")


STATUS = '[0.0,"status",1,true,"{\\"since\\":\\"2026-01-01T00:00:00Z\\"}"]'
FOREIGN = {
    "a row of no table": '[0,"nope",1,true,"{}"]',
    "a filter for a topic": '[0,"cmd/#",1,true,"{}"]',
    "no document": '[0,"state",1,true,"[1]"]',
    "half a document": '[0,"event",1,true,"{"]',
    "nested too deeply": f'[0,"event",1,true,"{"[" * 100_000}"]',
    "no moment": '[0,"status",1,true,"{\\"since\\":\\"soon\\"}"]',
    "a list for an id": '[0,"event",1,true,"{\\"boot\\":[1]}"]',
    "a state of no game": '[0,"state",1,true,"{}"]',
    "a quality that MQTT has not": '[0,"event",7,true,"{}"]',
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_somebody_else_put_together_is_refused_by_its_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / "evening.jsonl.gz"
    file.write_bytes(gzip.compress(f"{STATUS}\n{FOREIGN[name]}\n".encode()))

    with pytest.raises(BadInput, match="line 2") as refused:
        read(file)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("spoilt", [b"\xff" * 60, b""])
def test_a_file_that_is_packed_badly_is_refused(spoilt: bytes, tmp_path: Path) -> None:
    file = tmp_path / "evening.jsonl.gz"
    file.write_bytes(gzip.compress(f"{STATUS}\n".encode())[:20] + spoilt)

    with pytest.raises(BadInput, match=r"jsonl\.gz"):
        read(file)


def test_what_unpacks_to_more_than_memory_is_read_as_far_as_an_evening_goes(tmp_path: Path) -> None:
    file = tmp_path / "evening.jsonl.gz"
    with gzip.open(file, "wb", compresslevel=9) as packed:
        for _ in range(60):
            packed.write(b" " * 1_000_000)

    with pytest.raises(BadInput):
        read(file)

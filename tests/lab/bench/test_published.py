"""What the bench finds wrong with a message, on messages of a recorded evening."""

import json
from typing import Any

import pytest

from lab.bench.observed import Sent
from lab.bench.published import broken_schemas
from lab.demo.recorded_evening import read


def said(suffix: str, payload: bytes) -> Sent:
    return Sent(0.0, suffix, payload, 1, True, 0, 0)


def faults(suffix: str, payload: bytes) -> list[str]:
    return list(broken_schemas([said(suffix, payload)]))


def newest(suffix: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads([m.payload for m in read() if m.suffix == suffix][-1])
    return found


def test_a_recorded_evening_keeps_every_schema() -> None:
    assert list(broken_schemas([said(m.suffix, m.payload.encode()) for m in read()])) == []


@pytest.mark.parametrize(
    ("row", "change", "words"),
    [
        ("state", {"rev": "7"}, "state: rev: "),
        ("state", {"secret": 1}, "'secret' was unexpected"),
        ("state", {"players": [{"name": "Ann"}]}, "state: players/0: "),
        ("status", {"phase": "dancing"}, "status: phase: "),
        ("summary", {"p": {"Ann": "twelve"}}, "summary: p/Ann: "),
        ("event", {"data": {"ref": "one"}}, "event: "),
        ("health", {"valid_s": None}, "health: valid_s: "),
        ("trace", {"load_g": "heavy"}, "trace: "),
    ],
)
def test_what_no_schema_allows_is_named(row: str, change: dict[str, Any], words: str) -> None:
    found = faults(row, json.dumps(newest(row) | change).encode())

    assert any(words in fault for fault in found), found


def test_no_json_no_such_topic_and_no_such_word_are_faults_too() -> None:
    assert "this is no JSON" in faults("state", b"{")[0]
    assert faults("diary", b"{}") == ["diary: this topic is not in the contract"]
    assert "neither online nor offline" in faults("availability", b"away")[0]
    assert faults("availability", b"online") == []


def test_one_kind_of_fault_is_told_once() -> None:
    document = json.dumps(newest("status") | {"phase": "dancing"}).encode()
    other = json.dumps(newest("status") | {"phase": "dancing", "sw": "2"}).encode()

    assert len(list(broken_schemas([said("status", document), said("status", other)]))) == 1

"""Schemas of structs: described, and of an event exact for each type."""

import json
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from controller.contract.schema import event_schema, schema_of
from controller.mqtt.topics import Publication
from engine.public_events import EVENTS, event_of
from engine.referee import RefereeState
from engine.scoreboard import event
from lab.demo.recorded_evening import read
from tests.controller.judge import faults_of_said


@dataclass(frozen=True)
class Line:
    """A line.

    Attributes:
        words: how it is, in words
            over two lines.
        lost: packets.
    """

    words: str
    lost: int = 0


class Holder(msgspec.Struct, frozen=True):
    """Holds a line, or none."""

    line: Line | None = None


def test_dataclasses_inside_payloads_are_described_as_structs_are() -> None:
    schema = schema_of(Holder, spoken=True)

    assert schema["required"] == ["line"]
    line = schema["$defs"]["Line"]
    assert (line["description"], line["required"]) == ("A line.", ["words", "lost"])
    assert line["properties"]["words"]["description"] == "How it is, in words over two lines."


def faults(type_: str, data: dict[str, Any]) -> list[str]:
    """What the judge says of an event with this data."""
    made = event_of("started", None, {"ref": 1})
    payload = msgspec.to_builtins(event(made, RefereeState(), table="t", boot="b"))
    sent = json.dumps({**payload, "type": type_, "data": data}).encode()
    return faults_of_said(Publication("topple/1/t/event", sent, 1, retain=False))


@pytest.mark.parametrize(
    ("type_", "data", "good"),
    [
        ("started", {"ref": 1}, True),
        ("started", {"ref": 1, "cell": "c3"}, False),
        ("started", {}, False),
        ("dismissed", {"id": "7"}, False),
        ("fell", {"ref": 1, "colour": None}, False),
        ("placed", {"ref": 1, "status": "asked"}, True),
        ("placed", {"ref": 1, "status": None}, False),
        ("undone", {"ref": 1, "verb": "pass", "cell": None, "changes": {}}, True),
        ("undone", {"ref": 1, "verb": "pass", "changes": {}}, False),
        ("draw", {"ref": 1}, True),
        ("draw", {"ref": 1, "colour": "red"}, False),
    ],
)
def test_the_data_of_an_event_is_that_of_its_type(
    type_: str, data: dict[str, Any], *, good: bool
) -> None:
    assert (faults(type_, data) == []) is good


def test_the_events_of_the_recorded_evening_are_as_described() -> None:
    """A display of today plays messages of yesterday."""
    heard = [each for each in read() if each.suffix == "event"]

    assert len({json.loads(each.payload)["type"] for each in heard}) > len(EVENTS) // 2
    for each in heard:
        sent = Publication("topple/1/t/event", each.payload.encode(), 1, retain=False)
        assert faults_of_said(sent) == []


def test_each_type_of_event_has_its_case() -> None:
    schema = event_schema()

    assert len(schema["oneOf"]) == len(schema["$defs"]) == len(EVENTS)
    for part in schema["$defs"].values():
        assert part["description"]
        assert all(field["description"] for field in part["properties"].values())

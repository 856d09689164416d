"""A recorded evening on a real broker: to displays it is a table."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from controller.mqtt.client import Message
from controller.mqtt.topics import Publication
from lab.demo.recorded_evening import read
from lab.demo.replay_mqtt import refusal
from tests.controller.judge import HOME, faults_of_said
from tests.deploy.test_hub import Ear
from tests.lab.demo.programs import Program


def asked(payload: bytes) -> Message:
    return Message("topple/1/demo/cmd/undo", payload, retained=False)


def test_a_command_is_refused_with_the_reason() -> None:
    said = refusal("demo", asked(b'{"client":"phone-1","id":"a"}'))

    assert said is not None
    assert faults_of_said(said) == []
    reply = json.loads(said.payload)
    assert (reply["ok"], reply["id"], reply["code"]) == (False, "a", "illegal")
    assert "topple-table demo" in reply["msg"]


@pytest.mark.parametrize("payload", [b"", b"{}", b"no", b"\xff", b'{"client":"a/b"}'])
def test_who_cannot_be_answered_is_not(payload: bytes) -> None:
    assert refusal("demo", asked(payload)) is None


@pytest.mark.slow
def test_the_program_is_a_table_until_it_is_interrupted(
    broker: Any, wait_until: Callable[..., None]
) -> None:
    shown = Program("-m", "controller.cli", "replay-mqtt", "--speed", "100", "--table", "hall",
                    "--broker", f"127.0.0.1:{broker.port}")  # fmt: skip
    ear = Ear(broker.address(), "topple/1/hall/#", "homeassistant/#", name="ear-7")
    wait_until(lambda: len(ear.heard) > 3000, "more than one evening")
    late = Ear(broker.address(), "topple/1/hall/state", name="late")
    # At this speed the queue to a busy broker may be full, and what does not fit is dropped.
    command = Publication("topple/1/hall/cmd/undo", b'{"client":"ear-7"}', 1, retain=False)
    asked_s: list[float] = []

    def answered() -> bool:
        if time.monotonic() > max(asked_s, default=0.0) + 1.0:
            late.edge.publish(command)
            asked_s.append(time.monotonic())
        return ear.count("reply/ear-7") > 0

    wait_until(answered, "the answer")
    wait_until(lambda: bool(late.heard), "the retained state")
    said = shown.interrupt()
    ear.hears("topple/1/hall/availability", b"offline")

    assert shown.returncode == 0, said
    assert f"{len(read())} messages" in said
    HOME.validate(json.loads(ear.last("homeassistant/device/topple_hall/config") or b""))
    boots = {
        json.loads(message.payload)["boot"]
        for message in ear.heard if message.topic.endswith("/state")
    }  # fmt: skip
    assert len(boots) > 2
    for one in (ear, late):
        one.edge.stop()


def test_a_table_id_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    from controller.cli import main

    assert main(["replay-mqtt", "--table", "A b"]) == 2
    assert "--table A b" in capsys.readouterr().err

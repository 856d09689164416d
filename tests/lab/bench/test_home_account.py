"""What Home Assistant makes of a table: of a true run what is so, of a spoilt one its fault."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lab.bench.home_account import home_differs
from lab.bench.observed import Sent
from lab.bench.wire import TABLE
from tests.lab.bench.spoiling import Document, spoilt, true_run

CONFIG = f"homeassistant/device/topple_{TABLE}/config"


def everything() -> tuple[Sent, ...]:
    return (*true_run().sent, *true_run().encore)


def found(messages: tuple[Sent, ...]) -> str:
    return "; ".join(home_differs(messages, TABLE))


def test_of_a_true_run_everything_is_so() -> None:
    assert found(everything()) == ""


def _entity(key: str, **change: Any) -> Callable[[Document], bool]:
    return lambda device: device["components"][key].update(change) is None


def _template(key: str, old: str, new: str, template: str = "value_template") -> Any:
    def change(device: Document) -> bool:
        entity = device["components"][key]
        was = entity[template]
        entity[template] = was.replace(old, new)
        return bool(entity[template] != was)

    return change


def _state_of_availability(key: str, old: str, new: str) -> Callable[[Document], bool]:
    def change(device: Document) -> bool:
        there = device["components"][key]["availability"][-1]
        there["value_template"] = there["value_template"].replace(old, new)
        return True

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_template("score_2", "players[1]", "players[1 % 1]"), "score_2 is"),
        (_template("score_2", "[1]", "[0]", "json_attributes_template"), "score_2 has"),
        (_entity("score_1", name="Score of Eve"), "score_1 is called Score of Eve"),
        (_state_of_availability("score_3", ">= 3", ">= 2"), "score_3 is available"),
        (_template("tension", "* 100", "* 180 / 3.14"), "tension is"),
        (_template("turn", "player", "name"), "turn cannot be rendered"),
        (_template("phase", "phase", "phase.x.y"), "phase cannot be rendered"),
        (_template("topple", "'toppled'", "'fell'"), "topple has {}"),
        (_state_of_availability("button_undo", "'undo'", "'redo'"), "button_undo is"),
        (_entity("button_pass", command_topic="topple/1/t1/cmd/pass"), "button_pass: asks on"),
        (_entity("button_pass", retain=True), "retained: True"),
        (_entity("button_redo", payload_press='{"v":1,"client":"homeassistant","rev":3}'),
         "button_redo: sends"),
        (_entity("whose_turn", command_template='{"v":1,"client":"homeassistant"}'),
         "whose_turn: sends"),
        (_entity("problem", state_topic="topple/1/t1/status"), "problem: reads"),
        (_entity("button_undo", availability=[]), "stays available when the table is gone"),
        (lambda device: device["components"].pop("winner"), "_winner is not described"),
        (lambda device: device["components"]["die"].update(
            unique_id=device["components"]["turn"]["unique_id"]) is None, "have one id"),
    ],
)  # fmt: skip
def test_each_thing_that_is_described_otherwise_is_found(change: Any, words: str) -> None:
    assert words in found(spoilt(everything(), CONFIG, change))


@pytest.mark.parametrize(
    ("suffix", "change", "words"),
    [
        ("status", lambda s: s.update(phase="degraded") is None, ""),
        ("reply/bench", lambda r: r.update(msg="no") is None, ""),
    ],
)
def test_it_follows_the_message_whatever_that_says(suffix: str, change: Any, words: str) -> None:
    assert found(spoilt(everything(), suffix, change)) == words


def test_a_table_that_is_not_introduced_and_one_that_keeps_old_names_are_found() -> None:
    messages = everything()
    assert "not introduced" in found(tuple(m for m in messages if m.suffix != CONFIG))
    first = next(m for m in messages if m.suffix == CONFIG)
    old = tuple(replace(m, payload=first.payload) if m.suffix == CONFIG else m for m in messages)
    assert json.loads(first.payload)["components"]["score_1"]["name"] == "Score of seat 1"
    assert "is called Score of seat 1" in found(old)

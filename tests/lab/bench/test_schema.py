"""The JSON Schema of a scenario file, judged by a validator that is not ours."""

from typing import Any

import jsonschema_rs
import pytest
import yaml

from controller.common.errors import BadScenario
from lab.bench.scenario_files import SHIPPED, read
from lab.bench.schema import scenario_schema

SCHEMA = scenario_schema()
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)


def refused(text: str) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(text))]


def test_it_is_a_schema() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_shipped_scenario_is_valid(path: Any) -> None:
    assert refused(path.read_text()) == []


WAITING = "about: x\nsteps: [wait: 1]\n"

REFUSED = {
    "a list": "- a",
    "an unknown key": "about: x\nstep: []",
    "an unknown verb": "about: x\nsteps:\n  - plaice: d4",
    "a cell that is none": "about: x\nsteps:\n  - place: z9",
    "two verbs": "about: x\nsteps:\n  - {place: d4, roll: 3}",
    "no verb": "about: x\nsteps:\n  - pause: 1",
    "an unknown fault": "about: x\nsteps:\n  - fault: unpluged cell C1",
    "nothing that happens": "about: x\nsteps: []",
    "no sentence": "steps: [wait: 1]",
    "an unknown measurement": f"{WAITING}measure: {{speed: at most 1}}",
    "a limit that is none": f"{WAITING}measure: {{missed: <= 1}}",
    "two expectations in one": f"{WAITING}expect: [{{placed: d4, never: toppled}}]",
    "a confidence that is no limit": f"{WAITING}expect: [{{placed: d4, confidence: '0.9'}}]",
    "seven on a die": "about: x\nsteps: [roll: 7]",
    "a weight of nothing": "about: x\nsteps: [place: {cell: d4, grams: 0}]",
    "an unknown argument": "about: x\nsteps: [place: {cell: d4, gram: 5}]",
    "too many seeds": f"{WAITING}seeds: 5001",
    "no seed": f"{WAITING}seeds: []",
    "nothing to sweep": f"{WAITING}sweep: {{cell: []}}",
    "no undo": "about: x\nsteps: [undo: no]",
    "no truth": f"{WAITING}expect: [truth: no]",
    "nothing expected": f"{WAITING}expect: [{{}}]",
    "nothing but a time": f"{WAITING}expect: [within: 3]",
    "nothing checked": "about: x\nsteps: [check: {}]",
    "a document beside an event": f"{WAITING}expect: [{{placed: d4, scores: {{Ann: 3}}}}]",
    "a detail of something else": f"{WAITING}expect: [{{placed: d4, fallen: 3}}]",
    "a time of a document": f"{WAITING}expect: [{{scores: {{Ann: 3}}, within: 3}}]",
    "a topic that is none": f"{WAITING}expect: [mqtt: evnt]",
    "an event that is none": f"{WAITING}expect: [never: placd]",
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_reader_and_the_schema_both_refuse(what: str) -> None:
    with pytest.raises(BadScenario):
        read(REFUSED[what], "bad", "bad.yaml")

    assert refused(REFUSED[what]) != []


ACCEPTED = {
    "a swept cell": "about: x\nsteps: [place: $cell]\nsweep: {cell: [a1, b2]}",
    "a swept part of a turn": "about: x\nsteps: [turns: ['3 $cell']]\nsweep: {cell: [a1, b2]}",
    "a swept number": "about: x\nsteps: [bump: $hard]\nsweep: {hard: [1, 2]}",
    "an evening without steps": "about: x\nevening: {target: 10}",
    "no game": f"{WAITING}game: null",
    "chosen seeds": f"{WAITING}seeds: [3, 9]",
    "a fault with cell and size": "about: x\nsteps: [fault: noisy cell C0 12]",
    "an answer": f"{WAITING}expect: [{{mqtt: reply/my.phone, retain: no, times: 2}}]",
    "what Home Assistant reads": f"{WAITING}expect: [mqtt: homeassistant/device/t1/config]",
    "a swept topic": f"{WAITING}expect: [never: $what]\nsweep: {{what: [placed, state]}}",
    "documents": f"{WAITING}expect: [board: {{d4: [red]}}, scores: {{Ann: 3}}]",
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_the_reader_and_the_schema_both_accept(what: str) -> None:
    assert read(ACCEPTED[what], "good", "good.yaml")
    assert refused(ACCEPTED[what]) == []


def test_an_editor_that_reads_yes_as_a_word_is_content() -> None:
    step = {"about": "x", "steps": [{"undo": "yes"}], "expect": [{"truth": "yes"}]}

    assert list(VALIDATOR.iter_errors(step)) == []


def test_every_key_is_described_and_numbers_have_units() -> None:
    parts = [SCHEMA, *(part for part in SCHEMA["$defs"].values() if "properties" in part)]
    silent = [
        f"{part['title']}.{key}"
        for part in parts
        for key, field in part["properties"].items()
        if not field.get("description")
    ]
    grams = SCHEMA["$defs"]["Place"]["properties"]["grams"]

    assert silent == []
    assert grams["anyOf"][0]["x-unit"] == "g"
    assert grams["anyOf"][0]["exclusiveMinimum"] == 0

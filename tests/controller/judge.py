"""The judge of the contract: everything that tables say and obey in tests, against the schemas.

The schemas are read as files, as they are handed to others, by a validator of others, which
knows nothing of the structs they were made from. Published documents are judged more strictly
than a display would: a field that no schema names is a fault here.
"""

import functools
import json
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from controller.mqtt.topics import BASE, FOREIGN, Publication, parse
from lab.bench.published import closed
from tests.controller.homeassistant_schema import DEVICE_DISCOVERY

SCHEMAS = Path(__file__).parents[2] / "docs" / "mqtt" / "schemas"


@functools.cache
def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.json").read_text())


@functools.cache
def validator(name: str, *, strict: bool) -> Draft202012Validator:
    return Draft202012Validator(closed(schema(name)) if strict else schema(name))


HOME = Draft202012Validator(DEVICE_DISCOVERY)


def _faults(judge: Draft202012Validator, payload: bytes, where: str) -> list[str]:
    return [
        f"{where}: {'/'.join(map(str, error.instance_path))}: {error.message[:200]}"
        for error in judge.iter_errors(json.loads(payload))
    ]


def faults_of_said(said: Publication) -> list[str]:
    """What is wrong with a message of a table."""
    at = parse(said.topic)
    if at is FOREIGN:
        if said.topic.startswith(BASE):
            return [f"{said.topic} is no topic of the contract"]
        return _faults(HOME, said.payload, said.topic) if said.payload else []
    row = at.row
    if row == "availability":
        return [] if said.payload in (b"online", b"offline") else [f"availability {said.payload!r}"]
    return _faults(validator(row, strict=True), said.payload, row)


def faults_of_obeyed(verb: str, payload: bytes) -> list[str]:
    """What is wrong with a command that a table has obeyed."""
    return _faults(validator(f"cmd-{verb}", strict=False), payload or b"{}", f"cmd-{verb}")

"""Whether what a table published is what the contract says, judged by a validator of others.

A field that no schema names is a fault of our own table, unlike for a display, which ignores it:
else it could say what nobody documented.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
from jsonschema_rs import Draft202012Validator

from controller.contract.documents import PAYLOADS, schemas
from controller.mqtt.topics import OFFLINE, ONLINE
from engine.errors import UNREADABLE
from lab.bench.observed import Sent

LONGEST_WORDS = 160
"""Characters of the validator's words, which may quote a whole document."""


def broken_schemas(sent: Sequence[Sent], *, strict: bool = True) -> Iterator[str]:
    """What no schema allows, each kind of fault once.

    Args:
        sent: messages of a table.
        strict: whether a field that no schema names is a fault.
    """
    found = (
        f"{row}: {fault}"
        for row, payload in _each(sent)
        for fault in _faults(row, payload, strict=strict)
    )
    yield from dict.fromkeys(found)


def _each(sent: Sequence[Sent]) -> Iterator[tuple[str, bytes]]:
    """Every row with every payload, once."""
    yield from dict.fromkeys((message.suffix.split("/")[0], message.payload) for message in sent)


def _faults(row: str, payload: bytes, *, strict: bool) -> Iterator[str]:
    if row == "availability":
        if payload not in (ONLINE, OFFLINE):
            yield f"{payload!r:.40} is neither online nor offline"
    elif row == "homeassistant":
        return  # `home_account.py` judges it
    elif row not in PAYLOADS:
        yield "this topic is not in the contract"
    else:
        try:
            document = msgspec.json.decode(payload)
        except UNREADABLE as error:
            yield f"this is no JSON: {error}"
            return
        for fault in _validator(row, strict=strict).iter_errors(document):
            place = "/".join(map(str, fault.instance_path))
            yield f"{place or 'the document'}: {fault.message[:LONGEST_WORDS]}"


_contract = cache(schemas)


@cache
def _validator(row: str, *, strict: bool) -> Draft202012Validator:
    schema = _contract()[row]
    return Draft202012Validator(closed(schema) if strict else schema)


def closed(schema: Any) -> Any:
    """The schema with no other fields allowed than those it names."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # Each case of `oneOf` names some of the fields only; what it refers to is closed.
    found = {key: value if key == "oneOf" else closed(value) for key, value in schema.items()}
    return found | ({"additionalProperties": False} if "properties" in found else {})

"""Which topics a table has, and which paths lead into their documents, by the contract's types.

Pure. A scenario is held to it when it is read: nothing is ever published on a topic that is spelt
wrongly, and `never` would be content with that.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import inspect

from controller.contract.documents import PAYLOADS
from controller.mqtt.topics import CLIENT_ID, TOPICS
from engine.public_events import BESIDE, EVENTS
from lab.bench.scenario_words import alternatives, suggested
from lab.bench.steps import SPEAKER

PUBLISHED = [row.suffix for row in TOPICS.values() if row.speaker == "table"]
"""Topics without `topple/1/<table>/`; `{}` stands for the id of a client."""

TOPIC = "|".join(suffix.replace("{}", CLIENT_ID) for suffix in PUBLISHED)
"""Pattern of them all."""

NAMED = {tag: kind for tag, kind in EVENTS.items() if tag}
"""Events by their type, without those of games by hand."""

HOME = "homeassistant"
"""First level of what Home Assistant reads, which documents it; any path may lead into that."""


def unknown_topic(suffix: str, others: Sequence[str] = ()) -> str:
    """What is wrong with a topic; empty where a table has it, or it is one of the others."""
    if suffix in others or _row(suffix) == HOME or re.fullmatch(TOPIC, suffix):
        return ""
    if suffix in NAMED:
        return f"no such topic; say `event` with `payload: {{type: {suffix}}}`"
    known = [*others, *(name.replace("{}", SPEAKER) for name in PUBLISHED)]
    return f"no such topic{suggested(suffix, known)}"


def _row(suffix: str) -> str:
    return suffix.partition("/")[0]


def unknown_path(suffix: str, path: str, type_: str = "") -> str:
    """What is wrong with a path such as `turn.player`; empty where a document can have it.

    Args:
        suffix: of the topic.
        path: as `comparing.at_path` follows it.
        type_: of an event, if a certain one is looked for.

    >>> unknown_path("state", "turn.player")
    ''
    >>> unknown_path("event", "data.sell", "dismissed")
    "a document of event (dismissed) has no 'sell' there; known are id"
    """
    row = _row(suffix)
    if row == HOME:
        return ""
    if TOPICS[row].kind == "text":
        return "" if path == "text" else f"{row} is a word; the path to it is `text`"
    parts = path.split(".") if path else []
    kinds = [inspect.type_info(PAYLOADS[row])]
    if row == "event" and parts[:1] == ["data"]:
        parts, kinds = parts[1:], _data(type_)
    for part in parts:
        there = [one for kind in kinds for one in alternatives(kind)]
        kinds = [inside for kind in there for inside in _inside(kind, part)]
        if not kinds:
            which = f"{row} ({type_})" if row == "event" and type_ in NAMED else row
            known = list(dict.fromkeys(name for kind in there for name in _names(kind)))
            return f"a document of {which} has no {part!r} there{suggested(part, known)}"
    return ""


def _data(type_: str) -> list[inspect.Type]:
    """What `data` of an event can be; of every event where the type says nothing."""
    chosen = [EVENTS[type_]] if type_ in NAMED else list(EVENTS.values())
    return [_without(inspect.type_info(kind), BESIDE) for kind in chosen]


def _without(kind: inspect.Type, names: Sequence[str]) -> inspect.Type:
    fields = tuple(f for f in getattr(kind, "fields", ()) if f.encode_name not in names)
    return msgspec.structs.replace(kind, fields=fields)


class _LongerKey(msgspec.Struct, frozen=True):
    """A key of a mapping that may go on behind its dot: names hold dots, sensors a number."""

    value: inspect.Type


def _inside(kind: inspect.Type | _LongerKey, part: str) -> Iterator[Any]:
    """What a part of a path can lead to."""
    match kind:
        case inspect.AnyType():
            yield kind
        case inspect.StructType(fields=fields) | inspect.DataclassType(fields=fields):
            yield from (field.type for field in fields if field.encode_name == part)
        case inspect.DictType(value_type=value):
            yield from (value, _LongerKey(value))
        case _LongerKey(value=value):
            structs = any(isinstance(each, inspect.StructType) for each in alternatives(value))
            yield from (value, kind) if part.isdigit() or not structs else ()
        case inspect.TupleType(item_types=items):
            yield from items[:1] if part.lstrip("-").isdigit() else ()
        case inspect.VarTupleType() | inspect.ListType():
            yield from (kind.item_type,) if part.lstrip("-").isdigit() else ()


def _names(kind: Any) -> list[str]:
    return [field.encode_name for field in getattr(kind, "fields", ())]


def unknown_event(type_: Any) -> str:
    """What is wrong with the type of an event that the sensors' game is to have; empty if nothing.

    Words for any value, such as `contains ...`, are no types.
    """
    if not isinstance(type_, str) or type_ in NAMED or type_ == "any" or " " in type_:
        return ""
    return f"no such event{suggested(type_, list(NAMED))}"

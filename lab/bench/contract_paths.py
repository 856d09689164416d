"""Which topics a table has, and which paths lead into their documents, by the contract's types.

Pure. A scenario is held to it when it is read: nothing is ever published on a topic that is spelt
wrongly, and `never` would be content with that.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import inspect

from controller.contract.documents import PAYLOADS
from controller.mqtt.topics import CLIENT_ID, TOPICS
from engine.public_events import BESIDE, EVENTS
from lab.bench.scenario_words import alternatives, suggested

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
    known = [*others, *(name.replace("{}", "bench") for name in PUBLISHED)]
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
    left, known = _furthest([_left(kind, parts) for kind in kinds])
    if not left:
        return ""
    which = f"{row} ({type_})" if row == "event" and type_ in NAMED else row
    return f"a document of {which} has no {left[0]!r} there{suggested(left[0], known)}"


def _data(type_: str) -> list[inspect.Type]:
    """What `data` of an event can be; of every event where the type says nothing."""
    chosen = [EVENTS[type_]] if type_ in NAMED else list(EVENTS.values())
    return [_without(inspect.type_info(kind), BESIDE) for kind in chosen]


def _without(kind: inspect.Type, names: Sequence[str]) -> inspect.Type:
    fields = tuple(f for f in getattr(kind, "fields", ()) if f.encode_name not in names)
    return msgspec.structs.replace(kind, fields=fields)


_Left = tuple[Sequence[str], list[str]]
"""What is left of a path where it leads no further, and the keys that are there."""


def _left(kind: inspect.Type, parts: Sequence[str]) -> _Left:
    if not parts:
        return (), []
    return _furthest([_further(each, parts) for each in alternatives(kind)])


def _furthest(ways: Sequence[_Left]) -> _Left:
    """The way that leaves least, with the keys of all that lead as far."""
    left = min((left for left, _ in ways), key=len)
    same = (name for rest, known in ways if len(rest) == len(left) for name in known)
    return left, list(dict.fromkeys(same))


def _further(kind: inspect.Type, parts: Sequence[str]) -> _Left:
    first, *rest = parts
    match kind:
        case inspect.AnyType():
            return (), []
        case inspect.StructType(fields=fields) | inspect.DataclassType(fields=fields):
            found = next((field for field in fields if field.encode_name == first), None)
            return _left(found.type, rest) if found else (parts, [f.encode_name for f in fields])
        case inspect.DictType(value_type=inside):
            ends = [n for n in range(1, len(parts) + 1) if _is_key(parts[:n], inside)]
            return _furthest([_left(inside, parts[n:]) for n in ends])
        case inspect.VarTupleType() | inspect.TupleType() | inspect.ListType():
            types = kind.item_types if isinstance(kind, inspect.TupleType) else (kind.item_type,)
            return _left(types[0], rest) if first.lstrip("-").isdigit() else (parts, [])
        case _:
            return parts, []


def _is_key(parts: Sequence[str], inside: inspect.Type) -> bool:
    """Whether these can be one key: names may hold dots, sensors have a number (`scale.1`)."""
    structs = any(isinstance(each, inspect.StructType) for each in alternatives(inside))
    return not structs or all(part.isdigit() for part in parts[1:])


def unknown_event(type_: Any) -> str:
    """What is wrong with the type of an event that the sensors' game is to have; empty if nothing.

    Words for any value, such as `contains ...`, are no types.
    """
    if not isinstance(type_, str) or type_ in NAMED or type_ == "any" or " " in type_:
        return ""
    return f"no such event{suggested(type_, list(NAMED))}"

"""JSON Schemas of structs, made from their fields, docstrings and `Meta`."""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, get_type_hints

import msgspec

from engine.public_events import BESIDE, EVENTS
from engine.scoreboard import EventPayload

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Json = dict[str, Any]


def schema_of(kind: type[msgspec.Struct], *, spoken: bool) -> Json:
    """The JSON Schema of one payload, complete in itself.

    Of what is `spoken` by the table, every field that it always sends is required.
    """
    (root,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    parts = _told(parts, _structs([kind]), spoken=spoken)
    name = root["$ref"].rsplit("/", 1)[1]
    found = {"$schema": DIALECT, **parts.pop(name)}
    return {**found, "$defs": parts} if parts else found


def event_schema() -> Json:
    """The JSON Schema of an event: what stands beside its `data`, and the `data` of each type."""
    parts = {kind.__name__: _data_schema(kind) for kind in EVENTS.values()}
    types = {tag: {"const": tag} for tag in EVENTS if tag}
    # A game by hand has the types of its own actions.
    of_type: Json = {"": {"not": {"enum": list(types)}}, **types}
    cases = [
        {"properties": {"type": of_type[tag], "data": {"$ref": f"#/$defs/{kind.__name__}"}}}
        for tag, kind in EVENTS.items()
    ]
    return {**schema_of(EventPayload, spoken=True), "oneOf": cases, "$defs": parts}


def _data_schema(kind: type[msgspec.Struct]) -> Json:
    found = schema_of(kind, spoken=True)
    del found["$schema"]
    fields = found["properties"].items()
    found["properties"] = {name: _as_sent(field) for name, field in fields if name not in BESIDE}
    required = [name for name in found.pop("required", ()) if name not in BESIDE]
    return {**found, "required": required} if required else found


def _as_sent(field: Json) -> Json:
    """A field that is left out where it would have its default, so never null for want of it."""
    sent = {key: value for key, value in field.items() if key != "default"}
    if field.get("default", "") is None:
        sent |= sent.pop("anyOf")[0]
    return sent


def _structs(kinds: Iterable[Any]) -> dict[str, type]:
    """All structs and dataclasses that these hold, by name."""
    found: dict[str, type] = {}
    waiting: list[Any] = list(kinds)
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and _has_fields(kind):
            if kind.__name__ not in found:
                found[kind.__name__] = kind
                waiting += get_type_hints(kind).values()
        else:
            waiting += getattr(kind, "__args__", ())
    return found


def _has_fields(kind: type) -> bool:
    return issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind)


def _told(parts: Mapping[str, Json], kinds: Mapping[str, type], *, spoken: bool) -> dict[str, Json]:
    """Schemas with descriptions from the docstrings, and with the required fields."""
    found = {}
    for name, schema in parts.items():
        text, fields = _docstring(kinds[name].__doc__ or "")
        fields = _inherited(kinds[name]) | fields
        made: Json = {**_draft_free(schema), "description": text}
        for field, sentence in fields.items():
            made["properties"][field] = {**made["properties"][field], "description": sentence}
        if spoken:
            made["required"] = _always_sent(kinds[name])
        found[name] = {key: value for key, value in made.items() if value != []}
    return found


def _inherited(kind: type) -> dict[str, str]:
    """What the bases say about their attributes."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__[1:]):
        if _has_fields(base) and base is not msgspec.Struct:
            found |= _docstring(base.__doc__ or "")[1]
    return found


def _always_sent(kind: type) -> list[str]:
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind)]
    omits = kind.__struct_config__.omit_defaults  # type: ignore[attr-defined]
    return [
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if field.default is not msgspec.UNSET and not (omits and not field.required)
    ]


def _draft_free(schema: Any) -> Any:
    """Write pairs of equal items without `prefixItems`, which older readers do not know."""
    if isinstance(schema, list):
        return [_draft_free(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _draft_free(value) for key, value in schema.items()}
    alike = found.pop("prefixItems", None)
    return {**found, "items": alike[0]} if alike else found


_FIELD = re.compile(r"^(\w+(?:, \w+)*): ", re.MULTILINE)
_SECOND = re.compile(r"(?<=\.) (?=[a-z_]+(?:, [a-z_]+)*: )")
"""Two short fields may share a line of a docstring: `red: a player. black: another.`"""


def _docstring(text: str) -> tuple[str, dict[str, str]]:
    """Split a docstring into its description and those of its attributes."""
    whole, _, attributes = text.partition("Attributes:")
    found = {}
    joined = "\n".join(_entries(attributes))
    for line in _SECOND.sub("\n", joined).splitlines():
        names, _, sentence = line.partition(": ")
        for name in names.split(", "):
            found[name] = sentence[:1].upper() + sentence[1:]
    return " ".join(whole.split()), found


def _entries(attributes: str) -> list[str]:
    """One line for each entry of an `Attributes:` section."""
    found: list[str] = []
    for line in attributes.expandtabs().splitlines():
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent <= 8 and _FIELD.match(line.strip()):
            found.append(line.strip())
        elif line.strip() and found:
            found[-1] += " " + line.strip()
    return found

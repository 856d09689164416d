"""The JSON Schema of a scenario file, made from the types that read it.

Editors complete by it, and whoever writes scenarios with another program can check them. It
refuses what the reader refuses, as far as a schema can: the words of a fault and ids of steps
that are nowhere are left to the reader (`scenario_files`).
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from controller.contract.schema import Json, schema_of
from lab.bench.contract_paths import HOME, TOPIC
from lab.bench.figures import CATALOGUE
from lab.bench.limits import BETWEEN, LIMIT
from lab.bench.scenario import DETAILS, EVENTS, EXPECTABLE, TARGETS, Scenario
from lab.bench.scenario_files import MOST_CASES
from lab.bench.steps import VERBS, Views
from lab.twin.fault_words import FAULT_WORDS

SWEPT: Json = {"$ref": "#/$defs/Swept"}
A_SWEPT_VALUE: Json = {
    "type": "string",
    "pattern": r"\$\w",
    "description": "`$name`: each value that `sweep` has for the name, in turn.",
}

YES_NO: Json = {"enum": [True, False, "yes", "no"]}
"""YAML 1.2, which editors read by, takes `yes` for a word; our reader for true."""

YES: Json = {"enum": [True, "yes"]}
"""Where no would say nothing."""

VIEWS = Views.__struct_fields__

PLAIN = ("string", "number", "integer", "boolean")


def scenario_schema() -> Json:
    """The schema of a whole scenario file."""
    schema: Json = _swept(schema_of(Scenario, spoken=False))
    schema["$defs"]["Swept"] = A_SWEPT_VALUE
    parts = schema["$defs"]
    schema["title"] = "A scenario of the Topple Table bench"
    schema["anyOf"] = [
        {"required": ["evening"]},
        {"required": ["steps"], "properties": {"steps": {"minItems": 1}}},
    ]
    top = schema["properties"]
    top["measure"] |= {"propertyNames": {"enum": list(CATALOGUE)}, "additionalProperties": _limit()}
    top["not_on"].pop("propertyNames", None)  # msgspec up to 0.22 leaves them out
    top["not_on"]["propertyNames"] = {"enum": list(TARGETS)}
    top["seeds"]["anyOf"][0] |= {"minimum": 1, "maximum": MOST_CASES}
    top["seeds"]["anyOf"][1]["minItems"] = 1
    top["sweep"]["additionalProperties"]["minItems"] = 1
    step, expected = parts["ScenarioStep"], parts["Expected"]
    step["oneOf"] = [{"required": [verb.rstrip("_")]} for verb in VERBS]
    step["properties"]["fault"]["anyOf"][0] |= _fault()
    parts["FaultOrder"]["properties"]["words"] |= _fault()
    expected |= _one_thing()
    expected["properties"]["confidence"] = {**expected["properties"]["confidence"], **_limit()}
    for part, verbs in ((step, [verb.rstrip("_") for verb in VERBS]), (expected, EXPECTABLE)):
        part["properties"] = {key: _said(value) for key, value in part["properties"].items()}
        part["properties"] |= {verb: _yes(part["properties"][verb]) for verb in verbs}
    expected["properties"]["mqtt"]["pattern"] = _topics()
    expected["properties"]["never"]["pattern"] = _topics(EVENTS)
    parts["Views"]["minProperties"] = 1
    return schema


def _one_thing() -> Json:
    """One expectation, with its own details; or documents, and at least one of them."""
    documents: Json = {"anyOf": _needing(VIEWS), "not": {"anyOf": _needing(EXPECTABLE)}}
    of_one = {name: {"anyOf": _needing(owners)} for name, owners in DETAILS.items()}
    alone = dict.fromkeys(VIEWS, documents)
    return {"oneOf": [*_needing(EXPECTABLE), documents], "dependentSchemas": of_one | alone}


def _needing(names: Iterable[str]) -> list[Json]:
    return [{"required": [name]} for name in names]


def _topics(others: Iterable[str] = ()) -> str:
    return rf"^({'|'.join((*others, TOPIC, HOME + '/.*'))})$|\$\w"


def _yes(schema: Json) -> Json:
    """Without no, which would say nothing."""
    kinds = [YES if kind == YES_NO else kind for kind in schema.get("anyOf", ())]
    return {**schema, "anyOf": kinds} if kinds else schema


def _limit() -> Json:
    """Words such as `at most 1.2 s`; `limits` reads them by the same expressions."""
    plain = "|".join(re.sub(r"\?P<\w+>", "", pattern.pattern) for pattern in (LIMIT, BETWEEN))
    return {"type": "string", "pattern": rf"{plain}|\$\w"}


def _fault() -> Json:
    words = sorted(FAULT_WORDS)
    return {
        "pattern": rf"^({'|'.join(words)})( cell [Cc]?\d+)?( \d+(\.\d+)?)?$|\$\w",
        "examples": words,
    }


def _said(schema: Json) -> Json:
    """Without null, which nobody writes: what is not wanted is left out."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if not kinds:
        return schema
    rest = {k: v for k, v in schema.items() if k != "anyOf" and (k, v) != ("default", None)}
    return {**kinds[0], **rest} if len(kinds) == 1 else {"anyOf": kinds, **rest}


def _swept(schema: Any) -> Any:
    """Every plain value may be a `$name` instead, and yes is as good as true."""
    if isinstance(schema, list):
        return _flat(_swept(each) for each in schema)
    if not isinstance(schema, dict):
        return schema
    if not _is_narrow(schema):
        return {k: v if k in ("default", "enum") else _swept(v) for k, v in schema.items()}
    about = {k: v for k, v in schema.items() if k in ("default", "description")}
    value = {k: v for k, v in schema.items() if k not in ("default", "description")}
    if value.get("type") == "boolean":
        value = YES_NO
    return {"anyOf": [value, SWEPT], **about}


def _is_narrow(schema: Json) -> bool:
    """Whether a `$name` would be refused."""
    kind = schema.get("type")
    return "enum" in schema or (kind in PLAIN and (kind != "string" or "pattern" in schema))


def _flat(alternatives: Iterable[Any]) -> list[Any]:
    """A choice of choices as one, with the swept value named once."""
    found: list[Any] = []
    for each in alternatives:
        inner = each["anyOf"] if isinstance(each, dict) and set(each) == {"anyOf"} else [each]
        found += [one for one in inner if one not in found]
    return sorted(found, key=lambda one: one == SWEPT)


def encoded() -> bytes:
    """The schema as a file."""
    return msgspec.json.format(msgspec.json.encode(scenario_schema()), indent=2) + b"\n"

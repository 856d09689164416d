"""The bench's reference documents, made from the code: the schema, and tables of what it takes.

    python -m lab.bench.manual [--check] [FOLDER]

writes `scenario.schema.json` and `steps.md` into `docs/bench`; `make contract` calls it too.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from controller.contract.documents import main
from controller.contract.schema import Json
from lab.bench.actions import PAUSES_S, SPEAKING_S
from lab.bench.figures import CATALOGUE
from lab.bench.scenario import DETAILS, EVENTS, EXPECTABLE, TARGETS, Scenario
from lab.bench.schema import SWEPT, VIEWS, YES, YES_NO, encoded, scenario_schema
from lab.bench.steps import UNIT, VERBS, ScenarioStep

FOLDER = Path(__file__).parents[2] / "docs" / "bench"
SCHEMA = "scenario.schema.json"

GROUPS = {
    "turns": "Hands at the table",
    "start": "What people say",
    "fault": "What goes wrong",
    "check": "What must be so now",
}
"""First verb of each group, in the order of `ScenarioStep`."""

COLUMNS = ("step", "value", "when left out", "meaning", "usual pause", "targets")
NO_PAUSE = ("turns", "wait", "check")

_HEAD = """# Steps, expectations and measurements of a scenario

Written from the code by `make contract`; [the bench](../bench.md) says how they are used.

A step is one verb with a value: `- place: d4` in its short form, `- place: {cell: d4, grams: 6}` in
its long one. Where a verb has arguments and no value, the short form is the first of them. Beside
the verb there may be `at` (table time in seconds at which it begins), `pause` (seconds to wait
afterwards, instead of the usual ones) and `id` (a name for expectations).
Any value may be a `$name` of `sweep`. Targets are all three where none is named. Which cells a roll
allows: [T1 and T2](../rules.md). [Expectations](#expectations) and [measurements](#measurements)
follow the steps; all keys of the file, with their meaning, stand in
[the schema](scenario.schema.json).
"""

_EXPECTED = """## Expectations

Each entry of `expect` is one of these, with its details beside it:
`- {placed: d4, within: 3, confidence: at least 0.9}`. An event is taken by one entry only, the
first in the order of the file that it fits: two pieces on d4 need two entries. Details that an
entry cannot have are refused, and so are topics and paths that are not in
[the contract](../mqtt/schemas/).
"""

_DOCUMENTS = """What must be so at the end: an entry may name several documents, and has no details.
Paths lead to values or limits, such as `health: {sensors.scale.0.rate_hz: at least 70}`.
"""

_DETAILS = """Details, and what they can be said of (events are `placed` to `restored`):
"""

_MEASURED = """## Measurements

Every run measures all of them; `measure: {latency_max_s: at most 1.2 s}` limits some.
"""


def reference() -> str:
    """Every step, expectation and measurement, as Markdown."""
    parts = scenario_schema()["$defs"]
    return "\n".join([_HEAD, *_steps(parts), *_expectations(parts["Expected"]), *_measurements()])


def _steps(parts: Json) -> Iterator[str]:
    for verb in VERBS:
        if verb in GROUPS:
            yield from (f"## {GROUPS[verb]}", "", *_heading(*COLUMNS))
        yield from _step(verb, parts)
        if VERBS[-1] == verb or VERBS[VERBS.index(verb) + 1] in GROUPS:
            yield ""


def _expectations(part: Json) -> Iterator[str]:
    for text, kind, names in (
        (_EXPECTED, "expectation", EXPECTABLE), (_DOCUMENTS, "document", VIEWS)
    ):  # fmt: skip
        yield from (text, *_heading(kind, "value", "meaning"))
        for name in names:
            field = part["properties"][name]
            yield _row(f"**`{name}`**", _value(field) or "mapping", field["description"])
        yield ""
    yield from (_DETAILS, *_heading("detail", "value", "when left out", "meaning", "of"))
    for name, owners in DETAILS.items():
        field = part["properties"][name]
        value = _value(field) or "mapping"
        yield _row(f"`{name}`", value, _default(field), field["description"], _of(owners))
    yield ""


def _of(owners: Sequence[str]) -> str:
    """Names of expectations, those of all events as one word."""
    alone = owners[len(EVENTS) :] if owners[: len(EVENTS)] == EVENTS else owners
    return ", ".join(["events"] * (alone != owners) + [f"`{name}`" for name in alone])


def _measurements() -> Iterator[str]:
    yield from (_MEASURED, *_heading("name", "meaning", "unit"))
    for name, figure in CATALOGUE.items():
        yield _row(f"`{name}`", figure.text[0].upper() + figure.text[1:] + ".", figure.unit)
    yield ""


def _heading(*cells: str) -> tuple[str, str]:
    return _row(*cells), "|---" * len(cells) + "|"


def _row(*cells: str) -> str:
    """A row of a table, without the empty cells at its end, which Markdown does not need."""
    return f"| {' | '.join(cells)}".rstrip(" |") + " |"


def _step(verb: str, parts: Json) -> Iterator[str]:
    name = verb.rstrip("_")
    field = parts["ScenarioStep"]["properties"][name]
    long = next((each["$ref"] for each in _kinds(field) if "$ref" in each), None)
    arguments = parts[long.rsplit("/", 1)[1]] if long is not None else {"properties": {}}
    short = _value(field) or "long form only"
    if short in [_value(first) for first in islice(arguments["properties"].values(), 1)]:
        short = ""
    yield _row(f"**`{name}`**", short, "", field["description"], _pause(verb), _targets(verb))
    yield from _fields(arguments, "&nbsp;&nbsp;")


def _fields(part: Json, before: str) -> Iterator[str]:
    needed = part.get("required", ())
    for name, field in part["properties"].items():
        default = "needed" if name in needed else _default(field)
        about = field.get("description", "")
        yield _row(f"{before}`{name}`", _value(field) or "mapping", default, about)


def _value(field: Json) -> str:
    """Type, range and unit."""
    return ", ".join(filter(None, (_type(field), _unit(field))))


def _kinds(field: Json) -> list[Json]:
    """What a value may be, without the `$name` that any may be."""
    return [kind for kind in field.get("anyOf", [field]) if kind != SWEPT]


def _type(field: Json) -> str:
    found: list[str] = []
    for kind in filter(None, map(_one_type, _kinds(field))):
        inside = kind.removeprefix("list of: ")
        found.append("list of these names" if inside != kind and inside in found else kind)
    return " or ".join(found)


def _one_type(kind: Json) -> str:
    if kind == YES:
        return "`yes`"
    if "title" in kind or kind == YES_NO:
        return str(kind.get("title", "yes or no"))
    if "enum" in kind:
        return ", ".join(f"`{word}`" for word in kind["enum"])
    if kind.get("type") == "array":
        inside = _type(kind.get("items", {})) or "mapping"
        return f"{kind.get('minItems', 'list')} of: {inside}"
    word = _TYPES.get(kind.get("type", ""), "")
    return word + _range(kind)


_TYPES = {
    "integer": "whole number", "number": "number", "string": "text", "object": "mapping",
}  # fmt: skip


def _range(kind: Json) -> str:
    low, high = kind.get("minimum"), kind.get("maximum")
    above = kind.get("exclusiveMinimum")
    start = (
        f" above {above:g}" if above is not None else f" from {low:g}" if low is not None else ""
    )
    return start + (f" to {high:g}" if high is not None else "")


def _unit(field: Json) -> str:
    inner = [*_kinds(field), *(each.get("items", {}) for each in _kinds(field))]
    found = [kind[UNIT] for each in inner for kind in _kinds(each) if UNIT in kind]
    return str(found[0]) if found else ""


def _default(field: Json) -> str:
    value: Any = field.get("default")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list | tuple):
        numbers = [each for each in value if isinstance(each, float)]
        return ", ".join(map(_plain, numbers))
    return "" if value in (None, "") else _plain(value)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else f"`{value}`"


def _targets(verb: str) -> str:
    something: dict[str, Any] = {verb: True}
    step = ScenarioStep(**something)
    scenario = Scenario(about="", steps=(step,))
    played = [target for target in TARGETS if not scenario.left_out(target)]
    return "" if len(played) == len(TARGETS) else ", ".join(played)


def _pause(verb: str) -> str:
    return "" if verb in NO_PAUSE else f"{PAUSES_S.get(verb, SPEAKING_S):g} s"


def files() -> dict[str, str]:
    """The documents by their path inside the folder."""
    return {SCHEMA: encoded().decode(), "steps.md": reference()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], FOLDER, files(), "lab.bench.manual"))

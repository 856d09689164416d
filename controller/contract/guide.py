"""The tables of events in docs/mqtt.md, made from the structs of the events.

    python -m controller.contract.guide [--check]

writes what stands there between two comments anew; `make contract` calls it too.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from controller.contract.schema import Json, event_schema
from engine.public_events import EVENTS

GUIDE = Path(__file__).parents[2] / "docs" / "mqtt.md"
BEGIN, END = "<!-- make contract writes from here -->\n", "<!-- to here -->\n"


def tables() -> str:
    """A table of the events, and one of the fields of their `data`."""
    parts = event_schema()["$defs"]
    data = {tag: parts[kind.__name__] for tag, kind in EVENTS.items()}
    return "\n".join([*_events(data), "", *_fields(data), ""])


def _events(data: dict[str, Json]) -> Iterator[str]:
    yield "| type | what | `data`; in brackets what may be left out |"
    yield "|---|---|---|"
    for tag, schema in data.items():
        name = f"`{tag}`" if tag else "others"
        always = schema.get("required", ())
        fields = (f"`{f}`" if f in always else f"(`{f}`)" for f in schema["properties"])
        yield f"| {name} | {schema['description']} | {' '.join(fields)} |"


def _fields(data: dict[str, Json]) -> Iterator[str]:
    yield "| field | of | what |"
    yield "|---|---|---|"
    found: dict[tuple[str, str], list[str]] = {}
    for tag, schema in data.items():
        for name, field in schema["properties"].items():
            found.setdefault((name, field["description"]), []).append(tag)
    names = [name for name, _ in found]
    for (name, words), tags in sorted(found.items()):
        several = ", ".join(f"`{tag}`" for tag in tags) if names.count(name) > 1 else "all"
        yield f"| `{name}` | {several} | {words} |"


def renewed(text: str) -> str:
    """The guide with the tables of today.

    Raises:
        ValueError: the two comments are not there.
    """
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{GUIDE.name} needs the lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + "\n" + tables() + "\n" + END + after


def main(arguments: list[str], guide: Path = GUIDE) -> int:
    """Write or check the guide; the exit code is 1 when a check finds old tables."""
    text = guide.read_text(encoding="utf-8")
    new = renewed(text)
    if "--check" in arguments:
        print(f"{guide}: {'current' if new == text else 'out of date; run make contract'}")
        return int(new != text)
    guide.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

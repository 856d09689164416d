"""The table of events in docs/mqtt.md, made from the structs of the events.

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


def table() -> str:
    """A table of the events; the schema of `event` says what the fields of their `data` mean."""
    parts = event_schema()["$defs"]
    return "\n".join([*_events({tag: parts[kind.__name__] for tag, kind in EVENTS.items()}), ""])


def _events(data: dict[str, Json]) -> Iterator[str]:
    yield "| type | what | `data`; in brackets what may be left out |"
    yield "|---|---|---|"
    for tag, schema in data.items():
        name = f"`{tag}`" if tag else "others"
        always = schema.get("required", ())
        fields = (f"`{f}`" if f in always else f"(`{f}`)" for f in schema["properties"])
        yield f"| {name} | {schema['description']} | {' '.join(fields)} |"


def renewed(text: str) -> str:
    """The guide with the table of today.

    Raises:
        ValueError: the two comments are not there.
    """
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{GUIDE.name} needs the lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + "\n" + table() + "\n" + END + after


def main(arguments: list[str], guide: Path = GUIDE) -> int:
    """Write or check the guide; the exit code is 1 when a check finds an old table."""
    text = guide.read_text(encoding="utf-8")
    new = renewed(text)
    if "--check" in arguments:
        print(f"{guide}: {'current' if new == text else 'out of date; run make contract'}")
        return int(new != text)
    guide.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

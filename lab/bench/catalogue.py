"""`bench list`, `bench new` and `bench schema`: what is shipped, and how to add to it."""

from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from textwrap import fill

import msgspec

from controller.common.errors import BadInput
from controller.common.outputs import ready_for_file, write_result
from lab.bench.manual import SCHEMA
from lab.bench.scenario import TARGETS, Case, Scenario
from lab.bench.scenario_files import find, load
from lab.bench.schema import encoded

WIDTH = 80

TEMPLATE = """\
# yaml-language-server: $schema={schema}
#
# Play it:            topple-table bench {path}
# Every step:         docs/bench/steps.md; {schema} lets editors complete.

# One sentence that must be true of the table; it stands in the report.
about: Ann's piece on d4 and Bob's on b2 are seen, and the score is theirs.

# Rules, faults or messages that it is there for. Filter: bench all --covers WORD
covers: [my own]

# Ann (red) and Bob (blue) play on a quiet table, unless you say otherwise:
#   table: normal          quiet, calm, normal or rough
#   drawn: 1.0             a table as owners build them, another one for each seed
#   seeds: 5               five runs, each with its own chance

# What happens, in order. A step has one verb, and if you like `at`, `pause` (seconds) and `id`.
steps:
  # Ann rolls 3 and places on d4, Bob rolls 3 and places on b2; both are cells of a 3.
  - turns: [3 d4, 3 b2]
  # Somebody walks into the table: 1 m/s². The id can be named below.
  - {{bump: 1, id: walk}}

# What the table must have seen and published by the end.
expect:
  # Within two seconds, and sure of it.
  - {{placed: d4, confidence: at least 0.95}}
  - {{placed: b2, confidence: at least 0.95}}
  # A message on topple/1/<table>/event; paths lead into its payload.
  - mqtt: event
    payload: {{type: placed, player: Bob, data.cell: b2}}
  # Nothing fell, whatever shook.
  - {{never: toppled, after: walk}}
  # The board at the end: the colours on each cell, bottom first.
  - board: {{d4: [red], b2: [blue]}}

# Limits of what is measured anyway.
measure:
  latency_max_s: at most 2 s
"""


class Listed(msgspec.Struct, frozen=True):
    """One scenario, as `bench list --json` names it.

    Attributes:
        targets: where it can be played.
        left_out: target -> why it cannot be played there.
        cases: how many seeds and swept values make of it.
    """

    name: str
    about: str
    targets: tuple[str, ...]
    left_out: dict[str, str]
    covers: tuple[str, ...]
    cases: int


def listed(word: str = "") -> list[Listed]:
    """The shipped scenarios in which a word occurs: in name, sentence, or what they cover."""
    found = [_one(load(path)) for path in find(["all"])]
    return [one for one in found if word.lower() in _text(one)]


def _one(cases: list[Case]) -> Listed:
    scenario: Scenario = cases[0].scenario
    why = {target: scenario.left_out(target) for target in TARGETS}
    there = tuple(target for target, reason in why.items() if not reason)
    left_out = {str(target): reason for target, reason in why.items() if reason}
    about, covers = scenario.about, scenario.covers
    return Listed(scenario.name, about, there, left_out, covers, len(cases))


def _text(one: Listed) -> str:
    return " ".join((one.name, one.about, *one.covers)).lower()


def print_list(word: str, *, as_json: bool) -> None:
    """Print them, to be read at 80 columns or by a program.

    Raises:
        BadInput: nothing has that word.
    """
    found = listed(word)
    if not found:
        raise BadInput(f"bench list {word}: no scenario has that word; bench list names them all")
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
        return
    print("\n\n".join(map(_paragraph, found)))
    cases = sum(one.cases for one in found)
    print(f"\nScenarios: {len(found)}, cases: {cases}. Play one: topple-table bench NAME")


def _paragraph(one: Listed) -> str:
    cases = f", {one.cases} cases" if one.cases > 1 else ""
    lines = [f"{one.name}  ({', '.join(one.targets)}{cases})", _indented(one.about)]
    return "\n".join([*lines, *_covers(one.covers)])


def _covers(words: Iterable[str]) -> list[str]:
    text = ", ".join(words)
    return [_indented(f"covers {text}")] if text else []


def _indented(text: str) -> str:
    return fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def new_scenario(name: str) -> None:
    """Write a scenario that passes as it is, and the schema beside it.

    Raises:
        BadInput: there is such a file already, or it cannot be written.
    """
    path = Path(name).with_suffix("") if name.endswith((".yaml", ".yml")) else Path(name)
    path = path.with_name(path.name + ".yaml")
    if path.exists():
        raise BadInput(f"{path}: is there already, and is left as it is; name another one")
    schema = path.with_name(SCHEMA)
    ready_for_file("bench new", path)
    text = TEMPLATE.format(path=quote(str(path)), schema=SCHEMA)
    write_result("bench new", path, text)
    write_result("bench new", schema, encoded())
    print(f"{path} is written, and {schema} for your editor. It passes as it is:")
    print(f"    topple-table bench {quote(str(path))}")
    print("Change what happens (steps) and what must be so (expect);")
    print("docs/bench/steps.md and the schema have all.")


def write_schema(out: Path | None) -> None:
    """Print the JSON Schema of a scenario file, or write it.

    Raises:
        BadInput: it cannot be written.
    """
    if out is None:
        print(encoded().decode(), end="")
    else:
        ready_for_file("--out", out)
        write_result("--out", out, encoded())
        print(f"{out}: the JSON Schema of a scenario file.")

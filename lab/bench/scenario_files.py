"""Reads scenario files: YAML in, cases out; names each mistake with its line and key."""

import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from controller.common.errors import BadScenario
from controller.common.files import CONFIG_BYTES, clipped, read_text
from engine.spelling import meant
from lab.bench.scenario import Case, Scenario
from lab.bench.scenario_checks import Keys, Problem, problems
from lab.bench.scenario_faults import as_swept, complaint, line_of, written_wrongly

SHIPPED = Path(__file__).parent / "scenarios"
"""The scenarios that come with the table; `all` on the command line."""


MOST_CASES = 5000
"""A larger sweep is a typing error."""


def load(path: Path) -> list[Case]:
    """All cases of a scenario file.

    Raises:
        BadScenario: file, line and key, and what can stand there.
    """
    try:
        text = read_text(path, CONFIG_BYTES)
    except OSError as problem:
        raise BadScenario(f"{path}: cannot be read ({problem}); check the path") from None
    except UnicodeDecodeError:
        raise BadScenario(f"{path}: this is not UTF-8; save it as UTF-8") from None
    return read(text, printable(path.stem), printable(str(path)))


def printable(name: str) -> str:
    """A name from the file system, without the bytes that its encoding does not know."""
    return name.encode(errors="replace").decode()


def read(text: str, name: str, where: str) -> list[Case]:
    """All cases of a scenario.

    Args:
        text: YAML.
        name: of the scenario, when it does not say.
        where: what messages call it.

    Raises:
        BadScenario: line and key, and what can stand there.
    """
    node = _composed(text, where)
    plain = _plain(node, where)
    swept = plain.get("sweep", {}) if isinstance(plain, dict) else {}
    lists = swept if isinstance(swept, dict) else {}
    for keys, problem in written_wrongly(node, [str(name) for name in lists]):
        raise _refused(where, node, keys, problem)
    cases: list[Case] = []
    for values in _combinations(lists, node, where):
        scenario = _converted(_filled(plain, values), node, values, where)
        scenario = msgspec.structs.replace(scenario, name=scenario.name or name)
        for keys, problem in (*problems(scenario), *_too_many(scenario)):
            raise _refused(where, node, keys, problem + as_swept(node, keys, values))
        expectations = (["expect", str(number)] for number in range(len(scenario.expect)))
        places = tuple(f"{Path(where).name} line {line_of(node, key)}" for key in expectations)
        cases += [Case(scenario, seed, values, places) for seed in _seeds(scenario)]
        if len(cases) > MOST_CASES:
            raise BadScenario(f"{where}: sweep and seeds make more than {MOST_CASES} cases")
    return cases


def find(paths: Iterable[str]) -> list[Path]:
    """The scenario files for command-line arguments: files, folders, `all`, names.

    Raises:
        BadScenario: nothing is there.
    """
    found: list[Path] = []
    for word in paths:
        path = SHIPPED if word == "all" else Path(word)
        if path.is_dir():
            found += sorted([*path.glob("**/*.yaml"), *path.glob("**/*.yml")])
        elif path.is_file():
            found.append(path)
        elif (named := SHIPPED / f"{word}.yaml").is_file():
            found.append(named)
        else:
            raise BadScenario(f"{word}: there is no such scenario{_near(word)}")
    if not found:
        raise BadScenario("no scenario found; name files, folders, or all")
    return list(dict.fromkeys(found))


def _near(word: str) -> str:
    known = [path.stem for path in SHIPPED.glob("*.yaml")]
    near = meant(Path(word).stem, known)
    return f"; did you mean {near}?" if near else "; name a file, a folder, or all"


# --- from text to values ---------------------------------------------------------------------


class _Refused(yaml.MarkedYAMLError):  # type: ignore[misc]  # PyYAML has no types
    """YAML that is right, but not for a scenario."""


class _Strictly(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Refuses aliases (`*name`) and keys that stand twice.

    No scenario needs an alias, and ten lines of them can fill the memory; of a key that stands
    twice PyYAML takes the last.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """One node of the document, as written."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise _Refused(problem="write it out; *names are not read", problem_mark=mark)
        return super().compose_node(parent, index)

    def compose_mapping_node(self, anchor: str | None) -> yaml.MappingNode:
        """A mapping of the document."""
        node = super().compose_mapping_node(anchor)
        lines: dict[Any, int] = {}
        for key, _ in node.value:
            mark, word = key.start_mark, key.value
            if isinstance(key, yaml.ScalarNode) and word in lines:
                problem = f"`{word}` stands twice, first in line {lines[word]}; keep one of them"
                raise _Refused(problem=problem, problem_mark=mark)
            if isinstance(key, yaml.ScalarNode):
                lines[word] = mark.line + 1
        return node


def _composed(text: str, where: str) -> yaml.Node:
    try:
        node = yaml.compose(text, Loader=_Strictly)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = f"line {mark.line + 1}: " if mark is not None else ""
        advice = "" if isinstance(problem, _Refused) else "; check the indentation"
        message = clipped(f"{line}{problem.problem}{advice}")
        raise BadScenario(f"{where}: {message}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise BadScenario(clipped(f"{where}: this is not YAML: {problem}")) from None
    if not isinstance(node, yaml.MappingNode):
        raise BadScenario(f"{where}: line 1: a scenario begins with `about:` and one sentence")
    return node


def _plain(node: yaml.Node, where: str) -> Any:
    try:
        return yaml.SafeLoader("").construct_document(node)
    except (AttributeError, KeyError, TypeError) as problem:
        # What PyYAML's constructors let through when a value is not what its `!!tag` says.
        message = f"{where}: a value is not what its !!tag says ({problem}); write it without one"
        raise BadScenario(clipped(message)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise BadScenario(clipped(f"{where}: cannot be read: {problem}")) from None


def _combinations(lists: dict[str, Any], node: yaml.Node, where: str) -> Iterator[dict[str, Any]]:
    values = [entry if isinstance(entry, list) else [entry] for entry in lists.values()]
    for name, entry in lists.items():
        if entry == []:
            raise _refused(where, node, ["sweep", str(name)], "no value; give one or more")
    count = 1
    for entry in values:
        count *= len(entry)
    if count > MOST_CASES:
        raise BadScenario(f"{where}: the sweep makes {count} cases; at most {MOST_CASES}")
    for chosen in itertools.product(*values):
        yield dict(zip(lists, chosen, strict=True))


def _filled(value: Any, values: dict[str, Any]) -> Any:
    """The document with `$name` replaced; the sweep itself is left as it is."""
    if isinstance(value, dict):
        return {k: v if k == "sweep" else _filled(v, values) for k, v in value.items()}
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    if not isinstance(value, str) or "$" not in value:
        return value
    if value[1:] in values and value[0] == "$":
        return values[value[1:]]
    return re.sub(r"\$(\w+)", lambda hit: str(values.get(hit[1], hit[0])), value)


def _converted(plain: Any, node: yaml.Node, values: dict[str, Any], where: str) -> Scenario:
    try:
        return msgspec.convert(plain, Scenario, strict=True)
    except msgspec.ValidationError as problem:
        keys, message = complaint(str(problem), plain, node)
        raise _refused(where, node, keys, message + as_swept(node, keys, values)) from None


def _refused(where: str, node: yaml.Node, keys: Keys, problem: str) -> BadScenario:
    path = ".".join(keys) or "scenario"
    return BadScenario(clipped(f"{where}: line {line_of(node, keys)}: {path}: {problem}"))


def _too_many(scenario: Scenario) -> Iterator[Problem]:
    count = scenario.seeds if isinstance(scenario.seeds, int) else len(scenario.seeds)
    if not 1 <= count <= MOST_CASES:
        yield ["seeds"], f"{count} seeds; from 1 to {MOST_CASES}, or a list of seeds"


def _seeds(scenario: Scenario) -> tuple[int, ...]:
    if isinstance(scenario.seeds, int):
        return tuple(range(1, scenario.seeds + 1))
    return scenario.seeds

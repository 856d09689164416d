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
from engine.plainly import plainly
from engine.spelling import meant
from hw.errors import BadTwin
from lab.bench.figures import CATALOGUE
from lab.bench.limits import limit_of
from lab.bench.scenario import Case, Expected, Scenario
from lab.bench.scenario_words import known_keys, known_words
from lab.bench.steps import VERBS, ScenarioStep
from lab.people.ways import OF_WORDS, USUAL, Wanted, ways_of
from lab.twin.fault_words import parse_fault

SHIPPED = Path(__file__).parent / "scenarios"
"""The scenarios that come with the table; `all` on the command line."""

MOST_CASES = 5000
"""A larger sweep is a typing error."""

_PATH = re.compile(r"\.([A-Za-z_][\w]*)|\[(\d+|\.\.\.)\]")


def load(path: Path) -> list[Case]:
    """All cases of a scenario file.

    Raises:
        BadScenario: file, line and key, and what can stand there.
    """
    try:
        text = read_text(path, CONFIG_BYTES)
    except (OSError, UnicodeDecodeError) as problem:
        raise BadScenario(f"{path}: cannot be read ({problem}); check the path") from None
    return read(text, path.stem, str(path))


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
    cases: list[Case] = []
    for values in _combinations(lists, where):
        scenario = _converted(_filled(plain, values), node, where)
        scenario = msgspec.structs.replace(scenario, name=scenario.name or name)
        _checked(scenario, node, where)
        keys = (["expect", str(number)] for number in range(len(scenario.expect)))
        places = tuple(f"{Path(where).name} line {_line(node, key)}" for key in keys)
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


class _WithoutAliases(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML has no types
    """Refuses YAML aliases (`*name`): no scenario needs them, and ten lines can fill the memory."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """One node of the document, as written."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, "write it out; *names are not read", mark)
        return super().compose_node(parent, index)


def _composed(text: str, where: str) -> yaml.Node:
    try:
        node = yaml.compose(text, Loader=_WithoutAliases)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = f"line {mark.line + 1}: " if mark is not None else ""
        message = clipped(f"{line}{problem.problem}; check the indentation")
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


def _combinations(lists: dict[str, Any], where: str) -> Iterator[dict[str, Any]]:
    values = [entry if isinstance(entry, list) else [entry] for entry in lists.values()]
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


def _converted(plain: Any, node: yaml.Node, where: str) -> Scenario:
    try:
        return msgspec.convert(plain, Scenario, strict=True)
    except msgspec.ValidationError as problem:
        raise BadScenario(clipped(f"{where}: {_said(str(problem), node)}")) from None


def _said(message: str, node: yaml.Node) -> str:
    """Msgspec's words with line and key instead of its path."""
    message, _, path = message.partition(" - at `$")
    keys = [name or index for name, index in _PATH.findall(path)]
    unknown = re.search(r"unknown field `([^`]+)`", message)
    odd = re.fullmatch(r"Invalid enum value '(.*)'", message)
    if unknown:
        message = f"there is no such key{_meant(unknown[1], known_keys(keys))}"
        keys.append(unknown[1])
    elif odd:
        message = f"it cannot be {odd[1]!r}{_meant(odd[1], known_words(keys))}"
    else:
        message = plainly(message, place="it")
    line = _line(node, keys)
    return f"line {line}: {'.'.join(keys) or 'scenario'}: {message}"


def _meant(word: str, known: list[str]) -> str:
    near = meant(word, known)
    return f"; did you mean {near}?" if near else f"; known are {', '.join(known)}"


def _line(node: yaml.Node, keys: Iterable[str]) -> int:
    """One-based line of the deepest key that is there."""
    at, line = node, 1
    for key in keys:
        if isinstance(at, yaml.MappingNode):
            pair = next((pair for pair in at.value if pair[0].value == key), None)
            if pair is None:
                break
            line, at = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(at, yaml.SequenceNode) and key.isdigit() and int(key) < len(at.value):
            at = at.value[int(key)]
            line = at.start_mark.line + 1
        else:
            break
    return line


# --- what the types cannot say ---------------------------------------------------------------


def _checked(scenario: Scenario, node: yaml.Node, where: str) -> None:
    for keys, problem in _problems(scenario):
        path = ".".join(keys)
        raise BadScenario(clipped(f"{where}: line {_line(node, keys)}: {path}: {problem}"))


def _problems(scenario: Scenario) -> Iterator[tuple[list[str], str]]:
    if not scenario.steps and scenario.evening is None:
        yield ["steps"], "nothing happens; give steps, or an evening"
    if scenario.evening is None and _only_words(scenario.people):
        yield ["people"], "these habits are of evenings; in a script the steps say what is told"
    ids = {step.id for step in scenario.steps}
    for index, step in enumerate(scenario.steps):
        yield from _problems_of_step(["steps", str(index)], step)
    for index, expected in enumerate(scenario.expect):
        yield from _problems_of_expected(["expect", str(index)], expected, ids)
    for name, limit in scenario.measure.items():
        if name not in CATALOGUE:
            yield ["measure", name], f"unknown measurement; there are {', '.join(CATALOGUE)}"
        elif limit_of(limit) is None:
            yield ["measure", name], f"{limit!r} is no limit; say `at most 1.2` or `at least 3`"
    if isinstance(scenario.seeds, int) and not 1 <= scenario.seeds <= MOST_CASES:
        yield ["seeds"], f"{scenario.seeds} seeds; from 1 to {MOST_CASES}, or a list of seeds"


def _only_words(people: Wanted) -> bool:
    """Whether these people differ from the usual in nothing that hands do."""
    ways = ways_of(people, 1)
    usual = {habit: getattr(USUAL, habit) for habit in OF_WORDS}
    return ways != USUAL == msgspec.structs.replace(ways, **usual)


def _problems_of_step(keys: list[str], step: ScenarioStep) -> Iterator[tuple[list[str], str]]:
    if not step.verb:
        yield keys, f"a step has exactly one verb of {', '.join(v.rstrip('_') for v in VERBS)}"
    if step.fault is not None:
        order = step.fault if isinstance(step.fault, str) else step.fault.words
        try:
            parse_fault(order)
        except BadTwin as problem:
            yield [*keys, "fault"], str(problem)


def _problems_of_expected(
    keys: list[str], expected: Expected, ids: set[str]
) -> Iterator[tuple[list[str], str]]:
    if not expected.what:
        yield keys, "one thing at a time: an event, mqtt, never, truth, or documents"
    if expected.after and expected.after not in ids:
        yield [*keys, "after"], f"no step has the id {expected.after!r}"
    if expected.confidence and limit_of(expected.confidence) is None:
        yield [*keys, "confidence"], "say `at least 0.95`"


def _seeds(scenario: Scenario) -> tuple[int, ...]:
    if isinstance(scenario.seeds, int):
        return tuple(range(1, scenario.seeds + 1))
    return scenario.seeds

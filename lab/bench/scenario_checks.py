"""What a scenario must not say although its types allow it. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from engine.games.registry import DEFAULT_GAME
from hw.errors import BadTwin
from lab.bench.checking import TOPICS
from lab.bench.contract_paths import unknown_event, unknown_path, unknown_topic
from lab.bench.figures import CATALOGUE
from lab.bench.limits import limit_of
from lab.bench.scenario import DETAILS, EVENTS, Expected, Scenario
from lab.bench.scenario_words import suggested
from lab.bench.steps import VERBS, ScenarioStep, Views
from lab.people.ways import OF_WORDS, USUAL, Wanted, ways_of
from lab.twin.fault_words import parse_fault

Keys = list[str]
Problem = tuple[Keys, str]
"""Where, as keys and places of a list, and what to write instead."""


def problems(scenario: Scenario) -> Iterator[Problem]:
    """All that cannot be meant, in the order of the file's parts."""
    if not scenario.steps and scenario.evening is None:
        yield ["steps"], "nothing happens; give steps, or an evening"
    if scenario.evening is None and _only_words(scenario.people):
        yield ["people"], "these habits are of evenings; in a script the steps say what is told"
    ids: set[str] = set()
    for index, step in enumerate(scenario.steps):
        if step.id and step.id in ids:
            yield ["steps", str(index), "id"], f"another step has the id {step.id!r} already"
        ids.add(step.id)
        yield from _of_step(["steps", str(index)], step)
    for index, expected in enumerate(scenario.expect):
        keys = ["expect", str(index)]
        yield from _of_expected(keys, expected, ids)
        yield from _of_event_type(keys, expected, scenario)
    for name, limit in scenario.measure.items():
        if name not in CATALOGUE:
            yield ["measure", name], f"no such measurement{suggested(name, list(CATALOGUE))}"
        elif limit_of(limit) is None:
            yield ["measure", name], f"{limit!r} is no limit; say `at most 1.2` or `at least 3`"


def _only_words(people: Wanted) -> bool:
    """Whether these people differ from the usual in nothing that hands do."""
    ways = ways_of(people, 1)
    usual = {habit: getattr(USUAL, habit) for habit in OF_WORDS}
    return ways != USUAL == msgspec.structs.replace(ways, **usual)


def _of_step(keys: Keys, step: ScenarioStep) -> Iterator[Problem]:
    if not step.verb:
        yield keys, f"a step has exactly one verb of {', '.join(v.rstrip('_') for v in VERBS)}"
    elif getattr(step, step.verb) is False:
        yield [*keys, step.verb.rstrip("_")], _always_yes(step.verb.rstrip("_"))
    if step.fault is not None:
        order = step.fault if isinstance(step.fault, str) else step.fault.words
        try:
            parse_fault(order)
        except BadTwin as problem:
            yield [*keys, "fault"], str(problem)
    if step.check is not None:
        if not _said_of(step.check):
            yield [*keys, "check"], "nothing is looked at; name `scores`, `board`, `state`, ..."
        yield from _of_views([*keys, "check"], step.check)


def _always_yes(key: str) -> str:
    return f"say `{key}: yes`, or leave it out"


def _said_of(views: Views) -> Keys:
    """Which documents are looked at."""
    plain = Views()
    names = Views.__struct_fields__
    return [name for name in names if getattr(views, name) != getattr(plain, name)]


def _of_views(keys: Keys, views: Views) -> Iterator[Problem]:
    for name in (*TOPICS, "reply"):
        yield from _of_paths([*keys, name], name, getattr(views, name))


def _of_paths(keys: Keys, suffix: str, paths: dict[str, Any]) -> Iterator[Problem]:
    for path in paths:
        if wrong := unknown_path(suffix, path, str(paths.get("type"))):
            yield [*keys, path], wrong


def _of_expected(keys: Keys, expected: Expected, ids: Iterable[str]) -> Iterator[Problem]:
    what, views = expected.what, _said_of(expected)
    alone = "one thing at a time: an event, mqtt, never, truth, or documents"
    if not what or (what != "views" and views):
        yield keys, alone
    elif what == "views" and not views:
        yield keys, f"nothing is expected; {alone}"
    elif getattr(expected, what, None) is False:
        yield [*keys, what], _always_yes(what)
    yield from _of_details(keys, expected)
    if expected.after and expected.after not in ids:
        yield [*keys, "after"], f"no step has the id {expected.after!r}"
    if expected.confidence and limit_of(expected.confidence) is None:
        yield [*keys, "confidence"], "say `at least 0.95`"
    yield from _of_messages(keys, expected)
    yield from _of_views(keys, expected)


def _of_details(keys: Keys, expected: Expected) -> Iterator[Problem]:
    plain = Expected()
    for name, owners in DETAILS.items():
        said = getattr(expected, name) != getattr(plain, name)
        if said and expected.what and expected.what not in owners:
            yield [*keys, name], f"this is not of {expected.what}, but of {', '.join(owners)}"
    if expected.times == 0 and expected.what in EVENTS:
        yield [*keys, "times"], f"say `never: {expected.what}`"
    if expected.never in EVENTS and expected.payload:
        instead = f"`{{never: event, payload: {{type: {expected.never}, ...}}}}`"
        yield [*keys, "payload"], f"only messages have one; say {instead}"


def _of_messages(keys: Keys, expected: Expected) -> Iterator[Problem]:
    key = "mqtt" if expected.mqtt is not None else "never"
    suffix = expected.never if expected.mqtt is None else expected.mqtt
    if suffix is None or expected.never in EVENTS:
        return
    if wrong := unknown_topic(suffix, EVENTS if key == "never" else ()):
        yield [*keys, key], wrong
    else:
        yield from _of_paths([*keys, "payload"], suffix, expected.payload)


def _of_event_type(keys: Keys, expected: Expected, scenario: Scenario) -> Iterator[Problem]:
    """A type that no event has; games by hand, which a step may start, have more of them."""
    by_hand = scenario.game is not None and scenario.game.kind != DEFAULT_GAME
    by_hand |= any(step.start is not None or step.command is not None for step in scenario.steps)
    wrong = unknown_event(expected.payload.get("type"))
    if wrong and not by_hand and "event" in (expected.mqtt, expected.never):
        yield [*keys, "payload", "type"], wrong

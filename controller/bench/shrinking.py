"""Shrinks a failure of a soak to the shortest scenario that still fails, and writes it out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.bench.scenario import Case, Scenario


def shrunk(case: Case, breaks: Callable[[Case], bool]) -> Case:
    """The shortest case found that still breaks: fewer steps first, then less time.

    Args:
        case: breaks.
        breaks: says whether a case does, by playing it.
    """
    scenario = case.scenario
    for index in reversed(range(len(scenario.steps))):
        fewer = scenario.steps[:index] + scenario.steps[index + 1 :]
        tried = msgspec.structs.replace(scenario, steps=fewer)
        if breaks(Case(tried, case.seed)):
            scenario = tried
    evening = scenario.evening
    while evening is not None and evening.seconds > 12:
        shorter = msgspec.structs.replace(evening, seconds=evening.seconds / 2)
        tried = msgspec.structs.replace(scenario, evening=shorter)
        if not breaks(Case(tried, case.seed)):
            break
        scenario, evening = tried, shorter
    return Case(scenario, case.seed)


def write(case: Case, folder: Path) -> Path:
    """Write a case as a scenario file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.scenario.name}.yaml"
    path.write_bytes(as_yaml(case.scenario))
    return path


def as_yaml(scenario: Scenario) -> bytes:
    """A scenario as a file, without what it leaves to the defaults."""
    plain = msgspec.to_builtins(scenario)
    usual = msgspec.to_builtins(Scenario(about=""))
    kept = {key: _said(value) for key, value in plain.items() if value != usual[key]}
    return msgspec.yaml.encode(kept)


def _said(value: Any) -> Any:
    """Without the verbs a step does not have."""
    if isinstance(value, dict):
        return {k: _said(v) for k, v in value.items() if v not in (None, "")}
    return [_said(each) for each in value] if isinstance(value, list | tuple) else value

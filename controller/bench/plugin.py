"""The pytest plugin: `topple_bench`, a fixture that plays scenarios in a test.

    def test_my_detector(topple_bench):
        result = topple_bench("place_one", detector=MyDetector)
        assert result.verdict.passed, result.verdict.failures

Registered by its entry point; nothing heavy is imported before a test asks for it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def topple_bench() -> Callable[..., Any]:
    """A function that plays one case and gives its `Result`.

    Its arguments: `scenario`, the name of a shipped scenario, a path, or YAML text with line
    breaks; `detector`, what makes the detector; `target`, `sim` or `lab`; `seed`.
    """
    from controller.bench.running import Result, play  # noqa: PLC0415
    from controller.bench.scenario_files import find, load, read  # noqa: PLC0415
    from controller.bench.verdict import judge  # noqa: PLC0415

    def played(scenario: str | Path, target: Any = "sim", seed: int = 0, **others: Any) -> Result:
        text = str(scenario)
        cases = read(text, "inline", "scenario") if "\n" in text else load(find([text])[0])
        case = next((case for case in cases if case.seed == seed), cases[0])
        run = play(case, target, **others)
        return Result(case, target, run, judge(case, run))

    return played

"""The pytest plugin: `topple_bench`, a fixture that plays scenarios in a test.

    def test_my_detector(topple_bench):
        result = topple_bench("place_one", detector=MyDetector)
        assert result.verdict.passed, result.verdict.failures

Registered by its entry point; nothing heavy is imported before a test asks for it. The ini option
`topple_bench_target` says where scenarios are played when a test does not: `sim`, `lab`, or
`module:attribute` of a board of your own.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TARGET = "topple_bench_target"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The default target."""
    parser.addini(TARGET, "where topple_bench plays: sim, lab or module:attribute", default="sim")


@pytest.fixture
def topple_bench(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """A function that plays one case and gives its `Result`.

    Its arguments: `scenario`, the name of a shipped scenario, a path, or YAML text with line
    breaks; `detector`, what makes the detector; `target`, `sim`, `lab`, or a
    `lab.bench.boards.BoardTarget`; `seed`. A test whose target cannot play the scenario is
    skipped with the reason.
    """
    from controller.common.errors import BadTarget  # noqa: PLC0415
    from lab.bench.boards import board_target, left_out  # noqa: PLC0415
    from lab.bench.running import Result, as_result, play  # noqa: PLC0415
    from lab.bench.scenario_files import find, load, read  # noqa: PLC0415

    def played(scenario: str | Path, target: Any = None, seed: int = 0, **others: Any) -> Result:
        text = str(scenario)
        cases = read(text, "inline", "scenario") if "\n" in text else load(find([text])[0])
        case = next((case for case in cases if case.seed == seed), cases[0])
        where = pytestconfig.getini(TARGET) if target is None else target
        if why := left_out(case.scenario, where):
            pytest.skip(why)
        board = board_target(where)
        try:
            if board is not None:
                board.need()
        except BadTarget as missing:
            pytest.skip(str(missing))
        return as_result(case, where, play(case, where, **others))

    return played

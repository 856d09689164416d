"""A plugin of pytest: runs chosen tests in a chosen order, or finds out which lines each runs.

TOPPLE_CHOSEN names a file with the ids of tests, a line each; only those are run, in that order.
TOPPLE_LINES names a folder, into which every process of pytest-xdist writes what it has measured.
"""

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.mutants.lines import LinesOf, Watch

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


class Measured(msgspec.Struct, frozen=True):
    """What one process has measured.

    Attributes:
        seconds: of the processors for each test that passed, with its fixtures.
        lines: which lines each test has run.
    """

    seconds: dict[str, float]
    lines: LinesOf


_seconds: dict[str, float] = {}
_not_passed: set[str] = set()
_watch = Watch() if WORKER and "TOPPLE_LINES" in os.environ else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only those of the list, in its order."""
    listed = os.environ.get("TOPPLE_CHOSEN")
    if listed:
        order = {name: number for number, name in enumerate(Path(listed).read_text().split("\n"))}
        kept = [item for item in items if item.nodeid in order]
        items[:] = sorted(kept, key=lambda item: order[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """What is run from now on, this test runs, with all its fixtures."""
    if _watch is not None:
        _watch.now(item.nodeid)
    began_s = sum(os.times()[:4])
    result = yield
    _seconds[item.nodeid] = sum(os.times()[:4]) - began_s
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.outcome != "passed":
        _not_passed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    if _watch is not None:
        seconds = {name: s for name, s in _seconds.items() if name not in _not_passed}
        file = Path(os.environ["TOPPLE_LINES"]) / f"{WORKER}.json"
        file.write_bytes(msgspec.json.encode(Measured(seconds, _watch.end())))

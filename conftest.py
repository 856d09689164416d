"""Rules for the whole test run: what is opt-in, and that CI skips nothing.

This file stands at the root, where pytest finds it without help from the import path. Fixtures
live in tests/conftest.py.
"""

import os
from collections.abc import Generator

import hypothesis
import pytest

OPT_IN = {
    "rig": "needs real hardware; see tests/rig",
    "soak": "takes long; run by make soak",
}

# On a small and busy machine a slow example is no fault of the code.
hypothesis.settings.register_profile("table", deadline=None)
# In CI the examples are the same every time, and there is no database to remember failures in.
hypothesis.settings.register_profile("table-ci", deadline=None, derandomize=True, database=None)
# A night's worth: twenty times the usual number of examples.
hypothesis.settings.register_profile("table-soak", deadline=None, max_examples=2000)


def nothing_may_be_skipped() -> bool:
    """True in CI, where everything a test can want is installed or can be."""
    return os.environ.get("CI") == "true"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add one switch for each kind of test that is left out unless asked for."""
    for mark, why in OPT_IN.items():
        parser.addoption(f"--{mark}", action="store_true", help=f"run tests marked {mark} ({why})")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how Hypothesis looks for counter-examples."""
    usual = "table-ci" if nothing_may_be_skipped() else "table"
    hypothesis.settings.load_profile("table-soak" if config.getoption("--soak") else usual)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what must be asked for: it is deselected, not skipped."""
    unwanted = [mark for mark in OPT_IN if not config.getoption(f"--{mark}")]
    left_out = [item for item in items if any(item.get_closest_marker(m) for m in unwanted)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure that carries the reason, when nothing may be skipped."""
    expected_failure = hasattr(report, "wasxfail")
    if report.skipped and not expected_failure and nothing_may_be_skipped():
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where nothing may be: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Apply the rule to each test."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Apply the rule to modules that skip themselves as a whole."""
    report = yield
    _refuse_skip(report)
    return report

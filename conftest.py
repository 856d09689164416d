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
    "slow": "takes more than about a second; run by make test-slow",
    "soak": "takes long, and all slow ones; run by make soak",
    "emulated_pi": "needs an emulated Raspberry Pi; run by make pi",
}

EXAMPLES = {"table": 25, "table-slow": 100, "table-soak": 2000}
"""Examples of each law: in make test, in make test-slow, and a night's worth."""

for profile, count in EXAMPLES.items():
    # On a small and busy machine a slow example is no fault of the code.
    hypothesis.settings.register_profile(profile, deadline=None, max_examples=count)


def nothing_may_be_skipped() -> bool:
    """True in CI, where everything a test can want is installed or can be."""
    return os.environ.get("CI") == "true"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add one switch for each kind of test that is left out unless asked for."""
    for mark, why in OPT_IN.items():
        parser.addoption(f"--{mark}", action="store_true", help=f"run tests marked {mark} ({why})")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how Hypothesis looks for counter-examples."""
    asked_for = [f"table-{mark}" for mark in ("soak", "slow") if config.getoption(f"--{mark}")]
    profile = [*asked_for, "table"][0]
    if nothing_may_be_skipped() and profile != "table-soak":
        # The examples are the same every time, and there is no database to remember failures in.
        hypothesis.settings.register_profile(
            "table-ci", hypothesis.settings.get_profile(profile), derandomize=True, database=None
        )
        profile = "table-ci"
    hypothesis.settings.load_profile(profile)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what must be asked for: it is deselected, not skipped."""
    asked_for = {mark for mark in OPT_IN if config.getoption(f"--{mark}")}
    if "soak" in asked_for:
        asked_for.add("slow")
    unwanted = OPT_IN.keys() - asked_for
    left_out = [item for item in items if any(item.get_closest_marker(m) for m in unwanted)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


MAY_BE_APART = "recordings_apart"
"""Mark of tests that are skipped in CI too: licences, not packages, keep away what they need."""


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure that carries the reason, when nothing may be skipped."""
    expected_failure = hasattr(report, "wasxfail")
    if report.skipped and not expected_failure and nothing_may_be_skipped():
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where nothing may be: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Apply the rule to each test."""
    report = yield
    if not item.get_closest_marker(MAY_BE_APART):
        _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Apply the rule to modules that skip themselves as a whole."""
    report = yield
    _refuse_skip(report)
    return report

"""What belongs to every run and what to a longer one: cases of a list, examples of a law."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def soaked(
    cases: Iterable[Any], *, but: Collection[Any], mark: pytest.MarkDecorator = pytest.mark.soak
) -> list[Any]:
    """Parameters of a test, all of them for a longer run but these.

    Args:
        cases: each parameter of the test, in order.
        but: those that stay in every run; every one of them is among `cases`.
        mark: of the longer run; `slow` for one that CI makes too.
    """
    cases = list(cases)
    assert all(case in cases for case in but), "a case of every run is no case any more"
    return [case if case in but else pytest.param(case, marks=mark) for case in cases]


def examples(usual: int) -> settings:
    """So many examples of a law in CI; in other runs so many fewer or more as all laws have."""
    often = settings().max_examples / settings.get_profile("table-slow").max_examples
    return settings(max_examples=max(1, round(usual * often)))

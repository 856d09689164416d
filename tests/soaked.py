"""What belongs to every run and what to a soak: cases of a long list, examples of a costly law."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def soaked(cases: Iterable[Any], *, but: Collection[Any]) -> list[Any]:
    """Parameters of a test, all of them for a soak but these.

    Args:
        cases: each parameter of the test, in order.
        but: those that stay in every run; every one of them is among `cases`.
    """
    cases = list(cases)
    assert all(case in cases for case in but), "a case of every run is no case any more"
    return [case if case in but else pytest.param(case, marks=pytest.mark.soak) for case in cases]


def examples(usual: int) -> settings:
    """So many examples of a law in an ordinary run; in a soak so many more as all laws have."""
    often = settings().max_examples / settings.get_profile("table").max_examples
    return settings(max_examples=round(usual * max(often, 1)))

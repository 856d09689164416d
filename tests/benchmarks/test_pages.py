from typing import Any

import pytest

from tests.benchmarks.pages import measure
from tests.controller.web.browser import BROWSER_NEEDED

pytestmark = BROWSER_NEEDED


@pytest.fixture
def figures() -> Any:
    return measure(states=5, hours=0.01)


def test_the_way_to_the_screen_and_the_memory_are_measured(figures: Any) -> None:
    _, painted, weighed = figures

    assert painted.n == 5
    assert 0 < painted.p50_ms <= painted.p99_ms <= painted.worst_ms
    assert [weight.messages > 0 for weight in weighed] == [False, True]
    assert all(10 < weight.rss_mb < 500 for weight in weighed)

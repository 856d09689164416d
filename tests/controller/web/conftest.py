"""One browser for each file of tests of pages; two at a time cannot be."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.controller.web.browser import Evening


@pytest.fixture(scope="module")
def house(wait_until: Any) -> Iterator[Evening]:
    """Broker, scoreboard and browser, for the tests of one file."""
    made = Evening()
    wait_until(lambda: made.table.connection.up, "the table's connection")
    yield made
    made.close()


@pytest.fixture
def evening(house: Evening) -> Iterator[Evening]:
    """The same, with all pages closed afterwards."""
    yield house
    for context in house.chromium.contexts:
        context.close()

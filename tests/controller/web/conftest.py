"""Broker and scoreboard for each file of tests of pages, in the browser of all."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.controller.web.browser import Evening


@pytest.fixture(scope="module")
def house(chromium: Any, wait_until: Any) -> Iterator[Evening]:
    """Broker and scoreboard, for the tests of one file."""
    made = Evening(chromium)
    wait_until(lambda: made.table.connection.up, "the table's connection")
    wait_until(lambda: made.server._mirror.broker.up, "the scoreboard's connection")
    yield made
    made.close()


@pytest.fixture
def evening(house: Evening) -> Iterator[Evening]:
    """The same, with all pages closed afterwards."""
    yield house
    for context in house.chromium.contexts:
        context.close()

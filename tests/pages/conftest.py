"""Broker and scoreboard for each file of tests of pages, in the browser of all.

The other brokers, and the judge of every message, are those of the controller's tests.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.controller.conftest import (
    broker,
    contract_kept,
    embedded_broker,
    fifth_game,
    free_port_fixture,
    guarded_broker,
    guarded_mosquitto,
    wait_until_fixture,
)
from tests.pages.browser import Evening

__all__ = [
    "broker",
    "contract_kept",
    "embedded_broker",
    "fifth_game",
    "free_port_fixture",
    "guarded_broker",
    "guarded_mosquitto",
    "wait_until_fixture",
]


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

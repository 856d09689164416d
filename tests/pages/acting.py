"""A scoreboard whose own screen and phones act on documents made by hand; no table answers."""

import json
import time
import urllib.request
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec
import pytest

from controller.mqtt.client import BrokerAddress, Message, Mqtt
from engine.scoreboard import Scoreboard
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.pages.browser import Evening, wait_for_rev

REVS = count(100)
"""Documents of one evening, each newer than the one before."""


class Acting(Evening):
    """An evening whose own screen may act; what it asks of the table is kept."""

    def __init__(self, chromium: Any) -> None:
        super().__init__(chromium, phones="screen")
        self.rev = 0
        self.said: list[tuple[str, dict[str, Any]]] = []
        broker = self.table._address  # the one that the table itself uses
        assert isinstance(broker, BrokerAddress)
        self._ear = Mqtt(broker, "ear", subscriptions=("topple/1/t1/cmd/+",))
        self._ear.on_message(self._hear)
        self._ear.start()

    def _hear(self, message: Message) -> None:
        # One that nobody answers is said twice.
        command = json.loads(message.payload)
        if command["rev"] == self.rev:
            self.said.append((message.topic.rsplit("/", 1)[1], command["data"]))

    def on_screen(self, board: Scoreboard) -> Any:
        """A page of the table's own screen with that document."""
        rev = self.rev = next(REVS)
        self.said.clear()
        self.show(msgspec.structs.replace(board, rev=rev, seq=rev))
        token = self.server.screen_url().partition("?")[2]
        page = self.open(path=f"t/t1?{token}")
        wait_for_rev(page, rev)
        return page

    def on_phone(self, board: Scoreboard, **look: Any) -> Any:
        """A phone that has joined and speaks for all, with that document."""
        rev = self.rev = next(REVS)
        self.said.clear()
        self.show(msgspec.structs.replace(board, rev=rev, seq=rev))
        page = self.open(path="t/t1/play", size="390x844", **look)
        page.locator("[data-panel=join]").wait_for()
        page.keyboard.type(self._pin())
        if board.phase != "over":
            page.locator("[data-panel=seat] .big").last.click()
        wait_for_rev(page, rev)
        return page

    def _pin(self) -> str:
        token = self.server.screen_url().partition("?")[2]
        url = f"{self.server.url}t/t1/play/invite?{token}"
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own
            return str(json.loads(answer.read())["pin"])

    def heard(self) -> tuple[str, dict[str, Any]]:
        until_s = time.monotonic() + PATIENCE_S
        while not self.said:
            assert time.monotonic() < until_s, "nothing was asked of the table"
            time.sleep(0.02)
        return self.said[0]

    def close(self) -> None:
        self._ear.stop()
        super().close()


@pytest.fixture(scope="module")
def wall(chromium: Any) -> Iterator[Acting]:
    made = Acting(chromium)
    wait_until(lambda: made.table.connection.up and made._ear.connection.up, "both connections")
    yield made
    made.close()


@pytest.fixture
def screen(wall: Acting) -> Iterator[Acting]:
    yield wall
    for context in wall.chromium.contexts:
        context.close()


def animations(page: Any, where: str) -> list[str]:
    found: list[str] = page.evaluate(
        "(where) => [...document.querySelectorAll(where)].flatMap((node) => "
        "node.getAnimations().map((each) => each.animationName))",
        where,
    )
    return found

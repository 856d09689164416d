"""A home with a broker, a running table, a scoreboard for phones, and a browser.

The big screen opens the pages by this machine's own address; phones by a name, as in a network.
Run with TOPPLE_SCREENSHOTS=DIR to keep the pictures.
"""

import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pages.phone.play import SILENT
from pages.server import ScoreboardServer
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.pages.running import RunningTable

EVERYBODY = "One phone for all of us"


class Home:
    """Broker, table, scoreboard and browser."""

    def __init__(self, broker: Any, chromium: Any, folder: Path) -> None:
        self.chromium = chromium
        self.broker = broker
        self.journal = folder / "games.journal"
        self.table = RunningTable(broker.address("table"), self.journal)
        self.server = ScoreboardServer(
            broker.address("controller"), port=0, phones="screen", names=("tower.local",)
        )
        self.server.start()

    @property
    def phone_url(self) -> str:
        return f"http://tower.local:{self.server.port}/t/t1/play"

    def pin(self) -> str:
        """As the big screen shows it."""
        url = f"{self.server.url}t/t1/play/invite?{self.server.screen_url().partition('?')[2]}"
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own
            return str(json.loads(answer.read())["pin"])

    def can_act(self) -> bool:
        """Whether the scoreboard has heard that the table is online."""
        return not {*SILENT} & {*self.server._mirror.notices("t1", time.monotonic())}

    def page(
        self, size: tuple[int, int] = (390, 844), scheme: str = "dark", lang: str = "en-GB"
    ) -> Any:
        context = self.chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce",
            color_scheme=scheme, has_touch=True, locale=lang,
        )  # fmt: skip
        # Also for pages that a test opens beside this one.
        context.set_default_timeout(1000 * PATIENCE_S)
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        return page

    def joined(self, seat: str | None = None, **look: Any) -> Any:
        """A phone that has scanned the QR code, and taken a seat if a game is on."""
        page = self.page(**look)
        page.goto(f"{self.phone_url}#{self.pin()}")
        page.wait_for_selector(f"[data-panel={'start' if seat is None else 'seat'}]")
        if seat is not None:
            tap(page, seat)
        return page

    def everybody(self, **look: Any) -> Any:
        """A phone that has begun a game of Topple and speaks for all."""
        page = self.joined(**look)
        start_topple(page)
        tap(page, EVERYBODY)
        return page

    def restart(self, *phones: Any) -> None:
        """The table alone: these phones, which have seen it go, and the scoreboard stay."""
        self.table.stop()
        for phone in phones:
            # A phone that still shows the table of before would act on that.
            phone.wait_for_selector("body.asleep")
        self.table = RunningTable(self.broker.address("table"), self.journal, "boot-2")

    def close(self) -> None:
        for context in self.chromium.contexts:
            context.close()
        self.server.stop()
        self.table.stop()


@pytest.fixture
def home(guarded_mosquitto: Any, chromium: Any, tmp_path: Path) -> Iterator[Home]:
    """All of it, fresh for each test; the browser stays."""
    made = Home(guarded_mosquitto, chromium, tmp_path)
    wait_until(lambda: "t1" in made.server._mirror.tables, "the table to be heard")
    wait_until(made.can_act, "the table to be online")
    yield made
    made.close()


def tap(page: Any, name: str) -> None:
    page.locator(f'[data-name="{name}"]:not([aria-disabled=true])').first.click()


def panel(page: Any, name: str) -> None:
    page.wait_for_selector(f"[data-panel={name}]")


def picture(page: Any, name: str) -> None:
    folder = os.environ.get("TOPPLE_SCREENSHOTS")
    if folder:
        page.wait_for_timeout(100)
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def start_topple(page: Any, names: tuple[str, ...] = ("Ann", "Bob"), go: str = "Start") -> None:
    for seat, name in enumerate(names):
        page.locator(f"[data-name=name-{seat}]").fill(name)
    tap(page, go)


def start(page: Any, game: str, names: tuple[str, ...] = ("Ann", "Bob")) -> None:
    tap(page, game)
    start_topple(page, names)


def until(page: Any, true: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end_s
        page.wait_for_timeout(20)


def shown_rev(page: Any) -> int:
    """Revision of the document that a phone shows."""
    return int(page.locator("body").get_attribute("data-rev") or -1)

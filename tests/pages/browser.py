"""A broker, a table that publishes what it is told, the scoreboard and Debian's Chromium."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe

from controller.mqtt import topics
from controller.mqtt.broker import EmbeddedBroker
from controller.mqtt.client import BrokerAddress, Mqtt
from pages.health.support import SupportDesk
from pages.phone.play import Shown
from pages.server import ScoreboardServer
from tests.controller.conftest import CHROMIUM, PATIENCE_S

BROWSER = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (apt-get install chromium)")

BROWSER_NEEDED = [BROWSER, pytest.mark.slow]
"""For most files: the scoreboard and the phones are enough in every run."""

SIZES = {"1920x1080": (1920, 1080), "1280x800": (1280, 800), "1280x720": (1280, 720),
         "800x480": (800, 480), "800x1280": (800, 1280), "390x844": (390, 844)}  # fmt: skip
"""A television, screens of a computer, a small screen on the table, a tablet upright, a phone."""

PICTURES = Path(
    os.environ.get("TOPPLE_SCREENSHOTS", Path(__file__).parents[2] / "test-output" / "pages")
)
"""Kept after the tests, to be looked at."""


class Evening:
    """A broker, a table that publishes what it is told, a scoreboard and a browser."""

    def __init__(self, chromium: Any, phones: Shown = "off", callers: Path | None = None) -> None:
        self.retained: dict[str, Any] = {}
        self._broker = EmbeddedBroker(0)
        address = BrokerAddress("127.0.0.1", self._broker.start())
        self.table = Mqtt(address, "table", birth=self._retained)
        self.table.start()
        self.server = ScoreboardServer(
            address, port=0, support=SupportDesk("well"), phones=phones, callers=callers
        )
        self.server.start()
        self.chromium = chromium

    def _retained(self) -> list[Any]:
        return list(self.retained.values())

    def say(self, publication: Any) -> None:
        self.retained[publication.topic] = publication
        self.table.publish(publication)

    def show(self, board: Any, table: str = "t1") -> None:
        self.say(topics.availability(table, online=True))
        self.say(topics.state(msgspec.structs.replace(board, table=table)))

    def open(
        self,
        table: str = "t1",
        size: str = "1280x720",
        motion: str = "reduce",
        *,
        path: str | None = None,
        before: str = "",
        **context: Any,
    ) -> Any:
        """A page; the script `before` runs ahead of its own."""
        width, height = SIZES[size]
        page = self.chromium.new_context(
            viewport={"width": width, "height": height}, reduced_motion=motion, **context
        ).new_page()
        # A busy machine takes its time over a large picture; the limit only bounds a failure.
        page.set_default_timeout(1000 * PATIENCE_S)
        page.complaints = []
        page.on("console", lambda said: page.complaints.append(said.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.add_init_script(before)
        page.goto(f"{self.server.url}t/{table}" if path is None else self.server.url + path)
        return page

    def shown(self, board: Any, table: str = "t1", **look: Any) -> Any:
        """A page that shows this document of a table; `look` as for `open`."""
        self.show(board, table)
        page = self.open(table, **look)
        wait_for_rev(page, board.rev)
        return page

    def lose_the_broker(self) -> None:
        self._broker.stop()

    def close(self) -> None:
        self.server.stop()
        self.table.stop()
        self._broker.stop()


@contextlib.contextmanager
def opened(chromium: Any, url: str, **look: Any) -> Iterator[Any]:
    """A page of its own, as long as the block lasts."""
    context = chromium.new_context(**look)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    try:
        page.goto(url)
        yield page
    finally:
        context.close()


TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def each_size(page: Any) -> Iterator[tuple[int, int]]:
    """Width and height of every screen; the page has fitted its texts to it."""
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(TWO_FRAMES)
        yield width, height


def keep_pictures(page: Any, name: str, *, whole: bool = False) -> Iterator[Path]:
    """The page at every size, one after the other; each picture when it is made.

    Args:
        page: opened.
        name: of the files, before the size.
        whole: all of a page that is longer than the screen.
    """
    PICTURES.mkdir(parents=True, exist_ok=True)
    for size, _ in zip(SIZES, each_size(page), strict=True):
        path = PICTURES / f"{name}-{size}.png"
        page.screenshot(path=path, animations="disabled", full_page=whole)
        yield path


def cut_tables(page: Any) -> list[str]:
    """Tables that are wider than their panel, so that somebody must know to scroll."""
    found: list[str] = page.evaluate("""
        () => [...document.querySelectorAll(".scroll")]
          .filter((node) => node.scrollWidth > node.clientWidth + 4) // a gap is no figure
          .map((node) => node.closest("section").querySelector("h2").textContent)
    """)
    return found


def axe_findings(page: Any) -> list[str]:
    """What axe-core finds, be it minor, by rule and place."""
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in Axe().run(page).response["violations"]
        for node in one["nodes"]
    ]


def wait_for_rev(page: Any, rev: int) -> None:
    page.wait_for_selector(f"body[data-rev='{rev}']")


def wait_until(page: Any, expression: str) -> None:
    """Until the page says so. Its own policy forbids `wait_for_function`, which uses eval."""
    until_s = time.monotonic() + PATIENCE_S
    while not page.evaluate(expression):
        assert time.monotonic() < until_s, f"never became true: {expression}"
        page.wait_for_timeout(20)

"""How fast a score is on the screen, and whether a scoreboard grows.

Run it with `python -m tests.benchmarks.pages`.

A real Mosquitto, `topple-table scoreboard` as a process of its own, and Debian's Chromium. Painted
means: the frame that shows the new state was handed to the screen. Table and browser are on one
machine and share its clock.

Memory: an evening's messages (state, health, trace at its fastest) are sent as fast as they are
taken, with so many streams being read, and the process is weighed after each simulated hour. The
next 50 streams come and go between two hours, as people do who look in. `--hours 12 --states 0`
shows where it levels off.
"""

import argparse
import contextlib
import json
import re
import select
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
import pytest

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Mqtt
from tests.benchmarks.mqtt_equipment import mosquitto
from tests.controller.conftest import CHROMIUM, wait_until
from tests.pages.scenes import scene, trace, vitals

GOAL_P99_MS = 100.0
BATCH = 200
"""Messages between two looks whether the scoreboard has caught up."""

PER_HOUR = {"trace": 36_000, "health": 360, "state": 1_200}
"""Trace at its fastest, health every ten seconds, a change every three."""

WATCH = """() => {
    window.painted = {};
    const note = () => {
        const rev = document.body.dataset.rev;
        // After the next frame has been handed over, not before it is drawn.
        requestAnimationFrame(() => setTimeout(() => { window.painted[rev] ??= Date.now(); }));
    };
    new MutationObserver(note).observe(document.body, { attributeFilter: ["data-rev"] });
}"""


class Painted(NamedTuple):
    """From publishing a state to its picture, in milliseconds."""

    n: int
    p50_ms: float
    p99_ms: float
    worst_ms: float


class Weight(NamedTuple):
    """The scoreboard process after so many simulated hours."""

    hours: float
    messages: int
    rss_mb: float


class Board:
    """`topple-table scoreboard` as a process, and a table that publishes to it."""

    def __init__(self, address: BrokerAddress, streams: int = 1) -> None:
        self._streams = streams
        self.process = subprocess.Popen(
            [sys.executable, "-m", "controller.cli", "scoreboard", "--broker", str(address),
             "--port", "0"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.table = Mqtt(address, "table", quiet=True)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        self.url = self._url()
        self.table.start()
        wait_until(lambda: self.table.connection.up, "the connection to the broker")
        self.rev = 0
        self.seen = 0
        self.table.publish(topics.availability("t1", online=True))
        self.change()
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: self.seen == self.rev, "the first state")
        self._open = [self._opened() for _ in range(self._streams - 1)]
        threading.Thread(target=self._drain, daemon=True).start()

    def _opened(self) -> socket.socket:
        where = urlsplit(self.url)
        stream = socket.create_connection((str(where.hostname), int(where.port or 80)))
        stream.sendall(b"GET /t/t1/stream HTTP/1.1\r\nhost: a\r\n\r\n")
        stream.setblocking(False)
        return stream

    def come_and_go(self, count: int) -> None:
        """So many more look in for a moment."""
        for stream in [self._opened() for _ in range(count)]:
            stream.close()

    def _drain(self) -> None:
        """Read what the other streams are sent, and forget it."""
        while self.process.poll() is None:
            for stream in select.select(self._open, [], [], 0.5)[0]:
                with contextlib.suppress(OSError):
                    stream.recv(1 << 18)

    def _url(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+/", line):
                return found[0]
        raise RuntimeError("the scoreboard did not start")

    def change(self) -> int:
        """Publish a state with the next revision."""
        self.rev += 1
        players = tuple(
            msgspec.structs.replace(player, score=(self.rev * 7 + seat) % 100)
            for seat, player in enumerate(scene(4).players)
        )
        board = msgspec.structs.replace(scene(4), rev=self.rev, seq=self.rev, players=players)
        self.table.publish(topics.state(board))
        return self.rev

    def _read(self) -> None:
        """A stream read to its end, as a browser's would be."""
        with (
            contextlib.suppress(OSError),
            urllib.request.urlopen(f"{self.url}t/t1/stream") as stream,  # noqa: S310 - our own
        ):
            for line in stream:
                if line.startswith(b"data: ") and b'"rev":' in line:
                    self.seen = int(re.findall(rb'"rev":(\d+)', line)[0])

    def caught_up(self) -> None:
        """Wait until the scoreboard has shown the newest state."""
        newest = self.change()
        wait_until(lambda: self.seen >= newest, "the scoreboard to catch up")

    def rss_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024

    def close(self) -> None:
        self.table.stop()
        self.process.terminate()
        self.process.wait(10)


def painting(board: Board, states: int, every_s: float = 0.2) -> Painted:
    """Publish states one after the other and look when each is on the screen."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{board.url}t/t1")
        page.wait_for_selector("body[data-rev]")
        page.evaluate(WATCH)
        sent_ms: dict[int, float] = {}
        for _ in range(states):
            sent_ms[board.rev + 1] = time.time() * 1000
            board.change()
            page.wait_for_timeout(every_s * 1000)
        page.wait_for_timeout(1000)
        painted = {int(rev): at for rev, at in page.evaluate("window.painted").items()}
        browser.close()
    found = sorted(painted[rev] - sent for rev, sent in sent_ms.items() if rev in painted)
    return Painted(len(found), statistics.median(found), found[int(0.99 * len(found))], found[-1])


def weights(board: Board, hours: float) -> Iterator[Weight]:
    """The process before, and after each simulated hour of messages."""
    messages = 0
    yield Weight(0.0, messages, board.rss_mb())
    for hour in range(1, max(1, round(hours)) + 1):
        share = min(1.0, hours)
        total = {name: max(1, round(count * share)) for name, count in PER_HOUR.items()}
        for number in range(total["trace"]):
            board.table.publish(topics.trace("t1", trace(number * 0.1, time.time())))
            if number % (PER_HOUR["trace"] // PER_HOUR["health"]) == 0:
                board.table.publish(topics.health("t1", vitals(t_s=float(number))))
            if number % (PER_HOUR["trace"] // PER_HOUR["state"]) == 0:
                board.change()
            if number % BATCH == 0:
                board.caught_up()
        board.caught_up()
        messages += sum(total.values())
        board.come_and_go(50)
        yield Weight(hour * share, messages, board.rss_mb())


def measure(states: int, hours: float, streams: int = 1) -> tuple[Painted | None, list[Weight]]:
    """All figures: the way to the screen, the memory."""
    with mosquitto() as broker:
        board = Board(BrokerAddress(port=broker.port), streams)
        try:
            painted = painting(board, states) if states else None
            return painted, list(weights(board, hours))
        finally:
            board.close()


def main() -> int:
    """Measure and print, a line of JSON for each figure; the exit code is 2 without a broker."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--states", type=int, default=500, help="states to be painted")
    parser.add_argument("--hours", type=float, default=4, help="simulated hours of messages")
    parser.add_argument("--streams", type=int, default=50, help="streams that are read meanwhile")
    arguments = parser.parse_args()
    try:
        painted, weighed = measure(arguments.states, arguments.hours, arguments.streams)
    except pytest.skip.Exception as error:
        print(f"pages: {error}", file=sys.stderr)
        return 2
    if painted is not None:
        print(json.dumps(painted._asdict() | {"goal_p99_ms": GOAL_P99_MS}))
    for weight in weighed:
        print(json.dumps(weight._asdict()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

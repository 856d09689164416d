"""What a browser has to carry: `python -m tests.benchmarks.browser [--hours 4] [--speed 20]`.

Weight: what each page loads the first time, in requests and kilobytes as they are on the line, the
stream's first seconds among them. First card: from asking for the scoreboard, and for the phone
page of somebody who has scanned the code, until it shows something of the game, on a line of
400 kbit/s and 400 ms.
Frames: the scoreboard at the size of the Pi's touch display, the browser's processor slowed four
times and without a graphics card, while the demo is played in real time. Memory: the scoreboard and
a phone, open over hours of table time of the demo, several times as fast as people play; after each
tenth of it the heap of the scripts, the elements and the listeners, garbage collected first.
"""

import argparse
import contextlib
import json
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from playwright.sync_api import sync_playwright

from tests.controller.conftest import CHROMIUM
from tests.pages.line import SLOW, Line
from tests.ports import free_port

TOUCH_DISPLAY = {"width": 800, "height": 480}
PHONE = {"width": 390, "height": 844}
SLOWER = 4
PAGES = ("", "t/demo", "t/demo/play", "t/demo/try", "t/demo/evening", "t/demo/health", "rules")

FRAMES = """(seconds) => new Promise((done) => {
    const times = [];
    const frame = (now) => {
        times.push(now);
        if (now - times[0] < 1000 * seconds) requestAnimationFrame(frame);
        else done(times.slice(1).map((time, at) => time - times[at]));
    };
    requestAnimationFrame(frame);
})"""


class Weight(NamedTuple):
    """What a page loads the first time."""

    page: str
    requests: int
    kilobytes: float


class FirstCard(NamedTuple):
    """How long a page takes to show something of a game on a slow line."""

    page: str
    first_card_s: float


class Frames(NamedTuple):
    """Pictures a second while the game runs."""

    seconds: float
    mean_hz: float
    p95_ms: float
    worst_ms: float


class Memory(NamedTuple):
    """A page after so many hours of table time."""

    hours: float
    heap_mb: float
    nodes: int
    listeners: int


@contextlib.contextmanager
def demo(speed: float) -> Iterator[tuple[str, str]]:
    """The demo as a process: address of its pages, and its PIN."""
    process = subprocess.Popen(
        [sys.executable, "-m", "controller.cli", "demo", "--speed", str(speed), "--web-port",
         str(free_port())],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    text = ""
    while not ("Play:" in text and "PIN" in text):
        text += process.stdout.readline()
    # Nobody reads on: what it prints must not fill the pipe.
    drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
    try:
        address = re.search(r"Play:\s+(\S+)t/demo/try", text)
        pin = re.search(r"PIN (\d+) (\d+)", text)
        assert address is not None
        assert pin is not None
        yield address[1], pin[1] + pin[2]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        drain.wait(30)


def weights(browser: Any, url: str) -> list[Weight]:
    """Each page in a browser that has nothing yet."""
    found = []
    for path in PAGES:
        context = browser.new_context()
        page = context.new_page()
        line = Line(page)
        page.goto(url + path)
        page.wait_for_timeout(2000)
        found.append(Weight(f"/{path}", line.requests, round(line.carried_bytes / 1000, 1)))
        context.close()
    return found


def first_cards(browser: Any, url: str, pin: str, times: int) -> list[FirstCard]:
    """Each time in a browser that has nothing yet, on a slow line."""
    found = []
    for name, path, sign in (
        ("scoreboard", "t/demo", ".card .digits"), ("phone", f"t/demo/play#{pin}", "[data-panel]")
    ):  # fmt: skip
        for _ in range(times):
            context = browser.new_context()
            page = context.new_page()
            Line(page, SLOW)
            began_s = time.monotonic()
            page.goto(url + path, wait_until="commit")
            page.wait_for_selector(sign)
            found.append(FirstCard(name, round(time.monotonic() - began_s, 2)))
            context.close()
    return found


def frames(browser: Any, url: str, seconds: float) -> Frames:
    """The scoreboard on a slow machine."""
    page = browser.new_context(viewport=TOUCH_DISPLAY, reduced_motion="no-preference").new_page()
    page.goto(f"{url}t/demo")
    page.wait_for_selector("body[data-rev]")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    gaps = sorted(page.evaluate(FRAMES, seconds))
    page.context.close()
    mean_hz = 1000 / statistics.fmean(gaps)
    p95_ms = gaps[int(0.95 * len(gaps))]
    return Frames(seconds, round(mean_hz, 1), round(p95_ms, 1), round(gaps[-1], 1))


def memory(browser: Any, url: str, pin: str, hours: float, speed: float) -> dict[str, list[Memory]]:
    """Both pages over an evening."""
    pages = {}
    for name, path, size in (
        ("scoreboard", "t/demo", TOUCH_DISPLAY), ("phone", f"t/demo/play#{pin}", PHONE)
    ):  # fmt: skip
        page = browser.new_context(viewport=size, reduced_motion="no-preference").new_page()
        page.goto(url + path)
        pages[name] = (page, page.context.new_cdp_session(page))
    found: dict[str, list[Memory]] = {name: [] for name in pages}
    began_s = time.monotonic()
    for tenth in range(1, 11):
        until_s = began_s + tenth / 10 * hours * 3600 / speed
        while time.monotonic() < until_s:
            for page, _ in pages.values():
                page.wait_for_timeout(500)
        for name, (_, session) in pages.items():
            found[name].append(_memory(session, tenth / 10 * hours))
    return found


def _memory(session: Any, hours: float) -> Memory:
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]
    counted = session.send("Memory.getDOMCounters")
    return Memory(
        round(hours, 2), round(heap / 1e6, 2), counted["nodes"], counted["jsEventListeners"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=4.0, help="of table time (4)")
    parser.add_argument("--speed", type=float, default=20.0, help="of the demo for them (20)")
    parser.add_argument("--cards", type=int, default=5, help="times to wait for the first (5)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of frames (60)")
    asked = parser.parse_args()
    with sync_playwright() as playing:
        browser = playing.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with demo(1.0) as (url, pin):
            for weight in weights(browser, url):
                print(json.dumps(weight._asdict()))
            for card in first_cards(browser, url, pin, asked.cards):
                print(json.dumps(card._asdict()))
            print(json.dumps(frames(browser, url, asked.seconds)._asdict()), flush=True)
        with demo(asked.speed) as (url, pin):
            for name, told in memory(browser, url, pin, asked.hours, asked.speed).items():
                for one in told:
                    print(json.dumps({"page": name, **one._asdict()}))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

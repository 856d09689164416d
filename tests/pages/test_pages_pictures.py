"""Every page looks as it did: pictures of each at four sizes (see tests/pages/picture_check.py).

Who has changed a page on purpose says `make pictures` and looks at what it writes.
"""

import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.mqtt import topics
from engine.results import Results
from tests.controller.conftest import PATIENCE_S, wait_until
from tests.pages.browser import BROWSER_NEEDED, PICTURES, SIZES, TWO_FRAMES
from tests.pages.picture_check import KEPT, NEW, TOLERATED, complaint, reduced, unlike
from tests.pages.scenes import SCENES, asked, over, scene, toppled, vitals
from tests.pages.test_pages_evening import played
from tests.pages.test_pages_past import Season, season

pytestmark = BROWSER_NEEDED

LOOKED_AT = ("390x844", "800x1280", "1280x800", "1920x1080")
MOST_BYTES = 1_500_000
GUIDE = Path(__file__).parents[2] / "docs" / "img" / "scoreboard.png"
BOARDS = {
    "four": scene(4), "asked": asked(3), "fell": toppled(2), "won": over(2),
    "topolo": SCENES["topolo"], "cube": SCENES["cube"], "topominos": SCENES["topominos"],
}  # fmt: skip


class Gallery(Season):
    """Tables in all states, one of them with games of months and one that can be opened."""

    game_id = ""


@pytest.fixture(scope="module")
def house(chromium: Any) -> Iterator[Gallery]:
    made = Gallery(chromium)
    for table, board in BOARDS.items():
        made.show(board, table)
    made.show(scene(2, phase="over", turn=None, winners=("Ada",)), "ended")
    made.say(topics.results(Results("ended", "boot-1", played())))
    made.say(topics.health("four", vitals()))
    made.game_id = made.keep("topple").game
    made.past(*season())
    wait_until(lambda: len(made.server._mirror.tables) > len(BOARDS), "the tables")
    yield made
    made.close()


@pytest.fixture
def evening(house: Gallery) -> Iterator[Gallery]:
    """The same, with news of each table: one that is silent for a while looks otherwise."""
    for publication in house._retained():
        house.table.publish(publication)
    wait_until(lambda: not silent(house), "news of all tables")
    yield house
    for context in house.chromium.contexts:
        context.close()


def silent(evening: Gallery) -> bool:
    mirror, now_s = evening.server._mirror, time.monotonic()
    return any("stale" in mirror.notices(table, now_s) for table in mirror.tables)


def joined(page: Any, evening: Gallery) -> None:
    token = evening.server.screen_url().partition("?")[2]
    url = f"{evening.server.url}t/four/play/invite?{token}"
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own
        pin = str(json.loads(answer.read())["pin"])
    page.locator("[data-panel=join]").wait_for()
    page.keyboard.type(pin)
    page.locator("[data-panel=seat] .big").last.click()
    page.wait_for_selector("[data-panel=turn] .tower-board")


def without_samples(page: Any, _: Gallery) -> None:
    """The page says so after five seconds: then it stays as it is."""
    page.get_by_text("No samples are coming in").wait_for()


# What stands on a scoreboard last: the way to a phone comes by a request of its own.
BOARD_READY = "body[data-rev]:has(.card) .invite-chip"
# Path, what stands on the page when it is all there, and what a person does first.
PAGES: dict[str, tuple[str, str, Callable[[Any, Gallery], None] | None]] = {
    **{f"table-{name}": (f"t/{name}", BOARD_READY, None) for name in BOARDS},
    "tables": ("", "a[href^='/t/topolo']", None),
    "phone-join": ("t/four/play", "[data-panel=join] .keys", None),
    "phone-turn": ("t/four/play", "[data-panel=join] .keys", joined),
    "health": ("t/four/health", "body[data-ready=true]", without_samples),
    "evening": ("t/ended/evening", "#share:not([hidden])", None),
    "past": ("t/t1/past", "body[data-ready]", None),
    "game": ("t/t1/game?id={game}", "#moves [aria-current]", None),
    "rules": ("rules", "h2", None),
    "sounds": ("sounds", "body[data-callers][data-ready]", None),
    "overlay": ("t/four/overlay", ".card", None),
    "not-found": ("nowhere", "h1", None),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_looks_as_it_did(evening: Gallery, name: str) -> None:
    path, ready, first = PAGES[name]
    page = at(evening, path)
    page.wait_for_selector(ready)
    if first is not None:
        first(page, evening)
    found = [said for size in LOOKED_AT if (said := looks(page, f"{name}-{size}", size))]
    assert not found, "\n".join(found)


# Answers come late here, so that a picture that is taken too early is always another one.
LATE = """
    const soon = fetch;
    globalThis.fetch = async (...asked) => {
        await new Promise((done) => setTimeout(done, 300));
        return soon(...asked);
    };
"""
WHERE = {"timezone_id": "UTC", "locale": "en-GB", "color_scheme": "dark", "before": LATE}


def at(evening: Gallery, path: str) -> Any:
    """A page without motion, in a place where it is always the same time."""
    return evening.open(path=path.format(game=evening.game_id), **WHERE)


def looks(page: Any, name: str, size: str) -> str | None:
    """What is wrong with the page at this size."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("document.fonts.ready")
    page.evaluate(TWO_FRAMES)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        return f"{name}: the page is {wide} pixels wide"
    return complaint(name, page.screenshot(animations="disabled", caret="hide"), PICTURES)


def test_the_scoreboard_in_the_guide_is_that_of_today(evening: Gallery) -> None:
    evening.show(scene(3), "guide")
    page = evening.open("guide", **WHERE)
    page.wait_for_selector(BOARD_READY)
    page.evaluate("document.fonts.ready")
    seen = page.screenshot(animations="disabled")
    if os.environ.get(NEW):
        GUIDE.write_bytes(seen)

    differ = unlike(reduced(seen), reduced(GUIDE.read_bytes()))
    assert differ.mean() <= TOLERATED


PLANTED = {
    "a card wider than its container": ".card { width: 140% !important }",
    "a score that has gone": ".digits { visibility: hidden }",
    "a ticker over the tower": "#ticker { position: fixed; top: 40%; left: 20% }",
    "another theme": "body { background: #fff !important }",
}
SAME = {
    "all a pixel further": ".players, #stage, #ticker { translate: 1px 1px }",
    "letters drawn otherwise": "body { -webkit-text-stroke: .25px }",
}


@pytest.mark.skipif(bool(os.environ.get(NEW)), reason="pictures are made anew")
@pytest.mark.parametrize("fault", [*PLANTED, *SAME])
def test_a_planted_fault_is_seen_and_other_letters_are_none(evening: Gallery, fault: str) -> None:
    page = at(evening, "t/four")
    page.wait_for_selector(BOARD_READY)
    page.evaluate(
        """css => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        document.adoptedStyleSheets = [sheet];
    }""",
        (PLANTED | SAME)[fault],
    )
    found = [said for size in LOOKED_AT if (said := looks(page, f"table-four-{size}", size))]

    assert bool(found) == (fault in PLANTED), found


def test_kept_pictures_are_small_and_each_is_of_a_page() -> None:
    kept = {path.stem: path.stat().st_size for path in KEPT.glob("*.webp")}

    assert set(kept) == {f"{name}-{size}" for name in PAGES for size in LOOKED_AT}
    assert sum(kept.values()) <= MOST_BYTES

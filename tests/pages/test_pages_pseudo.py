"""A fourth language is one file: with it no page shows a word of another, and all still fit."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from controller.mqtt.topics import SensorTrouble, TableStatus
from engine.troubles import CELL_NO_VALUES
from pages import files
from tests.pages.acting import Acting, screen, wall
from tests.pages.browser import BROWSER_NEEDED, Evening, each_size, wait_for_rev
from tests.pages.everything import EVERYTHING
from tests.pages.pseudo_language import TAG, write
from tests.pages.scenes import (
    SCENES,
    asked,
    blamed,
    doubted,
    over,
    scene,
    toppled,
    turn_asked,
)

pytestmark = BROWSER_NEEDED
__all__ = ["screen", "wall"]  # fixtures

PEOPLE = {"Ada", "Ann", "Bob", "Chidi", "Wilhelmina"}
TABLES = {"ill", "pseudo"}
UNITS = {"Hz", "ms", "min", "ppm"}
GAMES_AND_CHIPS = {"Topple", "Table", "Topolo", "Topominos", "Triple", "Topper", "Toe", "MPU"}
SAME_EVERYWHERE = PEOPLE | TABLES | UNITS | GAMES_AND_CHIPS
SOUND_FILES = {"asked", "going", "placed", "scored", "topple", "won"}

PACKS = {"English", "synthetic", "Deutsch", "synthetisch"}
"""Caller packs are named in the language that they speak."""

READ = """
() => {
  const names = ["aria-label", "title", "placeholder", "alt"];
  const said = names.flatMap((name) => [...document.querySelectorAll(`[${name}]`)]
    .filter((node) => node.checkVisibility()).map((node) => node.getAttribute(name)));
  return [document.body.innerText, document.title, ...said].join("\\n");
}
"""


@pytest.fixture(scope="module", autouse=True)
def pseudo_language(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        path = write(tmp_path_factory.mktemp("pseudo"))
        patch.setitem(files.FILES, path.name, path)
        yield


def plain(page: Any) -> set[str]:
    """Words in letters without accents."""
    found = re.findall(r"(?<![^\W\d_])[A-Za-z]{2,}(?![^\W\d_])", page.evaluate(READ))
    return set(found) - SAME_EVERYWHERE


def too_wide(page: Any) -> list[tuple[int, int]]:
    wide = "document.documentElement.scrollWidth > innerWidth"
    return [size for size in each_size(page) if page.evaluate(wide)]


def test_a_scoreboard_says_nothing_in_another_language(evening: Evening) -> None:
    page, found = evening.open(path=f"t/pseudo?lang={TAG}"), {}
    for rev, (name, board) in enumerate(SCENES.items(), start=1):
        evening.show(msgspec.structs.replace(board, game=name, rev=rev, seq=rev), "pseudo")
        wait_for_rev(page, rev)
        found[name] = plain(page), too_wide(page)

    assert {name: wrong for name, wrong in found.items() if any(wrong)} == {}


PAGES = {
    "": "a[href^='/t/']",
    "t/ill": "body[data-rev]",
    "t/ill/health": "body[data-ready=true]",
    "t/ill/evening": "body",
    "t/ill/game": "body[data-ready]",
    "t/ill/past": "body[data-ready]",
    "t/ill/overlay": "body[data-rev]",
    "t/ill/play": "body",
    "rules": "h2",
    "sounds": "body[data-callers]",
    "side-by-side": "body",
    "nowhere": "h1",
}


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_nothing_in_another_language(evening: Evening, path: str) -> None:
    evening.show(scene(2), "ill")
    evening.say(topics.health("ill", EVERYTHING))
    troubles = (SensorTrouble.of("scale.2", CELL_NO_VALUES(n="C2")),)
    status = TableStatus("boot-1", "degraded", "", "0.1", simulated=False, troubles=troubles)
    evening.say(topics.status("ill", status))
    page = evening.open(path=f"{path}?lang={TAG}")
    page.wait_for_selector(PAGES[path])

    expected = SOUND_FILES | PACKS if path == "sounds" else set()
    assert (plain(page), too_wide(page)) == (expected, [])


ON_THE_PHONE = {
    "playing": scene(2),
    "asked": asked(3),
    "who": blamed(4),
    "turn": turn_asked(2),
    "doubted": doubted(2),
    "fallen": toppled(2),
    "over": over(2),
}


@pytest.mark.parametrize("moment", ON_THE_PHONE)
def test_a_phone_says_nothing_in_another_language(screen: Acting, moment: str) -> None:
    page = screen.on_phone(ON_THE_PHONE[moment], locale=TAG)

    assert (plain(page), too_wide(page)) == (set(), [])

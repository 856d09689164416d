"""The tension meter of the scoreboard: how near the tower is to falling, and how unsure that is."""

from typing import Any

import msgspec
import pytest

from engine.scoreboard import Scoreboard, TensionShown
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    keep_pictures,
    wait_for_rev,
    wait_until,
)
from tests.pages.scenes import scene, toppled

pytestmark = BROWSER_NEEDED

SHOWN = "!document.querySelector('#tension').hidden"


def tense(value: float, **changes: Any) -> Scoreboard:
    shown = TensionShown(value, round(0.77 * value, 2), round(min(1.0, 1.43 * value), 2), 5.1)
    return msgspec.structs.replace(scene(2, **changes), tension=shown)


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "34%, somewhere from 26% to 49%"),
        ("de", "34\u00a0%, irgendwo von 26\u00a0% bis 49\u00a0%"),
        ("fr", "34\u202f%, quelque part entre 26\u202f% et 49\u202f%"),
    ],
)
def test_it_says_how_near_and_how_unsure(evening: Evening, lang: str, words: str) -> None:
    evening.show(tense(0.34), f"tense-{lang}")
    page = evening.open(path=f"t/tense-{lang}?lang={lang}")
    wait_for_rev(page, 40)
    meter = page.locator("#tension[role=meter]")

    assert meter.get_attribute("aria-valuenow") == "34"
    said = meter.get_attribute("aria-valuetext")
    assert said.replace("\u202f", "\u00a0") == words.replace("\u202f", "\u00a0")
    for _ in keep_pictures(page, f"tension-{lang}"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.complaints == []


def test_its_heart_beats_faster_the_nearer_it_is_unless_nothing_may_move(evening: Evening) -> None:
    heart, beats = "getComputedStyle(document.querySelector('.tension .heart'))", []
    for number, value in enumerate((0.2, 0.5, 0.9)):
        page = evening.shown(tense(value), f"beat-{number}", motion="no-preference")
        beats.append(float(page.evaluate(f"{heart}.animationDuration").removesuffix("s")))

    assert beats == sorted(beats, reverse=True)
    assert len(set(beats)) == 3
    still = evening.shown(tense(0.9), "no-beat")
    assert still.evaluate(f"{heart}.animationName") == "none"


def test_without_a_tower_there_is_none_and_one_key_puts_it_away(evening: Evening) -> None:
    page = evening.shown(tense(0.5), "no-tower")
    before = page.evaluate(SHOWN)
    evening.show(toppled(), "no-tower")
    wait_for_rev(page, 42)
    during = page.evaluate(SHOWN)
    evening.show(tense(0.1, rev=43, seq=43), "no-tower")
    wait_for_rev(page, 43)
    assert (before, during, page.evaluate(SHOWN)) == (True, False, True)

    page.keyboard.press("t")
    wait_until(page, f"!({SHOWN})")
    page.reload()
    wait_for_rev(page, 43)
    # The browser remembers.
    assert not page.evaluate(SHOWN)
    page.keyboard.press("t")
    wait_until(page, SHOWN)

"""The rules in short: every game, in three languages, each with its picture."""

from typing import Any

import pytest

from engine.games.registry import GAMES
from tests.pages.browser import BROWSER_NEEDED, Evening, keep_pictures, serious_findings

pytestmark = BROWSER_NEEDED

WORDS = """async () => {
    const { RULES } = await import("/static/games/rules.js");
    return Object.fromEntries(Object.entries(RULES).map(([kind, { words }]) => [kind, words]));
}"""


def opened(evening: Evening, lang: str) -> Any:
    page = evening.open(path=f"rules?lang={lang}")
    page.wait_for_selector("body[data-ready]")
    return page


@pytest.mark.parametrize("lang", ["en", "de", "fr"])
def test_each_game_has_its_rules_and_a_picture_and_the_page_fits(
    evening: Evening, lang: str
) -> None:
    page = opened(evening, lang)
    for kind in GAMES:
        assert page.locator(f"#{kind} svg rect").count() > 2
        assert page.locator(f"#{kind} h3").count() == 3
    for _ in keep_pictures(page, f"rules-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    assert serious_findings(page) == []
    assert page.complaints == []


def test_every_language_says_as_much_as_the_others(evening: Evening) -> None:
    words = opened(evening, "en").evaluate(WORDS)
    assert set(words) == set(GAMES)
    for kind, told in words.items():
        shapes = {
            lang: {part: len(lines) for part, lines in parts.items() if part != "aim"}
            for lang, parts in told.items()
        }
        assert set(shapes) == {"en", "de", "fr"}
        assert shapes["en"] == shapes["de"] == shapes["fr"], kind
        assert len({parts["aim"] for parts in told.values()}) == 3


def test_an_address_leads_to_one_game(evening: Evening) -> None:
    page = evening.open(path="rules?lang=de#topominos", size="390x844")
    page.wait_for_selector("body[data-ready]")

    top = page.evaluate("document.querySelector('#topominos').getBoundingClientRect().top")
    assert top < 844

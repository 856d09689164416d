"""The rules in short: every game, in every language, each with its picture."""

from typing import Any

import pytest

from engine.games.registry import GAMES
from pages.files import languages
from tests.pages.browser import BROWSER_NEEDED, Evening, axe_findings, keep_pictures

pytestmark = BROWSER_NEEDED


WORDS = """async (lang) => Object.keys((await import("/static/strings.js")).LANGUAGES[lang])"""
"""Keys of a language in the page, with those that a game brings along."""


def opened(evening: Evening, lang: str) -> Any:
    page = evening.open(path=f"rules?lang={lang}")
    page.wait_for_selector("body[data-ready]")
    return page


@pytest.mark.parametrize("lang", languages())
def test_each_game_has_its_rules_and_a_picture_and_the_page_fits(
    evening: Evening, lang: str
) -> None:
    page = opened(evening, lang)
    keys = page.evaluate(WORDS, lang)
    for kind in GAMES:
        assert page.locator(f"#{kind} svg rect").count() > 2
        assert page.locator(f"#{kind} h3").count() == 3
        told = [key for key in keys if key.startswith(f"rules_{kind}_")]
        assert page.locator(f"#{kind} > p, #{kind} li").count() == len(told) > 5
    for _ in keep_pictures(page, f"rules-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    assert axe_findings(page) == []
    assert page.complaints == []
    # An address leads to one game.
    page = evening.open(path=f"rules?lang={lang}#topominos", size="390x844")
    page.wait_for_selector("body[data-ready]")
    top = page.evaluate("document.querySelector('#topominos').getBoundingClientRect().top")
    assert top < 844

"""The words of the pages: complete in every language, with numbers and plurals as it has them."""

import re
from typing import Any

import pytest

from controller.web.app import STATIC
from tests.controller.web.browser import BROWSER_NEEDED, Evening, wait_for_rev
from tests.controller.web.scenes import asked, blamed, over, scene, toppled

pytestmark = BROWSER_NEEDED

LANGUAGES = ("en", "de", "fr")


def words(page: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = page.evaluate(
        "async () => (await import('/static/strings.js')).LANGUAGES"
    )
    return found


def said(page: Any, call: str) -> str:
    return str(page.evaluate(f"async () => (await import('/static/strings.js')).{call}"))


def placeholders(text: str | dict[str, str]) -> list[set[str]]:
    forms = [text] if isinstance(text, str) else list(text.values())
    return [set(re.findall(r"\{(\w+)\}", form)) for form in forms]


def test_every_language_has_every_key_with_the_same_placeholders_and_plurals(
    evening: Evening,
) -> None:
    page = evening.open()
    languages = words(page)

    assert set(languages) == set(LANGUAGES)
    for name, found in languages.items():
        assert set(found) == set(languages["en"]), name
        for key, text in found.items():
            meant = languages["en"][key]
            assert isinstance(text, str) is isinstance(meant, str), f"{name}: {key}"
            for form in placeholders(text):
                assert form == placeholders(meant)[0], f"{name}: {key}"
            if not isinstance(text, str):
                assert set(text) == {"one", "other"}, f"{name}: {key}"


def test_no_word_was_forgotten_in_translation(evening: Evening) -> None:
    languages = words(evening.open())
    # The same in all three: names of games, signs, and words they share.
    shared = {
        "title", "game_topple", "game_topolo", "game_triple-topper-toe", "game_topominos",
        "score_unknown", "last_other", "last_other_nobody", "bubble_degrees", "check_sensor",
        "health_sensor", "heard_points", "heard_minus", "heard_score", "percent", "table",
        "health_live", "league_points",
    }  # fmt: skip
    for name in ("de", "fr"):
        same = {key for key, text in languages[name].items() if text == languages["en"][key]}
        assert same <= shared, name


@pytest.mark.parametrize(
    ("lang", "call", "expected"),
    [
        ("en", "say('pieces_left', { n: 1 })", "1 piece left"),
        ("en", "say('pieces_left', { n: 0 })", "0 pieces left"),
        ("de", "say('pieces_left', { n: 2 })", "noch 2 Steine"),
        # French counts nothing as one.
        ("fr", "say('pieces_left', { n: 0 })", "encore 0 pièce"),
        ("fr", "say('pieces_left', { n: 2 })", "encore 2 pièces"),
        ("en", "number(1234.5)", "1,234.5"),
        ("de", "number(1234.5)", "1.234,5"),
        ("fr", "number(1234.5)", "1\u202f234,5"),
        ("en", "signed(-10)", "\N{MINUS SIGN}10"),
        ("en", "signed(7)", "+7"),
        ("en", "signed(0)", "0"),
        ("en", "percent(0.982)", "98%"),
        ("en", "percent(0.9996)", "99.9%"),
        ("en", "percent(1)", "100%"),
        ("de", "percent(0.9996)", "99,9\u202f%"),
        ("fr", "percent(0.71)", "71\u202f%"),
        ("en", "wins(['Ada', 'Bob'])", "Ada and Bob win!"),
        ("de", "wins(['Ada', 'Bob', 'Cem'])", "Ada, Bob und Cem gewinnen!"),
        ("fr", "wins(['Ada'])", "Ada gagne\u202f!"),
        ("de", "spoken(-3)", "minus 3"),
    ],
)
def test_numbers_and_plurals_are_as_the_language_has_them(
    evening: Evening, lang: str, call: str, expected: str
) -> None:
    page = evening.open(path=f"t/t1?lang={lang}")

    assert said(page, call) == expected


@pytest.mark.parametrize(
    ("path", "locale", "expected"),
    [
        ("t/t1", "de-CH", "de"),
        ("t/t1", "fr-FR", "fr"),
        ("t/t1", "ja-JP", "en"),
        ("t/t1?lang=de", "fr-FR", "de"),
        ("t/t1?lang=xx", "fr-FR", "fr"),
        ("t/t1?lang=<b>", "en-GB", "en"),
    ],
)
def test_the_language_is_that_of_the_address_then_that_of_the_browser(
    evening: Evening, path: str, locale: str, expected: str
) -> None:
    page = evening.open(path=path, locale=locale)

    page.wait_for_selector(f"html[lang={expected}]", timeout=20_000)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_page_shows_a_key_instead_of_words(evening: Evening, lang: str) -> None:
    page = evening.open(path=f"?lang={lang}")
    keys = [key for key in words(page)["en"] if "_" in key]
    for number, board in enumerate((scene(3), asked(3), blamed(4), toppled(2), over(4))):
        table = f"said-{lang}-{number}"
        evening.show(board, table)
        page = evening.open(path=f"t/{table}?lang={lang}")
        wait_for_rev(page, board.rev)
        shown = page.locator("body").inner_text()

        assert [key for key in keys if key in shown] == []
        assert "{" not in shown


def test_a_question_is_asked_in_the_language_of_the_screen(evening: Evening) -> None:
    evening.show(blamed(3), "frage")
    page = evening.open(path="t/frage?lang=de")
    wait_for_rev(page, 44)
    ticker = page.locator("#ticker").inner_text()

    for text in ("Wer hat den Tisch angestoßen?", "Björn hat gestoßen", "Nichts ist gefallen",
                 "Beim Setzen gefallen"):  # fmt: skip
        assert text in ticker
    assert "bumped" not in ticker


def test_every_page_names_its_words_only_by_keys_that_exist() -> None:
    known = set(re.findall(r'^  "?([\w-]+)"?:', (STATIC / "words_en.js").read_text(), re.MULTILINE))
    for page in STATIC.glob("*.html"):
        asked_for = set(re.findall(r'data-say(?:-label)?="([\w-]+)"', page.read_text()))
        assert asked_for <= known, page.name

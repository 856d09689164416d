"""The words of the pages: complete in every language, with numbers and plurals as it has them."""

import random
import re
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from controller.table.vitals import SensorVitals, TableVitals
from engine.games.playthrough import play_through
from engine.games.registry import GAMES
from hw.drivers.pins_health import CellHealth, ImuHealth, PinsHealth
from hw.source import LinkHealth
from pages.files import languages
from pages.game_pages import module_of
from tests.pages.browser import BROWSER_NEEDED, Evening, wait_for_rev
from tests.pages.everything import CAUSES, EVERYTHING
from tests.pages.scenes import (
    blamed_later,
    doubted,
    scene,
)

pytestmark = BROWSER_NEEDED


def said(page: Any, call: str) -> str:
    return str(page.evaluate(f"async () => (await import('/static/strings.js')).{call}"))


SAID = [
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
    # A name from right to left leaves the figure beside it where it is.
    ("en", "say('feat_streak_is', { player: '\u05d3\u05df', n: 3 })",
     "\u2068\u05d3\u05df\u2069 scored in 3 turns on end"),
    ("en", "wins(['Ada', '\u0645\u06cc'])", "Ada and \u2068\u0645\u06cc\u2069 win!"),
]  # fmt: skip


@pytest.mark.parametrize("lang", languages())
def test_numbers_and_plurals_are_as_the_language_has_them(evening: Evening, lang: str) -> None:
    page = evening.open(path=f"t/t1?lang={lang}")
    expected = {call: words for spoken, call, words in SAID if spoken == lang}

    assert {call: said(page, call) for call in expected} == expected


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        ("de-CH", {"t/t1": "de"}),
        ("fr-FR", {"t/t1": "fr", "t/t1?lang=de": "de", "t/t1?lang=xx": "fr"}),
        ("ja-JP", {"t/t1": "en", "t/t1?lang=<b>": "en"}),
    ],
)
def test_the_language_is_that_of_the_address_then_that_of_the_browser(
    evening: Evening, locale: str, expected: dict[str, str]
) -> None:
    page = evening.open(locale=locale)
    for path, lang in expected.items():
        page.goto(evening.server.url + path)
        page.wait_for_selector(f"html[lang={lang}]")


@pytest.mark.parametrize("lang", sorted(set(languages()) - {"en"}))
def test_the_health_page_has_no_words_in_another_language_and_no_figures_for_programs(
    evening: Evening, lang: str
) -> None:
    """That no word is English is proven by `test_pages_pseudo.py`."""
    table = f"ill-{lang}"
    evening.show(scene(2), table)
    evening.say(topics.health(table, EVERYTHING))
    page = evening.open(path=f"t/{table}/health?lang={lang}")
    page.wait_for_selector("body[data-ready=true]")
    shown = page.locator("body").inner_text()

    assert page.locator("[lang=en]").count() == 0
    # How long a document may be believed is for programs.
    assert "795" not in shown
    assert "object" not in shown


def fields(struct: Any) -> set[str]:
    return {field.name for field in msgspec.structs.fields(struct)}


def test_every_figure_of_the_health_document_has_a_name_in_words() -> None:
    known = set(languages()["en"])
    structs = (LinkHealth, PinsHealth, CellHealth, ImuHealth, SensorVitals)
    named = {name for struct in structs for name in fields(struct)} - {
        "ok",
        "rate_hz",
        "age_s",
        "reason",
        "code",
        "args",
    }
    lacking = {
        name for name in named | fields(TableVitals) - {"words", "code", "args"}
        if not {f"figure_{name}", f"short_{name}"} & known
    }  # fmt: skip

    assert lacking == set()
    assert {f"value_{cause}" for cause in CAUSES} <= known


@pytest.mark.parametrize("game", [game for game, kind in GAMES.items() if not kind.by_sensors])
def test_every_action_of_a_game_played_by_hand_has_words(game: str) -> None:
    known = set(languages()["en"])
    known |= set(re.findall(r"\b(last_\w+):", module_of(GAMES[game], "board").read_text()))
    types = {
        str(step.action["type"])
        for seed in range(4)
        for step in play_through(game, random.Random(seed).random)
    }

    assert {f"last_{name}" for name in types - {"start"}} <= known


BESIDE = {
    "en": ("Who bumped the table?", "Wasn\u2019t Björn?"),
    "de": ("Wer hat gestoßen?", "Björn war\u2019s nicht?"),
    "fr": ("Qui a heurté la table", "Ce n\u2019était pas Björn"),
}


@pytest.mark.parametrize("lang", BESIDE)
def test_who_made_it_fall_is_asked_beside_the_game_and_takes_no_room(
    evening: Evening, lang: str
) -> None:
    table = f"beside-{lang}"
    evening.show(scene(4), table)
    page = evening.open(path=f"t/{table}?lang={lang}")
    wait_for_rev(page, 40)
    room = {name: page.locator(name).bounding_box() for name in ("#stage", "#players", "#ticker")}
    for board, words in zip((blamed_later(4), doubted(4, "roll")), BESIDE[lang], strict=True):
        evening.show(board, table)
        wait_for_rev(page, board.rev)

        assert words in page.locator("#ticker").inner_text()
        assert page.locator(".ticker.asks, .option").count() == 0
        assert {name: page.locator(name).bounding_box() for name in room} == room

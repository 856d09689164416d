"""The league in a real browser: who leads, in three languages, on every screen."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.league.store import opened
from controller.mqtt.client import BrokerAddress
from pages.league.league import LeagueDocument
from pages.server import ScoreboardServer
from tests.controller.conftest import PATIENCE_S
from tests.controller.league.tables import NOW, Table
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    axe_findings,
    cut_tables,
    keep_pictures,
    wait_until,
)

pytestmark = BROWSER_NEEDED

NOBODY = BrokerAddress("127.0.0.1", 1)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[ScoreboardServer]:
    """A scoreboard that shows a league of three tables."""
    tables = [Table(name) for name in ("attic", "cellar", "hall")]
    for table in tables:
        for kind in ("topple",) * 6 + ("topolo", "triple-topper-toe", "topominos"):
            table.play(kind)
    tables[0].ends(("<b>Bob</b>", 3), ("Ann", 1)).ends(("Ann", 1), broken_off=True)
    tables[1].ends(("Ann", 5), ("Bob", 4), asked=True)
    with opened(str(tmp_path / "l.sqlite")) as store:
        store.write([table.heard() for table in tables], NOW)
        toy = Table("toy", simulated=True).ends(("Robot", 99))
        store.write([toy.heard()], NOW)
    document = LeagueDocument(str(tmp_path / "l.sqlite"))
    server = ScoreboardServer(NOBODY, port=0, league=document.read)
    server.start()
    yield server
    server.stop()


def page_of(evening: Evening, server: ScoreboardServer, path: str = "league", **look: Any) -> Any:
    page = evening.chromium.new_context(
        viewport={"width": 1280, "height": 720}, reduced_motion="reduce", **look
    ).new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    page.clock.install()
    page.complaints = []
    page.on("console", lambda said: page.complaints.append(said.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(f"{server.url}{path}")
    if path.startswith("league"):
        page.wait_for_selector("body[data-ready]")
    return page


def test_each_game_has_its_table_and_what_does_not_count_is_said(
    evening: Evening, pages: ScoreboardServer
) -> None:
    page = page_of(evening, pages)
    text = page.locator("body").inner_text()

    titles = page.locator("h2").all_inner_texts()
    assert titles == ["Topple", "Topolo", "Triple Topper Toe", "Topominos"]
    for words in (
        "20 games at 3 tables",
        "<b>Bob</b>",
        "1 result may still change",
        "not counted: 1 game broken off",
        "not counted: 1 game of a simulated table",
    ):
        assert words in text
    assert "Robot" not in text
    assert page.locator("b").count() == 0
    assert page.complaints == []


@pytest.mark.parametrize(("lang", "words"), [("de", "Wertung"), ("fr", "cote"), ("en", "rating")])
def test_the_league_speaks_the_language_of_who_looks(
    evening: Evening, pages: ScoreboardServer, lang: str, words: str
) -> None:
    text = page_of(evening, pages, f"league?lang={lang}").locator("body").inner_text()

    assert words in text
    assert "league_" not in text
    assert "{" not in text


def test_it_has_no_finding_and_fits_every_screen(evening: Evening, pages: ScoreboardServer) -> None:
    page = page_of(evening, pages)
    serious = axe_findings(page)
    for picture in keep_pictures(page, "league", whole=True):
        wide, size = page.evaluate(
            "[document.documentElement.scrollWidth - innerWidth, innerWidth]"
        )
        assert wide <= 0
        # Who met whom, of eight, is wider than a phone.
        assert size < 800 or cut_tables(page) == [], picture.name

    assert serious == []


def test_a_league_that_cannot_be_read_says_so_and_keeps_what_was_shown(
    evening: Evening, pages: ScoreboardServer
) -> None:
    page = page_of(evening, pages)
    pages.stop()

    page.clock.fast_forward(16_000)

    wait_until(page, "document.querySelector('.notice') !== null")

    assert "cannot be read just now" in page.locator("#notices").inner_text()
    assert page.locator("tbody tr").count() > 5


def test_the_list_of_tables_leads_there_only_where_there_is_a_league(
    evening: Evening, pages: ScoreboardServer
) -> None:
    page = page_of(evening, pages, "")
    page.click("#links a[href*=league]")
    page.wait_for_url("**/league")

    without = evening.open(path="")
    without.wait_for_selector("#tables > *")
    assert without.locator("#links a[href*=league]").count() == 0
    assert without.goto(f"{evening.server.url}league").status == 404


def test_a_table_where_nobody_plays_shows_the_league_now_and_then(
    evening: Evening, pages: ScoreboardServer
) -> None:
    page = page_of(evening, pages, "t/attic")
    shown = "!document.querySelector('#attract').hidden"
    page.wait_for_selector("body[data-notices]")
    before = page.evaluate(shown)
    page.clock.fast_forward(61_000)
    wait_until(page, shown)
    page.frame_locator("#attract iframe").locator("body[data-ready]").wait_for()
    names = page.frame_locator("#attract iframe").locator("h2").all_inner_texts()
    page.clock.fast_forward(20_000)
    wait_until(page, f"!({shown})")

    assert not before
    assert "Topple" in names
    assert page.locator("#attract iframe").count() == 0

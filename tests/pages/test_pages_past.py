"""The page of all games: form, head to head, records, by months, and what people delete."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from controller.mqtt import topics
from controller.table.commands import CommandDesk
from controller.table.pipeline import Pipeline
from controller.table.resultbook import ResultBook
from controller.table.shelf import GameShelf
from engine.results import GameResult, PlayerResult, Results
from pages.files import languages
from tests.controller.conftest import wait_until
from tests.controller.evenings import Detector
from tests.controller.whole_games import whole_game
from tests.pages.browser import BROWSER_NEEDED, axe_findings, cut_tables, keep_pictures
from tests.pages.browser import wait_until as until
from tests.pages.scenes import scene
from tests.pages.test_pages_game import LONGEST, Keeping

pytestmark = BROWSER_NEEDED

NEVER = "\N{EN DASH}"
"""Of two who have not met."""

FIRST = datetime(2026, 8, 28, 19, 0, tzinfo=UTC)


@cache
def season() -> tuple[GameResult, ...]:
    """Forty games over four months, of three kinds."""
    kinds = ("topple", "topple", "topple", "topominos", "topolo")
    return tuple(
        replace(
            whole_game(kinds[n % len(kinds)], n % 7)[0],
            game=f"s{n}",
            ended=(FIRST + timedelta(days=2.4 * n)).isoformat(timespec="seconds"),
            **({"broken_off": True, "winners": ()} if n % 9 == 8 else {}),
        )
        for n in range(40)
    )


def renamed(one: GameResult) -> GameResult:
    """The game with the longest name in Bob's place."""
    names = {"Bob": LONGEST}
    players = tuple(replace(p, name=names.get(p.name, p.name)) for p in one.players)
    return replace(one, players=players, winners=tuple(names.get(n, n) for n in one.winners))


class Season(Keeping):
    """A table that keeps games over months."""

    def past(self, *games: GameResult) -> None:
        self.results = ResultBook(games)
        shelf = GameShelf(self.store)
        self.desk = CommandDesk(Pipeline(Detector()), results=self.results, shelf=shelf)
        self.say_results()

    def say_results(self) -> None:
        self.say(topics.availability("t1", online=True))
        self.say(topics.results(Results("t1", str(time.monotonic()), self.results.games)))
        newest = self.results.games
        wait_until(
            lambda: getattr(self.server._mirror.results("t1"), "games", None) == newest, "it"
        )

    def page(self, lang: str = "en", **look: Any) -> Any:
        page = self.open(path=f"t/t1/past?lang={lang}", timezone_id="UTC", **look)
        page.wait_for_selector("body[data-ready]")
        return page


@pytest.fixture(scope="module")
def house(chromium: Any) -> Iterator[Season]:
    made = Season(chromium)
    made.show(scene(2))
    yield made
    made.close()


def game(number: int, ann: int, bob: int, *, winner: str = "", **more: Any) -> GameResult:
    players = (PlayerResult("Ann", ann), PlayerResult("Bob", bob))
    ended = (FIRST + timedelta(days=20 * number)).isoformat()
    winner = winner or ("Ann" if ann > bob else "Bob")
    return replace(GameResult(f"g{number}", "topple", 1, ended, players, (winner,)), **more)


def test_form_head_to_head_and_records_count_what_the_rules_ended(evening: Season) -> None:
    evening.past(
        game(0, 40, 30), game(1, 20, 41), game(2, 44, 10),
        game(3, 99, 0, broken_off=True, winners=()),
        replace(game(4, 3, 9), players=(PlayerResult("Bob", 9), PlayerResult("Cat", 3))),
    )  # fmt: skip
    page = evening.page()

    rows = [row.split() for row in page.locator(".who tbody tr").all_inner_texts()]
    assert rows == [["Ann", "3", "2", "67%"], ["Bob", "4", "2", "50%"], ["Cat", "1", "0", "0%"]]
    form = page.locator(".who tbody tr").nth(1).locator(".form span")
    assert [one.get_attribute("class") for one in form.all()] == ["lost", "won", "lost", "won"]
    met = [row.split("\t") for row in page.locator(".met tbody tr").all_inner_texts()]
    assert [row[1:] for row in met] == [
        ["", "2 : 1", NEVER],
        ["1 : 2", "", "1 : 0"],
        [NEVER, "0 : 1", ""],
    ]
    assert "Ann had 44 points" in page.locator(".records").inner_text()
    assert page.locator(".list summary").all_inner_texts()[0].startswith("November 2026")
    assert page.locator("button.forget").count() == 0
    assert page.complaints == []


@pytest.mark.parametrize("lang", languages())
def test_months_of_games_fit_every_screen_with_the_longest_names(
    evening: Season, lang: str
) -> None:
    evening.past(*map(renamed, season()))
    page = evening.page(lang)

    assert page.locator(".list details").count() >= 4
    for picture in keep_pictures(page, f"past-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert cut_tables(page) == [], picture.name
    records = page.locator(".records li").count()
    page.click("#kinds button:nth-child(3)")
    assert page.locator(".list details").count() >= 1
    assert page.locator("#kinds [aria-pressed=true]").inner_text() == "Topominos"
    # Highest of all is only said of one kind of game, and nothing is known of a tower there.
    assert page.locator(".records li").count() < records
    assert "✦" in page.locator(".records").inner_text()
    assert axe_findings(page) == []
    assert page.complaints == []


def joined(evening: Season) -> Any:
    """A phone that has joined by the PIN, on the page."""
    page = evening.open(path="t/t1/play", size="390x844")
    page.locator("[data-panel=join]").wait_for()
    page.keyboard.type(evening.server._phones._doors["t1"].desk.pin(time.monotonic()))
    page.locator("[data-panel=seat] .big").last.wait_for()
    page.goto(f"{evening.server.url}t/t1/past?lang=en")
    page.wait_for_selector("body[data-ready]")
    return page


def test_who_has_joined_deletes_a_game_with_the_second_press(evening: Season) -> None:
    evening.past(game(0, 40, 30), game(1, 20, 41))
    page = joined(evening)
    page.locator(".list .forget").first.click()
    assert page.locator(".forget.sure").inner_text() == "Delete for ever?"
    assert len(evening.results.games) == 2

    page.locator(".forget.sure").click()
    wait_until(lambda: len(evening.results.games) == 1, "the game to be gone")
    evening.say_results()
    page.reload()
    until(page, "document.querySelectorAll('.list li').length === 1")
    assert [one.game for one in evening.results.games] == ["g0"]


def test_before_the_first_game_it_says_so(evening: Season) -> None:
    evening.past()
    page = evening.page("de")

    assert page.locator("#none").inner_text().startswith("An diesem Tisch ist noch keine")
    assert page.locator("#past section").count() == 0

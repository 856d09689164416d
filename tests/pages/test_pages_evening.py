"""The page of the evening: its games and what is told of them, who did what, a picture to share."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from controller.mqtt import topics
from engine.results import Fallen, Feat, GameResult, Highlights, PlayerResult, Results
from pages.files import languages
from tests.controller.whole_games import whole_game
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    axe_findings,
    cut_tables,
    keep_pictures,
    wait_until,
)
from tests.pages.scenes import scene
from tests.pages.test_pages_past import renamed

pytestmark = BROWSER_NEEDED

PNG = b"\x89PNG\r\n"
NIGHT = datetime(2026, 11, 22, 19, 0, tzinfo=UTC)
RED_AND_BLUE = (PlayerResult("Ada", 42, ("red",)), PlayerResult("Björn", 31, ("blue",)))


@cache
def played() -> tuple[GameResult, ...]:
    """An evening after another: one game the night before, four on this one."""
    kinds = ("topple", "topple", "topominos", "triple-topper-toe", "topple")
    hours = (-24.0, 0.0, 0.6, 1.1, 1.9)
    return tuple(
        replace(
            whole_game(kind, seed)[0], game=f"g{seed}",
            ended=(NIGHT + timedelta(hours=at)).isoformat(timespec="seconds"),
        )
        for seed, (kind, at) in enumerate(zip(kinds, hours, strict=True))
    )  # fmt: skip


def opened(
    evening: Evening, table: str, games: tuple[GameResult, ...], lang: str = "en", **look: Any
) -> Any:
    evening.say(topics.availability(table, online=True))
    # The page asks for the results when it has loaded and when it hears of an end.
    if games:
        evening.say(topics.results(Results(table, "boot-1", games)))
    evening.show(scene(2, phase="over", turn=None, winners=("Ada",)), table)
    page = evening.open(path=f"t/{table}/evening?lang={lang}", timezone_id="UTC", **look)
    page.wait_for_selector("body[data-ready]")
    if games:
        page.wait_for_selector("#share:not([hidden])")
    return page


@pytest.mark.parametrize("lang", languages())
def test_it_tells_of_the_last_evening_only_and_fits_every_screen(
    evening: Evening, lang: str
) -> None:
    page = opened(evening, f"evening-{lang}", tuple(map(renamed, played())), lang)

    assert page.locator("#games button").count() == 4
    assert page.locator("#game .feats li").count() >= 3
    assert page.locator("#game .history polyline").count() >= 2
    for picture in keep_pictures(page, f"evening-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert cut_tables(page) == [], picture.name
    assert axe_findings(page) == []
    assert page.complaints == []


def told_of(*fallen: Fallen) -> GameResult:
    """A game in which Ada built and Björn fell."""
    highlights = Highlights(
        scores=((4, 0), (4, 9), (20, 9), (42, 31)),
        highest=Feat("Ada", 5, "c3"),
        boldest=Feat("Björn", 0.34, "a1"),
        best=Feat("Ada", 18, "c3"),
        streak=Feat("Ada", 3),
        comeback=Feat("Ada", 5),
        steadiest=Feat("Ada", 3.4),
        topples=fallen,
    )
    return GameResult(
        "g", "topple", 9, NIGHT.isoformat(), RED_AND_BLUE, ("Ada",), highlights=highlights
    )


def test_the_feats_of_a_game_are_told_in_sentences(evening: Evening) -> None:
    page = opened(evening, "feats", (told_of(Fallen("Björn", "Ada")),))
    told = page.locator("#game .feats li").all_inner_texts()

    assert [" ".join(one.split("\n")[-2:]) for one in told] == [
        "Tallest tower Ada put piece number 5 on c3",
        "Boldest placement Björn on a1: at 34% it would have fallen",
        "Best placement Ada on c3: 18 points",
        "Longest streak Ada scored in 3 turns on end",
        "Best comeback Ada was 5 points behind, and won",
        "Steadiest hand Ada pressed with 3.4 g, no more",
    ]
    assert page.locator("#game h2").inner_text() == "Ada wins!"
    assert page.get_by_text("Pieces fell 1 time").is_visible()


def test_over_the_evening_everybody_has_wins_points_topples_titles_and_a_nemesis(
    evening: Evening,
) -> None:
    fell = Fallen("Björn", "Ada")
    games = (told_of(fell), replace(told_of(fell, Fallen("Ada", None)), game="h"))
    page = opened(evening, "players", games)
    rows = page.locator("#players tbody tr").all_inner_texts()
    titles = page.locator("#players .titles li").all_inner_texts()

    assert [row.split() for row in rows] == [["Ada", "2", "2", "1", "84"], ["Björn", "2", "0", "2", "62"]]  # fmt: skip # noqa: E501
    assert "▲ Master builder: Ada" in titles
    assert "◆ Daredevil: Björn" in titles
    assert "Beware, Björn: 2 times the tower fell for you after Ada had placed" in titles


CLOSE = ((4, 0), (4, 9), (20, 9), (20, 31), (42, 31))
"""Scores in which the lead changes four times."""


def one_game(name: str, hour: float, **fields: Any) -> GameResult:
    ended = (NIGHT + timedelta(hours=hour)).isoformat()
    return replace(told_of(), game=name, ended=ended, **fields)


def test_the_game_of_the_evening_is_where_the_lead_changed_most_and_each_names_its_winner(
    evening: Evening,
) -> None:
    games = (
        one_game("a", 0.0),
        one_game("b", 1.0, highlights=Highlights(scores=CLOSE)),
        one_game("c", 2.0, winners=("Björn",)),
        one_game("d", 3.0, winners=(), broken_off=True, highlights=Highlights(scores=2 * CLOSE)),
    )
    page = opened(evening, "best", games)

    tabs = [one.split("\n") for one in page.locator("#games button").all_inner_texts()]
    assert [tab[-1] for tab in tabs] == ["Ada", "Ada", "Björn", "Broken off"]
    assert page.locator("#games [aria-pressed=true]").inner_text().startswith("★ 2 · ")
    assert page.get_by_text("Game of the evening: the lead changed 4 times").is_visible()


def test_a_game_broken_off_counts_for_nobody_and_points_of_two_games_are_never_one_sum(
    evening: Evening,
) -> None:
    fell = told_of(Fallen("Björn", "Ada"))
    games = (
        fell,
        replace(fell, game="h", kind="topominos"),
        replace(fell, game="i", winners=(), broken_off=True),
    )
    page = opened(evening, "counted", games)
    heads = page.locator("#players thead th").all_inner_texts()
    rows = page.locator("#players tbody tr").all_inner_texts()

    assert heads[4:] == ["points in Topple", "points in Topominos"]
    assert [row.split() for row in rows] == [
        ["Ada", "2", "2", "0", "42", "42"],
        ["Björn", "2", "0", "2", "31", "31"],
    ]


def test_on_a_phone_no_figure_of_the_evening_lies_beside_the_screen(evening: Evening) -> None:
    long = tuple(replace(one, name=f"{one.name} Maximiliane von Hohenfels") for one in RED_AND_BLUE)
    kinds = ("topple", "topolo", "triple-topper-toe", "topominos")
    games = tuple(one_game(kind, 0.0, kind=kind, players=long) for kind in kinds)
    page = opened(evening, "narrow", games, "de", size="390x844")
    box = "document.querySelector('#players .scroll')"

    assert page.evaluate(f"{box}.scrollWidth - {box}.clientWidth") == 0
    assert page.locator("#players td").first.inner_text() == "4"


def test_an_evening_of_broken_off_games_has_no_winners_and_no_table(evening: Evening) -> None:
    page = opened(evening, "off", (replace(told_of(), winners=(), broken_off=True),))

    assert page.locator("#game h2").inner_text() == "Broken off"
    assert page.locator("#players").is_hidden()


def test_another_game_of_the_evening_is_a_press_away(evening: Evening) -> None:
    page = opened(evening, "tabs", played())
    page.click("#games button:nth-child(3)")

    wait_until(page, "document.querySelector('#game p').textContent.includes('8:06')")
    assert page.locator("#games [aria-pressed=true]").inner_text().startswith("3 · 8:06")
    # The scoreboard leads there.
    page = evening.shown(scene(2), "from")
    page.click("#to-evening")
    page.wait_for_selector("body.evening[data-ready]")


def test_where_phones_may_not_act_nobody_is_led_to_moves_that_cannot_be_had(
    evening: Evening,
) -> None:
    page = opened(evening, "moves", (told_of(),))

    assert page.locator("#to-game").count() == page.locator("#keep").count() == 0


def test_its_picture_is_saved_and_its_code_leads_here(evening: Evening) -> None:
    page = opened(evening, "share", (told_of(),))
    with page.expect_download() as download:
        page.click("button[name=save]")

    assert download.value.suggested_filename == "topple-share.png"
    assert download.value.path().read_bytes().startswith(PNG)
    assert page.evaluate("document.querySelector('.share img').naturalWidth > 0")
    assert page.locator("#picture").get_attribute("aria-label").endswith("Topple: Ada wins!")


def test_its_picture_has_no_room_for_a_curve_that_there_is_not(evening: Evening) -> None:
    bare = replace(told_of(), highlights=None)
    with_curve, without = (
        opened(evening, name, games).evaluate("document.querySelector('#picture').height")
        for name, games in (("curve", (told_of(),)), ("no-curve", (bare,)))
    )

    assert with_curve == 1350
    assert without < 700


def test_before_the_first_end_it_says_so_and_shows_the_game_that_runs(evening: Evening) -> None:
    page = opened(evening, "none", ())
    assert "No game has ended yet" in page.locator("#game").inner_text()
    assert page.locator("#share").is_hidden()

    running = scene(2, game="g2", rev=7, seq=7, history=((4, 0), (4, 6), (9, 6)))
    evening.show(running, "none")
    page.wait_for_selector("#now:not([hidden])")
    assert page.locator("#now polyline").count() == 2

    evening.say(topics.availability("none", online=False))
    page.wait_for_selector("#notices .notice.offline")
    assert "old" in (page.locator("#now").get_attribute("class") or "")


def test_the_end_of_a_game_is_there_without_a_reload(evening: Evening) -> None:
    page = opened(evening, "ends", ())
    evening.say(topics.results(Results("ends", "boot-1", (told_of(),))))
    evening.show(scene(2, phase="over", turn=None, rev=41, seq=41), "ends")

    page.wait_for_selector("#share:not([hidden])")


def test_names_are_never_markup_and_old_results_tell_what_they_have(evening: Evening) -> None:
    players = (PlayerResult("<b>Bob</b>", 3), PlayerResult("Ann", None))
    old = GameResult("g", "topple", 9, NIGHT.isoformat(), players, ("<b>Bob</b>",))
    page = opened(evening, "old", (old,))

    assert "<b>Bob</b>" in page.locator("#game h2").inner_text()
    assert page.locator("#game .history").count() == 0
    assert page.complaints == []

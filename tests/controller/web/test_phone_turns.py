"""On the phone: who begins after a bump, whose turn it is, and which piece is asked about."""

from typing import Any

import pytest

from tests.controller.web.browser import BROWSER_NEEDED
from tests.controller.web.home import (
    EVERYBODY,
    Home,
    home,
    panel,
    picture,
    start_topple,
    tap,
    until,
)

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

BEGINS = {"en-GB": "Bob begins?", "de-DE": "Beginnt Bob?", "fr-FR": "Bob commence\u202f?"}


def turn(home: Home) -> str:
    return str(home.table.board.turn.player)


def bumped(home: Home) -> Any:
    """Ann has placed, somebody bumped, and the board is empty again: does her piece count?"""
    page = home.joined()
    start_topple(page)
    tap(page, EVERYBODY)
    for cell, following in (("e2", "Bob"), ("c3", "Ann"), ("b3", "Bob")):
        tap(page, "die-6")
        page.wait_for_selector(".tower-board")
        home.table.place(cell)
        until(page, lambda following=following: turn(home) == following)
        page.wait_for_selector("[data-name=die-6]")
    home.table.topple("bump", rested=0.7)
    until(page, lambda: home.table.board.phase == "clear")
    home.table.cleared()
    until(page, lambda: home.table.board.phase == "roll")
    page.locator(".turn-card").wait_for()
    return page


@pytest.mark.parametrize("lang", BEGINS)
def test_who_begins_is_asked_in_every_language_above_the_dice(home: Home, lang: str) -> None:
    bumped(home)
    page = home.joined("Bob", lang=lang)
    page.locator(".turn-card").wait_for()

    assert page.locator(".turn-card h2").inner_text().startswith(BEGINS[lang])
    # First the question, then what is needed to play on.
    assert page.locator("[data-panel=turn] h2").count() == 2
    assert page.locator("[data-name=die-6]").is_visible()
    picture(page, f"play-begins-{lang}")
    assert page.complaints == []


def test_one_tap_on_a_name_settles_who_begins(home: Home) -> None:
    page = bumped(home)
    assert page.locator(".score-chip.now .maybe").inner_text() == "?"
    tap(page, "turn-Ann")
    page.locator(".turn-card").wait_for(state="detached")

    assert turn(home) == "Ann"
    assert home.table.board.pending.kind == "blame"  # comes next, beside the game
    assert page.locator(".score-chip .maybe").count() == 0
    assert page.complaints == []


def test_who_rolls_need_not_answer(home: Home) -> None:
    page = bumped(home)
    tap(page, "die-4")
    page.wait_for_selector(".tower-board")

    assert (turn(home), home.table.board.turn.die) == ("Bob", 4)
    assert page.complaints == []


def test_beside_undo_anybody_says_at_any_time_whose_turn_it_is(home: Home) -> None:
    page = home.joined()
    start_topple(page)
    tap(page, EVERYBODY)
    tap(page, "fix")
    panel(page, "fix")
    assert page.locator("[data-name=turn-Ann]").get_attribute("aria-pressed") == "true"
    picture(page, "play-fix-turn")
    page.get_by_role("button", name="It is Bob\u2019s turn").click()
    panel(page, "turn")

    assert turn(home) == "Bob"
    tap(page, "undo")
    until(page, lambda: turn(home) == "Ann")
    assert page.complaints == []


def test_who_bumped_and_whose_turn_it_is_are_said_in_one_dialog(home: Home) -> None:
    page = home.joined()
    start_topple(page)
    tap(page, EVERYBODY)
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")
    home.table.place("e2")
    page.wait_for_selector("[data-name=die-6]")
    tap(page, "It toppled!")
    panel(page, "fall")
    tap(page, "turn-Ann")
    until(page, lambda: turn(home) == "Ann")
    # It stays: who bumped the table is still to be said.
    page.locator("[data-panel=fall] [data-name=turn-Ann][aria-pressed=true]").wait_for()
    tap(page, "Bob bumped the table")
    until(page, lambda: home.table.board.phase == "clear")

    assert home.table.board.last.player == "Bob"
    assert page.complaints == []


def test_beside_the_question_who_bumped_stands_a_row_for_the_turn(home: Home) -> None:
    page = bumped(home)
    tap(page, "turn-Bob")
    page.locator(".aside").wait_for()
    assert page.locator(".aside .answer").count() == 4
    tap(page, "turn-Ann")
    until(page, lambda: turn(home) == "Ann")

    assert home.table.board.pending.kind == "blame"
    assert page.complaints == []

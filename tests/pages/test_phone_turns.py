"""On the phone: who begins after a bump, whose turn it is, and which piece is asked about."""

from functools import partial
from typing import Any

import msgspec
import pytest

from tests.pages.acting import Acting, animations, screen, wall
from tests.pages.browser import BROWSER_NEEDED
from tests.pages.home import (
    Home,
    home,
    panel,
    picture,
    shown_rev,
    tap,
    until,
)
from tests.pages.scenes import NAMES, blamed_later, emptied, meant, scene

pytestmark = BROWSER_NEEDED
__all__ = ["home", "screen", "wall"]  # fixtures

BEGINS = {"en-GB": "Bob begins?", "de-DE": "Beginnt Bob?", "fr-FR": "Bob commence\u202f?"}


def turn(home: Home) -> str:
    return str(home.table.board.turn.player)


def is_turn_of(home: Home, player: str) -> bool:
    return turn(home) == player


def bumped(home: Home) -> Any:
    """Ann has placed, somebody bumped, and the board is empty again: does her piece count?"""
    page = home.everybody()
    for cell, following in (("e2", "Bob"), ("c3", "Ann"), ("b3", "Bob")):
        tap(page, "die-6")
        page.wait_for_selector(".tower-board")
        home.table.place(cell)
        until(page, partial(is_turn_of, home, following))
        page.wait_for_selector("[data-name=die-6]")
    home.table.topple("bump", rested=0.7)
    until(page, lambda: home.table.board.phase == "clear")
    home.table.cleared()
    until(page, lambda: home.table.board.phase == "roll")
    page.locator(".turn-card").wait_for()
    # What is said of an older document is refused.
    until(page, lambda: shown_rev(page) == home.table.board.rev)
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


def test_one_tap_on_a_name_settles_who_begins_and_can_be_said_beside_who_bumped(
    home: Home,
) -> None:
    page = bumped(home)
    assert page.locator(".score-chip.now .maybe").inner_text() == "?"
    tap(page, "turn-Bob")
    page.locator(".turn-card").wait_for(state="detached")
    assert turn(home) == "Bob"
    assert page.locator(".score-chip .maybe").count() == 0

    # Ann, Bob, while placing, nothing fell, and "I do not know".
    page.locator(".aside").wait_for()
    assert page.locator(".aside .answer").count() == 5
    tap(page, "turn-Ann")
    until(page, lambda: turn(home) == "Ann")
    assert home.table.board.pending.kind == "blame"
    # Who rolls need not answer.
    tap(page, "die-4")
    page.wait_for_selector(".tower-board")
    assert (turn(home), home.table.board.turn.die) == ("Ann", 4)
    assert page.complaints == []


def test_beside_undo_anybody_says_at_any_time_whose_turn_it_is(home: Home) -> None:
    page = home.everybody()
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
    page = home.everybody()
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


BROKEN = """
() => [...document.querySelectorAll(".aside button")].filter((button) => {
  const text = document.createRange();
  return button.textContent.split(/\\s+/).some((word) => {
    const walker = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const at = node.data.indexOf(word);
      if (at < 0 || !word) continue;
      text.setStart(node, at);
      text.setEnd(node, at + word.length);
      return new Set([...text.getClientRects()].map((box) => box.top)).size > 1;
    }
    return false;
  });
}).map((button) => button.textContent)
"""
"""Buttons with a word that begins on one line and ends on another."""


WIDER = """
() => [...document.querySelectorAll(".bar-button")]
  .filter((button) => button.scrollWidth > button.clientWidth).map((button) => button.textContent)
"""


@pytest.mark.parametrize("lang", ["en-GB", "de-DE", "fr-FR"])
@pytest.mark.parametrize("width", [320, 390, 560, 800])
def test_no_name_is_broken_beside_the_question_who_bumped(
    screen: Acting, width: int, lang: str
) -> None:
    can = {"any": ("blame", "turn", "correct", "answer", "undo"), NAMES[1]: ("pass",)}
    page = screen.on_phone(msgspec.structs.replace(blamed_later(4), can=can), locale=lang)
    page.set_viewport_size({"width": width, "height": 1000})
    page.locator(".aside").wait_for()

    assert page.evaluate(BROKEN) == []
    assert page.evaluate(WIDER) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


EMPTIED = {
    "en-GB": "The board was cleared. What fell?",
    "de-DE": "Das Brett wurde abgeräumt. Ist etwas gefallen?",
    "fr-FR": "Le plateau a été vidé. Quelque chose est-il tombé\u202f?",
}


@pytest.mark.parametrize("lang", EMPTIED)
def test_where_nothing_was_seen_to_fall_it_is_not_said_that_something_did(
    screen: Acting, lang: str
) -> None:
    page = screen.on_phone(emptied(), locale=lang)

    assert page.locator(".aside h3").first.inner_text() == EMPTIED[lang]


ANSWERS = {
    "en-GB": ("3 points", ["It fell 5 %", "nothing was placed 3 %", "I do not know"]),
    "de-DE": ("3 Punkte", ["Er ist gefallen 5 %", "nichts gesetzt 3 %", "Weiß ich nicht"]),
    "fr-FR": ("3 points", ["Elle est tombée 5 %", "rien n\u2019a été posé 3 %", "Je ne sais pas"]),
}


@pytest.mark.parametrize("lang", ANSWERS)
def test_a_question_about_a_cell_shows_the_piece_and_has_a_button_for_every_answer(
    screen: Acting, lang: str
) -> None:
    page = screen.on_phone(meant(3), locale=lang)
    worth, answers = ANSWERS[lang]

    assert page.locator(".question .about b").inner_text() == "Ada"
    assert page.locator(".question .about .token").is_visible()
    assert page.locator(".question .worth").inner_text() == worth
    assert page.locator("button.cell").count() == 2
    assert page.locator(".cell.meant").get_attribute("data-cell") == "b3"
    found = page.locator(".others button").all_inner_texts()
    assert [" ".join(text.split()) for text in found] == answers
    assert page.complaints == []


@pytest.mark.parametrize(("motion", "expected"), [("no-preference", ["blink"]), ("reduce", [])])
def test_the_cell_that_is_meant_blinks_on_the_phone_and_every_answer_is_one_tap(
    screen: Acting, motion: str, expected: list[str]
) -> None:
    for answer in ("b4", "fell", "none", "unknown"):
        page = screen.on_phone(meant(3), motion=motion)
        page.locator(".cell.meant").wait_for()

        assert animations(page, ".cell.meant") == expected
        outline = "getComputedStyle(document.querySelector('.cell.meant')).outlineStyle"
        assert page.evaluate(outline) == "solid"
        tap(page, answer)
        assert screen.heard() == ("answer", {"question": "cell-12", "value": answer})


@pytest.mark.parametrize("seen", [True, False])
def test_a_cell_is_tapped_and_the_colour_is_asked_only_where_weights_would_have_told_it(
    screen: Acting, seen: bool
) -> None:
    board = scene(2)
    ada, bjorn = board.players
    bjorn = msgspec.structs.replace(bjorn, colours=("blue", "green"))
    verbs = ("place", "pass") if seen else ("place", "pass", "colour")
    page = screen.on_phone(
        msgspec.structs.replace(board, players=(ada, bjorn), can={bjorn.name: verbs})
    )
    page.locator("[data-cell=c1]:not([aria-disabled=true])").click()
    if seen:
        panel(page, "place")
        assert screen.said == []
        tap(page, "place-green")

    expected = {"cell": "c1", "colour": "green"} if seen else {"cell": "c1"}
    assert screen.heard() == ("place", expected)
    assert page.complaints == []

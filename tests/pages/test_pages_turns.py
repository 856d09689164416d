"""Whose turn it is, when the table is not sure: said with a question mark, and settled by a tap."""

import msgspec
import pytest

from controller.mqtt import topics
from engine.scoreboard import Scoreboard, TurnShown
from tests.pages.acting import REVS, Acting, animations, screen, wall
from tests.pages.browser import BROWSER_NEEDED, Evening, opened, wait_for_rev, wait_until
from tests.pages.scenes import meant, scene, turn_asked, turn_doubted

pytestmark = BROWSER_NEEDED
__all__ = ["screen", "wall"]  # fixtures

BEGINS = {"en-GB": "Björn begins?", "de-DE": "Björn beginnt?", "fr-FR": "Björn commence\u202f?"}


@pytest.mark.parametrize("lang", BEGINS)
@pytest.mark.parametrize("board", [turn_asked(3), turn_doubted(3), turn_asked(3, "clear")])
def test_a_turn_in_doubt_has_a_question_mark_in_every_language(
    evening: Evening, board: Scoreboard, lang: str
) -> None:
    rev = next(REVS)
    evening.show(msgspec.structs.replace(board, rev=rev, seq=rev))
    with opened(evening.chromium, f"{evening.server.url}t/t1", locale=lang) as page:
        wait_for_rev(page, rev)
        assert page.locator(".card.now .pill.now").inner_text() == BEGINS[lang]


@pytest.mark.parametrize(
    ("phase", "turn", "pill"),
    [
        # In mid-turn the name is doubted and not the beginning.
        ("act", TurnShown("Björn", die=3, p=0.7), "Björn\u2019s turn?"),
        ("roll", TurnShown("Björn"), "roll!"),
        ("roll", TurnShown("Björn", p=0.9), "roll!"),
        ("roll", TurnShown("Björn", p=0.99), "roll!"),
    ],
)
def test_a_turn_that_is_sure_enough_looks_as_ever(
    evening: Evening, phase: str, turn: TurnShown, pill: str
) -> None:
    rev = next(REVS)
    page = evening.shown(scene(2, phase=phase, turn=turn, rev=rev, seq=rev))

    assert page.locator(".card.now .pill").inner_text() == pill
    assert (page.locator(".doubted").count() == 0) is (pill == "roll!")


@pytest.mark.parametrize(
    ("button", "player"),
    [(".settle[data-player=Ada]", "Ada"), ("button.option[data-value=Björn]", "Björn")],
    ids=["a card", "the line below"],
)
def test_a_tap_answers_the_question_who_begins(screen: Acting, button: str, player: str) -> None:
    page = screen.on_screen(turn_asked(3))
    page.locator(button).click()

    assert screen.heard() == ("answer", {"question": "turn-13", "value": player})
    # Chidi is not one of those who may begin.
    assert page.locator(".settle").count() == 2
    assert page.complaints == []
    sure = screen.on_screen(scene(3, turn=TurnShown("Björn", die=3, p=0.99)))
    assert sure.locator(".settle").count() == 0


def test_without_a_question_a_tap_on_a_card_says_whose_turn_it_is(screen: Acting) -> None:
    page = screen.on_screen(turn_doubted(3))
    page.get_by_role("button", name="It is Chidi\u2019s turn").click()

    assert screen.heard() == ("turn", {"player": "Chidi"})


def test_a_tap_that_is_not_obeyed_says_why(screen: Acting) -> None:
    page = screen.on_screen(turn_asked(3))
    page.locator(".settle").first.wait_for()
    # Meanwhile the table has gone.
    screen.say(topics.availability("t1", online=False))
    page.wait_for_selector(".notice.offline")
    page.locator(".settle[data-player=Ada]").click()

    page.locator(".notice.refused").wait_for()
    assert page.locator(".notice.refused").inner_text() == "The table is offline."
    assert screen.said == []


def test_a_page_that_only_shows_cannot_be_tapped(evening: Evening, screen: Acting) -> None:
    """A display, and a guest's browser at pages that have phones."""
    for house in (evening, screen):
        rev = next(REVS)
        house.show(msgspec.structs.replace(turn_asked(3), rev=rev, seq=rev))
        page = house.open()
        wait_for_rev(page, rev)
        page.wait_for_load_state("networkidle") if house is evening else page.wait_for_timeout(300)

        assert page.locator(".pill.maybe").is_visible()
        assert page.locator(".settle, button.option").count() == 0


@pytest.mark.parametrize(("motion", "expected"), [("no-preference", "blink"), ("reduce", None)])
def test_the_piece_that_is_meant_blinks_unless_people_want_it_still(
    evening: Evening, motion: str, expected: str | None
) -> None:
    rev = next(REVS)
    evening.show(msgspec.structs.replace(meant(3), rev=rev, seq=rev))
    page = evening.open(motion=motion)
    wait_for_rev(page, rev)
    top = ".meant .piece:last-child"

    assert page.locator(".meant").get_attribute("data-cell") == "b3"
    assert animations(page, top) == ([expected] if expected else [])
    stroke = (
        "getComputedStyle(document.querySelector('.meant .piece:last-child .face')).strokeWidth"
    )
    assert page.evaluate(stroke) == "4px"


def test_a_question_says_whose_piece_is_meant_and_what_hangs_on_it(evening: Evening) -> None:
    rev = next(REVS)
    evening.show(msgspec.structs.replace(meant(3), rev=rev, seq=rev))
    expected = {
        "en": ("3 points", ["b3 71%", "b4 21%", "It fell 5%", "nothing was placed 3%",
                            "I do not know"]),
        "de": ("3 Punkte", ["b3 71\xa0%", "b4 21\xa0%", "Er ist gefallen 5\xa0%",
                            "nichts gesetzt 3\xa0%", "Weiß ich nicht"]),
        "fr": ("3 points", ["b3 71\u202f%", "b4 21\u202f%", "Elle est tombée 5\u202f%",
                            "rien n\u2019a été posé 3\u202f%", "Je ne sais pas"]),
    }  # fmt: skip
    for lang, (worth, answers) in expected.items():
        page = evening.open(path=f"t/t1?lang={lang}")
        wait_for_rev(page, rev)

        assert page.locator(".ticker .whose").inner_text() == "Ada"
        assert page.locator(".ticker .worth").inner_text() == worth
        found = [text.strip() for text in page.locator(".ticker .option").all_inner_texts()]
        assert [" ".join(text.split()) for text in found] == [
            " ".join(text.split()) for text in answers
        ]
        wait_until(page, "document.documentElement.scrollWidth <= innerWidth")

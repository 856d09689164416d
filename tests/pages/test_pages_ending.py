"""Before the winner is called: one card with all that is asked, and no celebration until then."""

import msgspec
import pytest

from tests.pages.acting import REVS, Acting, screen, wall
from tests.pages.browser import BROWSER_NEEDED, Evening, keep_pictures, wait_for_rev
from tests.pages.scenes import undecided

pytestmark = BROWSER_NEEDED
__all__ = ["screen", "wall"]  # fixtures

BEFORE = {
    "en-GB": "Before the winner is called:",
    "de-DE": "Bevor der Sieg ausgerufen wird:",
    "fr-FR": "Avant d\u2019annoncer le vainqueur\u202f:",
}
ROUND = {"en-GB": "Round 1: Where", "de-DE": "Runde 1: Wo", "fr-FR": "Manche 1"}


@pytest.mark.parametrize("lang", BEFORE)
def test_all_questions_stand_on_one_card_in_every_language(evening: Evening, lang: str) -> None:
    rev = next(REVS)
    evening.show(msgspec.structs.replace(undecided(3), rev=rev, seq=rev))
    page = evening.open(locale=lang)
    wait_for_rev(page, rev)
    card = page.locator("#ticker.several")

    assert card.locator(".before").inner_text() == BEFORE[lang]
    assert card.locator(".one").count() == 2
    assert card.locator(".one .what").last.inner_text().startswith(ROUND[lang])
    assert page.complaints == []


def test_the_winner_is_called_only_when_the_result_is_final(evening: Evening) -> None:
    page = evening.open()
    for result, winners, pills in (("open", 0, 0), ("final", 1, 1)):
        rev = next(REVS)
        board = msgspec.structs.replace(undecided(3), result=result, rev=rev, seq=rev)
        evening.show(board)
        wait_for_rev(page, rev)
        assert page.locator(".moment.over").count() == winners
        assert page.locator(".card.won").count() == pills
        # Who has not answered may still do so.
        assert page.locator("#ticker .one").count() == 2


def test_a_winner_is_called_by_time_alone_without_a_new_revision(evening: Evening) -> None:
    rev = next(REVS)
    board = msgspec.structs.replace(undecided(2), rev=rev, seq=rev)
    evening.show(board)
    page = evening.open()
    wait_for_rev(page, rev)
    evening.show(msgspec.structs.replace(board, result="final"))

    page.locator(".moment.over").wait_for()
    assert "Ada wins!" in page.locator("#live").inner_text()


def test_each_answer_goes_to_its_question_from_the_screen_and_a_phone(screen: Acting) -> None:
    page = screen.on_screen(undecided(3))
    page.locator("#ticker .one").last.locator("button[data-value=b4]").click()
    assert screen.heard() == ("answer", {"question": "cell-12", "value": "b4"})

    page = screen.on_phone(undecided(3))
    page.locator(".before-winner").wait_for()
    assert page.locator(".winner").count() == 0
    assert page.locator(".before-winner h3").count() == 2
    for path in keep_pictures(page, "undecided-phone", whole=True):
        assert path.exists()
    # The card stands above the next game.
    assert page.locator(".before-winner").bounding_box()["y"] < 400
    page.locator(".before-winner [data-name=cell-12-b4]").click()
    assert screen.heard() == ("answer", {"question": "cell-12", "value": "b4"})
    assert page.complaints == []


@pytest.mark.parametrize("players", [2, 4])
def test_the_card_is_readable_on_every_screen(evening: Evening, players: int) -> None:
    rev = next(REVS)
    evening.show(msgspec.structs.replace(undecided(players), rev=rev, seq=rev))
    page = evening.open()
    wait_for_rev(page, rev)
    for _ in keep_pictures(page, f"undecided-{players}", whole=True):
        cut = page.evaluate(
            "() => [...document.querySelectorAll('#ticker *')].filter((node) => {"
            " const box = node.getBoundingClientRect();"
            " return box.right > innerWidth + 1 || node.scrollWidth > node.clientWidth + 1"
            " && getComputedStyle(node).overflow === 'hidden'; }).map((node) => node.textContent)"
        )
        assert cut == []
        inside = page.evaluate("() => ticker.scrollHeight <= ticker.clientHeight + 1")
        assert inside

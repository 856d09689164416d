"""Who made it fall: asked beside the game, or believed until somebody knows better."""

import pytest

from tests.pages.browser import BROWSER_NEEDED
from tests.pages.home import (
    Home,
    home,
    panel,
    picture,
    tap,
    until,
)

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

WASNT = {
    "en-GB": ("It wasn\u2019t Bob", "It wasn\u2019t me"),
    "de-DE": ("Bob war\u2019s nicht", "Ich war\u2019s nicht"),
    "fr-FR": ("Ce n\u2019était pas Bob", "Ce n\u2019était pas moi"),
}


@pytest.mark.parametrize("lang", WASNT)
def test_a_culprit_who_knows_better_says_so_until_the_next_roll(home: Home, lang: str) -> None:
    anybody, own = WASNT[lang]
    page = home.everybody()
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")
    home.table.place("e2")
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")
    home.table.topple("placing", 0.88)
    until(page, lambda: home.table.board.phase == "clear")
    bob = home.joined("Bob", lang=lang)
    bob.get_by_role("button", name=own).wait_for()
    other = home.joined("Ann", lang=lang)
    other.get_by_role("button", name=anybody).wait_for()
    assert bob.locator(".question").count() == 0
    picture(bob, f"play-doubt-{lang}")
    home.table.cleared()
    until(bob, lambda: home.table.board.phase == "roll")
    tap(bob, "doubt")
    panel(bob, "doubt")
    picture(bob, f"play-doubt-open-{lang}")
    tap(bob, "Ann")
    panel(bob, "turn")
    # The panel follows the answer; what may be doubted follows the next state.
    bob.locator("[data-name=doubt]").wait_for(state="detached")

    assert [player.score for player in home.table.board.players] == [-10, 0]
    assert page.complaints == bob.complaints == []


def test_who_bumped_the_table_is_asked_beside_the_dice_and_play_goes_on(home: Home) -> None:
    page = home.everybody()
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")
    home.table.place("e2")
    page.wait_for_selector("[data-name=die-6]")
    home.table.topple("bump")
    page.locator(".aside").wait_for()
    assert page.locator("[data-panel=turn] h2").first.inner_text() == "Clear the board"
    picture(page, "play-bump-clear")
    home.table.cleared()
    page.wait_for_selector("[data-name=die-6]")
    assert page.locator(".aside").is_visible()
    picture(page, "play-bump-roll")
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")
    home.table.place("c3")
    until(page, lambda: "c3" in home.table.board.board)
    tap(page, "Ann")
    until(page, lambda: home.table.board.pending is None)
    # As above: the answer may be there before the state.
    page.locator(".aside").wait_for(state="detached")

    assert [player.score for player in home.table.board.players] == [-10, 0]
    assert page.complaints == []

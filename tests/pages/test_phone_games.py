"""The phone page in Debian's Chromium: the games by hand, and everybody's eyes, ears and thumbs."""

from functools import partial
from typing import Any

import pytest

from tests.pages.browser import BROWSER_NEEDED, Evening, axe_findings
from tests.pages.home import (
    EVERYBODY,
    Home,
    home,
    panel,
    picture,
    start,
    start_topple,
    tap,
    until,
)
from tests.pages.running import HALF_SURE

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture


# --- the other games -----------------------------------------------------------------------------


def test_topolo_is_played_by_hand(home: Home) -> None:
    page = home.joined()
    start(page, "topolo")
    tap(page, EVERYBODY)

    def lies(cell: str) -> bool:
        return cell in home.table.board.view["board"]

    for cell, size in (("c3", "L"), ("d3", "S"), ("e5", "M")):
        tap(page, f"size-{size}")
        tap(page, cell)
        until(page, partial(lies, cell))
    picture(page, "play-topolo")

    assert home.table.board.view["board"] == {"c3": "red-L", "d3": "black-S", "e5": "red-M"}
    assert page.complaints == []


@pytest.mark.parametrize("late", ["**/stream", "**/play/me"])
def test_a_hand_is_shown_after_a_reload_whatever_comes_first(home: Home, late: str) -> None:
    page = home.joined()
    start(page, "triple-topper-toe")
    tap(page, "Ann")
    page.wait_for_selector(".cards")
    held: list[Any] = []
    page.route(late, lambda route: route.continue_() if held else held.append(route))
    page.reload()
    until(page, lambda: bool(held))
    page.wait_for_timeout(300)
    held[0].continue_()

    page.wait_for_selector(".cards", timeout=10_000)


def test_triple_topper_toe_is_played_by_hand_and_a_hand_is_shown_to_its_seat_only(
    home: Home,
) -> None:
    ann = home.joined()
    start(ann, "triple-topper-toe")
    tap(ann, "Ann")
    ann.wait_for_selector(".cards")
    bob = home.joined(seat="Bob")
    bob.wait_for_selector(".cards")
    state = home.table.pipeline.state.position.game_state
    assert cards(ann) == set(state.hands[0])
    bobs = bob.locator(".cards [role=img]").all()
    assert len(bobs) == 3
    # No third phone can take Ann's seat while her phone is awake, and without a seat it sees none.
    third = home.joined(seat="Ann")
    third.get_by_text("Another phone has this seat").wait_for()
    tap(third, EVERYBODY)
    third.get_by_text("Take your seat to see your cards").wait_for()
    assert third.locator(".cards").count() == 0

    tap(ann, "draw")
    ann.get_by_text("Choose a card to play").wait_for()
    picture(ann, "play-cube-card")
    play_card(home, ann)
    picture(ann, "play-cube")
    until(ann, lambda: home.table.board.view["marks"]["x"] == 1)
    bob.get_by_role("button", name="Draw a card").wait_for()
    for card in home.table.pipeline.state.position.game_state.hands[1][:2]:
        tap(bob, card)
    tap(bob, "discard")
    until(bob, lambda: home.table.board.turn.player == "Ann")

    tap(ann, "draw")
    ann.get_by_text("Choose a card to play").wait_for()
    play_card(home, ann)
    # Bob threw cards away in his last turn, which this one knows nothing of.
    bob.get_by_role("button", name="Draw a card").wait_for()

    assert home.table.board.view["facedown"] == 2
    assert ann.complaints == bob.complaints == third.complaints == []


WILD = ("blob", "black", "?")
"""In the names of cards that fit several cells."""


def play_card(home: Home, page: Any) -> None:
    """One tap where the card names its cell, else a second one on a cell."""
    held = home.table.pipeline.state.position.game_state.hands[0]
    card = min(held, key=lambda name: any(sign in name for sign in WILD))
    tap(page, card)
    if any(sign in card for sign in WILD):
        page.locator(".spot.open").first.click()


def cards(page: Any) -> set[str]:
    """Names of the buttons; a hand that cannot be played now has none."""
    page.wait_for_selector("button.card")
    return {one.get_attribute("data-name") for one in page.locator("button.card").all()}


def test_topominos_is_played_by_hand_from_the_own_rack(home: Home) -> None:
    page = home.joined()
    start(page, "topominos")
    panel(page, "seat")
    tap(page, home.table.board.turn.player)
    page.wait_for_selector(".rack .tile")
    assert page.locator(".rack .tile").count() == 5
    place_in_the_middle(home, page)
    tap(page, "end")
    page.get_by_text("is playing").wait_for()

    assert sum(p.score for p in home.table.board.players) > 0
    assert page.complaints == []


def place_in_the_middle(home: Home, page: Any) -> None:
    def placed() -> bool:
        return "5" in home.table.board.view["board"]

    page.locator(".rack .tile:not(.stuck)").first.click()
    tap(page, "compartment-5")
    ways = page.locator(".ways .way")
    # A piece that looks the same from all sides lies there without being asked for.
    until(page, lambda: placed() or ways.count() > 1)
    picture(page, "play-topominos")
    if not placed():
        ways.first.click()
    until(page, placed)


def test_who_passed_in_topominos_begins_the_next_turn_at_its_beginning(home: Home) -> None:
    first = home.joined()
    start(first, "topominos")
    panel(first, "seat")
    begins = home.table.board.turn.player
    tap(first, begins)
    other = home.joined(seat=next(p.name for p in home.table.board.players if p.name != begins))
    place_in_the_middle(home, first)
    tap(first, "end")

    for page in (other, first):
        tap(page, "swapping")
        page.locator(".rack .tile").first.click()
        tap(page, "swap")
    other.locator('[data-name="pass"]').wait_for()

    assert other.locator('[data-name="swap"]').count() == 0
    assert first.complaints == other.complaints == []


def test_a_fifth_game_brings_its_pages_along(fifth_game: str, home: Home) -> None:
    page = home.joined(lang="de-CH")
    tap(page, fifth_game)
    assert page.locator(f"[data-name={fifth_game}]").inner_text() == "Perlenhaufen"
    assert page.locator(".person").count() == 2
    page.locator("details.rules summary").click()
    page.locator("details.rules select").select_option("flach")
    assert page.locator("details.rules label span").inner_text() == "Haufen"
    page.locator("[data-name=name-0]").fill("Ann")
    page.locator("[data-name=name-1]").fill("Bob")
    page.get_by_role("button", name="Los").click()
    panel(page, "seat")
    tap(page, "Ann")
    page.get_by_text("Du wünschst dir").wait_for()
    assert page.locator("#title").inner_text() == "Perlenhaufen"
    screen = home.page(size=(1280, 720))
    screen.goto(f"{home.server.url}t/t1?lang=fr")
    screen.wait_for_selector(".board-svg .pearl")
    assert screen.locator(".pearl").count() == 9
    assert screen.locator("#tower").is_hidden()
    assert screen.locator("#title").inner_text() == "Tas de perles"

    tap(page, "take-2")
    until(page, lambda: home.table.board.view["heap"] == 7)
    screen.wait_for_selector(".board-svg[aria-label='7 perles']")
    assert "Ann a pris des perles" in screen.locator("#ticker").inner_text()
    bob = home.joined(seat="Bob")
    tap(bob, "dip")
    until(bob, lambda: home.table.board.view["heap"] < 7)

    assert page.complaints == screen.complaints == bob.complaints == []


# --- for everybody ----------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_no_axe_findings_for_screen_readers_and_contrast(home: Home, scheme: str) -> None:
    page = home.page(scheme=scheme)
    page.goto(home.phone_url)
    panel(page, "join")
    check_accessible(page)
    page = home.joined(scheme=scheme)
    check_accessible(page)
    start_topple(page, ("Ann", "Bob"))
    panel(page, "seat")
    check_accessible(page)
    tap(page, EVERYBODY)
    page.wait_for_selector("[data-name=die-6]")
    check_accessible(page)
    tap(page, "die-6")
    page.wait_for_selector(".tower-board")
    home.table.place("b3", 0.74, HALF_SURE)
    panel(page, "question")
    check_accessible(page)
    for opened in ("fix", "more"):
        tap(page, opened)
        panel(page, opened)
        check_accessible(page)


def check_accessible(page: Any) -> None:
    assert axe_findings(page) == [], page.locator("#panel").get_attribute("data-panel")


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (844, 390)])
def test_nothing_is_wider_than_the_phone_and_every_button_is_for_thumbs(
    home: Home, size: tuple[int, int]
) -> None:
    page = home.joined(size=size)
    start_topple(page, ("Wilhelmina the 3", "Bob"))
    tap(page, EVERYBODY)
    page.wait_for_selector("[data-name=die-6]")
    for step in ("roll", "act"):
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        for button in page.locator("button:visible").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 40, button.inner_text()
        if step == "roll":
            tap(page, "die-6")
            page.wait_for_selector(".tower-board")


def test_it_is_played_with_the_keyboard_alone_and_a_hostile_name_is_only_text(home: Home) -> None:
    page = home.joined()
    start_topple(page, ("<img src=x>", "Bob"))
    panel(page, "seat")
    assert page.locator(".seat img").count() == 0
    assert page.locator('[data-name="<img src=x>"]').count() == 1
    page.locator(f'[data-name="{EVERYBODY}"]').focus()
    page.keyboard.press("Enter")
    page.locator("[data-name=die-6]").focus()
    page.keyboard.press("Space")
    page.wait_for_selector(".tower-board")

    assert home.table.board.turn.die == 6
    # Focus is somewhere sensible, not lost to the top of the page.
    assert page.evaluate("document.activeElement.id") == "panel"
    assert page.complaints == []


def test_a_seat_is_asked_of_its_phone_which_keeps_it_or_gives_it(home: Home) -> None:
    ann = home.joined()
    start_topple(ann)
    panel(ann, "seat")
    tap(ann, "Ann")
    other = home.joined(seat="Ann")
    other.get_by_text("It is asked now whether to give it").wait_for()

    ann.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    ann.get_by_text("Another phone asks to be Ann").wait_for()
    picture(ann, "claim")
    tap(ann, "Give it to that phone")

    ann.get_by_text("Another phone is Ann now").first.wait_for()
    panel(ann, "seat")
    other.locator("#who", has_text="Ann").wait_for()


LEGAL = """async (kind) => {
    const { legal } = await import("/static/play_hand.js");
    const taken = { type: "take" }, hand = { legal: [taken, { type: "pass" }] };
    try { return legal({ board: { kind }, hand }, "take"); } catch (error) { return error.message; }
}"""


def test_a_panel_that_asks_for_the_hand_of_a_game_without_hands_is_told_so(
    evening: Evening,
) -> None:
    """The table is asked for a `view` only where something is hidden, so the list stayed empty."""
    page = evening.open(path="t/t1")

    assert page.evaluate(LEGAL, "topominos") == [{"type": "take"}]
    assert page.evaluate(LEGAL, "topolo").startswith(
        "legal() reads a hidden hand, and topolo hides"
    )

"""What a person is doing on the phone is never taken from under the finger.

Debian's Chromium against a running table and Mosquitto with its roles, while the game goes on.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from controller.mqtt.client import Message
from tests.pages.browser import BROWSER_NEEDED, wait_until
from tests.pages.home import (
    EVERYBODY,
    Home,
    home,
    panel,
    picture,
    shown_rev,
    start_topple,
    tap,
    until,
)
from tests.pages.test_phone_turns import bumped

pytestmark = BROWSER_NEEDED
__all__ = ["home"]  # a fixture

CHANGES = 20
CELLS = [file + rank for rank in "234" for file in "abcde"]


def command(home: Home, verb: str, **data: Any) -> None:
    """Another phone, or the table's own button."""
    payload = json.dumps({"data": data}).encode()
    home.table.live.receive(Message(f"topple/1/t1/cmd/{verb}", payload, retained=False))


def seen_by(page: Any, home: Home, rev: int) -> None:
    """Until the table has gone beyond `rev` and the page knows all of it."""
    until(page, lambda: home.table.board.rev > rev)
    until(page, lambda: shown_rev(page) == home.table.board.rev)


def changes(pages: Iterable[Any], home: Home, count: int = CHANGES) -> None:
    """The game goes on: rolls and pieces, each seen by all pages before the next comes."""
    for _ in range(count):
        board = home.table.board
        if board.phase == "roll":
            command(home, "roll", value=6)
        else:
            home.table.place(CELLS[len(board.board)])
        for page in pages:
            seen_by(page, home, board.rev)


@pytest.fixture
def playing(home: Home) -> Iterator[Any]:
    """A phone for everybody in a game with one piece on the board; Bob is to roll."""
    page = home.everybody()
    page.wait_for_selector("[data-name=die-6]")
    changes([page], home, 2)
    return page


def marked(page: Any, selector: str) -> None:
    """Remember the very element that a finger is about to touch."""
    page.locator(selector).first.evaluate("(node) => { node.underTheFinger = true; }")


def same(page: Any, selector: str) -> bool:
    return bool(page.locator(selector).first.evaluate("(node) => node.underTheFinger === true"))


# --- typing --------------------------------------------------------------------------------------


def test_a_pin_typed_slowly_while_the_game_goes_on_lets_the_phone_in(
    home: Home, playing: Any
) -> None:
    page = home.page()
    page.goto(home.phone_url)
    panel(page, "join")
    page.keyboard.type("000000" if home.pin() != "000000" else "111111")
    page.get_by_text("This is not the PIN").wait_for()
    begun = home.table.board.rev
    changes([page], home, 4)
    assert page.get_by_text("This is not the PIN").is_visible()
    for typed, digit in enumerate(home.pin(), start=1):
        tap(page, digit)
        if typed < 5:
            changes([page], home, 4)
            assert page.locator(".digit.full").count() == typed

    panel(page, "seat")
    assert home.table.board.rev - begun == CHANGES
    assert page.complaints == []


def test_names_typed_for_a_new_game_outlive_a_game_that_others_begin(home: Home) -> None:
    page = home.joined()
    page.locator("[data-name=name-0]").fill("Wilhelmina")
    page.locator("[data-name=name-1]").focus()
    page.keyboard.type("Bj")
    players = [{"name": "Ann", "colours": ["red"]}, {"name": "Bob", "colours": ["blue"]}]
    command(home, "start", players=players)
    seen_by(page, home, 0)
    page.get_by_text("A game has been started meanwhile").wait_for()
    changes([page], home)
    page.keyboard.type("örn")

    assert page.locator("[data-name=name-0]").input_value() == "Wilhelmina"
    assert page.locator("[data-name=name-1]").input_value() == "Björn"
    assert page.locator("[data-name=Start]").get_attribute("aria-disabled") == "true"
    picture(page, "dialog-start-gone")
    tap(page, "back")
    panel(page, "seat")
    assert page.complaints == []


def test_who_begins_has_the_names_as_they_are_typed_and_the_form_makes_way_untouched(
    home: Home,
) -> None:
    page, other = home.joined(), home.joined()
    page.locator("[data-name=name-0]").fill("Ann")
    page.locator("[data-name=name-1]").fill("Bob")
    page.locator("[data-name=name-1]").press("Backspace")
    page.keyboard.type("o")

    assert page.locator(".begins button").all_inner_texts() == ["Ann", "Boo"]
    assert page.evaluate("document.activeElement.dataset.name") == "name-1"
    tap(page, "Start")
    panel(other, "seat")
    command(home, "end")
    panel(other, "start")
    other.locator("[data-name=name-0]").fill("Cleo")
    assert other.locator(".begins button").all_inner_texts() == ["Cleo", "Boo"]


# --- dialogs -------------------------------------------------------------------------------------

# How each dialog is opened, its words, and what a finger is about to touch in it.
DIALOGS = {
    "end": (("more", "End the game"), "End this game?", "Yes, end it"),
    "more": (("more",), "More", "End the game"),
    "fall": (("It toppled!",), "How did it topple?", "Bob bumped the table"),
    "fix": (("fix",), "Which piece is wrong?", "a2"),
    "fix-piece": (("fix", "a2"), "It is on another cell", "It was not placed at all"),
    "invite": (("more", "Invite a phone"), "/t/t1", "back"),
    "seat": (("more", "Change seat"), "Who are you?", "Bob"),
}


def test_every_open_dialog_stays_while_the_game_goes_on(home: Home, playing: Any) -> None:
    pages: dict[str, Any] = {}
    for name, (way, words, target) in DIALOGS.items():
        page = pages[name] = playing if not pages else home.joined(EVERYBODY)
        for step in way:
            tap(page, step)
        page.get_by_text(words).first.wait_for()
        marked(page, f'#panel [data-name="{target}"]')
        page.place = page.locator(f'#panel [data-name="{target}"]').bounding_box()
    begun = home.table.board.rev
    changes(pages.values(), home)

    assert home.table.board.rev - begun == CHANGES
    for name, page in pages.items():
        finger = f'#panel [data-name="{DIALOGS[name][2]}"]'
        picture(page, f"dialog-{name}")
        assert page.locator("#panel").get_attribute("data-panel") == name
        assert same(page, finger), name
        assert page.locator(finger).bounding_box() == page.place, name
        assert page.complaints == [], name


def test_a_cell_can_be_tapped_while_others_correct_what_lies(home: Home, playing: Any) -> None:
    page = playing
    tap(page, "die-6")
    page.wait_for_selector("[data-cell=e5]")
    marked(page, "[data-cell=e5]")
    ref = home.table.board.board["a2"][0].ref
    for turn in range(CHANGES):
        rev = home.table.board.rev
        command(home, "correct", ref=ref, cell=("b1", "c1")[turn % 2])
        seen_by(page, home, rev)
    assert same(page, "[data-cell=e5]")
    picture(page, "dialog-place")
    tap(page, "e5")
    page.get_by_text("Done.").wait_for()

    assert set(home.table.board.board) == {"c1", "e5"}


def test_what_is_pressed_in_a_dialog_kept_open_is_done(home: Home, playing: Any) -> None:
    tap(playing, "It toppled!")
    changes([playing], home)
    tap(playing, "Bob bumped the table")
    playing.get_by_text("Done.").wait_for()

    assert home.table.board.phase == "clear"
    assert home.table.board.last.player == "Bob"


def test_a_dialog_is_obeyed_though_the_game_went_on_as_it_was_pressed(
    home: Home, playing: Any
) -> None:
    tap(playing, "more")
    tap(playing, "End the game")
    held: list[Any] = []
    playing.route("**/play/do", lambda route: route.continue_() if held else held.append(route))
    tap(playing, "Yes, end it")
    until(playing, lambda: bool(held))
    rev = home.table.board.rev
    command(home, "roll", value=6)
    until(playing, lambda: home.table.board.rev > rev)
    held[0].continue_()
    playing.get_by_text("Done.").wait_for()

    assert home.table.board.phase == "over"


def held_back(page: Any) -> list[Any]:
    """The next press waits here, as on a bad line; those after it go through."""
    held: list[Any] = []
    page.route("**/play/do", lambda route: route.continue_() if held else held.append(route))
    return held


def meanwhile(page: Any, home: Home, held: list[Any], verb: str, **data: Any) -> None:
    """While a press is held back, another phone does something; then it goes on."""
    until(page, lambda: bool(held))
    rev = home.table.board.rev
    command(home, verb, **data)
    until(page, lambda: home.table.board.rev > rev)
    held[0].continue_()


def test_a_die_is_told_though_an_earlier_piece_was_corrected_as_it_was_pressed(
    home: Home, playing: Any
) -> None:
    ((_, (piece,)),) = home.table.board.board.items()
    held = held_back(playing)
    tap(playing, "die-6")
    meanwhile(playing, home, held, "correct", ref=piece.ref, cell="e5")
    playing.get_by_text("Done.").wait_for()

    assert (home.table.board.turn.player, home.table.board.turn.die) == ("Bob", 6)
    assert list(home.table.board.board) == ["e5"]


def test_a_die_is_not_told_twice_when_two_phones_are_quick(home: Home, playing: Any) -> None:
    held = held_back(playing)
    tap(playing, "die-6")
    meanwhile(playing, home, held, "roll", value=3)
    playing.get_by_text("The game has gone on meanwhile").wait_for()

    assert home.table.board.turn.die == 3


def test_a_card_is_answered_though_the_game_went_on_beside_it(home: Home) -> None:
    page = bumped(home)
    tap(page, "turn-Bob")
    page.locator(".aside .answer[data-name=Ann]").wait_for()
    until(page, lambda: shown_rev(page) == home.table.board.rev)
    asked = home.table.board.pending
    held = held_back(page)
    tap(page, "Ann")
    meanwhile(page, home, held, "roll", value=6)
    page.get_by_text("Done.").wait_for()

    assert asked.kind == "blame"
    assert home.table.board.pending is None
    assert home.table.board.turn.die == 6


# --- what a dialog was about has gone ------------------------------------------------------------


def gone(page: Any, name: str, words: str) -> None:
    """The dialog is still there, says why it has become idle, and lets go when asked to."""
    page.get_by_text(words).wait_for()
    picture(page, f"dialog-{name}-gone")
    assert page.locator("#panel").get_attribute("data-panel") == name
    awake = page.locator("#panel button:not([aria-disabled=true])").all()
    assert [button.get_attribute("data-name") for button in awake] == ["back"]
    tap(page, "back")
    page.wait_for_selector(f"#panel:not([data-panel={name}])")
    assert page.complaints == []


def test_end_says_that_the_game_is_over_already(home: Home, playing: Any) -> None:
    tap(playing, "more")
    tap(playing, "End the game")
    command(home, "end")

    gone(playing, "end", "The game is over already")


def test_a_dialog_says_that_another_game_was_begun(home: Home, playing: Any) -> None:
    tap(playing, "It toppled!")
    players = [{"name": "Cleo", "colours": ["red"]}, {"name": "Dan", "colours": ["blue"]}]
    command(home, "start", players=players, replace=True)

    gone(playing, "fall", "Another game has been started")


def test_a_piece_is_not_entered_twice_when_the_table_saw_it_as_it_was_tapped(
    home: Home, playing: Any
) -> None:
    tap(playing, "die-6")
    playing.wait_for_selector("[data-cell=e5]")
    held = held_back(playing)
    tap(playing, "e5")
    until(playing, lambda: bool(held))
    home.table.place("d4")
    held[0].continue_()
    playing.get_by_text("The game has gone on meanwhile").wait_for()

    assert "e5" not in home.table.board.board


def test_a_piece_taken_back_is_said_to_be_gone_and_comes_back(home: Home, playing: Any) -> None:
    tap(playing, "fix")
    tap(playing, "a2")
    playing.get_by_text("It is on another cell").wait_for()
    rev = home.table.board.rev
    command(home, "undo")
    seen_by(playing, home, rev)
    playing.get_by_text("This piece was changed").wait_for()
    command(home, "redo")
    seen_by(playing, home, rev + 1)
    assert not playing.get_by_text("This piece was changed").is_visible()
    command(home, "undo")

    gone(playing, "fix-piece", "This piece was changed")


def test_a_topple_that_the_table_saw_meanwhile_can_still_be_blamed(
    home: Home, playing: Any
) -> None:
    tap(playing, "It toppled!")
    marked(playing, '[data-name="Bob bumped the table"]')
    command(home, "topple", cause="placing", player="Bob")
    playing.wait_for_selector("#news:has-text('toppled')")
    assert same(playing, '[data-name="Bob bumped the table"]')
    tap(playing, "Bob bumped the table")
    playing.get_by_text("Done.").wait_for()

    assert home.table.board.last.cause == "bump"


# --- fingers -------------------------------------------------------------------------------------


def test_nothing_changes_under_a_finger_that_lies_on_a_button(home: Home, playing: Any) -> None:
    page = playing
    finger = page.locator("[data-name=die-3]").bounding_box()
    # A finger that lies for two seconds is resting, and a busy machine may need as long to look.
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(seconds=1))
    page.mouse.move(finger["x"] + 20, finger["y"] + 20)
    page.mouse.down()
    rev = home.table.board.rev
    command(home, "roll", value=6)
    until(page, lambda: home.table.board.rev > rev)
    page.wait_for_timeout(300)
    assert page.locator("[data-name=die-3]").is_visible()
    page.clock.resume()
    page.mouse.up()

    page.get_by_text("The game has gone on meanwhile").wait_for()
    panel(page, "turn")
    page.wait_for_selector(".tower-board")
    assert home.table.board.turn.die == 6


def test_a_menu_opened_while_an_answer_is_on_its_way_stays_open(home: Home) -> None:
    page = home.joined()
    start_topple(page)
    panel(page, "seat")
    held: list[Any] = []
    page.route("**/play/seat", lambda route: held.append(route))  # noqa: PLW0108 - it takes no builtin
    tap(page, "Ann")
    until(page, lambda: bool(held))
    tap(page, "more")
    panel(page, "more")
    with page.expect_response("**/play/me"):
        held[0].continue_()
    page.locator("[data-name='language-de']").click()

    wait_until(page, "document.documentElement?.lang === 'de'")

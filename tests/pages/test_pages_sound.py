"""What the pages sound like: nothing until asked for, then one sound for one thing.

Chromium has no ears here; what is looked at is what the page decided to play, and that the
audio graph was built without complaint.
"""

from typing import Any

import pytest

from tests.pages.browser import BROWSER_NEEDED, Evening, wait_for_rev, wait_until
from tests.pages.scenes import asked, scene, toppled, toppled_clear

pytestmark = BROWSER_NEEDED

LISTEN = """() => {
    window.started = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...at) {
        window.started++;
        return start.apply(this, at);
    };
}"""


def listening(evening: Evening, table: str, *, on: bool = True) -> Any:
    evening.show(scene(2, rev=39, seq=39), table)
    page = evening.open(path=f"t/{table}")
    page.evaluate(LISTEN)
    wait_for_rev(page, 39)
    if on:
        page.locator("#sound").click()
        page.evaluate("window.started = 0; delete document.body.dataset.sounded")
    return page


def sounded(page: Any) -> Any:
    return page.evaluate("document.body.dataset.sounded ?? null")


def test_a_screen_is_silent_until_somebody_wants_sound(evening: Evening) -> None:
    page = listening(evening, "silent", on=False)
    evening.show(scene(2), "silent")
    wait_for_rev(page, 40)

    assert page.locator("#sound").get_attribute("aria-pressed") == "false"
    assert (sounded(page), page.evaluate("window.started")) == (None, 0)


@pytest.mark.parametrize(
    ("board", "name", "notes"),
    [
        (scene(2), "scored", 3),
        (asked(2), "asked", 2),
        (toppled(2), "topple", 1),
        (toppled_clear(2), "topple", 1),
        (scene(2, last=None, rev=42, seq=42), None, 0),
    ],
)
def test_each_thing_has_its_sound(evening: Evening, board: Any, name: str, notes: int) -> None:
    table = f"sounds-{name}-{board.rev}".lower()
    page = listening(evening, table)
    evening.show(board, table)
    wait_for_rev(page, board.rev)

    assert (sounded(page), page.evaluate("window.started")) == (name, notes)
    assert page.complaints == []


def test_key_and_button_switch_it_and_the_screen_alone_remembers(evening: Evening) -> None:
    page = listening(evening, "remembers", on=False)
    page.keyboard.press("s")
    assert page.locator("#sound").get_attribute("aria-pressed") == "true"
    page.reload()
    wait_until(page, "document.querySelector('#sound').ariaPressed === 'true'")
    wait_for_rev(page, 39)
    # A late joiner hears nothing of what was.
    assert sounded(page) is None
    other = evening.open("remembers")
    assert other.locator("#sound").get_attribute("aria-pressed") == "false"
    page.locator("#sound").click()
    page.reload()

    wait_until(page, "document.querySelector('#sound').ariaPressed === 'false'")

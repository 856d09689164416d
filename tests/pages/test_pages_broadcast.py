"""The overlay of a broadcast, and two tables on one screen."""

import msgspec

from tests.controller.conftest import wait_until as until
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    keep_pictures,
    wait_for_rev,
    wait_until,
)
from tests.pages.scenes import by_hand, idle, over, scene, suspicion, toppled, toppled_clear

pytestmark = BROWSER_NEEDED

TRANSPARENT = "rgba(0, 0, 0, 0)"
CORNER = """() => {
    const at = document.elementFromPoint(20, 20);
    return [document.documentElement, document.body, at].map(
        (one) => getComputedStyle(one).backgroundImage + getComputedStyle(one).backgroundColor);
}"""


def test_the_overlay_is_transparent_but_for_its_strip(evening: Evening) -> None:
    evening.show(scene(4), "on-air")
    page = evening.open(path="t/on-air/overlay?lang=de", size="1920x1080")
    wait_for_rev(page, 40)

    assert set(page.evaluate(CORNER)) == {"none" + TRANSPARENT}
    assert page.locator(".card").count() == 4
    assert page.locator("button, a, input").count() == 0
    top = page.evaluate("document.querySelector('#players').getBoundingClientRect().top")
    assert top > 0.7 * 1080
    for card in page.locator(".card").all():
        whole, digits = card.bounding_box(), card.locator(".digits").bounding_box()
        assert whole["y"] <= digits["y"]
        assert digits["y"] + digits["height"] <= whole["y"] + whole["height"] + 1
    for _ in keep_pictures(page, "overlay"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.complaints == []


def test_the_overlay_shows_the_great_moments_and_nothing_else_over_the_game(
    evening: Evening,
) -> None:
    evening.show(scene(2), "air")
    page = evening.open(path="t/air/overlay")
    wait_for_rev(page, 40)
    calm = page.locator("#moment").is_hidden()
    evening.table.publish(suspicion("suspected", table="air", valid_s=60.0))
    wait_until(page, "document.querySelector('.moment.going') !== null")
    evening.show(toppled(), "air")
    wait_for_rev(page, 42)
    wait_until(page, "document.querySelector('.moment.toppled') !== null")
    evening.show(scene(2, rev=43, seq=43), "air")
    wait_for_rev(page, 43)

    assert calm
    wait_until(page, "document.querySelector('#moment').hidden")
    at_once = msgspec.structs.replace(toppled_clear(), rev=45, seq=48)
    evening.show(at_once, "air")
    wait_until(page, "document.querySelector('.moment.toppled') !== null")


def test_the_overlay_of_any_game_of_none_and_of_a_table_never_heard(evening: Evening) -> None:
    for table, board in (("air-topolo", by_hand("topolo", 5)), ("air-over", over(2))):
        evening.show(board, table)
        page = evening.open(path=f"t/{table}/overlay")
        wait_for_rev(page, board.rev)
        assert page.locator(".card").count() == len(board.players)
        assert page.complaints == []
    evening.show(idle(), "air-idle")
    page = evening.open(path="t/air-idle/overlay")
    wait_for_rev(page, idle().rev)
    assert page.locator("#ticker").is_hidden()

    page = evening.open(path="t/never-heard/overlay")
    page.wait_for_selector(".notice.unknown")
    # A score that may be old is marked.
    assert page.evaluate("document.body.classList.contains('old')")


def test_two_tables_stand_side_by_side_and_stay_when_the_list_changes(evening: Evening) -> None:
    for table in ("left", "right"):
        evening.show(msgspec.structs.replace(scene(2), table=table), table)
    page = evening.open(path="side-by-side?tables=left,right&lang=fr", size="1920x1080")
    for number, table in enumerate(("left", "right")):
        frame = page.frame_locator("iframe").nth(number)
        frame.locator("body[data-rev='40']").wait_for()
        assert frame.locator("html").get_attribute("lang") == "fr"
        assert page.locator("iframe").nth(number).get_attribute("src") == f"/t/{table}?lang=fr"
    for _ in keep_pictures(page, "side-by-side"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    assert page.complaints == []


def test_without_names_the_first_two_are_shown_and_a_bad_name_is_no_address(
    evening: Evening,
) -> None:
    evening.show(scene(2), "aa-first")
    evening.show(scene(2), "ab-second")
    until(lambda: {"aa-first", "ab-second"} <= evening.server._mirror.tables.keys(), "both")
    page = evening.open(path="side-by-side?tables=../../etc,<b>")
    wait_until(page, "document.querySelectorAll('iframe').length === 2")

    sources = [one.get_attribute("src") for one in page.locator("iframe").all()]
    assert sources == ["/t/aa-first", "/t/ab-second"]

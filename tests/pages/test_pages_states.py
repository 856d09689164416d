"""The pages when something is missing: broker, table, news, a sensor. The score always stays."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from controller.common.troubles import JOURNAL_STOPPED
from controller.mqtt import topics
from controller.mqtt.topics import SensorTrouble, TableStatus
from engine.referee import RefereeState
from engine.scoreboard import document
from pages import mirror
from tests.controller.conftest import wait_until
from tests.pages.browser import BROWSER_NEEDED, Evening, keep_pictures
from tests.pages.scenes import asked, scene

pytestmark = BROWSER_NEEDED

TROUBLE = SensorTrouble("scale.2", "Load cell C2 gives no valid values; check its plug and supply")


def scores(page: Any) -> list[str]:
    return [text.replace("\N{EN DASH}", "-") for text in page.locator(".digits").all_inner_texts()]


def opened(evening: Evening, table: str) -> Any:
    return evening.shown(scene(3, simulated=False), table)


def kept(page: Any, state: str) -> None:
    """The score is still there, at every size, and a picture of it."""
    page.wait_for_selector(f".notice.{state}")
    for picture in keep_pictures(page, f"state-{state}"):
        assert picture.stat().st_size > 10_000
        assert scores(page) == ["64", "38", "-10"]
        assert page.locator(".notice").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("state", ["degraded", "init", "stopping"])
def test_what_the_table_says_of_itself_stands_beside_the_score(
    evening: Evening, state: Any
) -> None:
    table = f"says-{state}"
    page = opened(evening, table)
    troubles = (TROUBLE,) if state == "degraded" else ()
    status = TableStatus("boot-1", state, "", "0.1", simulated=False, troubles=troubles)
    evening.say(topics.status(table, status))

    kept(page, state)
    assert "old" not in (page.locator("body").get_attribute("class") or "")


def test_a_table_without_a_game_shows_its_board_at_every_size(evening: Evening) -> None:
    page = evening.shown(document(RefereeState(), table="idle", boot="boot-1"), "idle")
    for width, height in ((390, 844), (800, 1280), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        stage = page.locator(".stage").bounding_box()
        assert stage["height"] > 0.4 * min(width, height), (width, height)


def test_all_that_is_wrong_is_listed_in_the_order_of_the_table(evening: Evening) -> None:
    page = opened(evening, "many")
    said = [SensorTrouble(f"scale.{n}", f"Load cell C{n} is silent") for n in range(4)]
    for count in (2, 4):
        status = TableStatus(
            "boot-1", "degraded", "", "0.1", simulated=False, troubles=tuple(said[:count])
        )
        evening.say(topics.status("many", status))
        page.wait_for_selector(f".notice.many:has-text('{count} things')")
        lines = page.locator(".notice.many li").all_inner_texts()
        beyond = ["and 1 more: see table health"] if count > 3 else []

        assert [line.strip() for line in lines] == [each.reason for each in said[:count]][
            :3
        ] + beyond


def test_a_table_that_stopped_since_it_can_store_nothing_says_so_where_it_was(
    evening: Evening,
) -> None:
    page = opened(evening, "stopped")
    for trouble, shown in (
        (TROUBLE, False),
        (SensorTrouble.of("journal", JOURNAL_STOPPED()), True),
    ):
        status = TableStatus("boot-1", "stopping", "", "0.1", simulated=False, troubles=(trouble,))
        evening.say(topics.status("stopped", status))
        evening.say(topics.availability("stopped", online=False))
        page.wait_for_selector(".notice.offline" + (" .why" if shown else ":not(:has(.why))"))

    list(keep_pictures(page, "state-journal-stopped"))
    assert JOURNAL_STOPPED().sentence in page.locator(".notice.offline").inner_text()


def test_a_silent_table_is_stale_after_a_while(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened(evening, "silent")
    monkeypatch.setattr(mirror, "STALE_AFTER_S", 0.1)

    kept(page, "stale")
    monkeypatch.undo()
    page.wait_for_selector(".notice.stale", state="detached")


def test_a_simulated_table_says_so_and_nothing_worse(evening: Evening) -> None:
    page = evening.shown(scene(3), "pretend")

    kept(page, "simulated")
    assert page.locator(".notice").count() == 1


def test_a_list_with_a_table_in_each_state_side_by_side(evening: Evening) -> None:
    evening.show(scene(4), "list-one")
    evening.show(asked(3), "list-two")
    rude = msgspec.structs.replace(scene(2).players[0], name="Wilhelmina " * 8)
    board = msgspec.structs.replace(scene(2), players=(rude, scene(2).players[1]))
    evening.show(board, "list-three")
    evening.say(topics.availability("list-three", online=False))
    page = evening.open(path="")
    page.wait_for_selector("a[href='/t/list-three'] .notice.offline")
    for picture in keep_pictures(page, "list", whole=True):
        assert picture.stat().st_size > 10_000
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card = page.locator("a[href='/t/list-one']")

    assert card.locator("li").count() == 4
    assert card.locator("li.now .name").inner_text() == "Björn"


@pytest.fixture
def lonely(evening: Evening) -> Iterator[Evening]:
    """Another evening, whose broker may be lost."""
    made = Evening(evening.chromium)
    wait_until(lambda: made.table.connection.up, "the table's connection")
    yield made
    made.close()


def test_a_table_that_is_offline_steps_back_and_without_a_broker_the_last_score_stays(
    lonely: Evening,
) -> None:
    page = opened(lonely, "t1")
    lonely.say(topics.availability("t1", online=False))
    kept(page, "offline")
    assert "old" in page.locator("body").get_attribute("class")
    lonely.lose_the_broker()

    kept(page, "no_broker")
    assert "old" in page.locator("body").get_attribute("class")


def test_without_its_server_the_page_keeps_the_last_score(lonely: Evening) -> None:
    page = opened(lonely, "t1")
    lonely.server.stop()

    kept(page, "page")


def test_a_table_never_heard_of_is_no_error(evening: Evening) -> None:
    page = evening.open("nobody-here")
    page.wait_for_selector(".notice.unknown")

    assert page.locator("#title").inner_text() == "Table nobody-here"
    assert page.complaints == []

"""The pages in Debian's Chromium, fed over MQTT: what people see.

Run with TOPPLE_SCREENSHOTS=DIR to keep the pictures.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller import publications
from controller.broker import EmbeddedBroker
from controller.mqtt import BrokerAddress, Mqtt
from controller.web.server import ScoreboardServer
from tests.controller.web.scenes import SCENES, asked, over, scene, toppled

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (apt-get install chromium)"),
    pytest.mark.slow,
]
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright (pip)")

SIZES = {"1920x1080": (1920, 1080), "1280x720": (1280, 720), "800x480": (800, 480),
         "390x844": (390, 844)}  # fmt: skip


class Evening:
    """A broker, a table that publishes what it is told, a scoreboard and a browser."""

    def __init__(self) -> None:
        self.retained: dict[str, Any] = {}
        self._broker = EmbeddedBroker(0)
        address = BrokerAddress("127.0.0.1", self._broker.start())
        self.table = Mqtt(address, "table", birth=self._retained)
        self.table.start()
        self.server = ScoreboardServer(address, port=0)
        self.server.start()
        self._playwright = playwright.sync_playwright().start()
        self.chromium = self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )

    def _retained(self) -> list[Any]:
        return list(self.retained.values())

    def say(self, publication: Any) -> None:
        self.retained[publication.topic] = publication
        self.table.publish(publication)

    def show(self, board: Any, table: str = "t1") -> None:
        self.say(publications.availability(table, online=True))
        self.say(publications.state(msgspec.structs.replace(board, table=table)))

    def open(self, table: str = "t1", size: str = "1280x720", motion: str = "reduce") -> Any:
        width, height = SIZES[size]
        page = self.chromium.new_context(
            viewport={"width": width, "height": height}, reduced_motion=motion
        ).new_page()
        page.complaints = []
        page.on("console", lambda said: page.complaints.append(said.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"{self.server.url}t/{table}")
        return page

    def close(self) -> None:
        self.chromium.close()
        self._playwright.stop()
        self.server.stop()
        self.table.stop()
        self._broker.stop()


@pytest.fixture(scope="module")
def evening(wait_until: Any) -> Iterator[Evening]:
    made = Evening()
    wait_until(lambda: made.table.connection.up, "the table's connection")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def close_pages(evening: Evening) -> Iterator[None]:
    yield
    for context in evening.chromium.contexts:
        context.close()


def wait_for_rev(page: Any, rev: int) -> None:
    page.wait_for_selector(f"body[data-rev='{rev}']", timeout=10_000)


def numbers(page: Any) -> list[str]:
    return [text.replace("\N{EN DASH}", "-") for text in page.locator(".digits").all_inner_texts()]


def height_of(page: Any, selector: str) -> float:
    sizes = page.locator(selector).evaluate_all(
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    return float(min(sizes))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_scores_are_legible_from_three_metres_and_nothing_is_cut_off(
    evening: Evening, size: str, players: int
) -> None:
    table = f"legible-{players}"
    evening.show(scene(players), table)
    page = evening.open(table, size)
    wait_for_rev(page, 40)
    vmin = min(SIZES[size]) / 100

    assert numbers(page) == ["64", "38", "-10", "102"][:players]
    assert height_of(page, ".digits") >= 20 * vmin
    assert height_of(page, ".card .name") >= 6 * vmin
    for card in page.locator(".card").all():
        box, digits = card.bounding_box(), card.locator(".digits").bounding_box()
        assert box["x"] <= digits["x"]
        assert digits["x"] + digits["width"] <= box["x"] + box["width"] + 1
        assert box["y"] - 1 <= digits["y"]
        assert digits["y"] + digits["height"] <= box["y"] + box["height"] + 2
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert page.complaints == []


def test_the_whole_state_is_drawn_turn_die_cells_stacks_points_and_probability(
    evening: Evening,
) -> None:
    evening.show(scene(2), "whole")
    page = evening.open("whole")
    wait_for_rev(page, 40)

    assert page.locator(".card.now .name").inner_text() == "Björn"
    assert page.locator(".card.now .pill").inner_text() == "to play"
    assert page.locator(".card.provisional .name").inner_text() == "Ada"
    assert page.locator("#die svg").get_attribute("aria-label") == "Die shows 3"
    assert page.locator("[data-cell].allowed").count() == 8
    assert page.locator("[data-cell=c3] .piece").count() == 5
    assert page.locator(".piece").count() == sum(map(len, scene(2).board.values()))
    assert page.locator("[data-cell=c3] .piece.provisional").count() == 1
    assert page.locator("#history polyline").count() == 2
    ticker = page.locator("#ticker").inner_text().replace("\n", " ")
    for words in ("Ada placed on c3", "+7", "+4 added to rank 3", "+3 stack on c3", "98 % sure",
                  "provisional"):  # fmt: skip
        assert words in ticker
    assert "simulated" in page.locator("#notices").inner_text()


def test_a_question_is_shown_with_its_likely_answers(evening: Evening) -> None:
    evening.show(asked(3), "asked")
    page = evening.open("asked")
    wait_for_rev(page, 41)

    assert "Where is Ada's last piece?" in page.locator("#ticker").inner_text()
    assert page.locator(".option.best").inner_text() == "b3 71 %"
    assert page.locator(".label.best text").text_content() == "b3"


def test_a_topple_flies_then_says_so_and_the_scores_stay(evening: Evening) -> None:
    evening.show(scene(2), "flies")
    page = evening.open("flies", motion="no-preference")
    wait_for_rev(page, 40)
    evening.show(toppled(2), "flies")
    page.wait_for_function("document.getAnimations().length > 5", timeout=5000)
    page.wait_for_selector(".moment.toppled", timeout=5000)

    assert page.locator(".moment .big").inner_text() == "Topple!"
    assert page.locator(".world .piece").count() == 0
    assert numbers(page) == ["64", "38"]
    assert "Björn toppled it" in page.locator("#ticker").inner_text()


def test_reduced_motion_is_respected(evening: Evening) -> None:
    evening.show(scene(2), "calm")
    page = evening.open("calm", motion="reduce")
    wait_for_rev(page, 40)
    evening.show(toppled(2), "calm")
    page.wait_for_selector(".moment.toppled", timeout=5000)

    assert page.evaluate("document.getAnimations().length") == 0


def test_the_winner_is_named(evening: Evening) -> None:
    evening.show(over(4), "over")
    page = evening.open("over")
    wait_for_rev(page, 43)

    assert page.locator(".moment .big").inner_text() == "Ada wins!"
    assert page.locator(".card.won .name").inner_text() == "Ada"


def test_every_change_is_one_sentence_for_those_who_listen(evening: Evening) -> None:
    evening.show(scene(2), "heard")
    page = evening.open("heard")
    wait_for_rev(page, 40)

    live = page.locator("#live")
    assert live.get_attribute("aria-live") == "polite"
    assert live.inner_text() == "Ada placed on c3. 7 points. Björn to play, die 3."


def test_the_last_score_stays_when_table_or_page_lose_the_line(evening: Evening) -> None:
    evening.show(scene(2), "lost")
    page = evening.open("lost")
    wait_for_rev(page, 40)
    evening.say(publications.availability("lost", online=False))
    page.wait_for_selector(".notice.offline", timeout=5000)

    assert numbers(page) == ["64", "38"]
    assert "old" in page.locator("body").get_attribute("class")
    evening.say(publications.availability("lost", online=True))
    page.wait_for_selector(".notice.offline", state="detached", timeout=5000)


def test_a_name_is_text_whatever_it_says(evening: Evening) -> None:
    board = scene(2)
    rude = msgspec.structs.replace(
        board.players[0], name="<img src=x onerror=alert(1)>", colours=("<b>",)
    )
    evening.show(msgspec.structs.replace(board, players=(rude, *board.players[1:])), "rude")
    page = evening.open("rude")
    wait_for_rev(page, 40)

    assert page.locator(".card .name").first.inner_text() == rude.name
    assert page.locator("img").count() == 0
    assert page.complaints == []


def test_the_list_leads_to_the_tables(evening: Evening) -> None:
    evening.show(scene(2), "listed")
    page = evening.open("listed")
    page.goto(evening.server.url)
    page.locator("a[href='/t/listed']").click()

    wait_for_rev(page, 40)


def test_pictures_are_kept_of_the_scenes(evening: Evening, tmp_path: Path) -> None:
    # All scenes when somebody wants to look at them; else two, since each takes a second.
    wanted = SCENES if "TOPPLE_SCREENSHOTS" in os.environ else dict(list(SCENES.items())[2:4])
    folder = Path(os.environ.get("TOPPLE_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    for name, board in wanted.items():
        evening.show(board, name)
        for size in SIZES:
            page = evening.open(name, size)
            wait_for_rev(page, board.rev)
            page.screenshot(path=folder / f"{name}-{size}.png", animations="disabled")
            page.context.close()

            assert (folder / f"{name}-{size}.png").stat().st_size > 10_000

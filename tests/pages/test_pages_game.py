"""The page of a finished game, and the file of it that people keep, opened without any network."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from controller.mqtt import topics
from controller.mqtt.client import BrokerAddress, Message, Mqtt
from controller.table.commands import CommandDesk
from controller.table.game_moves import GameMoves, QuestionPut, Told, game_moves, packed
from controller.table.pipeline import Pipeline
from controller.table.shelf import GameShelf, InMemory
from engine.games.registry import GAMES
from engine.results import GameResult, Results, result
from pages.files import languages
from tests.controller.conftest import wait_until
from tests.controller.evenings import TABLETOP, Detector
from tests.controller.whole_games import played_through
from tests.pages.browser import (
    BROWSER_NEEDED,
    Evening,
    axe_findings,
    keep_pictures,
)
from tests.pages.browser import wait_until as until
from tests.pages.scenes import film_of, scene

pytestmark = BROWSER_NEEDED

ENDED = datetime(2026, 11, 22, 20, 6, tzinfo=UTC).isoformat()
LONGEST = "Wilhelmina-Alexandra von und zu Hohenlohe"[:40]


class Keeping(Evening):
    """An evening whose table answers for its finished games, as a table does."""

    def __init__(self, chromium: Any) -> None:
        super().__init__(chromium, phones="screen")
        self.store = InMemory()
        self.desk = CommandDesk(Pipeline(Detector()), shelf=GameShelf(self.store))
        broker = self.table._address  # the one that the table itself uses
        assert isinstance(broker, BrokerAddress)
        self._ear = Mqtt(broker, "ear", subscriptions=("topple/1/t1/cmd/+",))
        self._ear.on_message(self._answer)
        self._ear.start()
        wait_until(lambda: self.table.connection.up and self._ear.connection.up, "connections")
        self.asked = 0

    def _answer(self, message: Message) -> None:
        self.asked += 1
        found = self.desk.receive(message.at.level, message.payload, t_s=0.0, unix_s=time.time())
        if found.client:
            self._ear.publish(topics.reply("t1", found.client, found.reply))

    def keep(self, kind: str, seed: int = 3, *, names: dict[str, str] | None = None) -> GameResult:
        """A whole game, finished; of Topple its first fall was filmed."""
        state = played_through(kind, seed)
        told = result(state, ENDED)
        assert told is not None
        falls = [move.move.ref for move in state.judged_moves
                 if any(one.type == "toppled" for one in move.applied)]  # fmt: skip
        placed = next((a.ref for m in state.judged_moves for a in m.applied if a.points), 1)
        asked = QuestionPut(placed, "cell", "Where is the last piece?", None, "c3")
        known = Told((asked,), {ref: 100 + ref for ref in falls})
        moves = game_moves(state, told, TABLETOP, known, simulated=True)
        for name, other in (names or {}).items():
            moves = _renamed(moves, name, other)
        self.store.keep_moves(told.game, packed(moves))
        if falls:
            fall = scene(2, game=told.game, seq=100 + falls[0])
            self.store.keep_film(film_of(fall))
        self.say(topics.availability("t1", online=True))
        self.say(topics.results(Results("t1", "boot-1", (told,))))
        return told

    def game(self, told: GameResult, more: str = "", lang: str = "en", **look: Any) -> Any:
        wait_until(lambda: self.server._mirror.results("t1") is not None, "the results")
        wait_until(lambda: "t1" in self.server._mirror.tables, "the table")
        page = self.open(path=f"t/t1/game?id={told.game}&lang={lang}{more}", **look)
        page.wait_for_selector("body[data-ready]")
        return page

    def close(self) -> None:
        self._ear.stop()
        super().close()


def _renamed(moves: GameMoves, name: str, other: str) -> GameMoves:
    text = msgspec.json.encode(moves).replace(f'"{name}"'.encode(), f'"{other}"'.encode())
    return msgspec.json.decode(text, type=GameMoves)


@pytest.fixture(scope="module")
def house(chromium: Any) -> Iterator[Keeping]:
    made = Keeping(chromium)
    yield made
    made.close()


def stacks(page: Any) -> int:
    return int(page.evaluate("document.querySelectorAll('#tower .piece').length"))


def test_keys_buttons_slider_list_and_swipe_step_through_the_game(evening: Keeping) -> None:
    page = evening.game(evening.keep("topple"))
    last = int(page.locator("body").get_attribute("data-move"))
    assert last > 100
    assert page.url.endswith(f"#{last}")
    line = page.locator("#moves [aria-current]").bounding_box()
    seen = page.locator("#moves").bounding_box()
    assert seen["y"] <= line["y"] <= seen["y"] + seen["height"] - line["height"] + 1

    page.keyboard.press("Home")
    assert (page.url.split("#")[1], stacks(page)) == ("0", 0)
    page.keyboard.press("ArrowRight")
    page.click("[name=game_next]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert (page.url.split("#")[1], stacks(page)) == ("2", 2)
    assert page.locator("#moves [aria-current]").get_attribute("href") == "#2"
    page.locator("#moves a[href='#5']").click()
    until(page, "document.body.dataset.move === '5'")
    page.locator("#slider").fill("7")
    until(page, "document.body.dataset.move === '7'")
    box = page.locator("#look").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 50)
    page.mouse.up()
    until(page, "document.body.dataset.move === '8'")
    page.keyboard.press("End")
    assert page.locator("#title").inner_text().endswith("wins!")
    assert page.complaints == []


def test_a_link_to_a_move_leads_there_and_another_on_the_open_page_as_well(
    evening: Keeping,
) -> None:
    page = evening.game(evening.keep("topple"), "#17")
    assert page.locator("body").get_attribute("data-move") == "17"
    assert page.locator("#now-title").inner_text().startswith("17. ")

    page.evaluate("location.hash = '#3'")
    until(page, "document.body.dataset.move === '3'")


def test_bold_placements_questions_and_falls_are_told_and_the_film_is_there(
    evening: Keeping,
) -> None:
    page = evening.game(evening.keep("topple"))
    signs = page.locator("#moves .signs").all_inner_texts()
    bold = next(at for at, sign in enumerate(signs) if "★" in sign)
    asked = next(at for at, sign in enumerate(signs) if "?" in sign)
    fell = next(at for at, sign in enumerate(signs) if "▼" in sign)

    page.evaluate(f"location.hash = '#{bold}'")
    page.get_by_text(re.compile("Bold: at|Best placement")).first.wait_for()
    page.evaluate(f"location.hash = '#{asked}'")
    assert "c3" in page.locator("#remarks .asked").inner_text()
    page.evaluate(f"location.hash = '#{fell}'")
    page.locator("#remarks button").click()
    page.wait_for_selector("#film:not([hidden]) canvas")
    page.keyboard.press("Escape")
    until(page, "document.activeElement.name === 'film'")
    assert page.complaints == []


@pytest.mark.parametrize("kind", list(GAMES))
def test_every_game_has_its_board_at_every_move_and_fits_every_screen(
    evening: Keeping, kind: str
) -> None:
    page = evening.game(evening.keep(kind), f"&theme={'light' if kind == 'topolo' else 'dark'}")
    last = int(page.locator("body").get_attribute("data-move"))
    place = "#tower" if GAMES[kind].by_sensors else "#board"
    for move in (0, 1, last // 2, last):
        page.evaluate(f"location.hash = '#{move}'")
        until(page, f"document.body.dataset.move === '{move}'")
        assert page.locator(f"{place} svg").first.is_visible()

    for _ in keep_pictures(page, f"game-{kind}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe_findings(page) == []
    assert page.complaints == []


@pytest.mark.parametrize("lang", languages())
def test_the_longest_names_fit_in_every_language(evening: Keeping, lang: str) -> None:
    told = evening.keep("topple", 5, names={"Bob": LONGEST})
    page = evening.game(told, "#60", lang)

    for _ in keep_pictures(page, f"game-names-{lang}", whole=True):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.complaints == []


def test_people_who_open_a_game_cost_its_table_one_question(evening: Keeping) -> None:
    told = evening.keep("topolo", 8)
    before = evening.asked
    for _ in range(3):
        evening.game(told)

    assert evening.asked - before <= 1


def test_the_kept_file_opens_from_the_disk_with_the_network_off(
    evening: Keeping, tmp_path: Path
) -> None:
    told = evening.keep("topple", 6, names={"Bob": "</script><b>Bob</b>"})
    page = evening.game(told)
    with page.expect_download() as download:
        page.click("#keep")
    assert download.value.suggested_filename == "topple-t1-2026-11-22.html"
    path = tmp_path / "game.html"
    download.value.save_as(path)
    alone = from_disk(evening, f"{path.as_uri()}#4")

    assert alone.locator("#now-title").inner_text().startswith("4. ")
    assert stacks(alone) == stacks_at(page, 4)
    assert alone.locator("html").get_attribute("lang") == "de"
    alone.keyboard.press("ArrowRight")
    until(alone, "document.body.dataset.move === '5'")
    signs = alone.locator("#moves .signs").all_inner_texts()
    alone.evaluate(f"location.hash = '#{next(at for at, s in enumerate(signs) if '▼' in s)}'")
    alone.locator("#remarks button").click()
    alone.wait_for_selector("#film:not([hidden]) canvas")
    assert "<b>Bob</b>" in alone.locator("#standing").inner_text()
    assert alone.complaints == alone.asked == []
    assert path.stat().st_size < 900_000


def from_disk(evening: Keeping, address: str) -> Any:
    """A kept file in a browser without a network; what it would ask for is kept."""
    context = evening.chromium.new_context(offline=True, locale="de-DE", reduced_motion="reduce")
    alone = context.new_page()
    alone.complaints, alone.asked = [], []
    alone.on("request", lambda asked: None if asked.url.startswith(("file:", "data:", "blob:"))
             else alone.asked.append(asked.url))  # fmt: skip
    alone.on("console", lambda said: alone.complaints.append(said.text))
    alone.on("pageerror", lambda error: alone.complaints.append(str(error)))
    alone.goto(address)
    alone.wait_for_selector("body[data-ready]")
    return alone


def test_a_whole_evening_is_kept_as_one_file_that_opens_without_a_network(
    evening: Keeping, tmp_path: Path
) -> None:
    told = (evening.keep("topple", 6, names={"Bob": "</script><b>Bob</b>"}),
            evening.keep("topominos", 3))  # fmt: skip
    lost = replace(told[1], game="no-moves-of-it")
    evening.say(topics.results(Results("t1", "boot-1", (*told, lost))))
    page = evening.open(path="t/t1/evening", accept_downloads=True)
    page.wait_for_selector("#keep-evening:visible")
    assert page.locator("#games button").count() == 3
    with page.expect_download() as download:
        page.click("#keep-evening")
    assert download.value.suggested_filename == "topple-t1-2026-11-22-evening.html"
    path = tmp_path / "evening.html"
    download.value.save_as(path)
    alone = from_disk(evening, path.as_uri())

    assert alone.locator("#games button").count() == 3
    list(keep_pictures(alone, "evening-file", whole=True))
    for at, opens in enumerate((1, 1, 0)):
        alone.locator("#games button").nth(at).click()
        assert alone.locator("#to-game").count() == opens
    alone.locator("#games button").first.click()
    alone.click("#to-game")
    alone.wait_for_selector("body.game-page[data-ready]")
    list(keep_pictures(alone, "evening-file-game", whole=True))
    alone.keyboard.press("Home")
    alone.keyboard.press("ArrowRight")
    until(alone, "document.body.dataset.move === '1'")
    assert stacks(alone) == stacks_at(evening.game(told[0]), 1)
    alone.click("#to-evening")
    alone.wait_for_selector("body.evening:not(.game-page)[data-ready]")
    assert alone.complaints == alone.asked == []
    assert path.stat().st_size < 1_200_000


def stacks_at(page: Any, move: int) -> int:
    page.evaluate(f"location.hash = '#{move}'")
    until(page, f"document.body.dataset.move === '{move}'")
    return stacks(page)


def test_the_evening_leads_to_its_game_and_gives_its_file(evening: Keeping) -> None:
    told = evening.keep("topple", 7)
    page = evening.open(path="t/t1/evening?lang=de")
    page.wait_for_selector("#to-game")
    with page.expect_download() as download:
        page.click("#keep")
    assert download.value.suggested_filename == "topple-t1-2026-11-22.html"

    page.click("#to-game")
    page.wait_for_selector("body.game-page[data-ready]")
    assert f"id={told.game}" in page.url
    assert page.locator("html").get_attribute("lang") == "de"
    page.click("#to-evening")
    page.wait_for_selector("body.evening[data-ready]")


def test_a_game_that_was_not_kept_and_a_table_that_is_off_are_told_in_words(
    evening: Keeping,
) -> None:
    told = evening.keep("topolo")
    page = evening.game(replace(told, game="long-ago"))
    assert "kept no moves" in page.locator("#none").inner_text()

    evening.say(topics.availability("t1", online=False))
    wait_until(lambda: not evening.server._mirror.tables["t1"].online, "the table to be off")
    page = evening.game(replace(told, game="another"))
    assert "Is it switched on?" in page.locator("#none").inner_text()
    assert page.locator("#game").is_hidden()

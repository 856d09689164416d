"""The film of the last topple: offered, shown by itself, watched again, saved."""

import base64
from typing import Any

import msgspec
import pytest

from controller.mqtt import topics
from tests.controller.conftest import PATIENCE_S
from tests.pages.browser import (
    BROWSER_NEEDED,
    PICTURES,
    TWO_FRAMES,
    Evening,
    keep_pictures,
    wait_for_rev,
    wait_until,
)
from tests.pages.scenes import (
    FILM_EVERY_S,
    FILM_S,
    JOLT_S,
    STEEPEST_S,
    film_of,
    scene,
    toppled,
)

pytestmark = BROWSER_NEEDED

PNG, WEBM = b"\x89PNG\r\n", b"\x1aE\xdf\xa3"
OPEN = "!document.querySelector('#film').hidden"
AT_S = "Number(document.querySelector('#film').dataset.at)"


def fallen(
    evening: Evening, table: str, *, motion: str = "reduce", lang: str = "en", **changes: Any
) -> Any:
    """A scoreboard that came after a topple, with its film on offer."""
    board = toppled()
    evening.say(topics.film(table, film_of(board, **changes)))
    evening.show(board, table)
    page = evening.open(path=f"t/{table}?lang={lang}", motion=motion)
    wait_for_rev(page, board.rev)
    page.wait_for_selector("#to-film:not([hidden])")
    return page


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "Björn was placing. 9.4°, 0.6 s of hope"),
        ("de", "Björn war am Setzen. 9,4°, 0,6 s Hoffnung"),
        ("fr", "Björn posait une pièce. 9,4°, 0,6 s d\u2019espoir"),
    ],
)
def test_it_is_opened_by_button_or_key_and_says_how_it_went(
    evening: Evening, lang: str, words: str
) -> None:
    page = fallen(evening, f"film-{lang}", lang=lang)
    page.click("#to-film")
    wait_until(page, OPEN)

    assert page.locator("#film canvas").get_attribute("aria-label") == words
    for _ in keep_pictures(page, f"film-{lang}"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for width, height, focus in ((1280, 800, "to-film"), (800, 1280, "menu")):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(TWO_FRAMES)
        page.keyboard.press("Escape")
        wait_until(page, f"!({OPEN})")
        assert page.evaluate("document.activeElement.id") == focus
        page.keyboard.press("f")
        wait_until(page, OPEN)
    assert page.complaints == []


@pytest.mark.parametrize(
    ("player", "words"), [("Ada", "Ada bumped the table"), (None, "Nobody knows who it was")]
)
def test_it_names_who_bumped_the_table_or_nobody(
    evening: Evening, player: str | None, words: str
) -> None:
    page = fallen(evening, f"film-of-{player or 'nobody'}".lower(), player=player, cause="bump")
    page.click("#to-film")
    wait_until(page, OPEN)

    assert page.locator("#film canvas").get_attribute("aria-label").startswith(words)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_an_open_film_names_who_it_was_when_that_is_answered(evening: Evening, motion: str) -> None:
    table, board = f"film-answered-{motion}", toppled()
    page = fallen(evening, table, motion=motion, player=None, cause="bump")
    page.click("#to-film")
    wait_until(page, OPEN)
    canvas = page.locator("#film canvas")
    assert canvas.get_attribute("aria-label").startswith("Nobody knows")
    before = canvas.screenshot()
    evening.say(topics.film(table, film_of(board, player="Ada", cause="bump")))
    evening.show(msgspec.structs.replace(board, rev=43, seq=43), table)
    page.wait_for_selector("#film canvas[aria-label^='Ada bumped the table']")

    assert canvas.screenshot(path=PICTURES / f"{table}.png") != before
    assert page.evaluate(OPEN)
    assert page.complaints == []


def test_without_a_topple_there_is_none_and_a_new_game_has_none_of_the_old(
    evening: Evening,
) -> None:
    board = toppled()
    evening.show(scene(2), "no-film")
    evening.say(topics.film("no-film", film_of(board)))
    page = evening.open("no-film")
    wait_for_rev(page, 40)
    page.wait_for_selector("#to-film:not([hidden])")
    evening.show(scene(2, game="game-2", rev=1, seq=1), "no-film")
    wait_for_rev(page, 1)

    wait_until(page, "document.querySelector('#to-film').hidden")
    page.keyboard.press("f")
    assert not page.evaluate(OPEN)


def test_after_a_topple_it_comes_by_itself_and_goes_when_somebody_plays_on(
    evening: Evening,
) -> None:
    page = evening.shown(scene(2), "film-itself", motion="no-preference")
    evening.show(toppled(), "film-itself")
    wait_for_rev(page, 42)
    evening.say(topics.film("film-itself", film_of(toppled())))
    wait_until(page, OPEN)
    wait_until(page, f"{AT_S} > {JOLT_S}")
    evening.show(scene(2, rev=43, seq=43), "film-itself")

    wait_until(page, f"!({OPEN})")
    assert page.complaints == []


def test_it_runs_slowly_to_its_end_and_the_tower_moves(evening: Evening) -> None:
    page = fallen(evening, "film-runs", motion="no-preference")
    page.click("#to-film")
    wait_until(page, OPEN)
    wait_until(page, f"{AT_S} > {JOLT_S - 0.5}")
    before = page.locator("#film canvas").screenshot()
    wait_until(page, f"{AT_S} > {STEEPEST_S + 0.3}")
    after = page.locator("#film canvas").screenshot()
    wait_until(page, f"{AT_S} > {FILM_S - 2 * FILM_EVERY_S}")

    assert before != after
    assert page.evaluate(OPEN)


def test_where_nothing_may_move_it_is_a_picture_of_the_steepest_moment(evening: Evening) -> None:
    page = evening.shown(scene(2), "film-still")
    evening.show(toppled(), "film-still")
    wait_for_rev(page, 42)
    evening.say(topics.film("film-still", film_of(toppled())))
    page.wait_for_selector("#to-film:not([hidden])")
    assert not page.evaluate(OPEN)
    page.click("#to-film")
    wait_until(page, OPEN)

    assert page.evaluate(AT_S) == pytest.approx(STEEPEST_S + 0.12, abs=0.02)


def test_it_can_be_saved_as_a_picture_and_as_a_clip(evening: Evening) -> None:
    page = fallen(evening, "film-kept", motion="no-preference")
    page.click("#to-film")
    wait_until(page, OPEN)
    saved = {}
    for name in ("film_picture", "film_clip"):
        with page.expect_download(timeout=1000 * PATIENCE_S) as download:
            page.click(f"#film button[name={name}]")
        path = download.value.path()
        saved[download.value.suggested_filename] = path.read_bytes()[:6]

    assert set(saved) == {"topple-film-kept-42.png", "topple-film-kept-42.webm"}
    assert saved["topple-film-kept-42.png"] == PNG
    assert saved["topple-film-kept-42.webm"].startswith(WEBM)


OPACITY = """async (url) => {
  const picture = await createImageBitmap(await (await fetch(url)).blob());
  const ink = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  ink.drawImage(picture, 0, 0);
  const { data } = ink.getImageData(0, 0, picture.width, picture.height);
  return data.every((value, at) => at % 4 < 3 || value === 255);
}"""


def test_a_saved_picture_hides_what_lies_behind_it_in_a_bright_room_too(evening: Evening) -> None:
    page = fallen(evening, "film-opaque")
    page.click("#theme")
    page.click("#to-film")
    wait_until(page, OPEN)
    with page.expect_download() as download:
        page.click("#film button[name=film_picture]")
    keep = PICTURES / "film-saved.png"
    download.value.save_as(keep)
    served = base64.b64encode(keep.read_bytes()).decode()
    blank = evening.chromium.new_page()

    assert blank.evaluate(OPACITY, f"data:image/png;base64,{served}")
    for _ in keep_pictures(page, "film-light"):
        pass


def test_it_is_offered_until_pieces_of_another_round_stand(evening: Evening) -> None:
    page = fallen(evening, "film-round")
    evening.show(scene(2, round=3, phase="roll", board={}, rev=50, seq=50), "film-round")
    wait_for_rev(page, 50)
    assert page.locator("#to-film").is_visible()
    evening.show(scene(2, round=3, rev=51, seq=51), "film-round")
    wait_for_rev(page, 51)

    assert page.locator("#to-film").is_hidden()


def test_a_film_of_another_shape_is_not_offered_and_breaks_nothing(evening: Evening) -> None:
    evening.say(topics.film("film-odd", {"v": 1, "tilt_deg": "<b>"}))
    page = evening.shown(toppled(), "film-odd")

    assert page.locator("#to-film").is_hidden()
    assert page.complaints == []

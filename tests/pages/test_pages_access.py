"""The pages for those who cannot see well, or at all, or use no mouse: axe-core, and by keys."""

import io
from typing import Any

import msgspec
import numpy as np
import pytest
from PIL import Image

from controller.mqtt import topics
from controller.mqtt.topics import SensorTrouble, TableStatus
from engine.scoreboard import Scoreboard
from tests.pages.acting import Acting, screen, wall
from tests.pages.browser import (
    BROWSER_NEEDED,
    PICTURES,
    Evening,
    axe_findings,
    each_size,
    keep_pictures,
    wait_for_rev,
)
from tests.pages.scenes import SCENES, by_hand, film_of, scene, toppled, unwell, vitals

pytestmark = BROWSER_NEEDED
__all__ = ["screen", "wall"]  # fixtures

BACKGROUND = "getComputedStyle(document.body).backgroundColor"
TROUBLE = SensorTrouble("imu", "The inertial sensor is silent; check its four wires.")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_no_scene_of_the_scoreboard_has_a_finding(evening: Evening, theme: str) -> None:
    table = f"axe-{theme}"
    page, found = evening.open(path=f"t/{table}?theme={theme}"), {}
    for rev, (name, board) in enumerate(SCENES.items(), start=1):
        # Each is a game of its own, so that nothing has to move.
        evening.show(msgspec.structs.replace(board, game=name, rev=rev, seq=rev), table)
        wait_for_rev(page, rev)
        found[name] = axe_findings(page)

    assert found == {name: [] for name in SCENES}


STATES = ("offline", "unknown", "degraded", "init", "stopping", "page")


def in_state(evening: Evening, state: Any) -> Any:
    """A scoreboard whose table is in trouble."""
    table = f"state-{state}"
    page = evening.shown(scene(3), table)
    if state == "page":
        page.evaluate(
            "async () => (await import('/static/notices.js'))"
            ".notices(document.getElementById('notices'), ['page'])"
        )
    elif state == "offline":
        evening.say(topics.availability(table, online=False))
    elif state == "unknown":
        page = evening.open("never-heard-of")
    else:
        troubles = (TROUBLE,) if state == "degraded" else ()
        status = TableStatus("boot-1", state, "", "0.1", simulated=False, troubles=troubles)
        evening.say(topics.status(table, status))
    page.wait_for_selector(f".notice.{state}")
    return page


@pytest.mark.parametrize("state", STATES)
def test_no_state_of_the_connection_has_a_finding(evening: Evening, state: str) -> None:
    page = in_state(evening, state)

    assert axe_findings(page) == []
    if state == "degraded":
        assert "check its four wires" in page.locator("#notices").inner_text()


@pytest.mark.parametrize("health", ["vitals", "unwell", "unheard"])
def test_the_health_page_and_the_list_of_tables_have_no_finding(
    evening: Evening, health: str
) -> None:
    table = f"axe-{health}"
    evening.show(scene(4), f"{table}-listed")
    if health != "unheard":
        document = vitals() if health == "vitals" else unwell()
        evening.say(topics.health(table, document))
    page = evening.open(path=f"t/{table}/health")
    page.wait_for_selector("body[data-ready]")
    assert axe_findings(page) == []

    page = evening.open(path="")
    page.wait_for_selector(f"a[href='/t/{table}-listed']")
    assert axe_findings(page) == []


@pytest.mark.parametrize(
    "path", ["", "side-by-side", "t/bright/health", "t/bright/overlay", "t/bright"]
)
def test_a_light_page_has_no_finding(evening: Evening, path: str) -> None:
    evening.show(scene(4), "bright")
    evening.say(topics.health("bright", vitals()))
    page = evening.open(path=f"{path}?theme=light")
    page.wait_for_selector("body[data-ready], body[data-rev], a[href='/t/bright'], iframe")
    name = path.replace("/", "-") or "list"
    for _ in keep_pictures(page, f"light-{name}"):
        assert axe_findings(page) == []


GRAPHICS = 3.0
"""Contrast that WCAG 2.2 wants of a graphic (1.4.11)."""

ROWS = ("red", "yellow", "green", "blue")


def contrast(png: bytes) -> float:
    """Of what is drawn to the ground it is drawn on, which most of the picture shows."""
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).reshape(-1, 3) / 255.0
    linear = np.where(pixels <= 0.04045, pixels / 12.92, ((pixels + 0.055) / 1.055) ** 2.4)
    light = linear @ (0.2126, 0.7152, 0.0722)
    ground = np.median(light)
    ratios = (np.maximum(light, ground) + 0.05) / (np.minimum(light, ground) + 0.05)
    # Some pixels in the middle of a line, and none that is an accident of its edge.
    return float(np.sort(ratios)[-8])


def free(board: Scoreboard, row: str) -> str:
    """The first cell of a row of the cube on which nobody has a sign."""
    assert isinstance(board.view, dict)
    taken = board.view["board"]
    cells = (f"{row}-{shape}-1" for shape in ("circle", "heart", "triangle", "square"))
    return next(cell for cell in cells if cell not in taken)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_row_of_the_cube_stands_out_on_the_scoreboard(evening: Evening, theme: str) -> None:
    board = by_hand("triple-topper-toe", 8)
    evening.show(board, f"cube-{theme}")
    page = evening.open(path=f"t/cube-{theme}?theme={theme}", size="1920x1080")
    wait_for_rev(page, board.rev)
    for _ in keep_pictures(page, f"cube-{theme}"):
        pass
    page.set_viewport_size({"width": 1920, "height": 1080})
    cells = {row: page.locator(f"[data-cell={free(board, row)}]") for row in ROWS}
    found = {row: contrast(cell.screenshot()) for row, cell in cells.items()}

    assert {row: ratio for row, ratio in found.items() if ratio < GRAPHICS} == {}


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_every_colour_of_a_player_stands_out_on_a_phone(screen: Acting, scheme: str) -> None:
    page = screen.on_phone(scene(4), color_scheme=scheme, device_scale_factor=3)
    page.screenshot(path=PICTURES / f"marks-phone-{scheme}.png")
    found = [contrast(each.screenshot()) for each in page.locator(".score-chip .badge").all()]

    assert len(found) == 4
    assert min(found) >= GRAPHICS


MARKS = (".badge", ".ticker .dot")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_colour_of_a_player_stands_out(evening: Evening, theme: str) -> None:
    evening.show(scene(4), f"marks-{theme}")
    page = evening.open(path=f"t/marks-{theme}?theme={theme}", size="1920x1080")
    wait_for_rev(page, 40)
    found = {
        f"{mark} {number}": contrast(each.screenshot())
        for mark in MARKS
        for number, each in enumerate(page.locator(mark).all())
    }

    assert {mark: ratio for mark, ratio in found.items() if ratio < GRAPHICS} == {}


def test_one_key_or_button_makes_it_light_and_the_browser_remembers(evening: Evening) -> None:
    page = evening.shown(scene(2), "lit")
    night = page.evaluate(BACKGROUND)
    page.keyboard.press("l")
    day = page.evaluate(BACKGROUND)
    page.reload()
    wait_for_rev(page, 40)
    kept = page.evaluate(BACKGROUND)
    page.click("#theme")

    assert page.locator("#theme").get_attribute("aria-label") == "Light, for bright rooms"
    assert night == page.evaluate(BACKGROUND) != day == kept


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_film_of_a_fall_has_no_finding(evening: Evening, theme: str) -> None:
    board = toppled()
    evening.say(topics.film(f"axe-film-{theme}", film_of(board)))
    evening.show(board, f"axe-film-{theme}")
    page = evening.open(path=f"t/axe-film-{theme}?theme={theme}")
    wait_for_rev(page, board.rev)
    page.wait_for_selector("#to-film:not([hidden])")
    page.click("#to-film")
    page.wait_for_selector("#film:not([hidden])")

    assert axe_findings(page) == []


def test_small_screens_have_no_finding_either(evening: Evening) -> None:
    page = evening.shown(scene(4), "axe-small")

    small = {size: axe_findings(page) for size in each_size(page) if size[0] < 1000}
    assert small
    assert {size: found for size, found in small.items() if found} == {}


def test_everything_can_be_reached_by_keys_and_shows_that_it_was(evening: Evening) -> None:
    page = evening.shown(scene(2), "keys")
    reached = []
    for _ in range(5):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"

    assert reached == ["to-tables", "to-evening", "to-health", "commentator", "sound"]
    page.locator("#to-health").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/t/keys/health")
